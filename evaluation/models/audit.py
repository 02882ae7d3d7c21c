"""Audits: which settled questions others answer again, to learn how often judges err."""

from django.db import models
from django.db.models import Q

from annotations.models import Question
from evaluation.models.sample import Epoch, SampleBatch

_HEX = r"^[0-9a-f]{64}$"


class AuditDrawing(models.Model):
    """What the audits that were drawn as a batch was labelled follow from, so that they can be drawn again.

    There is one for each batch, also where it brought nothing new.
    """

    batch = models.OneToOneField(SampleBatch, on_delete=models.PROTECT, related_name="audit_drawing")
    version = models.CharField(max_length=8, help_text="The rules by which ρ was made.")
    share = models.FloatField(help_text="Of the questions, that was to be audited on average.")
    evidence = models.BinaryField(
        help_text="The labels that might be wrong: of which question, their votes and dissent, and what made"
        " them likely before anybody voted; and which others systems need there, and theirs."
    )
    digest = models.CharField(max_length=64, help_text="SHA-256 of all this.")
    drawn_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(share__gt=0, share__lte=1), name="audit_drawing_share"),
            models.CheckConstraint(condition=Q(digest__regex=_HEX), name="audit_drawing_digest"),
        ]

    def __str__(self) -> str:
        return f"{self.batch}: {self.share}"


class Audit(models.Model):
    """Whether a settled question of an epoch's sample is asked again, drawn once with a known probability.

    There is one for each question that settles sampled units, drawn or not, after its label is fixed. What
    else those units need, such as canonical mentions, is audited with it. The answers are those to
    `Question.audit` of each question; where an expert has settled one, its own labels.
    """

    epoch = models.ForeignKey(Epoch, on_delete=models.PROTECT, related_name="audits")
    batch = models.ForeignKey(
        SampleBatch,
        on_delete=models.PROTECT,
        related_name="audits",
        help_text="With which it was drawn: the first such that it and all before it were labelled.",
    )
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="audits_drawn")
    probability = models.FloatField(help_text="ρ: that it is drawn; 1 where an expert has settled it.")
    doubt = models.FloatField(help_text="How likely its label was thought wrong.")
    is_drawn = models.BooleanField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["epoch", "question"], name="audit_once"),
            models.CheckConstraint(
                condition=Q(probability__gt=0, probability__lte=1), name="audit_probability"
            ),
            models.CheckConstraint(condition=Q(doubt__gte=0, doubt__lte=1), name="audit_doubt"),
            models.CheckConstraint(
                condition=Q(is_drawn=True) | Q(probability__lt=1), name="audit_drawn_if_certain"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.question}: {self.probability}"
