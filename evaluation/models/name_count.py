"""How often names occur in a corpus: counted once, as its documents come."""

from django.db import models
from django.db.models import Q

from annotations.models import Corpus, Document


class NameCount(models.Model):
    """In how many documents of a corpus a name stands."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="name_counts", db_index=False)
    name = models.BigIntegerField(help_text="Digest of the name key: see `evaluation.kbp.name_keys`.")
    documents = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["corpus", "name"], name="name_count_once"),
            models.CheckConstraint(condition=Q(documents__gte=1), name="name_count_documents"),
            models.CheckConstraint(condition=Q(name__gte=0), name="name_count_name"),
        ]

    def __str__(self) -> str:
        return f"{self.name}: {self.documents}"


class CountedDocument(models.Model):
    """A document whose names are counted."""

    document = models.OneToOneField(
        Document, on_delete=models.CASCADE, primary_key=True, related_name="counted"
    )

    def __str__(self) -> str:
        return str(self.document)
