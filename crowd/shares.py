"""How much of a corpus' work one person may do, where that is bounded: no crowd is one person."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q, QuerySet, Sum

from annotations.models import Question, Response
from crowd.interfaces.interface import Interface
from crowd.models import Assignment, HitQuestion

WORKING = timedelta(hours=2)  # so long work that was begun counts as given; then nobody waits for it


def allowed(interface: Interface, corpus_id: int) -> int | None:
    """Return how many judgements one person may give; None: any number.

    A share (`CROWD_MOST_PERCENT`) of all that are asked for in the epoch at hand, those whose labels are not
    published: with every system that comes it may be more. One is always allowed.
    """
    if not interface.bounds_shares:
        return None
    asked = _asked(interface, corpus_id).aggregate(votes=Sum("votes_needed", default=0))["votes"]
    return max(1, int(settings.CROWD_MOST_PERCENT * asked / 100))


def given(
    interface: Interface,
    corpus_id: int,
    *,
    now: datetime,
    user_id: int | None = None,
    provider: str = "",
    worker_id: str = "",
) -> int:
    """Count the judgements that somebody has given, and those that are on their way.

    Parameters
    ----------
    interface : Interface
    corpus_id : int
    now : datetime
    user_id : int, optional
        Their account, if they have one.
    provider, worker_id : str
        Their name at a provider, if they work there.
    """
    asked = _asked(interface, corpus_id)
    counted = Response.objects.filter(question__in=asked, worker=user_id, is_expert=False).count()
    if not worker_id:
        return counted
    begun = Assignment.objects.filter(
        Q(answer__isnull=False) | Q(begun_at__gt=now - WORKING),
        hit__batch__corpus=corpus_id,
        hit__batch__provider=provider,
        hit__batch__is_tutorial=False,
        provider_worker_id=worker_id,
        counted_at=None,
    ).exclude(state=Assignment.State.REJECTED)
    return counted + HitQuestion.objects.filter(hit__in=begun.values("hit"), question__in=asked).count()


def is_full(
    interface: Interface,
    corpus_id: int,
    *,
    more: int,
    now: datetime,
    user_id: int | None = None,
    provider: str = "",
    worker_id: str = "",
) -> bool:
    """Say whether somebody may not give so many judgements more, since they gave others; as `given`."""
    most = allowed(interface, corpus_id)
    if most is None:
        return False
    before = given(interface, corpus_id, now=now, user_id=user_id, provider=provider, worker_id=worker_id)
    return before > 0 and before + more > most


def _asked(interface: Interface, corpus_id: int) -> QuerySet[Question]:
    return Question.objects.filter(
        document__corpus=corpus_id, kind__in=interface.kinds, published_at=None, audits=None
    )
