"""What metrics are worth, measured on judgements: computed with the scores, and anew with each of them."""

from django.db import models
from django.db.models import F, Q

from evaluation.models.sample import Epoch
from evaluation.models.submission import Submission


class JudgedVariance(models.Model):
    """Where the variance of judgements of one measure comes from: of a system, or of all outputs."""

    epoch = models.ForeignKey(Epoch, on_delete=models.PROTECT, related_name="judged_variances")
    submission = models.ForeignKey(
        Submission,
        on_delete=models.CASCADE,
        null=True,
        related_name="judged_variances",
        help_text="Empty: all outputs of the epoch's systems.",
    )
    is_published = models.BooleanField(
        help_text="Whether it rests on published judgements alone; else it is shown once its epoch is."
    )
    measure = models.CharField(max_length=16)
    mean = models.FloatField(help_text="Of the judgements, each output weighted by 1/π.")
    variance_outputs = models.FloatField(
        null=True, help_text="σ_f², which may be below 0; empty where no output was judged twice."
    )
    variance_judgements = models.FloatField(null=True, help_text="σ_a²; empty as above.")
    outputs = models.PositiveIntegerField(help_text="Judged ones.")
    judgements = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["epoch", "submission", "is_published", "measure"],
                nulls_distinct=False,
                name="judged_variance_once",
            ),
            models.CheckConstraint(
                condition=Q(judgements__gte=F("outputs"), outputs__gte=1), name="judged_variance_counts"
            ),
            models.CheckConstraint(
                condition=Q(variance_outputs__isnull=True, variance_judgements__isnull=True)
                | Q(variance_outputs__isnull=False, variance_judgements__gte=0),
                name="judged_variance_parts",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.epoch}: {self.submission or 'all'} {self.measure}"


class MetricWorth(models.Model):
    """How far a metric goes with judgements, and how many it saves, with 95% intervals."""

    # The unique constraint's index finds those of a row too.
    judged = models.ForeignKey(
        JudgedVariance, on_delete=models.CASCADE, related_name="metrics", db_index=False
    )
    metric = models.CharField(max_length=64)
    mean = models.FloatField(help_text="Of the metric, over all outputs, judged or not.")
    rho = models.FloatField(null=True, help_text="Empty where outputs show no difference.")
    rho_low = models.FloatField(null=True)
    rho_high = models.FloatField(null=True)
    efficiency = models.FloatField(null=True, help_text="Judgements that one is worth; empty: without end.")
    efficiency_low = models.FloatField(null=True)
    efficiency_high = models.FloatField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["judged", "metric"], name="metric_worth_once"),
            models.CheckConstraint(
                condition=Q(rho_low__isnull=True) | Q(rho_low__lte=F("rho_high")), name="metric_worth_rho"
            ),
            models.CheckConstraint(
                condition=Q(efficiency__isnull=True) | Q(efficiency__gte=0.999),
                name="metric_worth_efficiency",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.judged}: {self.metric}"
