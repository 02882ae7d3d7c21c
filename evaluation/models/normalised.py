"""Accepted files as they are after every repair."""

import uuid

from django.db import models
from django.db.models import Q

from evaluation.models.submission import Submission
from evaluation.models.upload import FileCheck
from kbpo.accounts.models import User
from kbpo.core.storage import store


class NormalisedFile(models.Model):
    """What an accepted file claims as a file without faults: made once, when somebody asks for it.

    It goes when the file that it is made of does.
    """

    class State(models.TextChoices):
        WAITING = "waiting", "being written"
        READY = "ready", "ready"
        FAILED = "failed", "stopped by a fault of ours"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    submission = models.OneToOneField(
        Submission, on_delete=models.CASCADE, related_name="normalised", null=True, blank=True
    )
    file_check = models.OneToOneField(
        FileCheck, on_delete=models.CASCADE, related_name="normalised", null=True, blank=True
    )
    asked_by = models.ForeignKey(User, on_delete=models.CASCADE, related_name="normalised_files")
    asked_at = models.DateTimeField()
    state = models.CharField(max_length=16, choices=State, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    made_at = models.DateTimeField(null=True, blank=True, help_text="When it was ready, or had failed.")
    digest = models.CharField(max_length=64, blank=True, help_text="Its SHA-256, in hexadecimal, once ready.")

    class Meta:
        ordering = ["-asked_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "ready", "failed"]), name="normalised_state"
            ),
            models.CheckConstraint(
                condition=Q(submission__isnull=True) ^ Q(file_check__isnull=True),
                name="normalised_of_one_file",
            ),
            models.CheckConstraint(
                condition=Q(state="waiting") ^ Q(made_at__isnull=False), name="normalised_made_at"
            ),
            models.CheckConstraint(condition=Q(state="ready") ^ Q(digest=""), name="normalised_digest"),
        ]
        indexes = [models.Index(fields=["state", "asked_at"], name="normalised_by_state")]

    def __str__(self) -> str:
        return f"{self.file}, written anew"

    @property
    def file(self) -> Submission | FileCheck:
        """What it is made of."""
        found = self.submission or self.file_check
        assert found is not None
        return found

    @property
    def place(self) -> str:
        """Where its bytes are, once it is ready."""
        return f"home/normalised/{self.pk}.gz"

    @property
    def size(self) -> int:
        """In bytes; 0 until it can be sent."""
        found = store().look(self.place) if self.state == self.State.READY else None
        return found.size if found else 0

    @property
    def is_here(self) -> bool:
        """Whether it can be sent."""
        return self.state == self.State.READY and store().look(self.place) is not None
