"""Who gets which question next."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from annotations import conflicts, ontologies, responses, roles
from annotations.models import Corpus, CorpusGuidelines, Question, Response
from annotations.roles import Act
from crowd import shares
from crowd.interfaces.interface import Interface
from crowd.interfaces.registry import interface_of
from crowd.models import Reservation
from crowd.open_questions import held_now, is_in_hit, number_of, rank_of_kind, votes_in
from kbpo.accounts.models import User


@dataclass(frozen=True, slots=True)
class WaitingQuestions:
    """How many questions of a corpus are waiting for somebody.

    Attributes
    ----------
    corpus : Corpus
    questions : int
    barred : bool
        Whether they may not answer them, since a team of theirs competes in the corpus.
    interfaces : tuple of Interface
        By which they are asked.
    """

    corpus: Corpus
    questions: int
    barred: bool
    interfaces: tuple[Interface, ...]


@transaction.atomic
def next_question(
    *, worker: User, now: datetime, corpus: Corpus | None = None, as_expert: bool = False
) -> Question | None:
    """Hold the oldest open question for a worker, with its companions, which its interface chooses.

    Whoever holds a question and asks again gets the same one. A question is held or answered by no more
    people than it needs votes; what is not answered in the time that its interface gives for it goes back.

    Parameters
    ----------
    worker : User
    now : datetime
        Aware.
    corpus : Corpus, optional
        Only questions of this corpus.
    as_expert : bool
        Take from the questions that the votes did not settle.

    Returns
    -------
    Question or None
        None if nothing is waiting for this worker.

    Raises
    ------
    NotAllowed
        If the worker is neither annotator nor operator, or reviews no corpus where `as_expert`.
    """
    responses.check_role(worker=worker, as_expert=as_expert)
    # One question at a time for each worker, however many windows ask at once.
    User.objects.select_for_update(no_key=True).get(pk=worker.pk)
    held = _held(worker, now, as_expert)
    if corpus is not None:
        held = held.filter(document__corpus=corpus)
    for question in held:
        if not conflicts.exists(worker_id=worker.pk, corpus_id=question.document.corpus_id):
            return question
    found = _take(worker, now, corpus, as_expert)
    if found is not None:
        together = [found, *_companions(found, worker, now, as_expert)]
        guidelines = ontologies.newest_of(found.document.corpus)
        _hold(together, worker, now, as_expert, guidelines=guidelines)
    return found


def held_for(question: Question) -> timedelta:
    """Return how long a worker has for a question."""
    return interface_of(question.kind).queue.held_for


def waiting(*, worker: User, now: datetime, as_expert: bool = False) -> list[WaitingQuestions]:
    """Count what waits for a worker now, in each corpus where anything does."""
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    for corpus_id, kind, number in (
        _open_to(worker, now, as_expert)
        .values("document__corpus", "kind")
        .annotate(number=Count("pk"))
        .values_list("document__corpus", "kind", "number")
    ):
        counts[corpus_id][kind] = number
    return [
        WaitingQuestions(
            corpus,
            counts[corpus.pk].total(),
            conflicts.exists(worker_id=worker.pk, corpus_id=corpus.pk),
            tuple(dict.fromkeys(interface_of(kind) for kind in sorted(counts[corpus.pk]))),
        )
        for corpus in Corpus.objects.filter(pk__in=counts)
    ]


@transaction.atomic
def hold_again(*, worker: User, question: Question, now: datetime) -> bool:
    """Hold a question that a worker held before, if it still has a place; say whether it has."""
    Question.objects.select_for_update(no_key=True).get(pk=question.pk)
    held = Reservation.objects.filter(question=question, worker=worker).first()
    if held is None or not _open_to(worker, now, held.as_expert).filter(pk=question.pk).exists():
        return False
    _hold([question], worker, now, held.as_expert, guidelines=held.guidelines)
    return True


def _held(worker: User, now: datetime, as_expert: bool) -> QuerySet[Question]:
    """Select what a worker holds and has not answered: companions last, since they are shown with others."""
    return (
        _unanswered(worker, as_expert)
        .filter(pk__in=held_now(now).filter(worker=worker, as_expert=as_expert).values("question"))
        .select_related("document__corpus")
        .order_by(rank_of_kind(), "pk")
    )


def _take(worker: User, now: datetime, corpus: Corpus | None, as_expert: bool) -> Question | None:
    """Find and lock the oldest question with a place left."""
    barred: set[int] = set()
    full: set[int] = set()
    enough: set[tuple[int, str]] = set()
    skip_locked = True
    while True:
        candidates = _open_to(worker, now, as_expert).exclude(document__corpus__in=barred)
        if corpus is not None:
            candidates = candidates.filter(document__corpus=corpus)
        for corpus_id, kind in enough:
            candidates = candidates.exclude(document__corpus=corpus_id, kind=kind)
        question = (
            candidates.exclude(pk__in=full)
            .select_related("document__corpus")
            .order_by("pk")
            .select_for_update(no_key=True, of=("self",), skip_locked=skip_locked)
            .first()
        )
        if question is None and not skip_locked:
            return None
        if question is None:
            skip_locked = False  # others may hold the last ones, but only for the blink of an eye
        elif conflicts.exists(worker_id=worker.pk, corpus_id=question.document.corpus_id):
            barred.add(question.document.corpus_id)
        elif not as_expert and _gave_enough(worker, question, now):
            enough.add((question.document.corpus_id, question.kind))
        elif not _open_to(worker, now, as_expert).filter(pk=question.pk).exists():
            full.add(question.pk)  # its last place was taken just before the lock was ours
        else:
            return question


def _gave_enough(worker: User, question: Question, now: datetime) -> bool:
    """Say whether a worker has given as many judgements of such questions as one person may."""
    interface, corpus_id = interface_of(question.kind), question.document.corpus_id
    return shares.is_full(interface, corpus_id, more=1, now=now, user_id=worker.pk)


def _companions(question: Question, worker: User, now: datetime, as_expert: bool) -> Iterable[Question]:
    """Find and lock what can be answered on the same page."""
    interface = interface_of(question.kind)
    about = interface.queue.companions(question)
    about = about.order_by("pk").select_for_update(no_key=True, of=("self",), skip_locked=True)
    locked = [companion.pk for companion in about]
    if not locked:
        return []
    free = _open_to(worker, now, as_expert).filter(pk__in=locked).order_by("pk")
    return interface.queue.choose(question, list(free))


def _hold(
    questions: Iterable[Question],
    worker: User,
    now: datetime,
    as_expert: bool,
    *,
    guidelines: CorpusGuidelines | None,
) -> None:
    """Hold questions; one that was held before stays under the guidelines that its page has shown."""
    Reservation.objects.bulk_create(
        (
            Reservation(
                question=question,
                worker=worker,
                as_expert=as_expert,
                guidelines=guidelines,
                taken_at=now,
                expires_at=now + held_for(question),
            )
            for question in questions
        ),
        update_conflicts=True,
        unique_fields=["question", "worker"],
        update_fields=["as_expert", "taken_at", "expires_at"],
    )


def _unanswered(worker: User, as_expert: bool) -> QuerySet[Question]:
    state = Question.State.EXPERT if as_expert else Question.State.OPEN
    answered = Response.objects.filter(Q(question=OuterRef("pk")) | Q(question__audit=OuterRef("pk")))
    found = Question.objects.filter(
        ~Exists(answered.filter(worker=worker)), state=state, document__takedown=None
    )
    if as_expert and not worker.is_operator:
        found = found.filter(document__corpus__in=roles.corpora(worker, Act.REVIEW))
    return found


def _open_to(worker: User, now: datetime, as_expert: bool) -> QuerySet[Question]:
    """Select the unanswered questions that have a place left beside those who hold or have answered them."""
    others = held_now(now).filter(question=OuterRef("pk"), as_expert=as_expert).exclude(worker=worker)
    if as_expert:
        return _unanswered(worker, as_expert).filter(~Exists(others))
    # What is in a HIT is asked there: it covers every vote that is lacking.
    return (
        _unanswered(worker, as_expert)
        .filter(~is_in_hit())
        .annotate(places_taken=number_of(others) + votes_in())
        .filter(places_taken__lt=F("votes_needed"))
    )
