"""What is sampled, when, and with which probability. Nothing here is ever computed again: it is stored."""

import secrets

from django.db import models
from django.db.models import F, Q

from annotations.models import Corpus, Document, Question
from evaluation.models.submission import Instance, Submission, Unit

_HEX = r"^[0-9a-f]{64}$"


def new_secret() -> str:
    """Return 32 random bytes in hexadecimal."""
    return secrets.token_hex(32)


class Epoch(models.Model):
    """A span of a corpus' life with one secret. Its labels are sealed until it is released."""

    class Growth(models.TextChoices):
        """How π grows when a system arrives, under `coordinated` (`evaluation.design.designs`)."""

        MAXIMUM = "maximum", "the maximum of what each system needs, given the others"
        QUADRATIC = "quadratic", "the root of the sum of squares of what each needs alone"

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="epochs")
    number = models.PositiveIntegerField()
    secret = models.CharField(max_length=64, help_text="Hexadecimal; public once released.")
    commitment = models.CharField(
        max_length=64, help_text="SHA-256 of the secret's bytes; public from the start."
    )
    key_version = models.CharField(
        max_length=8, help_text="Format of the keys that the secret is applied to."
    )
    weighting = models.CharField(
        max_length=32,
        help_text="How a system's units weigh in the p that its samples are designed for, till its end.",
    )
    growth = models.CharField(max_length=16, choices=Growth, help_text="How its design grows, for ever.")
    opened_at = models.DateTimeField(auto_now_add=True)
    released_at = models.DateTimeField(null=True, blank=True)
    document_sample = models.ForeignKey(
        "DocumentSample",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="epochs",
        help_text="The exhaustive documents that its recall rests on, for ever; empty until they are drawn.",
    )
    recorded = models.ManyToManyField(
        Question,
        related_name="recorded_in",
        blank=True,
        help_text="Those whose answers were recorded elsewhere, and came in with it: of a released epoch.",
    )
    scores_due = models.BooleanField(default=False, help_text="What its scores rest on has changed.")
    subsets_due = models.BooleanField(default=False, help_text="Its scores changed since those of subsets.")
    scoring_failures = models.PositiveSmallIntegerField(default=0, help_text="Since the last success.")
    scoring_not_before = models.DateTimeField(
        null=True, blank=True, help_text="When it is tried again after a failure."
    )
    texts_removed = models.PositiveIntegerField(
        default=0, help_text="Of its exhaustive documents, when its scores began to be computed."
    )

    class Meta:
        ordering = ["corpus", "number"]
        constraints = [
            models.UniqueConstraint(fields=["corpus", "number"], name="epoch_once"),
            models.UniqueConstraint(
                fields=["corpus"], condition=Q(released_at__isnull=True), name="epoch_one_open"
            ),
            models.CheckConstraint(condition=Q(number__gte=1), name="epoch_number"),
            models.CheckConstraint(
                condition=Q(secret__regex=_HEX, commitment__regex=_HEX),
                name="epoch_secret",
            ),
            models.CheckConstraint(condition=~Q(weighting=""), name="epoch_weighting"),
            models.CheckConstraint(condition=Q(growth__in=["maximum", "quadratic"]), name="epoch_growth"),
        ]

    def __str__(self) -> str:
        return f"{self.corpus.tag} {self.number}"


class SampleBatch(models.Model):
    """A system's arrival in an epoch: what was added to the sample for it.

    `number` is the order of arrival. Under `coordinated`: the least λ that met the target, and the floor b;
    what its λ rests on beside the target is `planned_variance`, where it has one.
    Under `iid`: the number of draws. `labelled_at` is set when every question of the batch is settled.
    """

    epoch = models.ForeignKey(Epoch, on_delete=models.PROTECT, related_name="batches")
    number = models.PositiveIntegerField()
    submission = models.OneToOneField(Submission, on_delete=models.PROTECT, related_name="batch")
    target_variance = models.FloatField()
    lam = models.FloatField(null=True)
    floor = models.FloatField(null=True, help_text="b: the expected number of labels spread uniformly.")
    draws = models.PositiveIntegerField(null=True)
    weights_version = models.CharField(
        max_length=8, help_text="The task's rules by which the weights of its system were made."
    )
    drawn_at = models.DateTimeField(auto_now_add=True)
    labelled_at = models.DateTimeField(null=True, blank=True)
    audited_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When every audit was answered that its scores need: of it and of the batches before it.",
    )
    questions = models.ManyToManyField(Question, related_name="batches")

    class Meta:
        verbose_name_plural = "sample batches"
        ordering = ["epoch", "number"]
        constraints = [
            models.UniqueConstraint(fields=["epoch", "number"], name="batch_once"),
            models.CheckConstraint(condition=Q(number__gte=1), name="batch_number"),
            models.CheckConstraint(condition=Q(target_variance__gt=0), name="batch_target_variance"),
            models.CheckConstraint(condition=~Q(weights_version=""), name="batch_weights_version"),
            models.CheckConstraint(
                condition=Q(lam__gte=0, floor__gte=0, draws__isnull=True)
                | Q(lam__isnull=True, floor__isnull=True, draws__gte=1),
                name="batch_design",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.epoch} batch {self.number}"


class PlannedVariance(models.Model):
    """How uncertain the labels of a batch's units were planned to be: what s² of its λ came from.

    A batch without one was planned with s² = ¼ throughout. The variances themselves are a column of it.
    """

    batch = models.OneToOneField(SampleBatch, on_delete=models.PROTECT, related_name="planned_variance")
    version = models.CharField(max_length=32, help_text="What its features are and how they were fitted.")
    matching = models.CharField(max_length=32, help_text="The rule by which units were right.")
    error_ratio = models.FloatField(help_text="Squared errors out of fold to planned variances; at least 1.")
    coefficients = models.JSONField(help_text="A list for each fold: the intercept, then the features'.")
    evidence = models.BinaryField(help_text="The units that it was learnt from, their folds and labels.")
    annotations = models.JSONField(help_text="Row id and digest of each document's annotation.")
    units = models.PositiveIntegerField(help_text="How many these were.")
    digest = models.CharField(max_length=64, help_text="SHA-256 of all this.")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(error_ratio__gte=1), name="planned_variance_error_ratio"),
            models.CheckConstraint(condition=Q(units__gte=1), name="planned_variance_units"),
            models.CheckConstraint(condition=Q(digest__regex=_HEX), name="planned_variance_digest"),
        ]

    def __str__(self) -> str:
        return f"{self.batch}: from {self.units} units"


class InclusionProbability(models.Model):
    """π of a unit after a batch that changed it. It never falls."""

    batch = models.ForeignKey(SampleBatch, on_delete=models.PROTECT, related_name="inclusions")
    unit = models.ForeignKey(Unit, on_delete=models.PROTECT, related_name="inclusions")
    probability = models.FloatField()
    squares = models.FloatField(
        null=True, help_text="Under quadratic growth: the sum of squares so far, in the order of arrival."
    )
    is_known = models.BooleanField(
        default=False, help_text="Published before the upload: certain, whatever its random number."
    )

    class Meta:
        verbose_name_plural = "inclusion probabilities"
        constraints = [
            models.UniqueConstraint(fields=["batch", "unit"], name="inclusion_once"),
            models.CheckConstraint(
                condition=Q(probability__gt=0, probability__lte=1), name="inclusion_probability"
            ),
            models.CheckConstraint(condition=Q(is_known=False) | Q(probability=1), name="inclusion_known"),
            models.CheckConstraint(
                condition=Q(squares__isnull=True) | Q(squares__gte=0), name="inclusion_squares"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.unit}: {self.probability}"


class SampledUnit(models.Model):
    """A unit in the sample: from which batch on, and the question that settles it.

    Under `coordinated` a unit enters once in an epoch and `draws` is empty; under `iid` it belongs to
    one batch's sample and `draws` says how often it came.
    """

    batch = models.ForeignKey(SampleBatch, on_delete=models.PROTECT, related_name="sampled")
    epoch = models.ForeignKey(Epoch, on_delete=models.PROTECT, related_name="sampled")
    unit = models.ForeignKey(Unit, on_delete=models.PROTECT, related_name="sampled")
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="sampled")
    claim = models.CharField(
        max_length=128,
        blank=True,
        help_text="Which claim of the question is about it; empty where its task goes by all of them.",
    )
    draws = models.PositiveIntegerField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["batch", "unit"], name="sampled_once_in_batch"),
            models.UniqueConstraint(
                fields=["epoch", "unit"], condition=Q(draws__isnull=True), name="sampled_once_in_epoch"
            ),
            models.CheckConstraint(condition=Q(draws__isnull=True) | Q(draws__gte=1), name="sampled_draws"),
        ]

    def __str__(self) -> str:
        return str(self.unit)


class SampledClaim(models.Model):
    """What a system claims at a sampled instance: the questions that settle its canonical mentions."""

    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="sampled_claims")
    instance = models.ForeignKey(Instance, on_delete=models.PROTECT, related_name="sampled_claims")
    subject_question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="+")
    object_question = models.ForeignKey(
        Question, on_delete=models.PROTECT, related_name="+", null=True, help_text="Empty for strings."
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["submission", "instance"], name="sampled_claim_once")]

    def __str__(self) -> str:
        return f"{self.submission}: {self.instance}"


class UnitColumn(models.Model):
    """A column of a sampled system's units, in the order of their keys: see `evaluation.design.columns`."""

    batch = models.ForeignKey(SampleBatch, on_delete=models.PROTECT, related_name="columns")
    name = models.CharField(max_length=32)
    data = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["batch", "name"], name="unit_column_once")]

    def __str__(self) -> str:
        return f"{self.batch}: {self.name}"


class DocumentSample(models.Model):
    """The documents that are annotated in full: the exhaustive sample of a corpus, one at a time.

    Either a uniform draw of `size` documents, or two phases: `first_size` uniformly, then, once their
    mentions are known, others by Poisson sampling in which those rich in the same names are more probable.
    When some of its documents are retired, another sample takes over: of the others, and of replacements.
    It is a uniform draw from the `population` of all documents that were not retired by then.
    """

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="document_samples")
    number = models.PositiveIntegerField(default=1)
    replaces = models.OneToOneField(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="replaced_by",
        help_text="Whose documents it took over, as far as they were not retired; empty: drawn anew.",
    )
    seed = models.BigIntegerField(null=True, help_text="Empty where every annotated document was taken.")
    size = models.PositiveIntegerField(help_text="Planned in all; the second phase draws about the rest.")
    first_size = models.PositiveIntegerField(null=True, help_text="Of the first phase; empty: one phase.")
    secret = models.CharField(
        max_length=64,
        default=new_secret,
        help_text="Hexadecimal; decides the second phase, what is retired, and what takes its place.",
    )
    population = models.PositiveIntegerField()
    drawn_at = models.DateTimeField(auto_now_add=True)
    second_drawn_at = models.DateTimeField(null=True, blank=True)
    retired_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When documents of it were retired: since then it is not the current one.",
    )
    scored_as = models.CharField(
        max_length=64, blank=True, help_text="Digest of what recall rested on when scores were last due."
    )

    class Meta:
        ordering = ["corpus", "number"]
        constraints = [
            models.UniqueConstraint(fields=["corpus", "number"], name="document_sample_once"),
            models.UniqueConstraint(
                fields=["corpus"], condition=Q(retired_at__isnull=True), name="document_sample_one_current"
            ),
            models.CheckConstraint(condition=Q(number__gte=1), name="document_sample_number"),
            models.CheckConstraint(
                condition=Q(size__gte=1, size__lte=F("population")), name="document_sample_size"
            ),
            models.CheckConstraint(
                condition=Q(first_size__isnull=True, second_drawn_at__isnull=True)
                | Q(first_size__gte=2, first_size__lte=F("size")),
                name="document_sample_phases",
            ),
            models.CheckConstraint(condition=Q(secret__regex=_HEX), name="document_sample_secret"),
        ]

    def __str__(self) -> str:
        return f"{self.size} of {self.population} documents of {self.corpus.tag}"

    @classmethod
    def current(cls, corpus: Corpus) -> "DocumentSample | None":
        """Return the sample that scores of a corpus' open epoch rest on; None while there is none."""
        return cls.objects.filter(corpus=corpus, retired_at=None).first()


class SampledDocument(models.Model):
    """A document of the exhaustive sample, and the probability with which its phase took it."""

    sample = models.ForeignKey(DocumentSample, on_delete=models.CASCADE, related_name="documents")
    document = models.ForeignKey(Document, on_delete=models.PROTECT, related_name="sampled")
    phase = models.PositiveSmallIntegerField(default=1)
    probability = models.FloatField()
    since = models.PositiveIntegerField(
        default=1, help_text="The number of the first sample that it was in without a break."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["sample", "document"], name="sampled_document_once"),
            models.CheckConstraint(
                condition=Q(probability__gt=0, probability__lte=1), name="sampled_document_probability"
            ),
            models.CheckConstraint(condition=Q(phase__in=[1, 2]), name="sampled_document_phase"),
            models.CheckConstraint(condition=Q(since__gte=1), name="sampled_document_since"),
        ]

    def __str__(self) -> str:
        return str(self.document)


class RetiredDocument(models.Model):
    """A document that was taken out of the exhaustive sample at a release, and is open since."""

    sample = models.ForeignKey(
        DocumentSample, on_delete=models.CASCADE, related_name="retired", help_text="Out of which."
    )
    document = models.OneToOneField(Document, on_delete=models.PROTECT, related_name="retirement")
    probability = models.FloatField(help_text="That it was retired then, of a document of that sample.")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(probability__gt=0, probability__lte=1), name="retired_document_probability"
            ),
        ]

    def __str__(self) -> str:
        return str(self.document)


class SecondPhaseProbability(models.Model):
    """p2 of a document that the first phase left, drawn or not: what its draw is audited against."""

    sample = models.ForeignKey(DocumentSample, on_delete=models.CASCADE, related_name="second_phase")
    document = models.ForeignKey(Document, on_delete=models.PROTECT, related_name="+")
    score = models.FloatField(help_text="Aggregate TF-IDF over the names of the first phase.")
    probability = models.FloatField()

    class Meta:
        verbose_name_plural = "second phase probabilities"
        constraints = [
            models.UniqueConstraint(fields=["sample", "document"], name="second_phase_once"),
            models.CheckConstraint(
                condition=Q(probability__gt=0, probability__lte=1, score__gte=0),
                name="second_phase_probability",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.document}: {self.probability}"


class SampleName(models.Model):
    """A name of the first phase's entities, by which the second phase was drawn."""

    sample = models.ForeignKey(DocumentSample, on_delete=models.CASCADE, related_name="names")
    name = models.CharField(max_length=200)
    documents = models.PositiveIntegerField(
        help_text="In how many of the documents that can be drawn it occurs."
    )
    first = models.PositiveIntegerField(help_text="In how many of the first phase's.")
    sampled = models.PositiveIntegerField(help_text="In how many of those that were drawn in all.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["sample", "name"], name="sample_name_once"),
            models.CheckConstraint(
                condition=Q(first__lte=F("sampled"), sampled__lte=F("documents"), documents__gte=1),
                name="sample_name_documents",
            ),
        ]

    def __str__(self) -> str:
        return self.name
