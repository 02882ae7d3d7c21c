"""Asking people for answers: what is asked of whom, and what it costs."""

from crowd.models.account import ProviderAccount
from crowd.models.assignment import Assignment, Bonus
from crowd.models.budget import Budget, LedgerEntry
from crowd.models.hit import BatchPlan, Hit, HitBatch, HitGold, HitQuestion
from crowd.models.measure import BatchMeasure, WorkerMeasure
from crowd.models.prolific import ProlificEvent, ProlificObject, ProlificRequest, ProlificTask
from crowd.models.qualification import TutorialAttempt, WorkerBlock, WorkerQualification
from crowd.models.reservation import Reservation

__all__ = [
    "Assignment",
    "BatchMeasure",
    "BatchPlan",
    "Bonus",
    "Budget",
    "Hit",
    "HitBatch",
    "HitGold",
    "HitQuestion",
    "LedgerEntry",
    "ProlificEvent",
    "ProlificObject",
    "ProlificRequest",
    "ProlificTask",
    "ProviderAccount",
    "Reservation",
    "TutorialAttempt",
    "WorkerBlock",
    "WorkerMeasure",
    "WorkerQualification",
]
