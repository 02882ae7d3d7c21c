"""Asking people for answers."""

from django.db import models

from annotations.models import Question
from kbpo.accounts.models import User


class Reservation(models.Model):
    """A question in front of a worker: held for them until it expires, and the start of its timing."""

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="reservations")
    worker = models.ForeignKey(User, on_delete=models.CASCADE, related_name="reservations")
    as_expert = models.BooleanField(default=False, help_text="Held to be settled, not to be voted on.")
    taken_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["question", "worker"], name="reservation_once"),
            models.CheckConstraint(
                condition=models.Q(taken_at__lt=models.F("expires_at")), name="reservation_times"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.question} by {self.worker}"
