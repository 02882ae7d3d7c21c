"""What a corpus says instead of its ontology."""

from django.conf import settings
from django.db import models

from annotations.models.corpus import Corpus
from annotations.models.ontology import SHA256


class CorpusGuidelines(models.Model):
    """Guidelines and examples of a corpus' own, from some time on: Postgres keeps them as they are."""

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="guidelines")
    version = models.PositiveSmallIntegerField(help_text="From 1; the largest holds.")
    digest = models.CharField(max_length=64, help_text="SHA-256 of its content.")
    content = models.TextField(help_text="Its normal form.")
    made_at = models.DateTimeField(auto_now_add=True)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Empty: somebody at the command line.",
    )

    class Meta:
        verbose_name_plural = "corpus guidelines"
        ordering = ["corpus", "version"]
        constraints = [
            models.UniqueConstraint(fields=["corpus", "version"], name="corpus_guidelines_once"),
            models.CheckConstraint(condition=models.Q(version__gte=1), name="corpus_guidelines_from_1"),
            models.CheckConstraint(
                condition=models.Q(
                    digest=models.Func("content", template=SHA256, output_field=models.TextField())
                ),
                name="corpus_guidelines_digest",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.corpus} {self.version}"
