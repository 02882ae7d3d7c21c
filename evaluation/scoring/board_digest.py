"""What changes whenever a leaderboard does, without reading it: for the ETags of its pages."""

from threading import Lock
from time import monotonic

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

_kept: dict[str | None, tuple[float, str]] = {}
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
    return f"{request.get_full_path()}|{_state(tag, may_be_kept=has_one)}"


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
