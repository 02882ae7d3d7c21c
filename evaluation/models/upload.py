"""Files on their way in, and files that are only checked."""

import uuid
from typing import BinaryIO

from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from annotations.models import Corpus
from kbpo.accounts.models import User
from kbpo.core.storage import store
from kbpo.core.uploading import MOST_BYTES


class Upload(models.Model):
    """A file that somebody sends, in as many pieces as it takes.

    Its bytes so far are what has arrived at `place`: their number is how far it is, and stands nowhere else.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="uploads")
    name = models.CharField(max_length=255, help_text="The file's, as its owner calls it.")
    size = models.BigIntegerField(help_text="Bytes in all.")
    modified = models.BigIntegerField(null=True, help_text="Milliseconds since 1970, as the browser says.")
    announced_digest = models.CharField(max_length=64, blank=True, help_text="SHA-256, if it was announced.")
    digest = models.CharField(max_length=64, blank=True, help_text="SHA-256, once the file is whole.")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(condition=Q(size__gte=1, size__lte=MOST_BYTES), name="upload_size"),
            models.CheckConstraint(
                condition=Q(digest="") | Q(announced_digest="") | Q(digest=F("announced_digest")),
                name="upload_digest",
            ),
        ]
        indexes = [models.Index(fields=["expires_at"], name="upload_by_expiry")]

    def __str__(self) -> str:
        return self.name

    @property
    def place(self) -> str:
        """Where its bytes are."""
        return f"home/uploads/{self.pk}"

    @property
    def offset(self) -> int:
        """How many of its bytes are here."""
        return store().arrived(self.place)


class FileCheck(models.Model):
    """A file that is checked as a submission would be, and not submitted. It goes when its upload does."""

    class State(models.TextChoices):
        WAITING = "waiting", "waiting to be read"
        ACCEPTED = "accepted", "without errors"
        REFUSED = "refused", "with errors"
        FAILED = "failed", "stopped by a fault of ours"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    upload = models.OneToOneField(Upload, on_delete=models.CASCADE, related_name="file_check")
    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="file_checks")
    format = models.CharField(max_length=16, help_text="One of the task's.")
    state = models.CharField(max_length=16, choices=State, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    read_at = models.DateTimeField(null=True, blank=True)
    counts = models.JSONField(default=dict, help_text="What reading the file found.")

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "accepted", "refused", "failed"]), name="file_check_state"
            )
        ]
        indexes = [models.Index(fields=["state", "created_at"], name="file_check_by_state")]

    def __str__(self) -> str:
        return self.upload.name

    def get_absolute_url(self) -> str:
        """Return the address of its page."""
        return reverse("checked", args=[self.pk])

    def open_file(self) -> BinaryIO | None:
        """Open the file, or return None where it is gone."""
        try:
            return store().open(self.upload.place)
        except FileNotFoundError:
            return None
