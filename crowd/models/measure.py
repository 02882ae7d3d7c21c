"""What is measured of workers and batches now and then, so that a page need not read every vote."""

from django.db import models
from django.db.models import F, Q

from crowd.models.hit import HitBatch
from kbpo.accounts.models import User


class WorkerMeasure(models.Model):
    """How fast and how well a worker answers one kind of question; without a worker: all of them together.

    A worker's own numbers are over all their answers, also those that were rejected or wait for a person; the
    numbers of all together are over votes alone, and the time of all over those that were never flagged.
    """

    worker = models.ForeignKey(
        User, on_delete=models.CASCADE, null=True, blank=True, related_name="work_measures"
    )
    kind = models.CharField(max_length=16, help_text="Of question.")
    votes = models.PositiveIntegerField(default=0, help_text="Answers, gold ones aside.")
    timed = models.PositiveIntegerField(default=0, help_text="Answers whose time is known.")
    seconds = models.FloatField(null=True, help_text="The median.")
    seconds_low = models.FloatField(null=True, help_text="Empty where too few answers are timed.")
    seconds_high = models.FloatField(null=True)
    compared = models.PositiveIntegerField(
        default=0, help_text="Answers to questions on which the others have a majority."
    )
    agreed = models.PositiveIntegerField(default=0, help_text="Those that are as that majority.")
    gold_asked = models.PositiveIntegerField(default=0)
    gold_right = models.PositiveIntegerField(default=0)
    measured_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["worker", "kind"], name="worker_measure_once", nulls_distinct=False
            ),
            models.CheckConstraint(
                condition=Q(
                    agreed__lte=F("compared"), compared__lte=F("votes"), gold_right__lte=F("gold_asked")
                ),
                name="worker_measure_counts",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.worker or 'all workers'} on {self.kind}"


class BatchMeasure(models.Model):
    """How far the workers agree on a batch's questions: Fleiss' κ with its 95% interval."""

    batch = models.OneToOneField(HitBatch, on_delete=models.CASCADE, related_name="measure")
    questions = models.PositiveIntegerField(help_text="Those with at least two votes.")
    kappa = models.FloatField(null=True, help_text="Empty where not estimable.")
    kappa_low = models.FloatField(null=True)
    kappa_high = models.FloatField(null=True)
    measured_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.batch}: {self.kappa}"
