"""What published scores were, and when and why they changed: Postgres refuses to change or delete a row."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from annotations.models import Corpus
from evaluation.models.sample import Epoch
from evaluation.models.submission import Submission

_SHA256 = r"^[0-9a-f]{64}$"


class Computation(models.Model):
    """A computation of an epoch's scores that changed some, and in totals what they rest on."""

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="computations")
    number = models.PositiveIntegerField(help_text="From 1, in its corpus.")
    epoch = models.ForeignKey(Epoch, on_delete=models.PROTECT, related_name="computations")
    at = models.DateTimeField()
    code_version = models.CharField(max_length=64)
    systems = models.PositiveIntegerField(
        help_text="Whose samples it rests on, hidden and withdrawn ones too."
    )
    labels = models.PositiveIntegerField(
        null=True, help_text="Units in these samples; empty where that was not written down."
    )
    audits = models.PositiveIntegerField(
        null=True, help_text="Questions that were asked again; empty where that was not written down."
    )
    columns = models.JSONField(
        help_text="Of what its changes say: part, weighting, estimator, standard, level and measure."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["corpus", "number"], name="computation_once"),
            models.CheckConstraint(condition=Q(number__gte=1), name="computation_from_1"),
        ]

    def __str__(self) -> str:
        return f"{self.corpus}, computation {self.number}"


class ScoreChange(models.Model):
    """What was shown of a system's scores since a computation, until its next change."""

    computation = models.ForeignKey(Computation, on_delete=models.PROTECT, related_name="changes")
    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="score_changes")
    is_public = models.BooleanField(help_text="Whether everybody could see the system then.")
    labels = models.PositiveIntegerField(help_text="Labelled units of the system that its scores rest on.")
    figures = ArrayField(
        models.IntegerField(null=True),
        help_text="Estimate and ends of the interval for each column, in tenths of a hundredth: as pages show"
        " them, and no finer.",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["submission", "computation"], name="score_change_once"),
        ]

    def __str__(self) -> str:
        return f"{self.submission}: {self.computation}"


class Snapshot(models.Model):
    """A corpus' leaderboard as it stood: every score of every system that everybody could see."""

    class Reason(models.TextChoices):
        RELEASE = "release", "at the release of an epoch"
        ORGANISER = "organiser", "by an organiser"

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="snapshots")
    number = models.PositiveIntegerField(help_text="From 1, in its corpus.")
    epoch = models.ForeignKey(
        Epoch, on_delete=models.PROTECT, related_name="snapshots", help_text="Just released, or open then."
    )
    reason = models.CharField(max_length=16, choices=Reason)
    note = models.CharField(max_length=200, blank=True, help_text="What it is for, as its maker says.")
    taken_at = models.DateTimeField()
    code_version = models.CharField(max_length=64, help_text="Of the code when it was taken.")
    systems = models.PositiveIntegerField()
    head = models.TextField(help_text="Canonical JSON of all but its tables.")
    scores_digest = models.CharField(max_length=64, help_text="SHA-256 of its tables alone.")
    digest = models.CharField(max_length=64, help_text="SHA-256 of its file.")
    size = models.PositiveBigIntegerField(help_text="Of its file, in bytes.")

    class Meta:
        ordering = ["corpus", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["corpus", "number"], name="snapshot_once"),
            models.UniqueConstraint(
                fields=["epoch"], condition=Q(reason="release"), name="snapshot_one_at_release"
            ),
            models.CheckConstraint(condition=Q(number__gte=1, systems__gte=1), name="snapshot_from_1"),
            models.CheckConstraint(
                condition=Q(digest__regex=_SHA256, scores_digest__regex=_SHA256), name="snapshot_digests"
            ),
            models.CheckConstraint(condition=Q(reason__in=["release", "organiser"]), name="snapshot_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.corpus}, snapshot {self.number}"


class SnapshotTable(models.Model):
    """A snapshot's systems under one choice and level."""

    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="tables")
    part = models.CharField(max_length=16)
    weighting = models.CharField(max_length=32)
    estimator = models.CharField(max_length=16)
    standard = models.CharField(max_length=8)
    level = models.PositiveSmallIntegerField()
    content = models.TextField(help_text="Canonical JSON, as it stands in the snapshot's file.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["snapshot", "part", "weighting", "estimator", "standard", "level"],
                name="snapshot_table_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.snapshot}: {self.part} {self.weighting} {self.level}%"
