"""HITs, and the work of each worker on them."""

from datetime import datetime

from django.db import models
from django.db.models import F, Q

from marketplace.models.requester import Requester
from marketplace.models.worker import Worker


class HitType(models.Model):
    """What HITs have in common. The same properties are the same type, and make one group for workers."""

    requester = models.ForeignKey(Requester, on_delete=models.PROTECT, related_name="hit_types")
    type_id = models.CharField(max_length=64, unique=True)
    group_id = models.CharField(max_length=64, unique=True)
    digest = models.CharField(max_length=64, help_text="SHA-256 of the properties.")
    title = models.CharField(max_length=128)
    description = models.CharField(max_length=2000)
    keywords = models.CharField(max_length=1000, blank=True)
    reward_cents = models.PositiveIntegerField()
    duration_seconds = models.PositiveIntegerField(help_text="To work on one, from accepting it.")
    auto_approval_seconds = models.PositiveIntegerField()
    requirements = models.JSONField(default=list, help_text="QualificationRequirements, as the API has them.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["requester", "digest"], name="hit_type_once"),
            models.CheckConstraint(condition=Q(duration_seconds__gt=0), name="hit_type_duration"),
        ]

    def __str__(self) -> str:
        return self.title


class Hit(models.Model):
    """A task to be done by several workers. Its status follows from its counts and the time."""

    class Status(models.TextChoices):
        ASSIGNABLE = "Assignable"
        UNASSIGNABLE = "Unassignable"
        REVIEWABLE = "Reviewable"
        REVIEWING = "Reviewing"
        DISPOSED = "Disposed"

    hit_type = models.ForeignKey(HitType, on_delete=models.PROTECT, related_name="hits")
    requester = models.ForeignKey(Requester, on_delete=models.PROTECT, related_name="hits")
    hit_id = models.CharField(max_length=64, unique=True)
    question = models.TextField(help_text="The XML, as it was sent.")
    external_url = models.TextField()
    frame_height = models.PositiveIntegerField(help_text="In pixels; 0: as high as the window allows.")
    annotation = models.CharField(max_length=255, blank=True, help_text="The requester's own note.")
    fee_cents = models.PositiveIntegerField(help_text="On each assignment.")
    max_assignments = models.PositiveIntegerField()
    taken = models.PositiveIntegerField(
        default=0, help_text="Places that are accepted, submitted or decided."
    )
    pending = models.PositiveIntegerField(default=0, help_text="Places that are accepted and not submitted.")
    held_cents = models.BigIntegerField(default=0, help_text="What its requester has on hold for it.")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    is_reviewing = models.BooleanField(default=False)
    is_released = models.BooleanField(
        default=False, help_text="Whether the money for places that nobody can take any more was given back."
    )
    disposed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(pending__lte=F("taken"), taken__lte=F("max_assignments")), name="hit_places"
            ),
            models.CheckConstraint(condition=Q(max_assignments__gte=1), name="hit_max_assignments"),
            models.CheckConstraint(condition=Q(held_cents__gte=0), name="hit_held"),
            models.CheckConstraint(
                condition=Q(disposed_at__isnull=True) | Q(pending=0, held_cents=0), name="hit_disposed"
            ),
        ]
        indexes = [
            models.Index(
                fields=["hit_type", "id"],
                condition=Q(disposed_at__isnull=True, taken__lt=F("max_assignments")),
                name="hit_open",
            ),
            models.Index(
                fields=["expires_at"],
                condition=Q(disposed_at__isnull=True, is_released=False),
                name="hit_expiry",
            ),
        ]

    def __str__(self) -> str:
        return self.hit_id

    def status(self, now: datetime) -> str:
        """Return the HIT's status, a member of `Status`."""
        if self.disposed_at is not None:
            return self.Status.DISPOSED
        if self.taken < self.max_assignments and self.expires_at > now:
            return self.Status.ASSIGNABLE
        if self.pending:
            return self.Status.UNASSIGNABLE
        return self.Status.REVIEWING if self.is_reviewing else self.Status.REVIEWABLE


class Assignment(models.Model):
    """A worker's part in a HIT. There is one for each HIT and worker.

    A place that is returned or abandoned goes to the next worker together with its `assignment_id`; so an id
    has one worker at a time, and may have had others before.
    """

    class State(models.TextChoices):
        ACCEPTED = "accepted", "accepted"
        RETURNED = "returned", "returned"
        ABANDONED = "abandoned", "ran out of time"
        SUBMITTED = "submitted", "submitted"
        APPROVED = "approved", "approved"
        REJECTED = "rejected", "rejected"

    #: States in which it takes a place of its HIT.
    TAKING = (State.ACCEPTED, State.SUBMITTED, State.APPROVED, State.REJECTED)
    #: States in which there is an answer.
    ANSWERED = (State.SUBMITTED, State.APPROVED, State.REJECTED)

    hit = models.ForeignKey(Hit, on_delete=models.PROTECT, related_name="assignments")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="assignments")
    assignment_id = models.CharField(max_length=64, db_index=True)
    state = models.CharField(max_length=16, choices=State, default=State.ACCEPTED)
    accepted_at = models.DateTimeField()
    deadline = models.DateTimeField()
    submitted_at = models.DateTimeField(null=True, blank=True)
    auto_approve_at = models.DateTimeField(null=True, blank=True)
    approved_at = models.DateTimeField(null=True, blank=True)
    rejected_at = models.DateTimeField(null=True, blank=True)
    answer = models.TextField(blank=True, help_text="QuestionFormAnswers XML.")
    feedback = models.CharField(max_length=1024, blank=True, help_text="What the requester says of it.")
    reply = models.CharField(max_length=1024, blank=True, help_text="What the worker says to a rejection.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["hit", "worker"], name="assignment_once"),
            models.UniqueConstraint(
                fields=["assignment_id"],
                condition=Q(state__in=["accepted", "submitted", "approved", "rejected"]),
                name="assignment_id_one_worker",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["accepted", "returned", "abandoned"], submitted_at__isnull=True)
                | Q(
                    state__in=["submitted", "approved", "rejected"],
                    submitted_at__isnull=False,
                    auto_approve_at__isnull=False,
                ),
                name="assignment_submitted",
            ),
            models.CheckConstraint(
                condition=~Q(state="approved") | Q(approved_at__isnull=False), name="assignment_approved"
            ),
            models.CheckConstraint(
                condition=~Q(state="rejected") | (Q(rejected_at__isnull=False) & ~Q(feedback="")),
                name="assignment_rejected_with_a_reason",
            ),
        ]
        indexes = [
            models.Index(fields=["deadline"], condition=Q(state="accepted"), name="assignment_deadline"),
            models.Index(
                fields=["auto_approve_at"], condition=Q(state="submitted"), name="assignment_auto_approval"
            ),
            models.Index(fields=["worker", "state"], name="assignment_by_worker"),
            models.Index(fields=["hit", "submitted_at", "id"], name="assignment_by_hit"),
        ]

    def __str__(self) -> str:
        return f"{self.assignment_id} by {self.worker}"
