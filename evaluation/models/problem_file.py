"""Files of all problems, where rows do not have them all."""

import uuid

from django.db import models
from django.db.models import Q

from evaluation.models.submission import Submission
from evaluation.models.upload import FileCheck


class ProblemFile(models.Model):
    """Every problem of a file of which rows have the first of each code alone: written while it is read.

    It goes when the file that it is about does.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    submission = models.OneToOneField(
        Submission, on_delete=models.CASCADE, related_name="problem_file", null=True, blank=True
    )
    file_check = models.OneToOneField(
        FileCheck, on_delete=models.CASCADE, related_name="problem_file", null=True, blank=True
    )
    count = models.PositiveIntegerField(help_text="How many it has.")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(submission__isnull=True) ^ Q(file_check__isnull=True),
                name="problem_file_of_one_file",
            ),
        ]

    def __str__(self) -> str:
        return f"all problems of {self.submission or self.file_check}"

    @property
    def place(self) -> str:
        """Where its bytes are: JSON Lines, gzip."""
        return f"home/problems/{self.pk}.jsonl.gz"
