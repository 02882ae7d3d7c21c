"""Addresses that are told, and what is sent to them."""

import secrets

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from kbpo.accounts.models import Team, User
from kbpo.webhooks import signing


def new_id() -> str:
    """Return what a message is known by, wherever and however often it is sent."""
    return f"msg_{secrets.token_hex(16)}"


class Webhook(models.Model):
    """An address of a team's that is told what happens."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=500)
    secret = models.CharField(max_length=100, default=signing.new_secret)
    events = ArrayField(models.CharField(max_length=32))
    made_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    failing_since = models.DateTimeField(
        null=True, blank=True, help_text="When it first did not take something, since it last took anything."
    )
    disabled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["team", "url"], name="webhook_once"),
            models.CheckConstraint(
                condition=Q(
                    events__contained_by=[
                        *("submission.read", "submission.refused", "submission.scored"),
                        *("submission.failed", "epoch.released"),
                    ]
                )
                & Q(events__len__gte=1),
                name="webhook_events",
            ),
        ]

    def __str__(self) -> str:
        return self.url


class Delivery(models.Model):
    """A message to an address, written in the transaction that it tells of, and sent by the pipeline."""

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries", db_index=False)
    message_id = models.CharField(max_length=40, default=new_id)
    event = models.CharField(max_length=32)
    body = models.TextField(help_text="JSON, as it is signed and sent.")
    created_at = models.DateTimeField()
    due_at = models.DateTimeField(
        help_text="When it is tried; while somebody sends it, when their lease ends."
    )
    give_up_at = models.DateTimeField(help_text="A try that fails after this is the last.")
    attempts = models.PositiveIntegerField(default=0)
    tried_at = models.DateTimeField(null=True)
    status = models.PositiveSmallIntegerField(null=True, help_text="What the last try was answered with.")
    error = models.TextField(blank=True, help_text="What was wrong with that, for the team.")
    delivered_at = models.DateTimeField(null=True)
    failed_at = models.DateTimeField(null=True, help_text="When it was given up.")

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "deliveries"
        constraints = [
            models.UniqueConstraint(fields=["webhook", "message_id"], name="delivery_once"),
            models.CheckConstraint(
                condition=Q(delivered_at=None) | Q(failed_at=None), name="delivery_delivered_or_failed"
            ),
            models.CheckConstraint(condition=~Q(event="") & ~Q(body=""), name="delivery_of_something"),
        ]
        indexes = [
            models.Index(
                fields=["due_at"], condition=Q(delivered_at=None, failed_at=None), name="delivery_due"
            ),
            models.Index(fields=["created_at"], name="delivery_age"),
        ]

    def __str__(self) -> str:
        return f"{self.event} to {self.webhook}"
