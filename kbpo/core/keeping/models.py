"""What the database says of the installation that it belongs to."""

from django.db import models
from django.db.models import Q


class Installation(models.Model):
    """The one row by which database and files know each other.

    The same name, and nearly the same mark, stand in the files' folder (`installation`). The mark grows while
    the service runs, so that an older state of either side is noticed.
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    name = models.UUIDField(null=True, help_text="Empty until the files have been met.")
    mark = models.PositiveBigIntegerField(default=0)
    marked_at = models.DateTimeField(null=True, help_text="When the mark last grew.")
    warning = models.TextField(blank=True, help_text="Why nothing is removed now, for operators.")
    warned_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(id=1), name="installation_is_one")]

    def __str__(self) -> str:
        return f"installation {self.name or 'without a name'}"
