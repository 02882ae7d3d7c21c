"""Requesters and their money, HITs and their assignments, workers and their qualifications."""

from marketplace.models.hit import Assignment, Hit, HitType
from marketplace.models.requester import LedgerEntry, Requester, RequesterKey, RequestToken
from marketplace.models.worker import Qualification, QualificationType, Worker, WorkerBlock

__all__ = [
    "Assignment",
    "Hit",
    "HitType",
    "LedgerEntry",
    "Qualification",
    "QualificationType",
    "RequestToken",
    "Requester",
    "RequesterKey",
    "Worker",
    "WorkerBlock",
]
