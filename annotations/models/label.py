"""What the responses to a question amount to."""

from django.db import models

from annotations.models.question import Question


class Label(models.Model):
    """What the answers to a question amount to on one of its claims.

    Which claims there are, and how they are named, is for the question's kind to say.
    """

    class Source(models.TextChoices):
        MAJORITY = "majority", "majority of the votes"
        EXPERT = "expert", "an expert"
        REMOVED = "removed", "nobody: its document was removed first"

    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="labels")
    claim = models.CharField(max_length=128, help_text="What it is about, as the question's kind names it.")
    value = models.FloatField(help_text="Of a verdict 1, it holds, or 0, it does not.")
    votes_for = models.PositiveSmallIntegerField()
    votes = models.PositiveSmallIntegerField()
    source = models.CharField(max_length=16, choices=Source, default=Source.MAJORITY)
    posterior = models.FloatField(
        null=True,
        blank=True,
        help_text="The probability that it holds, from who voted what; exactly 0 or 1 only by an expert.",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["question", "claim"], name="label_once"),
            models.CheckConstraint(condition=~models.Q(claim=""), name="label_claim"),
            models.CheckConstraint(condition=models.Q(votes_for__lte=models.F("votes")), name="label_votes"),
            models.CheckConstraint(
                condition=models.Q(posterior__isnull=True) | models.Q(posterior__gte=0, posterior__lte=1),
                name="label_posterior",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.claim}: {self.value:g}"
