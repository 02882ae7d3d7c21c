"""What changes whenever a leaderboard does, without reading it: for the ETags of its pages.

A state of a leaderboard has pages of many addresses: what they are all made from is read once (`shared`).
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from typing import TypeVar

from django.conf import settings
from django.http import HttpRequest

from kbpo.core.database.bulk import read_rows

# Of each table what is shown, and no more: what is hidden or sealed must not show in an ETag either. Scores
# need no look: whatever writes them writes ranks, which are rows of their own each time. The minute bounds
# how old anything else can be that a page may come to show.
_DIGEST = """
WITH shown AS (SELECT id FROM annotations_corpus WHERE %s::text IS NULL OR tag = %s)
SELECT concat_ws('|', date_trunc('minute', now()),
  (SELECT sum(hashtextextended(c::text, 0)) FROM annotations_corpus c),
  (SELECT sum(hashtextextended(concat_ws('|', s.id,
     CASE WHEN s.anonymous_until > now() THEN concat_ws(' ', s.alias, s.alias_run)
     ELSE concat_ws('|', s.name, t.name) END,
     s.state, s.is_baseline, s.chosen_after, s.anonymous_until > now()), 0))
   FROM evaluation_submission s JOIN accounts_team t ON t.id = s.team_id
   JOIN shown ON s.corpus_id = shown.id WHERE s.is_public AND (s.state <> 'accepted' OR s.go_ahead)),
  (SELECT sum(hashtextextended(concat_ws('|', e.id, e.released_at), 0)) FROM evaluation_epoch e
   JOIN shown ON e.corpus_id = shown.id),
  (SELECT sum(hashtextextended(r::text, 0)) FROM evaluation_ranking r JOIN shown ON r.corpus_id = shown.id),
  (SELECT sum(hashtextextended(a::text, 0)) FROM annotations_kindagreement a
   JOIN shown ON a.corpus_id = shown.id),
  (SELECT sum(t.id) FROM annotations_takedown t),
  (SELECT count(*) FROM annotations_corpus c WHERE c.opens_at <= now()),
  (SELECT count(*) FROM annotations_corpus c WHERE c.closes_at <= now()),
  (SELECT sum(hashtextextended(concat_ws('|', p::text, p.starts_at <= now(), p.ends_at <= now()), 0))
   FROM annotations_corpusphase p JOIN shown ON p.corpus_id = shown.id),
  (SELECT sum(hashtextextended(concat_ws('|', n.id, n.withdrawn_at), 0)) FROM annotations_corpusnews n
   JOIN shown ON n.corpus_id = shown.id),
  (SELECT sum(hashtextextended(concat_ws('|', t.id, t.text = ''), 0)) FROM annotations_corpusterms t
   JOIN shown ON t.corpus_id = shown.id))
"""


MOST_KEPT = 1000  # states of corpora in a process: whoever asks for addresses at random names any tag
MOST_SHARED = 16  # of what pages are made from in a process: a thousand systems' rows are some megabytes

R = TypeVar("R")

_kept: dict[str | None, tuple[float, str]] = {}
_shared: OrderedDict[tuple[str, Hashable], object] = OrderedDict()
_lock = Lock()


def digest(request: HttpRequest, tag: str | None = None) -> str:
    """Return what changes whenever the leaderboard of a corpus, as an address asks for it, does.

    It looks at each rank of a board. Of those who have a page and ask whether it changed, a process therefore
    reads it for one in `settings.BOARD_STATE_SECONDS`: the others are told of a change later, by as long and
    the time that reading takes. For who has none it is read each time, so that nothing is sent that has just
    been taken off.

    Parameters
    ----------
    request : HttpRequest
    tag : str, optional
        Of the corpus; all corpora are looked at without it.
    """
    has_one = "If-None-Match" in request.headers
    state = _state(tag, may_be_kept=has_one)
    if not has_one:
        request.board_state = _Fresh(tag, state)  # type: ignore[attr-defined]
    return f"{request.get_full_path()}|{state}"


@dataclass(frozen=True, slots=True)
class _Fresh:
    """A state that was read for a request, and what was made for it since."""

    tag: str | None
    state: str
    made: dict[Hashable, object] = field(default_factory=dict)


def shared(request: HttpRequest, name: Hashable, make: Callable[[], R]) -> R:
    """Return what pages of a leaderboard are made from: once for all visitors, in one state of it.

    It is made anew wherever `digest` has not just read the state, which `public_page` has it do for visitors
    alone: what may not be shown any more is never taken from here. `keep` keeps what was made.

    Parameters
    ----------
    request : HttpRequest
    name : hashable
        What it is, and of which corpus; the state says the rest.
    make : callable
        What it returns is the same for all visitors, and nobody changes it afterwards.
    """
    fresh: _Fresh | None = getattr(request, "board_state", None)
    if fresh is None:
        return make()
    key = fresh.state, name
    with _lock:
        if key in _shared:
            _shared.move_to_end(key)
            return _shared[key]  # type: ignore[return-value]  # as `make` returned it under this name
    fresh.made[name] = made = make()
    return made


def keep(request: HttpRequest) -> None:
    """Keep for the next visitors what was made for this one.

    If the state has changed meanwhile, nobody knows of which of the two it is, and it is kept for nobody.
    """
    fresh: _Fresh | None = getattr(request, "board_state", None)
    if fresh is None or not fresh.made or _state(fresh.tag, may_be_kept=False) != fresh.state:
        return
    with _lock:
        for name, made in fresh.made.items():
            _shared[fresh.state, name] = made
        while len(_shared) > MOST_SHARED:
            _shared.popitem(last=False)


def _state(tag: str | None, *, may_be_kept: bool) -> str:
    now = monotonic()
    with _lock:
        if may_be_kept and (known := _kept.get(tag)) is not None:
            at, state = known
            if now - at < settings.BOARD_STATE_SECONDS:
                return state
            _kept[tag] = now, state  # the others need not wait while one reads
    try:
        ((found,),) = read_rows(_DIGEST, [tag, tag])
    except BaseException:
        with _lock:
            _kept.pop(tag, None)
        raise
    with _lock:
        if len(_kept) >= MOST_KEPT:
            _kept.clear()
        _kept[tag] = now, str(found)
    return str(found)
