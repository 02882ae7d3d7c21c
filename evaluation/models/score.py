"""Scores: what was estimated, from what, and how."""

from django.db import models
from django.db.models import Q

from evaluation.models.sample import Epoch, SampleBatch
from evaluation.models.submission import Submission


def _unit(field: str) -> Q:
    return Q(**{f"{field}__isnull": True}) | Q(**{f"{field}__gte": 0, f"{field}__lte": 1})


class Score(models.Model):
    """Precision, recall and F1 of a submission with intervals at one level. Empty where not estimable."""

    class Part(models.TextChoices):
        ALL = "all", "relation and both canonical mentions"
        RELATION = "relation", "the relation alone"
        LINKING = "linking", "the canonical mentions alone"

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="scores")
    epoch = models.ForeignKey(Epoch, on_delete=models.PROTECT, related_name="scores")
    batch = models.ForeignKey(
        SampleBatch, on_delete=models.PROTECT, related_name="scores", help_text="The last fully labelled one."
    )
    estimator = models.CharField(max_length=16)
    weighting = models.CharField(max_length=32)
    part = models.CharField(max_length=16, choices=Part)
    level = models.PositiveSmallIntegerField(help_text="Per cent.")
    matching = models.CharField(max_length=16, help_text="The rule by which a true relation counts as found.")
    precision = models.FloatField(null=True)
    precision_low = models.FloatField(null=True)
    precision_high = models.FloatField(null=True)
    recall = models.FloatField(null=True)
    recall_low = models.FloatField(null=True)
    recall_high = models.FloatField(null=True)
    f1 = models.FloatField(null=True)
    f1_low = models.FloatField(null=True)
    f1_high = models.FloatField(null=True)
    labels = models.PositiveIntegerField(help_text="Labelled instances of the submission that it rests on.")
    counts = models.JSONField(default=dict)
    code_version = models.CharField(max_length=64)
    computed_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "batch", "estimator", "weighting", "part", "level"], name="score_once"
            ),
            models.CheckConstraint(condition=Q(level__in=[80, 90, 95]), name="score_level"),
            models.CheckConstraint(condition=Q(part__in=["all", "relation", "linking"]), name="score_part"),
            *[
                models.CheckConstraint(condition=_unit(field), name=f"score_{field}_unit")
                for measure in ("precision", "recall", "f1")
                for field in (measure, f"{measure}_low", f"{measure}_high")
            ],
        ]

    def __str__(self) -> str:
        return f"{self.submission}: {self.part} {self.weighting} {self.level}%"
