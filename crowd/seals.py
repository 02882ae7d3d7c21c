"""Seals of answers: by its seal an answer that a provider hands over is known to have gone through our page.

A page posts its answer to the provider itself, so anything can be posted there in its place.
"""

from django.core.signing import BadSignature, Signer

from crowd.models import Hit

FIELD = "seal"  # of the form that goes to the provider
_SALT = "crowd.hits.answer"


def seal(hit: Hit, *, assignment_id: str, worker_id: str, text: str) -> str:
    """Return the seal of an answer that was checked, by the provider's names of assignment and worker."""
    return Signer(salt=_SALT).signature(_sealed(hit, assignment_id, worker_id, text))


def is_sealed(hit: Hit, given: str, *, assignment_id: str, worker_id: str, text: str) -> bool:
    """Say whether an answer went through the page of this HIT, for this assignment and worker."""
    message = _sealed(hit, assignment_id, worker_id, text)
    try:
        return Signer(salt=_SALT).unsign(f"{message}:{given}") == message
    except BadSignature:
        return False


def _sealed(hit: Hit, assignment_id: str, worker_id: str, text: str) -> str:
    return "\n".join((hit.annotation, assignment_id, worker_id, text))
