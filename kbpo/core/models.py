"""What is counted of requests."""

from django.db import models


class RequestCount(models.Model):
    """How often something was done since the first time, until a moment at which it is counted anew.

    What is counted, and whose it is, stands in the key alone, which nobody can read back.
    """

    key = models.CharField(max_length=64, primary_key=True)
    count = models.PositiveIntegerField()
    ends_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.count} until {self.ends_at}"
