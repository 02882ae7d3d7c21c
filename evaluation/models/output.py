"""What systems write for inputs."""

from django.db import models

from annotations.models import Document
from evaluation.models.submission import Unit, Use


class OutputText(models.Model):
    """The text of a unit: what one system or several wrote for an input, to the letter."""

    unit = models.OneToOneField(Unit, on_delete=models.PROTECT, primary_key=True, related_name="output_text")
    document = models.ForeignKey(Document, on_delete=models.PROTECT, related_name="output_texts")
    text = models.TextField(blank=True, help_text="May be empty: it is judged as that.")

    def __str__(self) -> str:
        return str(self.unit)


class Output(Use):
    """What a submission wrote for an input; systems that wrote the same share its unit."""

    unit = models.ForeignKey(Unit, on_delete=models.PROTECT, related_name="outputs")
    document = models.ForeignKey(Document, on_delete=models.PROTECT, related_name="outputs")
    place = models.PositiveIntegerField(
        help_text="In the file, from 0: columns of metrics have their values in this order."
    )

    class Meta:
        constraints = [
            *Use.Meta.constraints,
            models.UniqueConstraint(fields=["submission", "document"], name="output_once"),
            models.UniqueConstraint(fields=["submission", "place"], name="output_of_place"),
        ]

    def __str__(self) -> str:
        return f"{self.submission}: {self.document}"
