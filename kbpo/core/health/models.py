"""What the service remembers of its own health."""

from django.db import models
from django.db.models import F, Q


class Heartbeat(models.Model):
    """When a process of the pipeline was last alive, one row for each that there must be; and a last look."""

    class Name(models.TextChoices):
        BEAT = "beat", "the clock (beat)"
        WORKER = "worker", "the worker"
        MAILER = "mailer", "the mailer"
        WATCH = "watch", "the look for troubles"

    name = models.CharField(max_length=16, choices=Name, primary_key=True)
    seen_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(name__in=["beat", "worker", "mailer", "watch"]), name="heartbeat_name"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} at {self.seen_at}"


class Trouble(models.Model):
    """Something that is wrong, from when it was first seen until operators were told of its end."""

    key = models.CharField(max_length=100, primary_key=True, help_text="What is wrong: the same each time.")
    words = models.TextField()
    began_at = models.DateTimeField()
    told_at = models.DateTimeField(null=True, help_text="When operators were told.")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(key=""), name="trouble_key"),
            models.CheckConstraint(
                condition=Q(told_at=None) | Q(told_at__gte=F("began_at")), name="trouble_told_after_it_began"
            ),
        ]

    def __str__(self) -> str:
        return self.key
