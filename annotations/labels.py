"""From responses to labels: the only bridge between the two."""

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from django.db import connection, transaction
from django.db.models import Count, F, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from numpy.typing import NDArray

from annotations import annotating, payloads, selectors
from annotations.aggregation import majority
from annotations.aggregation.correction import calibrate
from annotations.aggregation.dawid_skene import dawid_skene
from annotations.aggregation.majority import Verdict
from annotations.entities import EntitiesQuestion
from annotations.models import Corpus, Label, Question, Response
from annotations.payloads import Asked, CanonicalQuestion, Offer, RelationQuestion

# What any number of votes leaves open: only an expert makes a posterior of exactly 0 or 1.
_DOUBT = 2.0**-53

# The one claim of a canonical question.
_CANONICAL = Offer("", 0)

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


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
    undecided = _settle({question: votes[question.pk] for question in questions}, Label.Source.MAJORITY)
    Question.objects.filter(pk__in=[question.pk for question in undecided]).update(
        state=Question.State.EXPERT
    )
    return len(questions)


def settle_by_experts(answers: Mapping[Question, Response]) -> None:
    """Settle questions, locked by the caller and not yet settled, by an expert's answer each."""
    undecided = _settle({question: [vote] for question, vote in answers.items()}, Label.Source.EXPERT)
    assert not undecided, "one vote is never a tie"


@transaction.atomic
def update_posteriors(*, corpus: Corpus) -> int:
    """Compute again how probable each claim of a corpus' settled questions is, from who voted what.

    Dawid and Skene's model, fitted to all valid votes for each kind of question by itself; every predicate
    and direction that was offered is a claim of its own. An expert's answer makes a posterior 0 or 1. It does
    not teach the model, since it is the questions with the worst votes that come to experts. From the
    posteriors follow the corrected labels of noise-adjusted scores. Labels keep their value.

    Safe to run twice, and at the same time as itself. 10,000 relation questions of three votes and four
    offers each take 2 s on an idle core.

    Parameters
    ----------
    corpus : Corpus

    Returns
    -------
    int
        How many labels have changed.
    """
    # Two runs that update the same labels in different orders would wait for each other for ever.
    Corpus.objects.select_for_update(no_key=True).get(pk=corpus.pk)
    # What is said of a whole document has no labels.
    return sum(_update_posteriors(corpus, kind) for kind in Question.Kind if kind != Question.Kind.ENTITIES)


def _update_posteriors(corpus: Corpus, kind: Question.Kind) -> int:
    settled = Question.objects.filter(document__corpus=corpus, kind=kind, state=Question.State.SETTLED)
    found: dict[int, list[Label]] = defaultdict(list)
    # In the order of what was asked, not of row ids, which tell who settled what when: sums depend on order.
    labels = list(
        Label.objects.filter(question__in=settled).order_by(
            "question__document_id", "question__key", "predicate", "subject"
        )
    )
    if not labels:
        return 0
    for label in labels:
        found[label.question_id].append(label)
    asked = {
        pk: payloads.read_question(kind, payload) for pk, payload in settled.values_list("pk", "payload")
    }
    item_of = {label.pk: item for item, label in enumerate(labels)}
    known = np.array([int(one.value) if one.source == Label.Source.EXPERT else -1 for one in labels])

    items: list[int] = []
    workers: list[int] = []
    votes: list[bool] = []
    responses = Response.objects.filter(question__in=settled, is_valid=True).order_by(
        "question__document_id", "question__key", "worker_id"
    )
    for response in responses.only("question_id", "worker_id", "answer", "is_expert"):
        if response.question_id not in found:
            continue  # settled since the labels were read: the next time
        held = _held(asked[response.question_id], response)
        for label in found[response.question_id]:
            item, vote = item_of[label.pk], Offer(label.predicate, label.subject) in held
            if not response.is_expert:
                items.append(item)
                workers.append(response.worker_id)
                votes.append(vote)
            elif known[item] < 0:
                known[item] = vote
    measured = _measure(
        np.array(items, dtype=np.int64),
        np.array(workers, dtype=np.int64),
        np.array(votes, dtype=np.int64),
        known,
    )
    return _store_measured([label.pk for label in labels], *measured)


def _held(asked: Asked, response: Response) -> Collection[Offer]:
    """Return the claims that an answer affirms, named as labels name them."""
    if isinstance(asked, RelationQuestion):
        return asked.ticked(response.answer)
    return {_CANONICAL} if response.answer["right"] else set()


def _measure(
    items: IntArray, workers: IntArray, votes: IntArray, known: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return posteriors and corrected labels; NaN where no vote is left and no expert has spoken."""
    posteriors = np.where(known >= 0, known, np.nan)
    corrected = posteriors.copy()
    if items.size:
        told, rows = np.unique(items, return_inverse=True)
        fit = dawid_skene(rows, np.unique(workers, return_inverse=True)[1], votes)
        probable = np.clip(fit.posteriors[:, 1], _DOUBT, 1 - _DOUBT)
        truth = known[told]
        posteriors[told] = np.where(truth >= 0, truth, probable)
        calibration = calibrate(probable, truth)
        if calibration is not None:
            corrected[told] = calibration.correct(probable, truth)
    return posteriors, corrected


def _store_measured(label_ids: Sequence[int], posteriors: FloatArray, corrected: FloatArray) -> int:
    # bulk_update would send one CASE for each row: minutes, where this takes a second.
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE annotations_label AS label SET posterior = new.posterior, corrected = new.corrected"
            " FROM unnest(%s::bigint[], %s::float8[], %s::float8[]) AS new (id, posterior, corrected)"
            " WHERE label.id = new.id AND (label.posterior, label.corrected)"
            " IS DISTINCT FROM (new.posterior, new.corrected)",
            [list(label_ids), _nullable(posteriors), _nullable(corrected)],
        )
        return int(cursor.rowcount)


def _nullable(values: FloatArray) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values.tolist()]


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


def _verdicts(
    asked: RelationQuestion | CanonicalQuestion, votes: Sequence[Response]
) -> Mapping[Offer, Verdict] | None:
    if isinstance(asked, CanonicalQuestion):
        verdict = majority.canonical([vote.answer["right"] for vote in votes])
        return None if verdict is None else {_CANONICAL: verdict}
    return majority.relations(asked.offered, [asked.ticked(vote.answer) for vote in votes])


def _settle(votes: Mapping[Question, Sequence[Response]], source: Label.Source) -> list[Question]:
    """Settle questions by their votes; return those that the votes leave open."""
    asked = selectors.read_asked(votes)
    settled: dict[Question, Mapping[Offer, Verdict]] = {}
    undecided = []
    for question, given in votes.items():
        read = asked[question.pk]
        if isinstance(read, EntitiesQuestion):
            marked = [read.mentions(vote.answer) for vote in given]
            annotating.store_mentions(document=question.document, asked=read, marked=marked)
            settled[question] = {}
        elif (verdicts := _verdicts(read, given)) is None:
            undecided.append(question)
        else:
            settled[question] = verdicts
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
    return undecided
