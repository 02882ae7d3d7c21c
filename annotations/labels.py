"""From responses to labels: the only bridge between the two."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from django.db import transaction
from django.db.models import Count, F, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotations import payloads
from annotations.aggregation import majority
from annotations.aggregation.majority import Verdict
from annotations.models import Label, Question, Response
from annotations.payloads import CanonicalQuestion, Offer


def with_complete_votes() -> QuerySet[Question]:
    """Select the open questions that have all the votes they need."""
    return _open_if(Q(valid_votes__gte=F("votes_needed")))


def lacking_votes() -> QuerySet[Question]:
    """Select the open questions that need more votes."""
    return _open_if(Q(valid_votes__lt=F("votes_needed")))


@transaction.atomic
def settle_questions(limit: int = 500, *, wait: bool = False) -> int:
    """Settle open questions that have their votes, or send them to the experts' queue.

    Safe to run twice, and at the same time as itself.

    Parameters
    ----------
    limit : int
        At most so many, the oldest first.
    wait : bool
        Whether to wait for questions that somebody else holds, rather than to pass them over.

    Returns
    -------
    int
        How many were moved on; fewer than `limit` where no more are due.
    """
    questions = list(
        with_complete_votes().order_by("pk").select_for_update(of=("self",), skip_locked=not wait)[:limit]
    )
    votes: dict[int, list[Response]] = defaultdict(list)
    for response in Response.objects.filter(question__in=questions, is_valid=True, is_expert=False):
        votes[response.question_id].append(response)
    settled = {}
    undecided = []
    for question in questions:
        verdicts = _verdicts(question, votes[question.pk])
        if verdicts is None:
            undecided.append(question)
        else:
            settled[question] = verdicts
    _settle(settled, Label.Source.MAJORITY)
    Question.objects.filter(pk__in=[question.pk for question in undecided]).update(
        state=Question.State.EXPERT
    )
    return len(questions)


def settle_by_experts(answers: Mapping[Question, Response]) -> None:
    """Settle questions, locked by the caller and not yet settled, by an expert's answer each."""
    settled = {}
    for question, response in answers.items():
        verdicts = _verdicts(question, [response])
        assert verdicts is not None, "one vote is never a tie"
        settled[question] = verdicts
    _settle(settled, Label.Source.EXPERT)


def publish(questions: QuerySet[Question]) -> int:
    """Publish the labels of those questions that are settled and not yet published.

    Returns
    -------
    int
        How many questions that were.
    """
    return questions.filter(state=Question.State.SETTLED, published_at=None).update(
        published_at=timezone.now()
    )


def _open_if(condition: Q) -> QuerySet[Question]:
    votes = (
        Response.objects.filter(question=OuterRef("pk"), is_valid=True, is_expert=False)
        .order_by()
        .values("question")
        .annotate(number=Count("pk"))
        .values("number")
    )
    return (
        Question.objects.filter(state=Question.State.OPEN)
        .annotate(valid_votes=Coalesce(Subquery(votes, output_field=IntegerField()), 0))
        .filter(condition)
    )


def _verdicts(question: Question, votes: Sequence[Response]) -> Mapping[Offer, Verdict] | None:
    asked = payloads.read_question(question.kind, question.payload)
    if isinstance(asked, CanonicalQuestion):
        verdict = majority.canonical([vote.answer["right"] for vote in votes])
        return None if verdict is None else {Offer("", 0): verdict}
    return majority.relations(asked.offered, [asked.ticked(vote.answer) for vote in votes])


def _settle(settled: Mapping[Question, Mapping[Offer, Verdict]], source: Label.Source) -> None:
    Label.objects.bulk_create(
        Label(
            question=question,
            predicate=offer.predicate,
            subject=offer.subject,
            value=verdict.value,
            votes_for=verdict.votes_for,
            votes=verdict.votes,
            source=source,
        )
        for question, verdicts in settled.items()
        for offer, verdict in verdicts.items()
    )
    for question in settled:
        question.state = Question.State.SETTLED
    Question.objects.filter(pk__in=[question.pk for question in settled]).update(
        state=Question.State.SETTLED, settled_at=timezone.now()
    )
