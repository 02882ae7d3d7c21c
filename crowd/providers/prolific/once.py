"""What must be asked for once: written down, sent, and settled when its outcome is known."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db import IntegrityError, transaction

from crowd.models import ProlificRequest
from crowd.providers.base import NoAnswer, ProviderError
from crowd.providers.prolific.api import Unclear


def begin(*, token: str, kind: str, subject: str, target: int, now: datetime) -> ProlificRequest:
    """Write down what is about to be asked for.

    Parameters
    ----------
    token : str
    kind : str
        Of `ProlificRequest.Kind`.
    subject : str
        What it is about.
    target : int
        What will be so when it is done.
    now : datetime

    Raises
    ------
    NoAnswer
        If something else of this kind, about the same, is still undecided.
    """
    try:
        with transaction.atomic():
            return ProlificRequest.objects.create(
                token=token, kind=kind, subject=subject, target=target, sent_at=now, created_at=now
            )
    except IntegrityError as error:
        raise NoAnswer(f"An earlier request about {subject} is still undecided.", retry_after=60.0) from error


def finish(request: ProlificRequest, now: datetime) -> None:
    """Note that it is done."""
    request.done_at = now
    request.save(update_fields=["done_at"])


@contextmanager
def sending(request: ProlificRequest) -> Iterator[None]:
    """Forget a request that was certainly not carried out."""
    try:
        yield
    except Unclear:
        raise
    except ProviderError:
        request.delete()
        raise
