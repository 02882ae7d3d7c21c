"""What somebody may do for a corpus: by a role there, or as an operator of the site.

An act is what a page or a service does. Roles open acts, for one corpus each; operators may do every act for
every corpus. An act that shows or decides what is sealed is closed to whose team competes in the corpus,
whatever their role: `annotations.conflicts`.
"""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import TypeGuard

from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from annotations import conflicts
from annotations.models import Corpus, CorpusMaker, CorpusRole
from kbpo.accounts.models import User
from kbpo.core.acts import What, record
from kbpo.core.database.bulk import read_rows
from kbpo.core.errors import Conflict, InvalidInput, NotAllowed

Role = CorpusRole.Role
Person = User | AnonymousUser | None


class Act(StrEnum):
    """What may be done for a corpus; the value completes "You may not …"."""

    KEEP = "change what is said of this corpus, or load texts into it"
    DESIGN = "load gold, draw documents, take snapshots, release epochs or remove documents of this corpus"
    POST = "open and steer batches of work on this corpus"
    FOLLOW = "see the batches of work on this corpus"
    REVIEW = "see and decide the answers of this corpus"
    PAY = "see and change what may be spent on this corpus"


#: Which roles open an act.
OPENED_BY: Mapping[Act, frozenset[str]] = MappingProxyType(
    {
        Act.KEEP: frozenset({Role.ORGANISER}),
        Act.DESIGN: frozenset({Role.ORGANISER}),
        Act.POST: frozenset({Role.ORGANISER}),
        Act.FOLLOW: frozenset({Role.ORGANISER, Role.REVIEWER, Role.PAYMASTER}),
        Act.REVIEW: frozenset({Role.REVIEWER}),
        Act.PAY: frozenset({Role.PAYMASTER}),
    }
)
#: What nobody does whose team competes: it shows what is sampled, or decides what comes of it.
SEALED = frozenset({Act.DESIGN, Act.POST, Act.FOLLOW, Act.REVIEW})
#: With these, their teams submit nothing to the corpus: they see what is sampled.
INSIDERS = frozenset({Role.ORGANISER, Role.REVIEWER})


def is_operator(person: Person) -> bool:
    """Say whether somebody is an operator of the site."""
    return isinstance(person, User) and person.is_operator


def held(person: Person) -> QuerySet[CorpusRole]:
    """Select the roles by which somebody acts: none where a token does not pass them on."""
    return CorpusRole.objects.filter(user=person) if _acts(person) else CorpusRole.objects.none()


def corpora(person: Person, *acts: Act) -> QuerySet[Corpus]:
    """Select the corpora for which somebody may do one of the acts at least; all of them, if none is named.

    Parameters
    ----------
    person : User, AnonymousUser or None
    *acts : Act
    """
    if is_operator(person):
        return Corpus.objects.all()
    if not isinstance(person, User):
        return Corpus.objects.none()
    wanted = set(acts or Act)
    theirs = held(person)
    opened, sealed = (
        theirs.filter(role__in={role for act in some for role in OPENED_BY[act]}).values("corpus")
        for some in (wanted - SEALED, wanted & SEALED)
    )
    competes = conflicts.corpora(worker_id=person.pk).values("pk")
    return Corpus.objects.filter(Q(pk__in=opened) | Q(pk__in=sealed) & ~Q(pk__in=competes))


def may(person: Person, act: Act, corpus: Corpus) -> bool:
    """Say whether somebody may do an act for a corpus."""
    return is_operator(person) or corpora(person, act).filter(pk=corpus.pk).exists()


def acts(person: Person) -> set[Act]:
    """Return what somebody may do, each for one corpus at least."""
    if is_operator(person):
        return set(Act)
    if not isinstance(person, User):
        return set()
    competes = set(conflicts.corpora(worker_id=person.pk).values_list("pk", flat=True))
    return {
        act
        for corpus, role in held(person).values_list("corpus", "role")
        for act in Act
        if role in OPENED_BY[act] and not (act in SEALED and corpus in competes)
    }


def check(person: Person, act: Act, corpus: Corpus) -> None:
    """Let those pass who may do an act for a corpus.

    Raises
    ------
    NotAllowed
        If they may not; it says whether a team of theirs is the reason.
    """
    if may(person, act, corpus):
        return
    has_role = held(person).filter(corpus=corpus, role__in=OPENED_BY[act]).exists()
    why = "a team of yours competes in it" if has_role else "ask an operator for the role that opens it"
    raise NotAllowed(f"You may not {act.value}: {why}.")


def has_any(person: Person) -> bool:
    """Say whether the desk has anything for somebody: they have a role, or may make a corpus."""
    if is_operator(person):
        return True
    if not _acts(person):
        return False
    ((has_one,),) = read_rows(  # every page of somebody signed in asks it
        "SELECT EXISTS(SELECT FROM annotations_corpusrole WHERE user_id = %s)"
        " OR EXISTS(SELECT FROM annotations_corpusmaker WHERE user_id = %s)",
        [person.pk, person.pk],
    )
    return bool(has_one)


def holds(person: Person, corpus: Corpus) -> bool:
    """Say whether somebody has any role for a corpus, be it closed to them now, or is an operator."""
    if is_operator(person):
        return True
    return held(person).filter(corpus=corpus).exists()


def competes(person: User, corpus: Corpus) -> bool:
    """Say whether a team that somebody is or was in competes in a corpus."""
    return conflicts.exists(worker_id=person.pk, corpus_id=corpus.pk)


def may_make(person: Person) -> bool:
    """Say whether somebody may make corpora."""
    if is_operator(person):
        return True
    return _acts(person) and CorpusMaker.objects.filter(user=person).exists()


def insiders(corpus: Corpus) -> QuerySet[User]:
    """Select the people whose role shows them what is sampled of a corpus."""
    return User.objects.filter(
        pk__in=CorpusRole.objects.filter(corpus=corpus, role__in=INSIDERS).values("user")
    )


@transaction.atomic
def give(*, user: User, corpus: Corpus, role: str, by: User, now: datetime) -> CorpusRole:
    """Give somebody a role.

    Raises
    ------
    NotAllowed
        If `by` is no operator.
    InvalidInput
        If there is no such role.
    Conflict
        If they have it, or a team of theirs competes and the role shows what is sampled.
    """
    _check_operator(by)
    if role not in Role.values:
        raise InvalidInput(f"is {role!r}; it must be {', '.join(Role.values)}", where="role")
    if role in INSIDERS and conflicts.exists(worker_id=user.pk, corpus_id=corpus.pk):
        raise Conflict(
            f"A team that {user} is or was in competes in {corpus.tag}, and {Role(role).label}s see what is"
            " sampled: choose somebody else."
        )
    return grant(user=user, corpus=corpus, role=role, by=by, now=now)


def grant(*, user: User, corpus: Corpus, role: str, by: User | None, now: datetime) -> CorpusRole:
    """Write a role; `Conflict` if they have it. The caller knows that they may."""
    try:
        with transaction.atomic():
            given = CorpusRole.objects.create(user=user, corpus=corpus, role=role, given_by=by, given_at=now)
            record(What.ROLE_GIVEN, by=by, about=user, after={"role": role, "corpus": corpus.tag})
            return given
    except IntegrityError:
        raise Conflict(f"{user} is {Role(role).label} of {corpus.tag} already.") from None


@transaction.atomic
def take(*, role: CorpusRole, by: User) -> None:
    """Take a role from somebody; what they did stays. NotAllowed if `by` is no operator."""
    _check_operator(by)
    if CorpusRole.objects.filter(pk=role.pk).delete()[0]:
        before = {"role": role.role, "corpus": role.corpus.tag}
        record(What.ROLE_TAKEN, by=by, about=role.user, before=before)


@transaction.atomic
def let_make(*, user: User, by: User, now: datetime, may_make: bool = True) -> None:
    """Let somebody make corpora, or no more; their corpora stay theirs. NotAllowed if `by` is no operator."""
    _check_operator(by)
    if may_make:
        defaults = {"given_by": by, "given_at": now}
        _, is_changed = CorpusMaker.objects.get_or_create(user=user, defaults=defaults)
    else:
        is_changed = CorpusMaker.objects.filter(user=user).delete()[0] > 0
    if is_changed:
        what = What.ROLE_GIVEN if may_make else What.ROLE_TAKEN
        record(
            what, by=by, about=user, before={"makes_corpora": not may_make}, after={"makes_corpora": may_make}
        )


def _acts(person: Person) -> TypeGuard[User]:
    return isinstance(person, User) and person.acts_by_roles


def _check_operator(by: User) -> None:
    if not is_operator(by):
        raise NotAllowed("Only operators of the site give roles.")
