"""The outbox of mail, what is counted of requests, and what operators did."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone


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

    @property
    def addresses(self) -> list[str]:
        """To whom it goes."""
        return [address for group in self.recipients.values() for address in group]


class RequestCount(models.Model):
    """How often something was done since the first time, until a moment at which it is counted anew.

    What is counted, and whose it is, stands in the key alone, which nobody can read back.
    """

    key = models.CharField(max_length=64, primary_key=True)
    count = models.PositiveIntegerField()
    ends_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.count} until {self.ends_at}"


class AuditEntry(models.Model):
    """What an operator, or the holder of a role, did. Postgres refuses to change or delete a row."""

    at = models.DateTimeField(default=timezone.now, editable=False)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        help_text="Empty: somebody at the command line.",
    )
    what = models.CharField(max_length=40, help_text="One of `kbpo.core.acts.What`.")
    kind = models.CharField(max_length=60, blank=True, help_text="Of what kind the object is.")
    about = models.CharField(max_length=200, help_text="The object's id, or its name.")
    before = models.JSONField(default=dict, help_text="The fields that changed, as they were.")
    after = models.JSONField(default=dict, help_text="And as they are since.")

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "audit entries"
        constraints = [models.CheckConstraint(condition=~Q(what="") & ~Q(about=""), name="act_of_something")]
        indexes = [models.Index(fields=["at"], name="act_by_time")]

    def __str__(self) -> str:
        return f"{self.what}: {self.kind} {self.about}"
