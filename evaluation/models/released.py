"""What releases published, in digests."""

from django.db import models
from django.db.models import Q

from evaluation.models.sample import Epoch

_SHA256 = r"^[0-9a-f]{64}$"


class ReleasedLabels(models.Model):
    """Digests of the labels that an epoch published, and of the answers behind them."""

    epoch = models.OneToOneField(Epoch, on_delete=models.PROTECT, related_name="released_labels")
    labels = models.PositiveIntegerField(help_text="How many there were.")
    digest = models.CharField(max_length=64, help_text="SHA-256 of them, each with its question.")
    answers = models.PositiveIntegerField(help_text="How many there were, valid or not.")
    answers_digest = models.CharField(max_length=64, help_text="SHA-256 of them, each with its question.")
    last_answer = models.BigIntegerField(help_text="Row id of the last of them; later ones change no label.")
    sealed_at = models.DateTimeField(
        auto_now_add=True, help_text="With the release; later for one of before there were digests."
    )

    class Meta:
        verbose_name_plural = "released labels"
        constraints = [
            models.CheckConstraint(
                condition=Q(digest__regex=_SHA256, answers_digest__regex=_SHA256),
                name="released_labels_digests",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.epoch}: {self.labels} labels"
