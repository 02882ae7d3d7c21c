"""The corpus: documents, their sentences and tokens."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from django.db.models.functions import Left

from annotations.models.class_list import ClassList
from annotations.models.ontology import OntologyVersion
from annotations.policies import registry as policies
from annotations.policies.policy import Policy
from annotations.texts import languages
from kbpo.core.errors import InvalidInput
from kbpo.core.names import find_lookalike, read_name
from kbpo_formats.ontologies import builtin

#: More of a document is not searched: the words of a longer one may not fit a tsvector, which ends at 1 MB.
SEARCHED_CHARACTERS = 200_000

#: A name of `evaluation.registry`, which stands above: knowledge base population.
DEFAULT_TASK = "kbp"


def validate_language(tag: str) -> None:
    """Refuse what is no tag of a language in which documents can be cut into words."""
    try:
        languages.read_language(tag)
    except InvalidInput as error:
        raise ValidationError(str(error)) from None


class Corpus(models.Model):
    """A collection of documents in which systems compete, under one sampling design."""

    class Design(models.TextChoices):
        COORDINATED = "coordinated", "coordinated Poisson sampling"
        IID = "iid", "independent draws for each system"

    class Texts(models.TextChoices):
        PUBLIC = "public", "everybody"
        AGREEMENT = "agreement", "teams that accept its agreement"
        OPERATORS = "operators", "nobody but those who run it"

    tag = models.CharField(
        max_length=64,
        unique=True,
        validators=[RegexValidator(r"^[A-Za-z0-9][A-Za-z0-9_.-]*\Z", "letters, digits, . _ -")],
    )
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    task = models.CharField(
        max_length=16,
        default=DEFAULT_TASK,
        help_text="What its systems do; all else follows from it.",
    )
    language = models.CharField(
        max_length=languages.LONGEST_TAG,
        default=languages.DEFAULT,
        validators=[validate_language],
        help_text="In which its documents are written, as a tag of BCP 47: how they are cut and laid out.",
    )
    ontology = models.ForeignKey(
        OntologyVersion,
        on_delete=models.PROTECT,
        related_name="corpora",
        default=builtin.DEFAULT,
        help_text="The types and relations of its claims.",
    )
    classes = models.ForeignKey(
        ClassList,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="corpora",
        help_text="Among which its systems choose; empty where its task has none.",
    )
    design = models.CharField(max_length=16, choices=Design, default=Design.COORDINATED)
    weekly_quota = models.PositiveSmallIntegerField(
        default=4, help_text="Scored submissions of one team in seven days."
    )
    weekly_quota_of_person = models.PositiveSmallIntegerField(
        default=4,
        verbose_name="weekly quota of a person",
        help_text="Scored submissions of all the teams of one person in seven days.",
    )
    anonymous_days = models.PositiveSmallIntegerField(
        default=180,
        help_text="For how long after its upload a team may keep a system's name and its own to itself.",
    )
    target_half_width = models.FloatField(default=0.03, help_text="Of a lone system's precision interval.")
    target_level = models.FloatField(default=0.80, help_text="The level at which that half-width is meant.")
    policy = models.CharField(
        max_length=16,
        choices=policies.choices,
        default=policies.DEFAULT,
        help_text="When a question has votes enough.",
    )
    most_votes = models.PositiveSmallIntegerField(
        default=5, help_text="On a question; what they leave open goes to an expert."
    )
    least_posterior = models.FloatField(
        default=0.5,
        help_text="What votes of which one in ten is wrong must make of a verdict: 2 of 3 make .90, 4 of 5 "
        ".999; .5 is content with a majority.",
    )
    texts = models.CharField(
        max_length=16,
        choices=Texts,
        default=Texts.PUBLIC,
        help_text="Who may read them here; to be downloaded they need a licence, too.",
    )
    licence = models.CharField(
        max_length=200,
        blank=True,
        help_text="Of its texts, as CC BY 4.0. Without one nobody downloads them.",
    )
    source = models.URLField(max_length=500, blank=True, help_text="Where its texts come from.")
    citation = models.TextField(blank=True, help_text="What whoever uses it is asked to cite.")
    contact = models.CharField(
        max_length=200, blank=True, help_text="Whom to ask about it: an email address or a page."
    )
    made = models.TextField(blank=True, help_text="How its texts were chosen and prepared, and by whom.")
    annotated = models.TextField(blank=True, help_text="How, and by whom, they are annotated.")
    audit_share = models.FloatField(
        default=0.0,
        help_text="Of its settled questions, that others answer again to learn how often judges err.",
    )
    opens_at = models.DateTimeField(
        null=True, blank=True, help_text="From when systems may be submitted; empty: at once."
    )
    closes_at = models.DateTimeField(
        null=True, blank=True, help_text="Until when systems may be submitted; empty: without an end."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "corpora"
        ordering = ["tag"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(design__in=["coordinated", "iid"]), name="corpus_design"
            ),
            models.CheckConstraint(
                condition=models.Q(target_half_width__gt=0, target_half_width__lt=0.5),
                name="corpus_half_width",
            ),
            models.CheckConstraint(
                condition=models.Q(target_level__gt=0, target_level__lt=1), name="corpus_target_level"
            ),
            models.CheckConstraint(condition=models.Q(most_votes__gte=1), name="corpus_most_votes"),
            models.CheckConstraint(
                condition=models.Q(least_posterior__gte=0.5, least_posterior__lt=1),
                name="corpus_least_posterior",
            ),
            models.CheckConstraint(
                condition=models.Q(audit_share__gte=0, audit_share__lte=1), name="corpus_audit_share"
            ),
            models.CheckConstraint(
                condition=models.Q(audit_share=0) | models.Q(design="coordinated"),
                name="corpus_audits_under_coordinated",
            ),
            models.CheckConstraint(condition=~models.Q(language=""), name="corpus_language"),
            models.CheckConstraint(condition=~models.Q(task=""), name="corpus_task"),
            models.CheckConstraint(
                condition=models.Q(texts__in=["public", "agreement", "operators"]), name="corpus_texts"
            ),
            models.CheckConstraint(condition=~models.Q(policy=""), name="corpus_policy"),
            models.CheckConstraint(
                condition=models.Q(opens_at=None)
                | models.Q(closes_at=None)
                | models.Q(opens_at__lt=models.F("closes_at")),
                name="corpus_dates",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """Refuse a name with characters that are not seen, or one that looks like that of another corpus.

        Raises
        ------
        ValidationError
        """
        try:
            self.name = read_name(self.name, of="A corpus' name", longest=200)
        except InvalidInput as error:
            raise ValidationError({"name": str(error)}) from None
        others = Corpus.objects.exclude(tag=self.tag).order_by("pk").values_list("name", flat=True)
        if other := find_lookalike(self.name, others):
            looks = "" if other.casefold() == self.name.casefold() else f", which “{self.name}” looks like"
            raise ValidationError({"name": f"There is a corpus named “{other}”{looks}: choose another name."})

    @property
    def judged_by(self) -> Policy:
        """The policy by which its questions have votes enough."""
        return policies.find_policy(self.policy)

    @property
    def written_in(self) -> languages.Language:
        """The language of its documents: its name and direction."""
        return languages.read_language(self.language)


class Document(models.Model):
    """A document. Its text never changes, since every span points into it; a takedown blots it out."""

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="documents")
    doc_id = models.CharField(max_length=200)
    title = models.TextField(blank=True)
    date = models.DateField(null=True, blank=True)
    text = models.TextField()
    suggestions = models.JSONField(
        default=list, blank=True, help_text="Mentions that it was loaded with, for people to accept or not."
    )
    digest = models.CharField(max_length=64, help_text="SHA-256 of the document as loaded.")

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["corpus", "doc_id"], name="document_once")]
        indexes = [
            GinIndex(SearchVector(Left("text", SEARCHED_CHARACTERS), config="simple"), name="document_words")
        ]

    def __str__(self) -> str:
        return self.doc_id


class Sentence(models.Model):
    """A sentence and its tokens, as character offsets into the document's text."""

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="sentences")
    index = models.PositiveIntegerField()
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    token_starts = ArrayField(models.PositiveIntegerField())
    token_ends = ArrayField(models.PositiveIntegerField())

    class Meta:
        ordering = ["document", "index"]
        constraints = [
            models.UniqueConstraint(fields=["document", "index"], name="sentence_once"),
            models.CheckConstraint(condition=models.Q(start__lt=models.F("end")), name="sentence_span"),
        ]

    def __str__(self) -> str:
        return f"{self.document} {self.start}-{self.end}"
