"""What is counted once over a corpus, and kept."""

from django.db import models

from annotations.models.corpus import Corpus


class KindAgreement(models.Model):
    """How far the workers of a corpus agree on one kind of question: Fleiss' κ, or α, with its 95% interval.

    α where answers are numbers: `annotations.aggregation.agreement.interval_alpha`.
    """

    class Aspect(models.TextChoices):
        WHOLE = "answer", "the whole answer"
        SPANS = "spans", "words and types of mentions"
        CANONICAL = "canonical", "canonical mentions"
        LINKS = "links", "links"
        FLUENCY = "fluency", "how it reads"
        REDUNDANCY = "redundancy", "repetition"
        OVERALL = "overall", "the mark"
        EDIT = "edit", "edits (HTER)"
        ANY = "any", "whether anything shows it right"
        AVERAGE = "average", "the share of evidence for it"

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="agreements")
    kind = models.CharField(max_length=16, help_text="Of question: its name.")
    aspect = models.CharField(
        max_length=16, choices=Aspect, default=Aspect.WHOLE, help_text="Of what an answer says."
    )
    questions = models.PositiveIntegerField(help_text="Those with at least two valid votes.")
    kappa = models.FloatField(null=True, help_text="Empty where not estimable.")
    kappa_low = models.FloatField(null=True)
    kappa_high = models.FloatField(null=True)
    computed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["corpus", "-kind", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["corpus", "kind", "aspect"], name="kind_agreement_once")
        ]

    def __str__(self) -> str:
        return f"{self.corpus} {self.kind} {self.aspect}: {self.kappa}"
