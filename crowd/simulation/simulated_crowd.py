"""A simulated crowd: answers every open question from gold, through the code that takes a person's answer.

What a simulated worker says depends on the seed, the question and the worker alone: not on the order in which
questions are asked, nor on how often the simulation was stopped and started again.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random

from django.db.models import QuerySet

from annotations import labels
from annotations.aggregation.crowds import Crowd, alike
from annotations.kinds.registry import read_asked
from annotations.models import Corpus, Question, Response
from annotations.responses import Answer, record_many
from annotations.texts import jsonlines
from annotations.texts.records import AnnotationRecord
from annotations.texts.records import read_gold as read_gold_line
from crowd.interfaces.registry import interface_of
from kbpo.accounts.models import User
from kbpo.core.errors import InvalidInput
from kbpo_formats.ontologies.ontology import Ontology

BATCH = 500
DOMAIN = "simulated.invalid"


@dataclass(frozen=True, slots=True)
class SimulationReport:
    """What a simulated crowd did."""

    questions: int
    answers: int
    expert_answers: int

    def __add__(self, other: "SimulationReport") -> "SimulationReport":
        return SimulationReport(
            self.questions + other.questions,
            self.answers + other.answers,
            self.expert_answers + other.expert_answers,
        )


def read_gold(path: Path | str, ontology: Ontology) -> dict[str, AnnotationRecord]:
    """Read an annotations file into one record a document, under the ontology of its corpus.

    Raises
    ------
    InvalidInput
        If a line holds no annotation; names it.
    """
    gold = {}
    for number, value in jsonlines.read(path):
        record = read_gold_line(value, where=jsonlines.place(path, number), ontology=ontology)
        gold[record.doc_id] = record
    return gold


def simulate(
    *,
    corpus: Corpus,
    gold: Mapping[str, AnnotationRecord],
    workers: int = 30,
    error: float | Crowd = 0.1,
    seed: int = 0,
) -> SimulationReport:
    """Answer every open question of a corpus, and settle what the votes leave open as an expert would.

    Parameters
    ----------
    corpus : Corpus
    gold : mapping of str to AnnotationRecord
        What is true, by `doc_id`.
    workers : int
        How many simulated people there are; each question is put to as many of them as it needs votes, or as
        there are where the first votes did not settle it. What audits another is put to those who did not
        answer that; with too few of them, to the expert.
    error : float or Crowd
        The probability that a worker's answer to a question is wrong, from 0 to 1, or people who err more or
        less often (`annotations.aggregation.crowds`); of a document's mentions,
        `crowd.interfaces.entities.simulated.with_errors` says what it does. Experts are never wrong.
    seed : int

    Raises
    ------
    InvalidInput
        If a question is about a document of which gold says nothing, or needs more votes than there are
        workers, or an argument is out of range.
    """
    if workers < 1:
        raise InvalidInput(f"{workers} workers; there must be at least one", where="workers")
    judges = error if isinstance(error, Crowd) else alike(error)
    crowd = _people(workers)
    expert = _expert()
    asked: set[int] = set()
    answers = expert_answers = 0
    while True:
        voted = 0
        for batch in in_batches(waiting(corpus, Question.State.OPEN)):
            given, exhausted = _votes(batch, gold, crowd, judges, seed)
            record_many(answers=given)
            labels.send_to_experts(questions=exhausted, by=None)
            asked |= {answer.question.pk for answer in given}
            voted += len(given)
        settled = labels.settle_questions(BATCH, wait=True)
        decided = 0
        for batch in in_batches(waiting(corpus, Question.State.EXPERT)):
            verdicts = [
                Answer(question=question, worker=expert, answer=truth(question, gold), as_expert=True)
                for question in batch
            ]
            decided += len(record_many(answers=verdicts))
        answers += voted
        expert_answers += decided
        if not voted + settled + decided:
            return SimulationReport(len(asked), answers, expert_answers)


def truth(question: Question, gold: Mapping[str, AnnotationRecord]) -> dict[str, object]:
    """Return the right answer to a question.

    Raises
    ------
    InvalidInput
        If gold says nothing of its document.
    """
    _check_known(question, gold)
    asked = read_asked([question])[question.pk]
    return interface_of(question.kind).simulated.right(asked, gold[question.document.doc_id])


def chosen_workers(question: Question, workers: int, seed: int) -> list[int]:
    """List every worker (0 to `workers` - 1) in the order in which a question is put to them."""
    return rng_of(seed, question, "workers").sample(range(workers), workers)


def _check_known(question: Question, gold: Mapping[str, AnnotationRecord]) -> None:
    doc_id = question.document.doc_id
    if doc_id not in gold:
        raise InvalidInput(f"gold says nothing of document {doc_id}, about which there is a question")


def _votes(
    batch: Sequence[Question],
    gold: Mapping[str, AnnotationRecord],
    crowd: Sequence[User],
    judges: Crowd,
    seed: int,
) -> tuple[list[Answer], list[Question]]:
    """List the votes that the questions still need, and the questions that nobody is left to vote on."""
    voters: dict[int, set[int]] = defaultdict(set)
    votes: dict[int, int] = defaultdict(int)
    for response in Response.objects.filter(question__in=batch).defer("answer"):
        voters[response.question_id].add(response.worker_id)
        votes[response.question_id] += response.is_valid and not response.is_expert
    audits = {question.audits_id: question.pk for question in batch if question.audits_id is not None}
    judged = Response.objects.filter(question__in=audits).values_list("question", "worker")
    for audited, worker in judged if audits else ():
        voters[audits[audited]].add(worker)
    errors = judges.errors(len(crowd)).tolist()
    given: list[Answer] = []
    exhausted = []
    for question in batch:
        first_votes = question.document.corpus.judged_by.first_votes
        missing = question.votes_needed - votes[question.pk]
        _check_known(question, gold)
        fresh = [
            number
            for number in chosen_workers(question, len(crowd), seed)
            if crowd[number].pk not in voters[question.pk]
        ]
        may_be_left = votes[question.pk] >= first_votes or question.audits_id is not None
        if len(fresh) < missing and may_be_left:
            exhausted.append(question)
            continue
        if len(fresh) < missing:
            raise InvalidInput(
                f"a question about {question.document.doc_id} needs {missing} more votes, and "
                f"{len(fresh)} of {len(crowd)} workers have not voted on it",
                where="workers",
            )
        (asked,) = read_asked([question]).values()
        simulated = interface_of(question.kind).simulated
        luck = rng_of(seed, question, "hard").random()
        for number in fresh[: max(missing, 0)]:
            rng = rng_of(seed, question, str(number))
            error = judges.error(errors[number], luck)
            answer = simulated.given(asked, gold[question.document.doc_id], error, rng)
            given.append(Answer(question=question, worker=crowd[number], answer=answer))
    return given, exhausted


def waiting(corpus: Corpus, state: Question.State) -> QuerySet[Question]:
    """Select a corpus' questions that wait for people, or for an expert."""
    rows = labels.lacking_votes() if state == Question.State.OPEN else Question.objects.filter(state=state)
    return rows.filter(document__corpus=corpus).select_related("document__corpus").defer("document__text")


def in_batches(questions: QuerySet[Question]) -> Iterator[list[Question]]:
    """Yield questions, some at a time."""
    rows = iter(list(questions.order_by("pk")))
    while batch := list(islice(rows, BATCH)):
        yield batch


def rng_of(seed: int, question: Question, purpose: str) -> Random:
    """Return the luck of one thing about a question: the same whenever it is looked at."""
    key = f"{seed}|{purpose}|{question.document.doc_id}|{question.key}"
    return Random(hashlib.sha256(key.encode()).digest())  # noqa: S311  (a simulation that must come out again)


def _people(number: int) -> list[User]:
    addresses = [f"crowd-{index:03d}@{DOMAIN}" for index in range(1, number + 1)]
    User.objects.bulk_create(
        (
            person(address, name=f"Simulated worker {index}", is_annotator=True)
            for index, address in enumerate(addresses, 1)
        ),
        ignore_conflicts=True,
    )
    people = User.objects.in_bulk(addresses, field_name="email")
    return [people[address] for address in addresses]


def _expert() -> User:
    address = f"crowd-expert@{DOMAIN}"
    User.objects.bulk_create(
        [person(address, name="Simulated expert", is_operator=True)], ignore_conflicts=True
    )
    return User.objects.get(email=address)


def person(address: str, *, name: str, is_annotator: bool = False, is_operator: bool = False) -> User:
    """Return somebody simulated, who cannot sign in, not yet stored."""
    made = User(email=address, name=name, is_annotator=is_annotator, is_operator=is_operator, is_active=False)
    made.set_unusable_password()
    return made
