"""The index of entities: who and what the open documents are about. It can be made again at any time."""

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector
from django.db import models
from django.db.models import F, Q

from annotations.models import Corpus, Document
from evaluation.models.submission import Submission


class EntityIndex(models.Model):
    """The index of a corpus, and what it was made from."""

    corpus = models.OneToOneField(Corpus, on_delete=models.CASCADE, related_name="entity_index")
    made_at = models.DateTimeField()
    submissions = models.ManyToManyField(Submission, related_name="+", help_text="Whose claims give names.")
    documents = models.PositiveIntegerField(help_text="Open ones, in which people marked every mention.")
    digest = models.CharField(max_length=64, help_text="SHA-256 of what was marked in those.")

    class Meta:
        verbose_name_plural = "entity indexes"

    def __str__(self) -> str:
        return f"entities of {self.corpus}"


class Entity(models.Model):
    """Somebody or something with a name: a page, or what a name without a page stands for.

    `key` does not change when the index is made again, as long as name, type and page are the same.
    """

    index = models.ForeignKey(EntityIndex, on_delete=models.CASCADE, related_name="entities")
    key = models.CharField(max_length=16)
    type = models.CharField(max_length=8)
    name = models.CharField(max_length=200)
    page = models.TextField(blank=True, help_text="The address that people gave; empty for none.")
    names = models.TextField(help_text="All its names, for the search.")
    documents = models.PositiveIntegerField()
    mentions = models.PositiveIntegerField(help_text="Places in texts.")

    class Meta:
        verbose_name_plural = "entities"
        constraints = [
            models.UniqueConstraint(fields=["index", "key"], name="entity_once"),
            models.CheckConstraint(
                condition=Q(documents__gte=1, mentions__gte=F("documents")), name="entity_counts"
            ),
        ]
        indexes = [
            models.Index(F("index"), F("documents").desc(), F("name"), F("id"), name="entity_by_documents"),
            GinIndex(SearchVector("names", config="simple"), name="entity_words"),
        ]

    def __str__(self) -> str:
        return self.name


class EntityName(models.Model):
    """A name of an entity in a document, and where it first stands for it."""

    entity = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="in_documents")
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=200, help_text="As `annotations.names.normalised` makes it.")
    mentions = models.PositiveIntegerField()
    start = models.PositiveIntegerField(help_text="Of the first mention.")
    end = models.PositiveIntegerField()
    by_people = models.BooleanField(help_text="Marked by people; otherwise claimed by systems.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["entity", "document", "name"], name="entity_name_once"),
            models.CheckConstraint(condition=Q(mentions__gte=1), name="entity_name_mentions"),
            models.CheckConstraint(condition=Q(start__lt=F("end")), name="entity_name_span"),
        ]

    def __str__(self) -> str:
        return f"{self.name} in {self.document_id}"
