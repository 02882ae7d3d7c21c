"""Requesters and their money, HITs and their assignments, workers and their qualifications."""

from crowd.marketplace.models.hit import Assignment, Hit, HitType
from crowd.marketplace.models.requester import LedgerEntry, Requester, RequesterKey, RequestToken
from crowd.marketplace.models.worker import Qualification, QualificationType, Worker, WorkerBlock

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
