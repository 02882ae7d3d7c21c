"""Who may frame a HIT's page, and where its answer may go: its provider, and nobody else."""

from urllib.parse import urlsplit

from django.conf import settings
from django.http.response import HttpResponseBase

from kbpo.accounts.models import WorkerIdentity

Provider = WorkerIdentity.Provider

_MTURK_FRAMES = ("https://worker.mturk.com", "https://workersandbox.mturk.com")
_MTURK_SUBMITS = ("https://www.mturk.com", *_MTURK_FRAMES)


def submit_origins(provider: str) -> tuple[str, ...]:
    """List the origins to which a page may post a provider's answers."""
    return _origins(provider, _MTURK_SUBMITS)


def default_provider() -> str:
    """Return whose frame a page stands in that belongs to no HIT."""
    return Provider.MARKETPLACE if settings.MTURK_IS_BUILT_IN else Provider.MTURK


def set_policy(response: HttpResponseBase, provider: str) -> None:
    """Let a page load from its own origin, post to its provider, and be framed by it."""
    submits = " ".join(("'self'", *submit_origins(provider)))
    frames = " ".join(_origins(provider, _MTURK_FRAMES)) or "'none'"
    response.headers["Content-Security-Policy"] = (
        "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
        f"form-action {submits}; frame-ancestors {frames}"
    )
    # The older header knows no list of origins; where it is set it would forbid what the policy allows.
    response.xframe_options_exempt = True  # type: ignore[attr-defined]


def _origins(provider: str, amazon: tuple[str, ...]) -> tuple[str, ...]:
    """List the origins of a provider's workers, which are Amazon's own where it is Amazon's.

    Any other service with MTurk's API is taken to have its workers where its API is. Prolific opens a window.
    """
    match provider:
        case Provider.MARKETPLACE:
            return (settings.SITE_URL,)
        case Provider.MTURK:
            endpoint = urlsplit(settings.MTURK_ENDPOINT_URL)
            is_amazon = (endpoint.hostname or "").endswith(".amazonaws.com")
            return amazon if is_amazon else (f"{endpoint.scheme}://{endpoint.netloc}",)
        case _:
            return ()
