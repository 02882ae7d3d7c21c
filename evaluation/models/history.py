"""The history of published scores: Postgres refuses to change or delete a row."""

from django.db import models
from django.db.models import Q

from evaluation.models.sample import Epoch
from evaluation.models.submission import Submission


class ScoreRecord(models.Model):
    """A figure as pages showed it from one change of a system's scores to the next.

    The rows of one change have the same submission and change number. They are its permanent address.
    """

    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="score_records")
    change = models.PositiveIntegerField(help_text="From 1, in its submission.")
    at = models.DateTimeField()
    reason = models.CharField(max_length=200, help_text="Why the scores changed; totals, never which labels.")
    epoch = models.ForeignKey(Epoch, on_delete=models.PROTECT, related_name="score_records")
    code_version = models.CharField(max_length=64)
    is_public = models.BooleanField(help_text="Whether everybody could see the system then.")
    systems = models.PositiveIntegerField(help_text="Systems sampled in the epoch, hidden ones too.")
    labels = models.PositiveIntegerField(help_text="Labelled units of the system.")
    sample_labels = models.PositiveIntegerField(help_text="Labelled units of all systems of the epoch.")
    audits = models.PositiveIntegerField(help_text="Questions of the epoch that were asked again.")
    part = models.CharField(max_length=16)
    weighting = models.CharField(max_length=32)
    estimator = models.CharField(max_length=16)
    standard = models.CharField(max_length=8)
    level = models.PositiveSmallIntegerField(help_text="Of the interval, in per cent.")
    measure = models.CharField(max_length=16)
    estimate = models.FloatField(
        null=True, help_text="Rounded to a tenth of a hundredth, as pages show it; empty if not estimable."
    )
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "change", "part", "standard", "measure"], name="score_record_once"
            ),
            models.CheckConstraint(condition=Q(change__gte=1), name="score_record_from_1"),
        ]

    def __str__(self) -> str:
        return f"{self.submission}, change {self.change}: {self.measure}"
