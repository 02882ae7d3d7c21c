"""Dates and phases of a corpus, set by organisers; each that is moved is written down for all to see."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.db.models import ProtectedError

from annotations import roles
from annotations.challenges.calendar import Period, Phase, Standing, standing
from annotations.models import Corpus, CorpusPhase, MovedDate
from annotations.roles import Act
from kbpo.accounts.models import User
from kbpo.core.acts import What, changed, record, values
from kbpo.core.errors import Conflict, InvalidInput
from kbpo.core.names import read_name

MOST_PHASES = 20  # of a corpus
Which = MovedDate.Which
_OF_CORPUS = {"opens_at": Which.OPENS, "closes_at": Which.CLOSES}
_OF_PHASE = {"starts_at": Which.STARTS, "ends_at": Which.ENDS}


@dataclass(frozen=True, slots=True)
class PhaseDetails:
    """What is said of a phase.

    Attributes
    ----------
    name, description : str
    starts_at : datetime
    ends_at : datetime or None
        None: it has no end.
    takes_submissions : bool
    most_submissions : int or None
        Of one team; None: no such limit.
    """

    name: str
    starts_at: datetime
    ends_at: datetime | None = None
    description: str = ""
    takes_submissions: bool = True
    most_submissions: int | None = None


def standing_of(corpus: Corpus, phases: Iterable[CorpusPhase], now: datetime) -> Standing:
    """Return how a corpus stands at a moment, its phases being read."""
    told = [Phase(one.name, Period(one.starts_at, one.ends_at), one.takes_submissions) for one in phases]
    return standing(Period(corpus.opens_at, corpus.closes_at), told, now)


def read_standings(corpora: Iterable[Corpus], now: datetime) -> dict[int, Standing]:
    """Return how corpora stand at a moment, by their keys, with one query."""
    listed = list(corpora)
    phases: dict[int, list[CorpusPhase]] = {one.pk: [] for one in listed}
    for phase in CorpusPhase.objects.filter(corpus__in=listed):
        phases[phase.corpus_id].append(phase)
    return {one.pk: standing_of(one, phases[one.pk], now) for one in listed}


def note_moved(
    *, corpus: Corpus, before: Mapping[str, Any], after: Mapping[str, Any], by: User | None, now: datetime
) -> None:
    """Write down which of a corpus' own dates were moved; call it in the transaction that moves them.

    Parameters
    ----------
    before, after : mapping
        Of what was changed, by field; other fields than dates are passed over.
    """
    _note(_OF_CORPUS, corpus, "", before, after, by, now)


@transaction.atomic
def add_phase(*, corpus: Corpus, by: User, details: PhaseDetails, now: datetime) -> CorpusPhase:
    """Add a phase to a corpus.

    Raises
    ------
    NotAllowed
        If `by` may not change what is said of the corpus.
    InvalidInput
        If it has no name, ends before it begins, or has a limit and takes no submissions.
    Conflict
        If it overlaps with another, another has its name, or there are as many as may be.
    """
    roles.check(by, Act.KEEP, corpus)
    if corpus.phases.count() >= MOST_PHASES:
        raise Conflict(f"A corpus has at most {MOST_PHASES} phases: remove one first.")
    phase = CorpusPhase(corpus=corpus, **asdict(_checked(details)))
    _save(phase)
    record(What.CORPUS_CHANGED, by=by, about=corpus, after={"phase": phase.name})
    _note(_OF_PHASE, corpus, phase.name, {}, values(phase, _OF_PHASE), by, now)
    return phase


@transaction.atomic
def change_phase(*, phase: CorpusPhase, by: User, details: PhaseDetails, now: datetime) -> CorpusPhase:
    """Change a phase; what was submitted in it stays submitted in it. It raises as `add_phase` does."""
    roles.check(by, Act.KEEP, phase.corpus)
    locked = CorpusPhase.objects.select_for_update(no_key=True).get(pk=phase.pk)
    given = asdict(_checked(details))
    before = values(locked, given)
    for field, value in given.items():
        setattr(locked, field, value)
    _save(locked)
    old, new = changed(before, values(locked, given))
    if new:
        record(What.CORPUS_CHANGED, by=by, about=phase.corpus, before=_said(old), after=_said(new))
        _note(_OF_PHASE, phase.corpus, locked.name, old, new, by, now)
    return locked


@transaction.atomic
def remove_phase(*, phase: CorpusPhase, by: User, now: datetime) -> None:
    """Remove a phase in which nothing was submitted.

    Raises
    ------
    NotAllowed
        If `by` may not change what is said of the corpus.
    Conflict
        If something was submitted in it.
    """
    roles.check(by, Act.KEEP, phase.corpus)
    try:
        with transaction.atomic():
            CorpusPhase.objects.filter(pk=phase.pk).delete()
            connection.check_constraints()  # now: something may be submitted in it this very moment
    except (ProtectedError, IntegrityError):
        raise Conflict(
            f"Systems were submitted in {phase.name!r}: it stays. Move its end, if it is to end."
        ) from None
    record(What.CORPUS_CHANGED, by=by, about=phase.corpus, before={"phase": phase.name})
    _note(_OF_PHASE, phase.corpus, phase.name, values(phase, _OF_PHASE), {}, by, now)


def _checked(details: PhaseDetails) -> PhaseDetails:
    details = replace(details, name=read_name(details.name, of="A phase's name", longest=100, where="name"))
    if details.ends_at is not None and details.ends_at <= details.starts_at:
        raise InvalidInput("It must end after it starts.", where="ends_at")
    if details.most_submissions is not None and not (
        1 <= details.most_submissions <= 1_000 and details.takes_submissions
    ):
        raise InvalidInput(
            "It is from 1 to 1,000, of a phase that takes submissions; empty for no such limit.",
            where="most_submissions",
        )
    return details


def _save(phase: CorpusPhase) -> None:
    try:
        with transaction.atomic():
            phase.save()
    except IntegrityError as error:
        if "corpus_phases_apart" in str(error):
            other = next((one for one in _others(phase) if _overlap(phase, one)), None)
            name = f"{other.name!r}" if other else "another one"
            raise Conflict(f"It overlaps with the phase {name}: each moment has one at most.") from None
        if "corpus_phase_name_once" in str(error):
            raise Conflict(f"There is a phase {phase.name!r} already: choose another name.") from None
        raise


def _others(phase: CorpusPhase) -> Iterable[CorpusPhase]:
    return CorpusPhase.objects.filter(corpus=phase.corpus_id).exclude(pk=phase.pk)


def _overlap(one: CorpusPhase, other: CorpusPhase) -> bool:
    begins_before = other.ends_at is None or one.starts_at < other.ends_at
    return begins_before and (one.ends_at is None or other.starts_at < one.ends_at)


def _said(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {f"phase_{name}": value for name, value in fields.items()}


def _note(
    dates: Mapping[str, Which],
    corpus: Corpus,
    phase: str,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    by: User | None,
    now: datetime,
) -> None:
    rows = [
        MovedDate(
            corpus=corpus,
            which=which,
            phase=phase,
            before=before.get(field),
            after=after.get(field),
            moved_by=by,
            moved_at=now,
        )
        for field, which in dates.items()
        if before.get(field) != after.get(field)
    ]
    MovedDate.objects.bulk_create(rows)
