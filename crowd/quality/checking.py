"""How good the work is: what was said to hidden gold questions, and what a person should look at.

A gold question is one that was settled beyond doubt, asked once more beside the others of a piece of work.
What is said to it is kept as a response that is no vote. Nothing here rejects anything: a flag is a sentence
for a person, who may.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import DurationField, F, Q, QuerySet, Sum

from annotations.kinds.registry import read_question
from annotations.models import Label, Question, Response
from crowd.interfaces.interface import Interface
from crowd.interfaces.offers import LONGEST_DURATION
from crowd.interfaces.registry import find_interface
from crowd.lessons import lesson_of, skill_of
from crowd.models import Assignment, TutorialAttempt, WorkerMeasure
from crowd.pricing import timing
from crowd.quality import habits, rules

MOST_TOGETHER = 300  # pieces of a worker's work that are looked at together, the newest
REMEMBERED = 50  # gold answers of a worker, the newest, that a flag rests on


@dataclass(frozen=True, slots=True)
class GoldAnswer:
    """What a worker said to a gold question.

    Attributes
    ----------
    assignment : int
    kind : str
        Of the question.
    is_right : bool
        Whether it is all of what was settled, and nothing else.
    """

    assignment: int
    kind: str
    is_right: bool


@dataclass(frozen=True, slots=True)
class Together:
    """Work of one person that was sent within a time in which it cannot all have been read.

    Attributes
    ----------
    words : str
        That say so; empty: there is none.
    assignments : tuple of int
    """

    words: str = ""
    assignments: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece of work: when it can have been begun, when it was sent, the seconds that reading it takes."""

    pk: int
    begun: datetime
    sent: datetime
    least: float = 0.0


def flags(*, assignment: Assignment) -> tuple[str, ...]:
    """Say why a person should look at an assignment whose answers were counted; empty: no reason.

    Sent before what it shows can have been read, or far faster than others; wrong on its gold question, like
    on others before; at odds with the other workers far more often than these are; answers that show a
    pattern. What is known of a worker's agreement is as of `measures.measure_work`. Time is that of the
    server's clock or the provider's, whichever saw less: what the page says of it is its worker's to choose.

    The time that reading takes is kept on `assignment`, which the caller saves. Of a tutorial it is looked at
    alone: what was answered in it is known to be right or wrong.
    """
    if assignment.hit.batch.is_tutorial:
        words = _tutorial_unread(assignment)
        return (words,) if words else ()
    found = [
        _below_reading(assignment) or _too_fast(assignment),
        _poor_gold(assignment),
        _far_from_others(assignment),
        *habits.found(assignment),
    ]
    return tuple(words for words in found if words)


def seconds_worked(assignment: Assignment) -> float | None:
    """Return how long a worker can have been at an assignment; None where no clock saw it.

    By the provider's clock it is from accepting to sending, by the server's from the first look at our page
    to the last thing that it kept; the less of the two.
    """
    found = []
    if assignment.accepted_at and assignment.submitted_at:
        found.append((assignment.submitted_at - assignment.accepted_at).total_seconds())
    if assignment.begun_at and assignment.submitted_at:
        ended = assignment.draft_at or assignment.submitted_at
        found.append((ended - assignment.begun_at).total_seconds())
    return max(0.0, min(found)) if found else None


def gold_answers(people: Collection[int], *, most: int = REMEMBERED) -> list[GoldAnswer]:
    """List what people said to gold questions whose answer is known, the newest first.

    Parameters
    ----------
    people : collection of int
        The ids of users: usually one person.
    most : int
        No more than so many.
    """
    if not people:
        return []
    return [
        GoldAnswer(pk, kind, right)
        for pk, _, kind, right in _gold_rows(
            with_gold().filter(worker__user__in=people).order_by("-submitted_at", "-pk")[:most]
        )
    ]


def all_gold_answers() -> Mapping[tuple[int, str], tuple[int, int]]:
    """Count for each user and kind the gold answers that are right, and all whose question is known."""
    counts: dict[tuple[int, str], tuple[int, int]] = {}
    for _, user, kind, is_right in _gold_rows(with_gold()):
        right, asked = counts.get((user, kind), (0, 0))
        counts[user, kind] = right + is_right, asked + 1
    return counts


def with_gold() -> QuerySet[Assignment]:
    """Select the assignments whose gold answer was taken in."""
    return Assignment.objects.filter(gold__isnull=False, counted_at__isnull=False)


def _gold_rows(assignments: QuerySet[Assignment]) -> list[tuple[int, int, str, bool]]:
    """List assignment, user, kind and whether the answer is right, for each gold answer that is known."""
    rows = list(assignments.values_list("pk", "worker__user", "gold"))
    questions = Question.objects.in_bulk({gold for _, _, gold in rows})
    labels: dict[int, list[Label]] = {}
    for label in Label.objects.filter(question__in=questions):
        labels.setdefault(label.question_id, []).append(label)
    votes = {gold: _votes_on(found) for gold, found in labels.items()}
    few = [gold for gold, number in votes.items() if not rules.is_known(number, 0, 0)]
    asked = {(gold, user) for _, user, gold in rows}
    if few:  # of these it counts what everybody said
        asked |= set(with_gold().filter(gold__in=few).values_list("gold", "worker__user"))
    said = Response.objects.filter(question__in=labels, worker__in={user for _, user in asked})
    right = {
        (one.question_id, one.worker_id): is_right(
            questions[one.question_id], one.answer, labels[one.question_id]
        )
        for one in said
        if (one.question_id, one.worker_id) in asked
    }
    tallies = {gold: Counter[bool]() for gold in labels}
    for (gold, _), is_one_right in right.items():
        tallies[gold][is_one_right] += 1
    found = []
    for pk, user, gold in rows:
        if (own := right.get((gold, user))) is None:
            continue
        others = tallies[gold] - Counter([own])
        if rules.is_known(votes[gold], others[True], others[False]):
            found.append((pk, user, questions[gold].kind, own))
    return found


def _votes_on(labels: Collection[Label]) -> int:
    """Return how many agreed on what gold was settled to; an expert counts for as many as it takes."""
    return min(rules.KNOWN_BY if label.source == Label.Source.EXPERT else label.votes for label in labels)


def is_right(question: Question, answer: Mapping[str, Any], labels: Collection[Label]) -> bool:
    """Say whether an answer is all of what was settled, and nothing else."""
    asked = read_question(question.kind, question.payload)
    return asked.is_right(answer, {label.claim: label.value for label in labels})


def _below_reading(assignment: Assignment) -> str:
    """Compare the time with that for reading this, and what else was done in it."""
    asked = _asked(assignment)
    words = find_interface(assignment.hit.batch.kind).words_shown(asked)
    least = rules.reading_seconds(words, words_a_second=settings.CROWD_FASTEST_READING)
    assignment.least_seconds = least
    seconds = seconds_worked(assignment)
    if seconds is None or assignment.worker is None or assignment.submitted_at is None:
        return ""
    alone = rules.below_reading(seconds, least, words)
    if alone:
        return alone
    return sent_together(assignment=assignment).words


def sent_together(*, assignment: Assignment) -> Together:
    """Say what of a worker's was begun and sent with an assignment, and cannot have been read with it.

    In any stretch of time somebody reads no more than it has room for, so what was both begun and sent within
    it must fit. All stretches are looked at that the assignment lies in, and all of the worker's work that
    overlaps with it, directly or by other work: whichever was taken in before, the same is found.

    Parameters
    ----------
    assignment : Assignment
        With its worker, `least_seconds` and `submitted_at`.
    """
    if assignment.worker is None or assignment.submitted_at is None or assignment.least_seconds is None:
        return Together()
    own = _piece(assignment.pk, assignment.accepted_at, assignment.begun_at, assignment.submitted_at)
    own = replace(own, least=assignment.least_seconds)
    rows = Assignment.objects.filter(
        worker__user=assignment.worker.user_id,
        submitted_at__gt=own.begun - LONGEST_DURATION,
        submitted_at__lt=own.sent + LONGEST_DURATION,
        least_seconds__isnull=False,
    ).exclude(pk=assignment.pk)
    pieces = [own]
    for pk, accepted, shown, sent, least in rows.order_by("-submitted_at").values_list(
        "pk", "accepted_at", "begun_at", "submitted_at", "least_seconds"
    )[:MOST_TOGETHER]:
        assert sent is not None  # as was asked for
        assert least is not None
        pieces.append(replace(_piece(pk, accepted, shown, sent), least=least))
    return _too_many(own, _overlapping(own, pieces))


def _too_many(own: _Piece, pieces: Sequence[_Piece]) -> Together:
    """Find the stretch around a piece in which the most was sent beyond what it has room for."""
    worst, found = 0.0, Together()
    by_end = sorted(pieces, key=lambda one: (one.sent, one.pk))
    for start in sorted({one.begun for one in pieces if one.begun <= own.begun}):
        needed, within = 0.0, []
        for piece in by_end:
            if piece.begun < start:
                continue
            needed += piece.least
            within.append(piece.pk)
            room = (piece.sent - start).total_seconds()
            if piece.sent < own.sent or len(within) < 2 or own.pk not in within or needed - room <= worst:
                continue
            worst = needed - room
            words = rules.below_reading(room, needed, 0, others=len(within) - 1)
            found = Together(words, tuple(sorted(within)))
    return found


def _overlapping(own: _Piece, pieces: Sequence[_Piece]) -> list[_Piece]:
    """Select what overlaps with a piece, and what overlaps with that, and so on."""
    groups: list[list[_Piece]] = []
    end = None
    for piece in sorted(pieces, key=lambda one: (one.begun, one.sent)):
        if end is None or piece.begun >= end:
            groups.append([])
            end = piece.sent
        groups[-1].append(piece)
        end = max(end, piece.sent)
    return next(group for group in groups if any(one.pk == own.pk for one in group))


def _piece(pk: int, accepted: datetime | None, shown: datetime | None, sent: datetime) -> _Piece:
    return _Piece(pk, min(_begun(accepted, shown) or sent, sent), sent)


def _tutorial_unread(assignment: Assignment) -> str:
    """Compare the time from a tutorial's first question to its last with that for reading them.

    Its own time, by the server's clock: it may have been gone through with an assignment that was returned.
    All tries together, as the questions are the same each time.
    """
    batch = assignment.hit.batch
    tries = TutorialAttempt.objects.filter(
        provider=batch.provider,
        provider_worker_id=assignment.provider_worker_id,
        kind=batch.kind,
        ontology=skill_of(batch).ontology,
        ended_at__isnull=False,
    )
    took = tries.aggregate(took=Sum(F("ended_at") - F("begun_at"), output_field=DurationField()))["took"]
    if took is None:
        return ""
    words = lesson_of(batch.kind, batch.corpus).words
    least = rules.reading_seconds(words, words_a_second=settings.CROWD_FASTEST_READING)
    return rules.below_reading(took.total_seconds(), least, words)


def _begun(accepted_at: datetime | None, begun_at: datetime | None) -> datetime | None:
    """Return when work can have begun at the soonest: it was accepted, and shown."""
    return max(filter(None, (accepted_at, begun_at)), default=None)


def _asked(assignment: Assignment) -> list[Question]:
    return [*assignment.hit.questions.all(), *([assignment.gold] if assignment.gold else [])]


def _too_fast(assignment: Assignment) -> str:
    asked, seconds = _asked(assignment), seconds_worked(assignment)
    if seconds is None:
        return ""
    kinds = [question.kind for question in asked]
    usual = {measure.kind: measure for measure in WorkerMeasure.objects.filter(worker=None, kind__in=kinds)}
    medians = [usual[kind].seconds or 0.0 if kind in usual else 0.0 for kind in kinds]
    interface = find_interface(assignment.hit.batch.kind)
    if interface.price.by_length:
        medians = [_usual_for_length(interface, {question.pk for question in asked}, assignment)]
    known = min((usual[kind].timed if kind in usual else 0 for kind in kinds), default=0)
    return rules.too_fast(seconds, sum(medians), known)


def _usual_for_length(interface: Interface, questions: set[int], assignment: Assignment) -> float:
    """Return what questions of this length take, by the corpus' pace; 0 where none was measured."""
    pace = timing.measure(assignment.hit.batch.corpus, [interface])
    if interface.main not in pace.measured:
        return 0.0
    return pace.of_document(interface.main, tokens=sum(interface.lengths(questions).values()))


def _poor_gold(assignment: Assignment) -> str:
    if assignment.gold_id is None or assignment.worker is None:
        return ""
    answers = gold_answers([assignment.worker.user_id])
    if not any(answer.assignment == assignment.pk and not answer.is_right for answer in answers):
        return ""
    return rules.poor_gold(sum(answer.is_right for answer in answers), len(answers))


def _far_from_others(assignment: Assignment) -> str:
    if assignment.worker is None:
        return ""
    kinds = {question.kind for question in assignment.hit.questions.all()}
    measures = {
        (measure.worker_id, measure.kind): measure
        for measure in WorkerMeasure.objects.filter(
            Q(worker=None) | Q(worker=assignment.worker.user_id), kind__in=kinds
        )
    }
    for kind in sorted(kinds):
        own, together = measures.get((assignment.worker.user_id, kind)), measures.get((None, kind))
        if own is None or together is None:
            continue
        words = rules.far_from_others(own.agreed, own.compared, together.agreed, together.compared)
        if words:
            return words
    return ""
