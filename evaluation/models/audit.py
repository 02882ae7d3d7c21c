"""Audits: which settled questions others answer again, to learn how often judges err."""

from django.db import models
from django.db.models import Q

from annotations.models import Question
from evaluation.models.sample import Epoch, SampleBatch


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
        help_text="The last of the fully labelled batches when it was drawn.",
    )
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="audits_drawn")
    probability = models.FloatField(help_text="ρ: that it is drawn; 1 where an expert has settled it.")
    doubt = models.FloatField(help_text="How likely its label was thought wrong: what ρ follows from.")
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
