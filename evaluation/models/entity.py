"""The index of entities: who and what has a name, and how they are related. Can be made again."""

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
    digest = models.CharField(
        max_length=64, help_text="SHA-256 of what was marked in those, and of what labels were released."
    )

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
    names = models.TextField(help_text="All its names, folded, for the search.")
    also = models.TextField(
        blank=True, help_text="Its other names as they are written, the most frequent first."
    )
    documents = models.PositiveIntegerField()
    mentions = models.PositiveIntegerField(help_text="Places in texts.")
    relations = models.PositiveIntegerField(help_text="In which it is subject or object.")

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
    name = models.CharField(max_length=200, help_text="As `evaluation.kbp.explorer.folding` makes it.")
    written = models.CharField(max_length=200, help_text="As it most often stands there.")
    mentions = models.PositiveIntegerField()
    start = models.PositiveIntegerField(help_text="Of the name, where it first stands.")
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


class EntityRelation(models.Model):
    """A relation between an entity and another, or a string or a date, wherever it is claimed or was found.

    Of a symmetric relation the subject is the entity whose key comes first. `key` does not change when the
    index is made again, as long as those of both entities do not.
    """

    class Standing(models.IntegerChoices):
        CONFIRMED = 1, "confirmed"
        UNPUBLISHED = 2, "not published"
        REFUTED = 3, "refuted"

    index = models.ForeignKey(EntityIndex, on_delete=models.CASCADE, related_name="relations")
    key = models.CharField(max_length=16)
    predicate = models.CharField(max_length=64)
    subject = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="as_subject")
    object = models.ForeignKey(Entity, on_delete=models.CASCADE, null=True, related_name="as_object")
    object_text = models.CharField(
        max_length=200, blank=True, help_text="Of a string or a date, as it is most often written."
    )
    standing = models.PositiveSmallIntegerField(
        choices=Standing, help_text="Confirmed in one place, or else refuted in all."
    )
    systems = models.PositiveIntegerField(help_text="Published ones that claim it somewhere.")
    sources = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["index", "key"], name="entity_relation_once"),
            models.CheckConstraint(
                condition=Q(object__isnull=False, object_text="")
                | Q(object__isnull=True) & ~Q(object_text=""),
                name="entity_relation_object",
            ),
            models.CheckConstraint(condition=Q(standing__in=[1, 2, 3]), name="entity_relation_standing"),
            models.CheckConstraint(condition=Q(sources__gte=1), name="entity_relation_sources"),
        ]

    def __str__(self) -> str:
        return f"{self.subject_id} {self.predicate} {self.object_id or self.object_text}"


class RelationSource(models.Model):
    """A place where a relation of an entity is claimed, or was found by people."""

    relation = models.ForeignKey(EntityRelation, on_delete=models.CASCADE, related_name="places")
    number = models.PositiveIntegerField(help_text="From 1: confirmed ones first, then by document.")
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="+")
    subject_start = models.PositiveIntegerField(help_text="In the direction in which it is stored there.")
    subject_end = models.PositiveIntegerField()
    object_start = models.PositiveIntegerField()
    object_end = models.PositiveIntegerField()
    is_right = models.BooleanField(null=True, help_text="What is published of it, names included.")
    by_people = models.BooleanField(help_text="Found by people in a document that is open to explore.")
    systems = models.PositiveIntegerField(help_text="Published ones that claim it there.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["relation", "number"], name="relation_source_once"),
            models.CheckConstraint(
                condition=Q(subject_start__lt=F("subject_end"), object_start__lt=F("object_end")),
                name="relation_source_spans",
            ),
            models.CheckConstraint(
                condition=Q(by_people=False) | Q(is_right=True), name="relation_source_by_people"
            ),
            models.CheckConstraint(
                condition=Q(by_people=True) | Q(systems__gte=1), name="relation_source_of"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.relation_id} in {self.document_id}"
