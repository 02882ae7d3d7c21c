"""Documents whose text was removed."""

from django.db import models

from annotations.models.corpus import Document
from kbpo.accounts.models import User


class Takedown(models.Model):
    """The removal of a document's text, for good. What was sampled, asked and judged of it stays."""

    document = models.OneToOneField(Document, on_delete=models.PROTECT, related_name="takedown")
    reason = models.CharField(max_length=500, help_text="Everybody reads it where the document was.")
    removed_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    removed_at = models.DateTimeField()

    class Meta:
        ordering = ["-removed_at"]
        constraints = [models.CheckConstraint(condition=~models.Q(reason=""), name="takedown_reason")]

    def __str__(self) -> str:
        return f"{self.document}, removed on {self.removed_at:%Y-%m-%d}"
