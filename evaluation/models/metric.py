"""Metrics of what systems wrote: a column a metric, computed here or submitted; and what was learnt."""

from django.db import models
from django.db.models import F, Q

from evaluation.models.sample import Epoch
from evaluation.models.submission import Submission


class MetricColumn(models.Model):
    """A metric of all outputs of a submission, in the order of its file: written once, and never changed."""

    submission = models.ForeignKey(
        Submission, on_delete=models.CASCADE, related_name="metric_columns", db_index=False
    )
    name = models.CharField(max_length=64)
    version = models.PositiveSmallIntegerField(
        default=1, help_text="Of what computes it; a column that was submitted has the first alone."
    )
    is_uploaded = models.BooleanField(default=False)
    size = models.PositiveIntegerField(help_text="How many outputs there are.")
    missing = models.PositiveIntegerField(
        default=0, help_text="For how many there was no value; they have the mean of the others."
    )
    data = models.BinaryField(help_text="The values, packed; then which were missing, if any were.")
    digest = models.CharField(max_length=64, help_text="SHA-256 of the data.")
    stored_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["submission", "name", "version"], name="metric_column_once"),
            models.CheckConstraint(condition=Q(version__gte=1), name="metric_column_version"),
            models.CheckConstraint(
                condition=Q(is_uploaded=False) | Q(version=1), name="metric_column_uploaded_version"
            ),
            models.CheckConstraint(condition=Q(missing__lt=F("size")), name="metric_column_missing"),
            models.CheckConstraint(condition=Q(digest__regex=r"^[0-9a-f]{64}$"), name="metric_column_digest"),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.submission}"


class HouseMetric(models.Model):
    """What judgements published before an epoch opened say of the built-in metrics: frozen for it."""

    epoch = models.OneToOneField(
        Epoch, on_delete=models.CASCADE, primary_key=True, related_name="house_metric"
    )
    coefficients = models.TextField(
        blank=True, help_text="As JSON (`evaluation.generation.house`); empty where too little is known."
    )
    digest = models.CharField(max_length=64, help_text="SHA-256 of the coefficients.")
    outputs = models.PositiveIntegerField(help_text="How many judged outputs it was learnt from.")
    learnt_from = models.JSONField(
        default=list, help_text="The numbers of the epochs that were released then."
    )
    frozen_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(digest__regex=r"^[0-9a-f]{64}$"), name="house_metric_digest")
        ]

    def __str__(self) -> str:
        return f"house metric of {self.epoch}"
