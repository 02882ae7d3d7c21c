"""Questions to people, and their answers."""

from django.db import models

from annotations.models.corpus import Document
from annotations.models.guidelines import CorpusGuidelines
from kbpo.accounts.models import User

AUDIT_PREFIX = "audit|"
"""Of the key of a question that audits another: the rest is that one's."""


class Question(models.Model):
    """Something asked once, whoever needs it. `key` says what; `payload` is what the worker is shown."""

    class State(models.TextChoices):
        OPEN = "open", "waiting for votes"
        EXPERT = "expert", "waiting for an expert"
        SETTLED = "settled", "settled"

    document = models.ForeignKey(Document, on_delete=models.PROTECT, related_name="questions")
    kind = models.CharField(max_length=16, help_text="Of question: its name.")
    key = models.CharField(max_length=128)
    payload = models.JSONField()
    state = models.CharField(max_length=16, choices=State, default=State.OPEN)
    votes_needed = models.PositiveSmallIntegerField(
        help_text="How many were asked for so far, as its corpus' policy has it."
    )
    asked_at = models.DateTimeField(auto_now_add=True)
    settled_at = models.DateTimeField(null=True, blank=True)
    published_at = models.DateTimeField(null=True, blank=True, help_text="When its labels were released.")
    audits = models.OneToOneField(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="audit",
        help_text="The settled question that it asks of others again, to learn how often judges err; empty:"
        " of none.",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["document", "key"], name="question_once"),
            models.CheckConstraint(condition=~models.Q(kind=""), name="question_kind"),
            models.CheckConstraint(
                condition=models.Q(state="settled", settled_at__isnull=False)
                | models.Q(state__in=["open", "expert"], settled_at__isnull=True),
                name="question_state",
            ),
            models.CheckConstraint(
                condition=models.Q(published_at__isnull=True) | models.Q(state="settled"),
                name="question_published_when_settled",
            ),
            models.CheckConstraint(condition=models.Q(votes_needed__gte=1), name="question_votes_needed"),
            models.CheckConstraint(
                condition=models.Q(audits__isnull=False, key__startswith=AUDIT_PREFIX)
                | models.Q(audits__isnull=True) & ~models.Q(key__startswith=AUDIT_PREFIX),
                name="question_audit_key",
            ),
        ]
        indexes = [models.Index(fields=["state", "id"], name="question_by_state")]

    def __str__(self) -> str:
        return f"{self.document} {self.key}"


class Response(models.Model):
    """One worker's answer to one question, kept as it was given."""

    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="responses")
    worker = models.ForeignKey(User, on_delete=models.PROTECT, related_name="responses")
    answer = models.JSONField()
    is_expert = models.BooleanField(default=False)
    is_valid = models.BooleanField(
        default=True,
        help_text="Whether it is a vote: not if it was rejected, or asked only to learn of the worker.",
    )
    seconds = models.FloatField(
        null=True, blank=True, help_text="From being shown the question to answering."
    )
    guidelines = models.ForeignKey(
        CorpusGuidelines,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        db_index=False,  # nobody looks for the answers of a version
        help_text="The corpus' own guidelines under which it was given; empty: those of its ontology.",
    )
    answered_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["question", "worker"], name="response_once"),
            models.CheckConstraint(
                condition=models.Q(seconds__isnull=True) | models.Q(seconds__gte=0), name="response_seconds"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.worker} on {self.question}"
