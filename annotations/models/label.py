"""What the responses to a question amount to."""

from django.db import models

from annotations.models.question import Question


class Label(models.Model):
    """The verdict on one claim of a question.

    For a relation question there is one for each relation and direction that was offered: `predicate`, and
    `subject` (0: the pair's first mention is the subject; 1: its second). For a canonical question there is
    one, with an empty `predicate`.
    """

    class Source(models.TextChoices):
        MAJORITY = "majority", "majority of the votes"
        EXPERT = "expert", "an expert"

    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="labels")
    predicate = models.CharField(max_length=64, blank=True)
    subject = models.PositiveSmallIntegerField(default=0)
    value = models.BooleanField()
    votes_for = models.PositiveSmallIntegerField()
    votes = models.PositiveSmallIntegerField()
    source = models.CharField(max_length=16, choices=Source, default=Source.MAJORITY)
    posterior = models.FloatField(
        null=True,
        blank=True,
        help_text="The probability that it holds, from who voted what; exactly 0 or 1 only by an expert.",
    )
    corrected = models.FloatField(
        null=True,
        blank=True,
        help_text="What stands for the value in noise-adjusted scores: right on average, not in [0, 1].",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["question", "predicate", "subject"], name="label_once"),
            models.CheckConstraint(condition=models.Q(subject__in=[0, 1]), name="label_subject"),
            models.CheckConstraint(condition=models.Q(votes_for__lte=models.F("votes")), name="label_votes"),
            models.CheckConstraint(
                condition=models.Q(posterior__isnull=True) | models.Q(posterior__gte=0, posterior__lte=1),
                name="label_posterior",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.predicate or 'canonical'}: {self.value}"
