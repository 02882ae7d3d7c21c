"""Where the HIT pages are."""

from django.conf import settings

from crowd.models import Hit


def hit_url(hit: Hit) -> str:
    """Return the address of a HIT's page, on the origin that serves nothing else."""
    return f"{settings.HIT_BASE_URL}/hits/{hit.annotation}/"
