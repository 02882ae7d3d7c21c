"""Scores: what was estimated, from what, and how. Whatever is here is computed anew by `score_epoch`."""

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from evaluation.models.sample import Epoch, SampleBatch
from evaluation.models.submission import Submission

MEASURES = ("precision", "recall", "f1")
COLUMNS = tuple(f"{measure}{end}" for measure in MEASURES for end in ("", "_low", "_high"))


def _unit(field: str) -> Q:
    return Q(**{f"{field}__isnull": True}) | Q(**{f"{field}__gte": 0, f"{field}__lte": 1})


def _in_unit(model: str) -> list[Any]:
    return [
        models.CheckConstraint(condition=_unit(column), name=f"{model}_{column}_unit") for column in COLUMNS
    ]


class Part(models.TextChoices):
    """What of a claim must be right."""

    ALL = "all", "relation and both canonical mentions"
    RELATION = "relation", "the relation alone"
    LINKING = "linking", "the canonical mentions alone"


class Measured(models.Model):
    """Precision, recall and F1 with intervals. Empty where not estimable."""

    precision = models.FloatField(null=True)
    precision_low = models.FloatField(null=True)
    precision_high = models.FloatField(null=True)
    recall = models.FloatField(null=True)
    recall_low = models.FloatField(null=True)
    recall_high = models.FloatField(null=True)
    f1 = models.FloatField(null=True)
    f1_low = models.FloatField(null=True)
    f1_high = models.FloatField(null=True)

    class Meta:
        abstract = True


class Score(Measured):
    """Precision, recall and F1 of a submission with intervals at one level, by the labels as they stand."""

    Part = Part

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="scores")
    epoch = models.ForeignKey(Epoch, on_delete=models.PROTECT, related_name="scores")
    batch = models.ForeignKey(
        SampleBatch, on_delete=models.PROTECT, related_name="scores", help_text="The last fully labelled one."
    )
    estimator = models.CharField(max_length=16)
    weighting = models.CharField(max_length=32)
    part = models.CharField(max_length=16, choices=Part)
    level = models.PositiveSmallIntegerField(help_text="Per cent.")
    tier = models.PositiveIntegerField(
        null=True, help_text="From 1: systems of the corpus that the data cannot tell from the tier's first."
    )
    matching = models.CharField(max_length=16, help_text="The rule by which a true relation counts as found.")
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
            models.CheckConstraint(condition=Q(part__in=Part.values), name="score_part"),
            models.CheckConstraint(condition=Q(tier__isnull=True) | Q(tier__gte=1), name="score_tier"),
            *_in_unit("score"),
        ]

    def __str__(self) -> str:
        return f"{self.submission}: {self.part} {self.weighting} {self.level}%"


class AdjustedScore(Measured):
    """A score from labels corrected for workers' errors, with recall from documents; design `coordinated`."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="adjusted_scores")
    epoch = models.ForeignKey(Epoch, on_delete=models.PROTECT, related_name="adjusted_scores")
    weighting = models.CharField(max_length=32)
    part = models.CharField(max_length=16, choices=Part)
    level = models.PositiveSmallIntegerField(help_text="Per cent.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "weighting", "part", "level"], name="adjusted_score_once"
            ),
            models.CheckConstraint(condition=Q(level__in=[80, 90, 95]), name="adjusted_score_level"),
            models.CheckConstraint(condition=Q(part__in=Part.values), name="adjusted_score_part"),
            *_in_unit("adjusted_score"),
        ]

    def __str__(self) -> str:
        return f"{self.submission}: {self.part} {self.weighting} {self.level}%, adjusted"


class SubsetScore(Measured):
    """A 95% score on a part of a submission's claims. Too few labels: every figure and count is empty."""

    class Division(models.TextChoices):
        PREDICATE = "predicate", "relation"
        TYPE = "type", "type of subject"
        FREQUENCY = "frequency", "documents with the subject's name"

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="subset_scores")
    epoch = models.ForeignKey(Epoch, on_delete=models.PROTECT, related_name="subset_scores")
    division = models.CharField(max_length=16, choices=Division)
    name = models.CharField(max_length=64)
    order = models.PositiveSmallIntegerField(help_text="Its place in the division.")
    part = models.CharField(max_length=16, choices=Part)
    labels = models.PositiveIntegerField(null=True)
    true = models.PositiveIntegerField(
        null=True, help_text="True relations of the subset in the exhaustive documents."
    )

    class Meta:
        ordering = ["submission", "division", "order", "part"]
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "division", "name", "part"], name="subset_score_once"
            ),
            models.CheckConstraint(
                condition=Q(division__in=["predicate", "type", "frequency"]), name="subset_score_division"
            ),
            models.CheckConstraint(condition=Q(part__in=Part.values), name="subset_score_part"),
            models.CheckConstraint(
                condition=Q(labels__isnull=False)
                | Q(true__isnull=True, **{f"{column}__isnull": True for column in COLUMNS}),
                name="subset_score_too_few",
            ),
            *_in_unit("subset_score"),
        ]

    def __str__(self) -> str:
        return f"{self.submission}: {self.name} {self.part}"


class Comparison(models.Model):
    """How the estimates of an epoch's systems vary together, under one choice: what comparing needs."""

    epoch = models.ForeignKey(Epoch, on_delete=models.PROTECT, related_name="comparisons")
    estimator = models.CharField(max_length=16)
    weighting = models.CharField(max_length=32)
    part = models.CharField(max_length=16, choices=Part)
    submissions = ArrayField(models.BigIntegerField(), help_text="Their keys, in the order of the arrays.")
    arrays = models.BinaryField(help_text="NumPy's npz of evaluation.estimators.comparison.Comparable.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["epoch", "estimator", "weighting", "part"], name="comparison_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.epoch}: {self.part} {self.weighting} {self.estimator}"
