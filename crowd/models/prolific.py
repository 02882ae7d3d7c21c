"""What must be remembered beside Prolific's own books: what exists there once, and what was asked for.

No time has a default: each is compared with the provider's clock or with Prolific's times, and comes from
that clock.
"""

import secrets

from django.db import models
from django.db.models import Q


def new_code() -> str:
    """Make up a completion code."""
    return secrets.token_hex(4).upper()


class ProlificObject(models.Model):
    """A study or a group of participants that must exist at Prolific only once.

    Its API has no token that would make a creation repeatable. So this row is first, and whoever holds its
    claim looks for what carries its name at Prolific before making it.
    """

    class Kind(models.TextChoices):
        STUDY = "study", "a study"
        GROUP = "group", "a group of participants"

    kind = models.CharField(max_length=8, choices=Kind)
    name = models.CharField(max_length=96, unique=True, help_text="By which it is found there.")
    remote_id = models.CharField(max_length=64, null=True, blank=True, unique=True)
    code = models.CharField(
        max_length=16, default=new_code, help_text="With which a worker completes a submission of the study."
    )
    claimed_until = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=["study", "group"]), name="prolific_object_kind"),
            models.CheckConstraint(condition=~Q(name=""), name="prolific_object_name"),
        ]

    def __str__(self) -> str:
        return self.name


class ProlificTask(models.Model):
    """A HIT as one of the addresses of a study. Prolific knows no end of one address: it is kept here."""

    study = models.ForeignKey(ProlificObject, on_delete=models.PROTECT, related_name="tasks")
    annotation = models.CharField(max_length=255, unique=True, help_text="The HIT's.")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True, help_text="Since when newcomers are sent back.")
    removed_at = models.DateTimeField(null=True, blank=True, help_text="When all of it was reviewed.")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(removed_at__isnull=True) | Q(closed_at__isnull=False),
                name="prolific_task_closed_before_removed",
            ),
        ]

    def __str__(self) -> str:
        return self.annotation


class ProlificRequest(models.Model):
    """Something that must be done once, written down before it is asked for.

    Attributes
    ----------
    subject : str
        What it is about: a HIT's annotation, or the id of a submission.
    target : int
        What will be so when it is done: the places of the HIT, or all the cents paid in bonuses.
    """

    class Kind(models.TextChoices):
        EXTEND = "extend", "more places"
        BONUS = "bonus", "a bonus"
        STRAY = "stray", "a submission of a worker who never opened a page"

    token = models.CharField(max_length=128, unique=True)
    kind = models.CharField(max_length=8, choices=Kind)
    subject = models.CharField(max_length=255)
    target = models.PositiveIntegerField(default=0)
    sent_at = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["extend", "bonus", "stray"]), name="prolific_request_kind"
            ),
            models.UniqueConstraint(
                fields=["kind", "subject"],
                condition=Q(sent_at__isnull=False, done_at__isnull=True),
                name="prolific_request_one_in_flight",
            ),
        ]

    def __str__(self) -> str:
        return self.token


class ProlificEvent(models.Model):
    """Something that Prolific told us, kept while it may tell it again."""

    event_id = models.CharField(max_length=128, unique=True)
    event_type = models.CharField(max_length=64)
    resource_id = models.CharField(max_length=64)
    received_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.event_type} {self.resource_id}"
