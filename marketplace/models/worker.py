"""Workers, and what requesters know of them."""

from django.db import models
from django.utils import timezone

from kbpo.accounts.models import User
from marketplace.models.requester import Requester


class Worker(models.Model):
    """A person who works here, under a name that tells requesters nothing else of them."""

    user = models.OneToOneField(User, on_delete=models.PROTECT, related_name="+")
    worker_id = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.worker_id


class QualificationType(models.Model):
    """Something that a requester may grant to workers, with a number."""

    requester = models.ForeignKey(Requester, on_delete=models.PROTECT, related_name="qualification_types")
    type_id = models.CharField(max_length=64, unique=True)
    name = models.CharField(max_length=200)
    description = models.CharField(max_length=2000)
    keywords = models.CharField(max_length=1000, blank=True)
    is_active = models.BooleanField(default=True)
    auto_granted_value = models.IntegerField(
        null=True, blank=True, help_text="What every worker who asks for it gets; empty: not for the asking."
    )
    retry_delay_seconds = models.BigIntegerField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["requester", "name"], name="qualification_type_once"),
        ]

    def __str__(self) -> str:
        return self.name


class Qualification(models.Model):
    """A qualification that a worker has, or had."""

    qualification_type = models.ForeignKey(
        QualificationType, on_delete=models.CASCADE, related_name="qualifications"
    )
    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="qualifications")
    value = models.IntegerField()
    granted_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    reason = models.TextField(blank=True, help_text="Why it was revoked; the worker sees it.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["qualification_type", "worker"], name="qualification_once")
        ]

    def __str__(self) -> str:
        return f"{self.qualification_type} of {self.worker}: {self.value}"


class WorkerBlock(models.Model):
    """A worker who gets none of a requester's HITs."""

    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="blocks")
    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="blocks")
    reason = models.TextField(help_text="For the requester alone.")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["requester", "worker"], name="worker_block_once")]

    def __str__(self) -> str:
        return f"{self.worker} by {self.requester}"
