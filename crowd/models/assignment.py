"""What workers do: their assignments and their bonuses."""

from django.db import models
from django.db.models import Q

from annotations.models import Corpus, CorpusGuidelines, Question, Response
from crowd.models.hit import Hit
from crowd.models.keys import versions_key
from kbpo.accounts.models import User, WorkerIdentity


class Assignment(models.Model):
    """A worker's work on a HIT: begun on its page, or first heard of when it is collected.

    An assignment id may come back with another worker, so both together are its name. The answer is what the
    page put together and the server has checked; `raw` is what the provider handed over.
    """

    class State(models.TextChoices):
        BEGUN = "begun", "on the worker's screen"
        SUBMITTED = "submitted", "waiting for review"
        APPROVED = "approved", "approved"
        REJECTED = "rejected", "rejected"

    class Decision(models.TextChoices):
        APPROVE = "approve", "approve"
        REJECT = "reject", "reject"
        OVERRIDE = "override", "approve what was rejected"

    hit = models.ForeignKey(Hit, on_delete=models.PROTECT, related_name="assignments")
    provider_id = models.CharField(max_length=64, help_text="The provider's id of the assignment.")
    provider_worker_id = models.CharField(max_length=64, help_text="The provider's id of the worker.")
    worker = models.ForeignKey(
        WorkerIdentity, on_delete=models.PROTECT, null=True, blank=True, related_name="assignments"
    )
    state = models.CharField(max_length=16, choices=State, default=State.BEGUN)
    gold = models.ForeignKey(
        Question,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="gold_in",
        help_text="A settled question that is asked besides, to learn of the worker.",
    )
    guidelines = versions_key(
        CorpusGuidelines, "The corpus' own that its page shows; empty: those of its ontology."
    )
    verified_at = models.DateTimeField(
        null=True, blank=True, help_text="When it was first sure that the provider had sent this worker."
    )
    begun_at = models.DateTimeField(null=True, blank=True)
    accepted_at = models.DateTimeField(null=True, blank=True, help_text="By the provider's clock.")
    submitted_at = models.DateTimeField(null=True, blank=True)
    # The page: what was typed so far, and when.
    draft = models.JSONField(null=True, blank=True)
    draft_number = models.PositiveIntegerField(default=0, help_text="Of saves; an older one never wins.")
    draft_at = models.DateTimeField(null=True, blank=True)
    answer = models.JSONField(null=True, blank=True)
    steps = models.JSONField(default=list, blank=True, help_text="Seconds for each step of the page.")
    comment = models.TextField(blank=True)
    raw = models.TextField(blank=True)
    problem = models.TextField(blank=True, help_text="Why an answer, or part of it, could not be counted.")
    is_covered = models.BooleanField(
        default=True,
        help_text="Whether its money was set aside: for what comes unasked no budget may have room.",
    )
    counted_at = models.DateTimeField(null=True, blank=True, help_text="When its answers became responses.")
    responses = models.ManyToManyField(Response, related_name="assignments")
    # Review: what a person or a rule decided, and whether the provider knows.
    flag = models.TextField(blank=True, help_text="Why a person should look at it.")
    hold = models.TextField(
        blank=True,
        help_text="Why no rule pays it before a person has looked, though nothing speaks against it.",
    )
    least_seconds = models.FloatField(
        null=True, blank=True, help_text="That it takes to read what it shows, however fast one reads."
    )
    reminded_at = models.DateTimeField(
        null=True, blank=True, help_text="When operators were last told that it waits for them."
    )
    decision = models.CharField(max_length=16, choices=Decision, blank=True)
    decided_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)
    feedback = models.CharField(max_length=1024, blank=True, help_text="To the worker.")
    override_feedback = models.CharField(
        max_length=1024, blank=True, help_text="To the worker whose rejection was taken back."
    )
    told_at = models.DateTimeField(null=True, blank=True, help_text="When the provider took the decision.")
    claimed_until = models.DateTimeField(null=True, blank=True)
    tries = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["hit", "provider_id", "provider_worker_id"], name="hit_assignment_once"
            ),
            models.CheckConstraint(
                condition=Q(state="begun", submitted_at__isnull=True)
                | Q(
                    state__in=["submitted", "approved", "rejected"],
                    submitted_at__isnull=False,
                    worker__isnull=False,
                ),
                name="hit_assignment_state",
            ),
            models.CheckConstraint(
                condition=~Q(decision="reject") | (~Q(feedback="") & Q(decided_by__isnull=False)),
                name="assignment_rejected_by_a_person_with_a_reason",
            ),
        ]
        indexes = [
            models.Index(fields=["state", "id"], name="assignment_by_state"),
            models.Index(
                fields=["worker", "submitted_at"],
                name="assignment_held",
                condition=Q(state="submitted", decision="") & (~Q(hold="") | ~Q(flag="")),
            ),
            models.Index(
                fields=["id"],
                name="assignment_to_tell",
                condition=Q(told_at__isnull=True) & ~Q(decision=""),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.provider_id} by {self.provider_worker_id}"


class Bonus(models.Model):
    """Money beside a reward, written down before it is paid. `reason` keeps each from being paid twice."""

    worker = models.ForeignKey(WorkerIdentity, on_delete=models.PROTECT, related_name="bonuses")
    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="bonuses")
    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="bonuses")
    reason = models.CharField(
        max_length=128, help_text="A worker gets one bonus for a reason: 'tutorial relation'."
    )
    message = models.CharField(max_length=1024, help_text="To the worker.")
    cents = models.PositiveIntegerField()
    fee_cents = models.PositiveIntegerField()
    request_token = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    paid_at = models.DateTimeField(null=True, blank=True)
    claimed_until = models.DateTimeField(null=True, blank=True)
    tries = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)

    class Meta:
        verbose_name_plural = "bonuses"
        constraints = [
            models.UniqueConstraint(fields=["worker", "reason"], name="bonus_once"),
            models.CheckConstraint(condition=Q(cents__gte=1), name="bonus_cents"),
        ]

    def __str__(self) -> str:
        return f"{self.reason} to {self.worker}"
