"""Whether a team may submit to a corpus now: the one place where dates and terms are held to.

What is submitted stays submitted, whatever is changed afterwards: nothing here is asked of it again.
"""

from datetime import UTC, datetime

from django.db.models import Q

from annotations.challenges.calendar import Standing, State
from annotations.challenges.dates import standing_of
from annotations.challenges.versions import newest
from annotations.models import Corpus, CorpusPhase, CorpusTerms
from kbpo.accounts.models import Team
from kbpo.core.database.bulk import read_rows
from kbpo.core.errors import Conflict, TryAgain

#: Nobody removes a phase while something is being submitted in it.
_KEEP = "SELECT id FROM annotations_corpusphase WHERE id = %s FOR KEY SHARE"


class NotOpen(Conflict):
    """The corpus takes no submissions at this time."""

    problem = "not-open"


class TermsNotAccepted(Conflict):
    """The team has not accepted the terms that hold."""

    problem = "terms-not-accepted"


def check(*, corpus: Corpus, team: Team, now: datetime) -> CorpusPhase | None:
    """Let a team pass that may submit to a corpus now; return the phase that is on.

    Call it in the transaction that stores the submission, with the team's row locked. Its dates, phases and
    terms are read as they are now, whenever `corpus` was.

    Parameters
    ----------
    corpus : Corpus
    team : Team
    now : datetime
        When the submission came in.

    Raises
    ------
    NotOpen
        If the corpus takes no submissions then; it says when it did, or will.
    TermsNotAccepted
        If it has terms of which the team has not accepted the version that holds.
    """
    phase = phase_at(corpus=corpus, now=now)
    if phase is not None and not read_rows(_KEEP, [phase.pk]):
        raise TryAgain(f"The phases of {corpus} are just being changed: try again in a moment.")
    terms = newest(CorpusTerms, corpus)
    if terms is not None and not terms.accepted.filter(team=team).exists():
        raise TermsNotAccepted(
            f"{team} has not accepted version {terms.version} of the terms of {corpus}. One of its members"
            " accepts them on the page of its dates and rules; then the same can be submitted."
        )
    return phase


def phase_at(*, corpus: Corpus, now: datetime) -> CorpusPhase | None:
    """Return the phase in which something is submitted that comes in now; None where there is none.

    Raises
    ------
    NotOpen
        As `check`.
    """
    held = Corpus.objects.only("name", "opens_at", "closes_at").get(pk=corpus.pk)
    phases = list(CorpusPhase.objects.filter(corpus=corpus))
    stands = standing_of(held, phases, now)
    if not stands.is_open:
        raise NotOpen(f"{corpus} {refusal(stands)}")
    return next((one for one in phases if stands.phase and one.name == stands.phase.name), None)


def phase_of_operator(*, corpus: Corpus, now: datetime) -> CorpusPhase | None:
    """Return the phase that is on, whether it takes submissions or not: no date binds who runs the site."""
    within = Q(ends_at=None) | Q(ends_at__gt=now)
    return CorpusPhase.objects.filter(within, corpus=corpus, starts_at__lte=now).first()


def refusal(stands: Standing) -> str:
    """Say why a corpus takes nothing now, and when it did or will, after its name."""
    words = {
        State.UPCOMING: "is not open for submissions yet",
        State.PAUSED: "takes no submissions now",
        State.CLOSED: "is closed for submissions",
    }[stands.state]
    if stands.state is State.CLOSED and stands.closed_at is not None:
        return f"{words} since {moment(stands.closed_at)}"
    if stands.changes_at is not None:
        return f"{words}: it opens on {moment(stands.changes_at)}"
    return words


def moment(at: datetime) -> str:
    """Return a moment as words write it.

    Examples
    --------
    >>> moment(datetime(2026, 12, 2, 12, tzinfo=UTC))
    '2 Dec 2026, 12:00 UTC'
    """
    seconds = ":%S" if at.second else ""
    return f"{at.astimezone(UTC):%-d %b %Y, %H:%M{seconds}} UTC"
