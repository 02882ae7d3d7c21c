"""Rules and terms: written by organisers, version by version; teams accept each version of the terms anew."""

from datetime import datetime
from typing import TypeVar

from django.db import IntegrityError, transaction
from django.db.models import Manager, QuerySet

from annotations import roles
from annotations.models import AcceptedTerms, Corpus, CorpusRules, CorpusTerms
from annotations.roles import Act, Person
from kbpo.accounts.models import Team, User
from kbpo.core.acts import What, record
from kbpo.core.errors import Conflict, InvalidInput, NotAllowed
from kbpo.core.plain_text import find_fault

LONGEST = 20_000  # characters
Written = TypeVar("Written", CorpusRules, CorpusTerms)


def newest(model: type[Written], corpus: Corpus) -> Written | None:
    """Return the version that holds; None where none was written, or the last one says that none does."""
    found = _newest_of(model, corpus)
    return found if found is not None and found.text else None


def _newest_of(model: type[Written], corpus: Corpus) -> Written | None:
    return model.objects.filter(corpus=corpus).order_by("-version").first()


def write_rules(*, corpus: Corpus, text: str, by: User, now: datetime) -> CorpusRules | None:
    """Write another version of the rules; empty: there are none any more. As `write_terms`."""
    return _write(CorpusRules, "rules", corpus=corpus, text=text, by=by, now=now)


def write_terms(*, corpus: Corpus, text: str, by: User, now: datetime) -> CorpusTerms | None:
    """Write another version of the terms, which every team accepts anew before it submits again.

    What is submitted stays so, whatever is written later. The same text again is no other version.

    Parameters
    ----------
    text : str
        Empty: there are none any more.

    Returns
    -------
    CorpusTerms or None
        None where there were none, and are none.

    Raises
    ------
    NotAllowed
        If `by` may not change what is said of the corpus.
    InvalidInput
        If it is too long.
    Conflict
        If somebody else wrote a version this very moment.
    """
    return _write(CorpusTerms, "terms", corpus=corpus, text=text, by=by, now=now)


@transaction.atomic
def _write(
    model: type[Written], name: str, *, corpus: Corpus, text: str, by: User, now: datetime
) -> Written | None:
    roles.check(by, Act.KEEP, corpus)
    text = text.replace("\r\n", "\n").strip()
    if len(text) > LONGEST:
        raise InvalidInput(f"write at most {LONGEST:,} characters", where="text")
    if fault := find_fault(text):
        raise InvalidInput(f"remove {fault}", where="text")
    last = _newest_of(model, corpus)
    if text == (last.text if last else ""):
        return last
    try:
        with transaction.atomic():
            made = model.objects.create(
                corpus=corpus,
                version=1 if last is None else last.version + 1,
                text=text,
                written_by=by,
                written_at=now,
            )
    except IntegrityError:
        raise Conflict(f"Somebody else has just written other {name}: read these first.") from None
    record(What.CORPUS_CHANGED, by=by, about=corpus, after={name: made.version})
    return made


def accepted(corpus: Corpus, person: Person) -> QuerySet[AcceptedTerms]:
    """Select what a person's teams have accepted of the terms that hold, oldest first."""
    held = newest(CorpusTerms, corpus)
    if held is None or not isinstance(person, User):
        return AcceptedTerms.objects.none()
    return held.accepted.filter(team__memberships__user=person).select_related("team", "accepted_by", "terms")


def may_accept(corpus: Corpus, person: Person) -> QuerySet[Team]:
    """Select a person's teams that have not accepted the terms that hold."""
    held = newest(CorpusTerms, corpus)
    if held is None or not isinstance(person, User):
        return Team.objects.none()
    return Team.objects.filter(memberships__user=person).exclude(accepted_terms__terms=held).order_by("name")


@transaction.atomic
def accept(*, corpus: Corpus, version: int, team: Team, by: User, now: datetime) -> AcceptedTerms:
    """Accept a version of a corpus' terms for a team.

    Raises
    ------
    NotAllowed
        If `by` is no member of the team.
    Conflict
        If another version holds by now, or the team has accepted this one.
    """
    if not team.memberships.filter(user=by).exists():
        raise NotAllowed("You are no member of that team: accept the terms for one of your own.")
    held = newest(CorpusTerms, corpus)
    if held is None:
        raise Conflict(f"{corpus} has no terms: there is nothing to accept.")
    if held.version != version:
        raise Conflict(f"Version {held.version} of the terms holds by now: read it first.")
    try:
        with transaction.atomic():
            return AcceptedTerms.objects.create(terms=held, team=team, accepted_by=by, accepted_at=now)
    except IntegrityError:
        raise Conflict(f"{team} has accepted this version already.") from None


def earlier(written: "Manager[Written]", held: Written | None) -> QuerySet[Written]:
    """Select the versions of a corpus that held before the one that holds, the newest first."""
    found = written.exclude(text="").order_by("-version")
    return found if held is None else found.exclude(pk=held.pk)


def count_accepted(terms: CorpusTerms | None) -> int:
    """Return how many teams have accepted a version."""
    return 0 if terms is None else terms.accepted.count()
