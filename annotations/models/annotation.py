"""Documents annotated in full: every mention and every relation in them."""

from django.db import models

from annotations.models.corpus import Document
from annotations.models.question import Question


class DocumentAnnotation(models.Model):
    """Everything that one source says of a document, complete even where it lists nothing.

    A crowd's annotation has its mentions first, and is complete when the relations between them are settled.
    If its mentions are settled otherwise later, it stays until another one is complete and takes its place.
    """

    class Source(models.TextChoices):
        EXPERT = "expert", "experts"
        CROWD = "crowd", "the crowd"

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="annotations")
    source = models.CharField(max_length=16, choices=Source, default=Source.EXPERT)
    digest = models.CharField(max_length=64, help_text="SHA-256 of what it says.")
    loaded_at = models.DateTimeField(auto_now_add=True)
    questions = models.ManyToManyField(
        Question, related_name="annotations", blank=True, help_text="Those that its relations come from."
    )
    asked_at = models.DateTimeField(null=True, blank=True, help_text="When those were asked.")
    completed_at = models.DateTimeField(
        null=True, blank=True, help_text="Empty while questions about its relations are open."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["document", "source"],
                condition=models.Q(completed_at__isnull=False),
                name="document_annotation_once",
            ),
            models.UniqueConstraint(
                fields=["document", "source"],
                condition=models.Q(completed_at__isnull=True),
                name="document_annotation_once_in_work",
            ),
            models.CheckConstraint(
                condition=models.Q(source__in=["expert", "crowd"]), name="document_annotation_source"
            ),
            models.CheckConstraint(
                condition=models.Q(source="crowd") | models.Q(completed_at__isnull=False),
                name="document_annotation_of_experts_complete",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.document} by {self.source}"


class AnnotatedMention(models.Model):
    """A mention with its type, its canonical mention and its link."""

    annotation = models.ForeignKey(DocumentAnnotation, on_delete=models.CASCADE, related_name="mentions")
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    type = models.CharField(max_length=8)
    canonical_start = models.PositiveIntegerField()
    canonical_end = models.PositiveIntegerField()
    link = models.TextField(blank=True)

    class Meta:
        ordering = ["annotation", "start", "end"]
        constraints = [
            models.UniqueConstraint(
                fields=["annotation", "start", "end", "type"], name="annotated_mention_once"
            ),
            models.CheckConstraint(
                condition=models.Q(start__lt=models.F("end"), canonical_start__lt=models.F("canonical_end")),
                name="annotated_mention_span",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.start}-{self.end}"


class AnnotatedRelation(models.Model):
    """A true relation between two mentions, in its stored direction."""

    annotation = models.ForeignKey(DocumentAnnotation, on_delete=models.CASCADE, related_name="relations")
    predicate = models.CharField(max_length=64)
    subject_start = models.PositiveIntegerField()
    subject_end = models.PositiveIntegerField()
    object_start = models.PositiveIntegerField()
    object_end = models.PositiveIntegerField()

    class Meta:
        ordering = ["annotation", "subject_start", "object_start", "predicate"]
        constraints = [
            models.UniqueConstraint(
                fields=[
                    "annotation",
                    "predicate",
                    "subject_start",
                    "subject_end",
                    "object_start",
                    "object_end",
                ],
                name="annotated_relation_once",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    subject_start__lt=models.F("subject_end"), object_start__lt=models.F("object_end")
                ),
                name="annotated_relation_spans",
            ),
        ]

    def __str__(self) -> str:
        return (
            f"{self.predicate} {self.subject_start}-{self.subject_end} {self.object_start}-{self.object_end}"
        )
