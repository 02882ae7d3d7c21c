"""The agreement of a corpus: written by its organiser, accepted by teams, asked again when it changes."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from annotations import roles
from annotations.models import AcceptedAgreement, Corpus, DataAgreement
from annotations.roles import Act, Person
from kbpo.accounts.models import Team, User
from kbpo.core.acts import What, record
from kbpo.core.errors import Conflict, InvalidInput, NotAllowed

LONGEST = 20_000  # characters


def newest(corpus: Corpus) -> DataAgreement | None:
    """Return the version that holds; None where none is written."""
    return DataAgreement.objects.filter(corpus=corpus).order_by("-version").first()


def accepted(corpus: Corpus, person: Person) -> QuerySet[AcceptedAgreement]:
    """Select what a person's teams have accepted of the version that holds, oldest first."""
    held = newest(corpus)
    if held is None or not isinstance(person, User):
        return AcceptedAgreement.objects.none()
    return held.accepted.filter(team__memberships__user=person).select_related("team", "accepted_by")


def may_accept(corpus: Corpus, person: Person) -> QuerySet[Team]:
    """Select a person's teams that have not accepted the version that holds."""
    held = newest(corpus)
    if held is None or not isinstance(person, User):
        return Team.objects.none()
    return Team.objects.filter(memberships__user=person).exclude(accepted_agreements__agreement=held)


@transaction.atomic
def write(*, corpus: Corpus, text: str, by: User, now: datetime) -> DataAgreement:
    """Write another version of a corpus' agreement; the same text again is none.

    Raises
    ------
    NotAllowed
        If `by` may not change what is said of the corpus.
    InvalidInput
        If it is empty or too long.
    """
    roles.check(by, Act.KEEP, corpus)
    text = text.replace("\r\n", "\n").strip()
    if not text or len(text) > LONGEST or "\0" in text:
        raise InvalidInput(f"write an agreement of 1 to {LONGEST:,} characters", where="text")
    corpus = Corpus.objects.select_for_update(no_key=True).get(pk=corpus.pk)
    held = newest(corpus)
    if held is not None and held.text == text:
        return held
    made = DataAgreement.objects.create(
        corpus=corpus,
        version=1 if held is None else held.version + 1,
        text=text,
        written_by=by,
        written_at=now,
    )
    record(What.CORPUS_CHANGED, by=by, about=corpus, after={"agreement": made.version})
    return made


@transaction.atomic
def accept(*, corpus: Corpus, version: int, team: Team, by: User, now: datetime) -> AcceptedAgreement:
    """Accept a version of a corpus' agreement for a team.

    Raises
    ------
    NotAllowed
        If `by` is no member of the team.
    Conflict
        If another version holds by now, or the team has accepted this one.
    """
    if not team.memberships.filter(user=by).exists():
        raise NotAllowed("You are no member of that team: accept the agreement for one of your own.")
    # Nobody writes another version meanwhile.
    Corpus.objects.select_for_update(no_key=True).get(pk=corpus.pk)
    held = newest(corpus)
    if held is None or held.version != version:
        raise Conflict("The agreement was changed meanwhile: read it again.")
    try:
        with transaction.atomic():
            return AcceptedAgreement.objects.create(
                agreement=held, team=team, accepted_by=by, accepted_at=now
            )
    except IntegrityError:
        raise Conflict(f"{team} has accepted this version already.") from None
