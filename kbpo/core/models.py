"""The outbox of mail, and what is counted of requests."""

from django.db import models
from django.db.models import Q


class Message(models.Model):
    """A message, written in the transaction that it tells of, and sent by the pipeline.

    What it says is erased when it is sent: it may hold a link that signs somebody in.
    """

    recipients = models.JSONField(help_text="Addresses: to, cc and bcc, each a list.")
    sender = models.CharField(max_length=500)
    subject = models.TextField(blank=True)
    text = models.TextField(blank=True)
    html = models.TextField(blank=True)
    headers = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField()
    due_at = models.DateTimeField(
        help_text="When it is tried; while somebody sends it, when their lease ends."
    )
    give_up_at = models.DateTimeField(help_text="A try that fails after this is the last.")
    attempts = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True, help_text="What the last try ended with, for operators.")
    sent_at = models.DateTimeField(null=True)
    failed_at = models.DateTimeField(null=True, help_text="When it was given up.")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(sent_at=None) | Q(failed_at=None), name="message_sent_or_failed"
            ),
            models.CheckConstraint(
                condition=Q(sent_at=None) | Q(text="", html="", headers={}), name="message_erased_when_sent"
            ),
        ]
        indexes = [
            models.Index(fields=["due_at"], condition=Q(sent_at=None, failed_at=None), name="message_due"),
            models.Index(fields=["created_at"], name="message_age"),
        ]

    def __str__(self) -> str:
        return self.subject


class RequestCount(models.Model):
    """How often something was done since the first time, until a moment at which it is counted anew.

    What is counted, and whose it is, stands in the key alone, which nobody can read back.
    """

    key = models.CharField(max_length=64, primary_key=True)
    count = models.PositiveIntegerField()
    ends_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.count} until {self.ends_at}"
