"""A clock that has been watched for long enough, so that what is old is thrown away."""

from django.utils import timezone

from kbpo.core.keeping.models import Installation


def trust_the_clock() -> None:
    """Have two days been seen to pass."""
    values = {"looked_at": timezone.now(), "seen": 2 * 24 * 3600, "jumped_at": 0}
    Installation.objects.update_or_create(pk=1, defaults=values)
