"""Asking people for answers: what is asked of whom, and what it costs."""

from crowd.models.assignment import Assignment, Bonus
from crowd.models.hit import Hit, HitBatch, HitQuestion
from crowd.models.money import Budget, LedgerEntry
from crowd.models.qualification import TutorialAttempt, WorkerQualification
from crowd.models.reservation import Reservation

__all__ = [
    "Assignment",
    "Bonus",
    "Budget",
    "Hit",
    "HitBatch",
    "HitQuestion",
    "LedgerEntry",
    "Reservation",
    "TutorialAttempt",
    "WorkerQualification",
]
