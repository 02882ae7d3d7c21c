"""Asking people for answers."""

from django.db import models

from annotations.models import CorpusGuidelines, Question
from crowd.models.keys import versions_key
from kbpo.accounts.models import User


class Reservation(models.Model):
    """A question in front of a worker: held for them until it expires, and the start of its timing."""

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="reservations")
    worker = models.ForeignKey(User, on_delete=models.CASCADE, related_name="reservations")
    as_expert = models.BooleanField(default=False, help_text="Held to be settled, not to be voted on.")
    guidelines = versions_key(
        CorpusGuidelines, "The corpus' own that its page shows; empty: those of its ontology."
    )
    taken_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    draft = models.JSONField(
        null=True, blank=True, help_text="What has been done so far, as the page has it."
    )
    draft_number = models.PositiveIntegerField(default=0, help_text="Of saves; an older one never wins.")
    draft_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["question", "worker"], name="reservation_once"),
            models.CheckConstraint(
                condition=models.Q(taken_at__lt=models.F("expires_at")), name="reservation_times"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.question} by {self.worker}"
