"""What teams submit, and what it claims."""

from typing import BinaryIO, cast

from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils import timezone

from annotations.models import Corpus, CorpusPhase, Document
from kbpo.accounts.models import Team, User


def upload_path(submission: "Submission", filename: str) -> str:
    """Return where a submission's file is kept: by corpus and digest, never by the name that was sent."""
    return f"submissions/{submission.corpus.tag}/{submission.digest}.kb"


class Submission(models.Model):
    """What a system produced, submitted by a team."""

    class State(models.TextChoices):
        UPLOADED = "uploaded", "waiting to be read"
        REFUSED = "refused", "refused"
        ACCEPTED = "accepted", "accepted"
        JUDGING = "judging", "being judged"
        SCORED = "scored", "scored"
        CANCELLED = "cancelled", "cancelled"
        WITHDRAWN = "withdrawn", "withdrawn"
        FAILED = "failed", "failed"

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="submissions")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="submissions")
    uploaded_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="submissions", null=True)
    name = models.CharField(max_length=100)
    description = models.TextField(blank=True)
    paper_url = models.URLField("address of a paper", max_length=500, blank=True)
    code_url = models.URLField("address of code", max_length=500, blank=True)
    format = models.CharField(max_length=16, help_text="One of the task's.")
    file = models.FileField(upload_to=upload_path, max_length=300, blank=True)
    digest = models.CharField(max_length=64, help_text="SHA-256 of the file's bytes.")
    state = models.CharField(max_length=16, choices=State, default=State.UPLOADED)
    failed_in = models.CharField(max_length=16, blank=True, help_text="The state in which it failed.")
    go_ahead = models.BooleanField(default=False, help_text="Judge it as soon as it is accepted.")
    is_public = models.BooleanField(default=True, help_text="Show it on the leaderboard once it is scored.")
    is_baseline = models.BooleanField(
        default=False, help_text="Something to compare with, not a team's attempt; its organisers say so."
    )
    chosen_at = models.DateTimeField(
        null=True, blank=True, help_text="Since when it stands for its team; empty: it does not."
    )
    chosen_after = models.PositiveIntegerField(
        null=True, blank=True, help_text="How many of its team's runs had scores when it was chosen."
    )
    anonymous_until = models.DateTimeField(
        null=True, blank=True, help_text="Until then its name and its team's are not shown to others."
    )
    alias = models.PositiveIntegerField(
        null=True, blank=True, help_text="The number of its team in this corpus while it is anonymous."
    )
    alias_run = models.PositiveIntegerField(null=True, blank=True, help_text="Its own number beside that.")
    uploaded_at = models.DateTimeField(
        default=timezone.now, editable=False, help_text="When it was taken in: what dates go by."
    )
    phase = models.ForeignKey(
        CorpusPhase,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="submissions",
        help_text="Of the corpus, in which it was uploaded; empty: the corpus had none then.",
    )
    quota_asked_at = models.DateTimeField(null=True, blank=True, help_text="Since when it waits for a place.")
    quota_taken_at = models.DateTimeField(null=True, blank=True)
    counts = models.JSONField(default=dict, help_text="What reading the file found.")

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["corpus", "alias", "alias_run"], name="submission_alias_once"),
            models.CheckConstraint(
                condition=Q(anonymous_until__isnull=True) | Q(alias__isnull=False, alias_run__isnull=False),
                name="submission_anonymous_has_alias",
            ),
            models.UniqueConstraint(
                fields=["corpus", "team", "name"],
                condition=~Q(state__in=["refused", "cancelled", "withdrawn", "failed"]),
                name="submission_name_once",
            ),
            models.CheckConstraint(
                condition=Q(
                    state__in=[
                        *("uploaded", "refused", "accepted", "judging"),
                        *("scored", "cancelled", "withdrawn", "failed"),
                    ]
                ),
                name="submission_state",
            ),
            models.CheckConstraint(
                condition=Q(state="failed", failed_in__in=["uploaded", "accepted", "judging"])
                | (~Q(state="failed") & Q(failed_in="")),
                name="submission_failed_in",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["judging", "scored"]) | Q(quota_taken_at__isnull=False),
                name="submission_quota_taken_when_sampled",
            ),
            models.CheckConstraint(condition=~Q(name=""), name="submission_name_not_empty"),
            models.UniqueConstraint(
                fields=["corpus", "team"],
                condition=Q(chosen_at__isnull=False),
                name="submission_one_stands_for_team",
            ),
            models.CheckConstraint(
                condition=Q(chosen_at__isnull=True, chosen_after__isnull=True)
                | Q(chosen_at__isnull=False, chosen_after__isnull=False),
                name="submission_chosen",
            ),
            models.CheckConstraint(
                condition=(Q(paper_url="") | Q(paper_url__startswith="https://"))
                & (Q(code_url="") | Q(code_url__startswith="https://")),
                name="submission_links_https",
            ),
        ]
        indexes = [models.Index(fields=["state", "id"], name="submission_by_state")]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """Return the address of its page."""
        return reverse("submission", args=[self.pk])

    @property
    def shown_name(self) -> str:
        """Its name as who looks may know it; nothing else is for pages, files and the API."""
        return self._known("known_name")

    @property
    def shown_team(self) -> str:
        """Its team's name as who looks may know it."""
        return self._known("known_team")

    def _known(self, name: str) -> str:
        if name not in self.__dict__:
            raise AttributeError(f"{name} was not read: read submissions by `visibility.visible`")
        return cast(str, self.__dict__[name])

    @property
    def is_alias_shown(self) -> bool:
        """Whether who looks knows it by an alias."""
        return self.shown_name != self.name

    @property
    def shown_description(self) -> str:
        """What its team says of it, as who looks may know it: it may tell whose it is."""
        return "" if self.is_alias_shown else self.description

    @property
    def shown_paper_url(self) -> str:
        """Where its paper is, for who may know whose it is."""
        return "" if self.is_alias_shown else self.paper_url

    @property
    def shown_code_url(self) -> str:
        """Where its code is, for who may know whose it is."""
        return "" if self.is_alias_shown else self.code_url

    def open_file(self) -> BinaryIO | None:
        """Open the uploaded file, or return None where it was deleted."""
        if not self.file:
            return None
        try:
            return cast(BinaryIO, self.file.storage.open(str(self.file.name), "rb"))
        except FileNotFoundError:
            return None


class SubmissionEvent(models.Model):
    """A step in a submission's life, for its timeline."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="events")
    state = models.CharField(max_length=16, choices=Submission.State)
    at = models.DateTimeField(auto_now_add=True)
    detail = models.TextField(blank=True)
    by = models.ForeignKey(
        User,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Who brought it about; empty: the service.",
    )

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.submission}: {self.state}"

    @property
    def words(self) -> str:
        """Return what is said of it, with the name that its person has today."""
        return " ".join(part for part in (self.detail, f"by {self.by}" if self.by else "") if part)


class StageWork(models.Model):
    """The work on a submission's present stage: how often it was tried, and its last sign of life."""

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="work")
    stage = models.CharField(max_length=16)
    attempts = models.PositiveSmallIntegerField(help_text="Tries begun.")
    errors = models.PositiveSmallIntegerField(default=0, help_text="Tries that ended in an error.")
    started_at = models.DateTimeField()
    heartbeat_at = models.DateTimeField()
    deadline_at = models.DateTimeField()
    error = models.TextField(blank=True, help_text="What the last try ended with, for operators.")
    not_before = models.DateTimeField(null=True, help_text="When it is tried again after an error.")

    def __str__(self) -> str:
        return f"{self.submission} {self.stage}, try {self.attempts}"


COLUMN = "From 1: of a character in JSON Lines, of a field between tabs in TAC KBP; empty for none."


class Problem(models.Model):
    """A fault found in a file that was submitted, or in one that was only checked."""

    submission = models.ForeignKey(
        Submission, on_delete=models.CASCADE, related_name="problems", null=True, blank=True
    )
    file_check = models.ForeignKey(
        "FileCheck", on_delete=models.CASCADE, related_name="problems", null=True, blank=True
    )
    line = models.PositiveIntegerField(help_text="0 for the file as a whole.")
    column = models.PositiveSmallIntegerField(null=True, help_text=COLUMN)
    attachment = models.CharField(
        max_length=32, blank=True, default="", help_text="Which file beside it has the fault; empty: itself."
    )
    code = models.CharField(max_length=64)
    severity = models.CharField(max_length=8, choices={"ERROR": "error", "WARNING": "warning"})
    message = models.TextField()
    text = models.TextField(blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(condition=Q(severity__in=["ERROR", "WARNING"]), name="problem_severity"),
            models.CheckConstraint(
                condition=Q(submission__isnull=True) ^ Q(file_check__isnull=True), name="problem_of_one_file"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.line}: {self.code}"


class Unit(models.Model):
    """What is sampled and judged once, whichever systems predict it. Its task says what one is.

    A task that has rows of its own for its units gives them the ids of these, as `Instance` does.
    """

    # No index: nothing looks for all units of a corpus.
    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="units", db_index=False)
    key = models.TextField(  # noqa: DJ001 - no key, and no place in the index
        null=True, help_text="What tells it from the corpus' others; empty where its task's own row does."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["corpus", "key"], condition=Q(key__isnull=False), name="unit_once"
            ),
            models.CheckConstraint(condition=~Q(key=""), name="unit_key"),
        ]

    def __str__(self) -> str:
        return self.key or f"unit {self.pk}"


class Use(models.Model):
    """A submission's use of a unit, with its confidence: what every task's predictions are.

    Each task extends it in a table of its own, which also refers to the unit: a file's hundred thousand
    predictions are one row each, and whoever knows no task reads them through it (`Task.read_units`).
    `probability` is p_i(x) of the default weighting when the submission is accepted; it sums to 1 over the
    submission. An epoch that goes by another weighting designs for that (`Epoch.weighting`).
    """

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="%(class)ss")
    confidence = models.FloatField()
    probability = models.FloatField()

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(
                condition=Q(confidence__gte=0, confidence__lte=1), name="%(class)s_confidence"
            ),
            models.CheckConstraint(
                condition=Q(probability__gt=0, probability__lte=1), name="%(class)s_probability"
            ),
        ]


class Instance(models.Model):
    """KBP's unit, a claim that systems share: a predicate between two spans of a document."""

    unit = models.OneToOneField(
        Unit, on_delete=models.PROTECT, primary_key=True, db_column="id", related_name="instance"
    )
    document = models.ForeignKey(Document, on_delete=models.PROTECT, related_name="instances")
    predicate = models.CharField(max_length=64)
    subject_start = models.PositiveIntegerField()
    subject_end = models.PositiveIntegerField()
    object_start = models.PositiveIntegerField()
    object_end = models.PositiveIntegerField()
    subject_name = models.BigIntegerField(
        help_text="Digest of its subject's name key, as `evaluation.kbp.name_keys` makes it: who has the same"
        " counts as the same; below 0 where nobody is named."
    )
    object_name = models.BigIntegerField(help_text="The same of its object.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=[
                    "document",
                    "predicate",
                    "subject_start",
                    "subject_end",
                    "object_start",
                    "object_end",
                ],
                name="instance_once",
            ),
            models.CheckConstraint(
                condition=Q(subject_start__lt=F("subject_end"), object_start__lt=F("object_end")),
                name="instance_spans",
            ),
        ]

    def __str__(self) -> str:
        return (
            f"{self.document_id}|{self.predicate}|{self.subject_start}-{self.subject_end}"
            f"|{self.object_start}-{self.object_end}"
        )


class Prediction(Use):
    """A submission's use of an instance, with its entities, types and canonical mentions."""

    # Whoever looks for predictions of an instance asks whose they are: the index below has both.
    instance = models.ForeignKey(
        Instance, on_delete=models.PROTECT, related_name="predictions", db_index=False
    )
    subject_type = models.CharField(max_length=8)
    object_type = models.CharField(max_length=8)
    subject_entity = models.TextField()
    object_entity = models.TextField()
    subject_canonical_start = models.PositiveIntegerField()
    subject_canonical_end = models.PositiveIntegerField()
    object_canonical_start = models.PositiveIntegerField(null=True, help_text="Empty for strings and dates.")
    object_canonical_end = models.PositiveIntegerField(null=True)
    line = models.PositiveIntegerField(help_text="Of its file: a line makes one prediction at most.")

    class Meta:
        constraints = [
            *Use.Meta.constraints,
            models.UniqueConstraint(fields=["submission", "instance"], name="prediction_once"),
            # Pages of its predictions go by line: keys of instances would tell what others claim.
            models.UniqueConstraint(fields=["submission", "line"], name="prediction_of_line"),
            models.CheckConstraint(
                condition=Q(object_canonical_start__isnull=True, object_canonical_end__isnull=True)
                | Q(object_canonical_start__lt=F("object_canonical_end")),
                name="prediction_object_canonical",
            ),
            models.CheckConstraint(
                condition=Q(subject_canonical_start__lt=F("subject_canonical_end")),
                name="prediction_subject_canonical",
            ),
        ]
        indexes = [models.Index(fields=["instance", "submission"], name="prediction_by_instance")]

    def __str__(self) -> str:
        return f"{self.submission}: {self.instance}"
