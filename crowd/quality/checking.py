"""How good the work is: hidden gold questions, and what a person should look at.

A gold question is one that was settled beyond doubt, asked once more beside the others of a piece of work.
What is said to it is kept as a response that is no vote. Nothing here rejects anything: a flag is a sentence
for a person, who may.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet

from annotations.kinds.registry import find_kind, read_question
from annotations.models import Label, Question, Response
from annotations.policies.policy import Policy
from crowd.interfaces.interface import Interface
from crowd.interfaces.registry import find_interface
from crowd.models import Assignment, Reservation, WorkerMeasure
from crowd.pricing import timing
from crowd.quality import rules
from kbpo.accounts.models import User

SURE = 0.95  # the least posterior of a verdict that may be gold
#: The same of a verdict by two votes: where three that agree make odds of 19 to 1, two make 19^(2/3) to 1.
SURE_OF_TWO = 0.877
LOOKED_AT = 50  # settled questions at a time, for one that may be gold
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


def choose_gold(assignment: Assignment, rng: Random) -> Question | None:
    """Choose the gold question that is asked besides in a piece of work that a worker is shown first.

    It is of the same corpus and kind, settled without doubt (by all of the votes that a question is asked for
    at first, and with a posterior of .95 if these are three; or by an expert, if nobody had voted: what the
    votes did not settle is hard for everybody) and not published, and this worker has neither answered it nor
    been shown it. Where two votes settle a question, half of the time it is one that others were asked as
    gold already, since it takes one of them besides to know it for sure (`rules.is_known`).

    Parameters
    ----------
    assignment : Assignment
        As it was begun; nothing is stored.
    rng : random.Random

    Returns
    -------
    Question or None
        None where chance has it so, more and more often for a worker who is right (`rules.gold_chance`),
        where there is no such question, and for work whose kinds of question cannot be gold.
    """
    batch = assignment.hit.batch
    kinds = [one.name for one in find_interface(batch.kind).asks if find_kind(one.name).can_be_gold]
    if batch.is_tutorial or not kinds:
        return None
    people = _people(assignment)
    results = gold_answers(people)
    right_in_a_row = next(
        (index for index, answer in enumerate(results) if not answer.is_right), len(results)
    )
    asked = assignment.hit.hit_questions.count()
    if not asked or rng.random() >= rules.gold_chance(right_in_a_row, asked):
        return None
    settled = Question.objects.filter(
        document__corpus=batch.corpus_id,
        kind__in=kinds,
        state=Question.State.SETTLED,
        published_at=None,
        document__takedown=None,
    ).order_by("pk")
    if batch.corpus.judged_by.first_votes < rules.KNOWN_BY and rng.random() < rules.ASKED_AGAIN:
        asked_before = settled.filter(Exists(_with_gold().filter(gold=OuterRef("pk"))))
        if found := _choose(asked_before, assignment, people, rng):
            return found
    return _choose(settled, assignment, people, rng)


def _choose(
    settled: QuerySet[Question], assignment: Assignment, people: Collection[int], rng: Random
) -> Question | None:
    newest = Question.objects.aggregate(pk=Max("pk"))["pk"] or 1
    # Some at a place of chance, those after the first, and only then all: a corpus may have very many.
    for start in (rng.randint(1, newest), 1):
        some = list(settled.filter(pk__gte=start).values_list("pk", flat=True)[:LOOKED_AT])
        found = list(_fit(settled.filter(pk__in=some), assignment, people).values_list("pk", flat=True))
        if found:
            return Question.objects.get(pk=rng.choice(found))
    return _fit(settled, assignment, people).first()


def flags(*, assignment: Assignment) -> tuple[str, ...]:
    """Say why a person should look at an assignment whose answers were counted; empty: no reason.

    Far too fast, by the page's time or the provider's clock, whichever is less; wrong on its gold question,
    like on others before; at odds with the other workers far more often than these are. What is known of a
    worker's agreement is as of `measures.measure_work`.
    """
    found = [_too_fast(assignment), _poor_gold(assignment), _far_from_others(assignment)]
    return tuple(words for words in found if words)


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
            _with_gold().filter(worker__user__in=people).order_by("-submitted_at", "-pk")[:most]
        )
    ]


def all_gold_answers() -> Mapping[tuple[int, str], tuple[int, int]]:
    """Count for each user and kind the gold answers that are right, and all whose question is known."""
    counts: dict[tuple[int, str], tuple[int, int]] = {}
    for _, user, kind, is_right in _gold_rows(_with_gold()):
        right, asked = counts.get((user, kind), (0, 0))
        counts[user, kind] = right + is_right, asked + 1
    return counts


def _with_gold() -> QuerySet[Assignment]:
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
        asked |= set(_with_gold().filter(gold__in=few).values_list("gold", "worker__user"))
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


def _people(assignment: Assignment) -> list[int]:
    """Return the user whose assignment it is, if they are known by now."""
    if assignment.worker is not None:
        return [assignment.worker.user_id]
    return list(
        User.objects.filter(
            worker_identities__provider=assignment.hit.batch.provider,
            worker_identities__worker_id=assignment.provider_worker_id,
        ).values_list("pk", flat=True)
    )


def _shown(assignment: Assignment, people: Collection[int]) -> QuerySet[Assignment]:
    """Select what was ever on this worker's screen, be it sent or not."""
    return Assignment.objects.filter(
        Q(worker__user__in=people)
        | Q(
            provider_worker_id=assignment.provider_worker_id,
            hit__batch__provider=assignment.hit.batch.provider,
        )
    )


def _fit(settled: QuerySet[Question], assignment: Assignment, people: Collection[int]) -> QuerySet[Question]:
    """Select those settled questions that are beyond doubt, and that this worker has never seen."""
    shown = _shown(assignment, people)
    return (
        _without_doubt(settled, assignment.hit.batch.corpus.judged_by)
        .filter(~Exists(Response.objects.filter(question=OuterRef("pk"), worker__in=people)))
        .filter(~Exists(Reservation.objects.filter(question=OuterRef("pk"), worker__in=people)))
        .filter(~Exists(shown.filter(gold=OuterRef("pk"))))
        .filter(~Exists(shown.filter(hit__hit_questions__question=OuterRef("pk"))))
    )


def _without_doubt(settled: QuerySet[Question], policy: Policy) -> QuerySet[Question]:
    labels = Label.objects.filter(question=OuterRef("pk"))
    doubtful = labels.filter(source=Label.Source.MAJORITY).filter(
        Q(votes__lt=policy.first_votes)
        | Q(votes_for__gt=0, votes_for__lt=F("votes"))
        | Q(posterior__isnull=True)
        | Q(votes__gte=rules.KNOWN_BY, posterior__gt=1 - SURE, posterior__lt=SURE)
        | Q(votes__lt=rules.KNOWN_BY, posterior__gt=1 - SURE_OF_TWO, posterior__lt=SURE_OF_TWO)
    )
    hard = labels.filter(
        source=Label.Source.EXPERT, question__responses__is_valid=True, question__responses__is_expert=False
    )
    return settled.filter(Exists(labels), ~Exists(doubtful), ~Exists(hard))


def _too_fast(assignment: Assignment) -> str:
    asked = [*assignment.hit.questions.all(), *([assignment.gold] if assignment.gold else [])]
    said = Response.objects.filter(
        question__in=asked, worker__worker_identities=assignment.worker_id, seconds__isnull=False
    )
    timed = {response.question_id: response.seconds or 0.0 for response in said}
    elapsed = None
    if assignment.accepted_at and assignment.submitted_at:
        elapsed = (assignment.submitted_at - assignment.accepted_at).total_seconds()
    if not timed and elapsed is None:
        return ""
    kinds = [question.kind for question in asked if question.pk in timed or not timed]
    usual = {measure.kind: measure for measure in WorkerMeasure.objects.filter(worker=None, kind__in=kinds)}
    medians = [usual[kind].seconds or 0.0 if kind in usual else 0.0 for kind in kinds]
    interface = find_interface(assignment.hit.batch.kind)
    if interface.price.by_length:
        medians = [_usual_for_documents(interface, {question.document_id for question in asked}, assignment)]
    known = min((usual[kind].timed if kind in usual else 0 for kind in kinds), default=0)
    seconds = [sum(timed.values())] if timed else []
    return rules.too_fast(min(seconds + ([elapsed] if elapsed is not None else [])), sum(medians), known)


def _usual_for_documents(interface: Interface, documents: set[int], assignment: Assignment) -> float:
    """Return what documents of this length take, by the corpus' pace; 0 where none was measured."""
    pace = timing.measure(assignment.hit.batch.corpus)
    if interface.main not in pace.measured:
        return 0.0
    return pace.of_document(interface.main, tokens=sum(timing.count_tokens(documents).values()))


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
