"""Answers: validated and recorded, whoever gives them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, OuterRef
from django.db.models.functions import Length

from annotations import conflicts, labels, ontologies, roles
from annotations.kinds.fields import check_spans
from annotations.kinds.registry import Asked, read_asked
from annotations.models import Corpus, Question, Response
from annotations.roles import Act
from kbpo.accounts.models import User
from kbpo.core import acts
from kbpo.core.clock.nudge import nudge
from kbpo.core.database.analysing import analyse
from kbpo.core.errors import Conflict, InvalidInput, NotAllowed


class Under(Enum):
    """Under which guidelines of a corpus' own an answer is given, where no page was shown that had some."""

    NEWEST = "newest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a worker says to a question.

    Attributes
    ----------
    question : Question
    worker : User
    answer : object
        JSON as it came in; its question's kind (`annotations.kinds`) says what it must hold.
    seconds : float or None
        From being shown the question to answering.
    as_expert : bool
        Whether it settles the question by itself.
    is_vote : bool
        False: the question was asked only to learn of the worker, and the answer never counts.
    is_recorded : bool
        Whether it was given elsewhere, under other rules: taken as it is, in the form that its kind stores.
    guidelines : int, Under.NEWEST or None
        The row id of the corpus' own guidelines that the page showed, None where it showed the ontology's;
        without a page, those that the corpus has now.
    """

    question: Question
    worker: User
    answer: object
    seconds: float | None = None
    as_expert: bool = False
    is_vote: bool = True
    is_recorded: bool = False
    guidelines: int | Under | None = Under.NEWEST


def record(
    *, question: Question, worker: User, answer: object, seconds: float | None = None, as_expert: bool = False
) -> Response:
    """Record one answer, once. See `record_many`."""
    given = Answer(question=question, worker=worker, answer=answer, seconds=seconds, as_expert=as_expert)
    return record_many(answers=[given])[0]


@transaction.atomic
def record_many(*, answers: Sequence[Answer]) -> list[Response]:
    """Record answers: all of them, or none and an error.

    An expert's answer settles its question. Any other answer to a question that is no longer open is kept
    and changes nothing; nor is it a vote if it is by a worker who answered what the question audits.

    Parameters
    ----------
    answers : sequence of Answer

    Returns
    -------
    list of Response
        One an answer, in order. The same answer given again is the response that there already is.

    Raises
    ------
    NotAllowed
        If a worker is neither annotator nor operator, answers as an expert and is no reviewer of the corpus,
        or is in a team that competes in it; or audits, as an expert, what they answered themselves.
    InvalidInput
        If an answer does not fit its question.
    Conflict
        If the worker has already given another answer to the question; the first one stays.
    """
    for worker, as_expert in {(given.worker, given.as_expert) for given in answers}:
        check_role(worker=worker, as_expert=as_expert)
    # One order for all: two batches that share questions wait for each other, and never in a circle. The keys
    # stay, so that a sample which is stored meanwhile may refer to the same questions, in whatever order.
    locked = list(
        Question.objects.filter(pk__in={given.question.pk for given in answers})
        .annotate(
            text_length=Length("document__text"),
            corpus_id=F("document__corpus_id"),
            guidelines_id=ontologies.newest_guidelines("document__corpus"),
        )
        .order_by("pk")
        .select_for_update(no_key=True, of=("self",))
    )
    under = {question.pk: question.guidelines_id for question in locked}
    corpora = {question.pk: question.corpus_id for question in locked}
    for worker, corpus_id, as_expert in {
        (given.worker, corpora[given.question.pk], given.as_expert) for given in answers
    }:
        if conflicts.exists(worker_id=worker.pk, corpus_id=corpus_id):
            raise NotAllowed("A team of yours competes in this corpus, so you may not judge it.")
        if as_expert and not worker.is_operator:
            roles.check(worker, Act.REVIEW, Corpus.objects.get(pk=corpus_id))
    asked = read_asked(locked)
    for question in locked:
        check_spans(asked[question.pk].spans, question.text_length)
    audited = {question.pk: question.audits_id for question in locked if question.audits_id is not None}
    judged = set(
        Response.objects.filter(
            question__in=audited.values(), worker__in={given.worker.pk for given in answers}
        ).values_list("question", "worker")
    )
    responses = {
        (response.question_id, response.worker_id): response
        for response in Response.objects.filter(
            question__in=asked, worker__in={given.worker.pk for given in answers}
        )
    }
    new: list[Response] = []
    for given in answers:
        key = given.question.pk, given.worker.pk
        answer = _read(given, asked[given.question.pk])
        if key not in responses:
            judged_before = (audited.get(key[0]), key[1]) in judged
            if judged_before and given.as_expert:
                raise NotAllowed("That question is for others to answer; go on with the next one.")
            is_vote = given.is_vote and not judged_before
            guidelines = under[key[0]] if given.guidelines is Under.NEWEST else given.guidelines
            responses[key] = _response(given, answer, is_vote=is_vote, guidelines_id=guidelines)
            new.append(responses[key])
        elif (responses[key].answer, responses[key].is_expert) != (answer, given.as_expert):
            raise Conflict("You have already answered this question in another way; your first answer stays.")
    Response.objects.bulk_create(new)
    for response in new:
        if response.is_expert:
            acts.record(acts.What.EXPERT_ANSWERED, by=response.worker, about=response.question)
    analyse({Response: len(new)})
    _move_on({question.pk: question for question in locked}, new)
    return [responses[given.question.pk, given.worker.pk] for given in answers]


def _read(given: Answer, asked: Asked) -> dict[str, Any]:
    if given.is_recorded and isinstance(given.answer, dict):
        return given.answer
    return asked.read_answer(given.answer)


def check_role(*, worker: User, as_expert: bool = False) -> None:
    """Refuse a person who may not answer questions.

    Raises
    ------
    NotAllowed
        If they are neither annotator nor operator; or are to answer as an expert, and review no corpus.
    """
    if as_expert:
        if not (worker.is_operator or Act.REVIEW in roles.acts(worker)):
            raise NotAllowed("Only operators and reviewers of a corpus answer as experts.")
    elif not (worker.is_annotator or worker.is_operator):
        raise NotAllowed("Only annotators and operators answer questions; ask an operator to make you one.")


def judged_before() -> Exists:
    """Say of an answer that it is to what audits a question which the same worker has answered.

    Such an answer is kept, and is no vote.
    """
    return Exists(Response.objects.filter(question__audit=OuterRef("question"), worker=OuterRef("worker")))


def _response(given: Answer, answer: dict[str, Any], *, is_vote: bool, guidelines_id: int | None) -> Response:
    if given.seconds is not None and not 0 <= given.seconds < float("inf"):
        raise InvalidInput(f"seconds is {given.seconds}; it must be a number from 0 on")
    return Response(
        question=given.question,
        worker=given.worker,
        answer=answer,
        seconds=given.seconds,
        is_expert=given.as_expert,
        is_valid=is_vote,
        guidelines_id=guidelines_id,
    )


def _move_on(questions: Mapping[int, Question], new: Sequence[Response]) -> None:
    """Settle what an expert has answered, and let the pipeline know of complete votes."""
    decided = {}
    voted = set()
    for response in new:
        question = questions[response.question_id]
        if response.is_expert and question.state != Question.State.SETTLED:
            decided[question] = response
        elif response.is_valid and question.state == Question.State.OPEN:
            voted.add(question.pk)
    labels.settle_by_experts(decided)
    if voted and labels.with_complete_votes().filter(pk__in=voted).exists():
        nudge("kbpo.pipeline.settle_questions")
