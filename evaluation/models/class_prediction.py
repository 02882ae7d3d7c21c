"""What a system gives an item: one of its corpus' classes."""

from django.db import models
from django.db.models import Q

from annotations.models import Document
from evaluation.models.submission import Unit, Use


class ClassPrediction(Use):
    """The class that a submission gives a document; its unit is the document, and all systems share it."""

    unit = models.ForeignKey(Unit, on_delete=models.PROTECT, related_name="class_predictions")
    document = models.ForeignKey(Document, on_delete=models.PROTECT, related_name="class_predictions")
    label = models.CharField(max_length=64, help_text="The name of a class of its corpus' list.")
    line = models.PositiveIntegerField()

    class Meta:
        constraints = [
            *Use.Meta.constraints,
            models.UniqueConstraint(fields=["submission", "document"], name="class_prediction_once"),
            models.CheckConstraint(condition=~Q(label=""), name="class_prediction_label"),
        ]

    def __str__(self) -> str:
        return f"{self.submission}: {self.document} is {self.label}"
