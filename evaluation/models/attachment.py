"""Further files that come with one that is submitted or checked."""

from typing import BinaryIO, cast

from django.db import models
from django.db.models import Q

from evaluation.models.submission import Submission
from evaluation.models.upload import FileCheck, Upload
from kbpo.core.storage import store


def attachment_path(attachment: "Attachment", filename: str) -> str:
    """Return where an attachment is kept: by corpus, digest and its own name."""
    assert attachment.submission is not None
    return f"submissions/{attachment.submission.corpus.tag}/{attachment.digest}.{attachment.name}"


class Attachment(models.Model):
    """A further file of a submission, or of a check: its task says which there may be.

    That of a submission is a file of its own, and is what its digest says for good; that of a check is an
    upload, and goes with it.
    """

    submission = models.ForeignKey(
        Submission, on_delete=models.CASCADE, related_name="attachments", null=True, blank=True
    )
    file_check = models.ForeignKey(
        FileCheck, on_delete=models.CASCADE, related_name="attachments", null=True, blank=True
    )
    name = models.CharField(max_length=32, help_text="One of the task's.")
    file = models.FileField(upload_to=attachment_path, max_length=300, blank=True)
    digest = models.CharField(max_length=64, help_text="SHA-256 of its bytes.")
    upload = models.OneToOneField(
        Upload, on_delete=models.CASCADE, related_name="attached", null=True, blank=True
    )

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["submission", "name"], name="attachment_of_submission"),
            models.UniqueConstraint(fields=["file_check", "name"], name="attachment_of_check"),
            models.CheckConstraint(
                condition=Q(submission__isnull=False, file_check__isnull=True, upload__isnull=True)
                | Q(submission__isnull=True, file_check__isnull=False, upload__isnull=False, file=""),
                name="attachment_of_one_file",
            ),
            models.CheckConstraint(condition=~Q(name="") & ~Q(digest=""), name="attachment_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.submission or self.file_check}: {self.name}"

    def open_file(self) -> BinaryIO | None:
        """Open it, or return None where it was deleted."""
        try:
            if self.upload is not None:
                return store().open(self.upload.place)
            return cast(BinaryIO, self.file.storage.open(str(self.file.name), "rb")) if self.file else None
        except FileNotFoundError:
            return None
