"""Which providers this site has an account with."""

from django.conf import settings

from crowd.providers import prolific
from crowd.providers.base import Provider
from kbpo.accounts.models import WorkerIdentity
from kbpo.core.errors import Unavailable

Name = WorkerIdentity.Provider


def configured() -> list[str]:
    """Return the names of the providers at which work can be posted; none where there are no HIT pages."""
    if not settings.HIT_BASE_URL:
        return []
    names: list[str] = []
    if settings.MTURK_KEYS is not None:
        names.append(Name.MARKETPLACE if settings.MTURK_IS_BUILT_IN else Name.MTURK)
    if settings.PROLIFIC_TOKEN and settings.PROLIFIC_PROJECT:
        names.append(Name.PROLIFIC)
    return names


def provider(name: str) -> Provider:
    """Return a provider.

    Raises
    ------
    Unavailable
        If this site has no account with it.
    """
    if name not in configured():
        raise Unavailable(f"This site has no account with {Name(name).label}: set its keys and HIT_BASE_URL.")
    if name == Name.PROLIFIC:
        return _prolific()
    # here, since boto3 takes a second to load, and most processes never need it
    from crowd.providers.mturk import connect

    return connect(name, settings.MTURK_ENDPOINT_URL, settings.MTURK_KEYS, settings.MTURK_SERVICE_MODELS)


def prolific_account() -> prolific.Prolific:
    """Return our account at Prolific, for what no other provider can be asked.

    Raises
    ------
    Unavailable
        If this site has none.
    """
    if Name.PROLIFIC not in configured():
        raise Unavailable("This site has no account with Prolific: set PROLIFIC_TOKEN and PROLIFIC_PROJECT.")
    return _prolific()


def _prolific() -> prolific.Prolific:
    return prolific.connect(
        settings.PROLIFIC_API_URL,
        settings.PROLIFIC_TOKEN,
        project=settings.PROLIFIC_PROJECT,
        fee_percent=settings.PROLIFIC_FEE_PERCENT,
        hits_per_worker=settings.PROLIFIC_HITS_PER_WORKER,
    )
