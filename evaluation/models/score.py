"""Scores: what was estimated, from what, and how. Whatever is here is computed anew by `score_epoch`.

Which measures, parts, weightings and estimators there are is the task's to say (`Choices`).
"""

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from annotations.models import Corpus
from evaluation.models.sample import Epoch, SampleBatch
from evaluation.models.submission import Submission

_STANDARDS = {
    "votes": "votes taken for the truth",
    "audit": "corrected for judges' errors",
    "crowd": "with another crowd",
}

_SHA256 = r"^[0-9a-f]{64}$"


def _standard() -> Any:
    return models.CharField(
        max_length=8,
        choices=_STANDARDS,
        default="votes",
        help_text="What counts as right: as the votes say, as an audit of them corrects that, or as other"
        " people might say.",
    )


def _known_standard(model: str) -> models.CheckConstraint:
    return models.CheckConstraint(condition=Q(standard__in=list(_STANDARDS)), name=f"{model}_standard")


def _ordered(model: str) -> list[Any]:
    return [
        models.CheckConstraint(
            condition=Q(low__isnull=True, high__isnull=True)
            | Q(estimate__isnull=False, low__isnull=False, high__isnull=False, low__lte=F("high")),
            name=f"{model}_interval",
        )
    ]


class Measured(models.Model):
    """One measure with its interval. Empty where not estimable."""

    measure = models.CharField(max_length=16)
    estimate = models.FloatField(null=True)
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)

    class Meta:
        abstract = True


class FittedModel(models.Model):
    """What was learnt from the labels of an epoch's systems, for one part: regressions, one for each fold."""

    epoch = models.ForeignKey(Epoch, on_delete=models.PROTECT, related_name="fitted_models")
    batch = models.ForeignKey(
        SampleBatch,
        on_delete=models.PROTECT,
        related_name="fitted_models",
        help_text="The last fully labelled one.",
    )
    part = models.CharField(max_length=16)
    names = models.JSONField(help_text="Of the coefficients.")
    coefficients = models.JSONField(help_text="A list for each fold, which was fitted without it.")
    rows = ArrayField(models.PositiveIntegerField(), help_text="Labelled units that each was fitted on.")
    inputs = models.CharField(max_length=64, help_text="SHA-256 of the features, labels and folds.")
    digest = models.CharField(max_length=64, help_text="SHA-256 of all that.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["batch", "part"], name="fitted_model_once"),
            models.CheckConstraint(
                condition=Q(inputs__regex=_SHA256, digest__regex=_SHA256), name="fitted_model_digests"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.batch}: {self.part} {self.digest[:12]}"


class Score(models.Model):
    """Whatever is estimated of a submission in one way, by the labels as they stand: its `estimates`."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="scores")
    epoch = models.ForeignKey(Epoch, on_delete=models.PROTECT, related_name="scores")
    batch = models.ForeignKey(
        SampleBatch, on_delete=models.PROTECT, related_name="scores", help_text="The last fully labelled one."
    )
    estimator = models.CharField(max_length=16)
    weighting = models.CharField(max_length=32)
    part = models.CharField(max_length=16)
    standard = _standard()
    level = models.PositiveSmallIntegerField(help_text="Of the intervals, in per cent.")
    rank = models.PositiveIntegerField(
        null=True, help_text="1 and how many systems of the corpus are significantly above it."
    )
    matching = models.CharField(max_length=16, help_text="The rule by which a true relation counts as found.")
    labels = models.PositiveIntegerField(help_text="Labelled units of the submission that it rests on.")
    counts = models.JSONField(default=dict)
    model = models.ForeignKey(
        FittedModel,
        on_delete=models.PROTECT,
        null=True,
        related_name="scores",
        help_text="What its precision takes from the labels of all systems; empty where nothing is.",
    )
    code_version = models.CharField(max_length=64)
    computed_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "batch", "estimator", "weighting", "part", "standard", "level"],
                name="score_once",
            ),
            _known_standard("score"),
            models.CheckConstraint(condition=Q(level__gt=0, level__lt=100), name="score_level"),
            models.CheckConstraint(condition=Q(rank__isnull=True) | Q(rank__gte=1), name="score_rank"),
        ]
        indexes = [
            models.Index(
                fields=["epoch", "standard", "part", "weighting", "estimator", "level"],
                name="score_by_choice",
            )
        ]

    def __str__(self) -> str:
        return f"{self.submission}: {self.part} {self.weighting} {self.level}%"


class Estimate(Measured):
    """One measure of a score. Every measure of the task has a row."""

    # The unique constraint's index finds a score's estimates too.
    score = models.ForeignKey(Score, on_delete=models.CASCADE, related_name="estimates", db_index=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["score", "measure"], name="estimate_once"),
            *_ordered("estimate"),
        ]

    def __str__(self) -> str:
        return f"{self.score}: {self.measure}"


class SubsetScore(Measured):
    """One measure of a subset of a submission's units, at 95%. Too few labels: figures, counts are empty."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="subset_scores")
    epoch = models.ForeignKey(Epoch, on_delete=models.PROTECT, related_name="subset_scores")
    division = models.CharField(max_length=16, help_text="One of the task's.")
    name = models.CharField(max_length=64)
    order = models.PositiveSmallIntegerField(help_text="Its place in the division.")
    part = models.CharField(max_length=16)
    standard = _standard()
    labels = models.PositiveIntegerField(null=True)
    true = models.PositiveIntegerField(
        null=True, help_text="How much that is true is known of the subset; the task says of what."
    )

    class Meta:
        ordering = ["submission", "division", "order", "part"]
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "division", "name", "part", "standard", "measure"],
                name="subset_score_once",
            ),
            _known_standard("subset_score"),
            models.CheckConstraint(
                condition=Q(labels__isnull=False)
                | Q(true__isnull=True, estimate__isnull=True, low__isnull=True, high__isnull=True),
                name="subset_score_too_few",
            ),
            *_ordered("subset_score"),
        ]

    def __str__(self) -> str:
        return f"{self.submission}: {self.name} {self.part}: {self.measure}"


class Ranking(models.Model):
    """How many systems of a corpus are ranked under one choice, and how many pairs are told apart."""

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="rankings")
    estimator = models.CharField(max_length=16)
    weighting = models.CharField(max_length=32)
    part = models.CharField(max_length=16)
    standard = _standard()
    level = models.PositiveSmallIntegerField(help_text="For all pairs at once, in per cent.")
    systems = models.PositiveIntegerField()
    apart = models.PositiveIntegerField(help_text="Pairs that differ significantly.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["corpus", "estimator", "weighting", "part", "standard", "level"], name="ranking_once"
            ),
            _known_standard("ranking"),
            models.CheckConstraint(condition=Q(level__gt=0, level__lt=100), name="ranking_level"),
            models.CheckConstraint(
                condition=Q(systems__gte=1, apart__lte=F("systems") * (F("systems") - 1) / 2),
                name="ranking_pairs",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.corpus}: {self.systems} systems, {self.part} {self.weighting} {self.level}%"


class Comparison(models.Model):
    """How the estimates of an epoch's systems vary together, under one choice: what comparing needs."""

    epoch = models.ForeignKey(Epoch, on_delete=models.PROTECT, related_name="comparisons")
    estimator = models.CharField(max_length=16)
    weighting = models.CharField(max_length=32)
    part = models.CharField(max_length=16)
    standard = _standard()
    submissions = ArrayField(models.BigIntegerField(), help_text="Their keys, in the order of the arrays.")
    arrays = models.BinaryField(help_text="As the task packs them.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["epoch", "estimator", "weighting", "part", "standard"], name="comparison_once"
            ),
            _known_standard("comparison"),
        ]

    def __str__(self) -> str:
        return f"{self.epoch}: {self.part} {self.weighting} {self.estimator}"
