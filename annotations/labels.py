"""From responses to labels: the only bridge between the two."""

import logging
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from django.db import connection, transaction
from django.db.models import Count, Exists, F, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from numpy.typing import NDArray

from annotations.aggregation.dawid_skene import dawid_skene
from annotations.aggregation.majority import Verdict
from annotations.kinds.kind import StoredAnswer
from annotations.kinds.registry import KINDS, Asked, check_kinds, find_kind, read_asked
from annotations.models import Corpus, Label, Question, Response
from annotations.policies.policy import Ask, Expert, Limits, Settle, Votes, Wait
from annotations.policies.registry import OF_AUDITS, POLICIES, find_policy
from kbpo.accounts.models import User
from kbpo.core import acts
from kbpo.core.clock.nudge import nudge
from kbpo.core.database.analysing import analyse
from kbpo.core.database.bulk import array_literal, read_columns
from kbpo.core.errors import InvalidInput

logger = logging.getLogger(__name__)

# What any number of votes leaves open: only an expert makes a posterior of exactly 0 or 1.
_DOUBT = 2.0**-53

# By questions that are named one by one: of new rows, not yet analysed, the planner thinks there are none,
# and would go through all of them for each.
_LABELS = """
SELECT label.id, CASE WHEN label.source IN ('expert', 'removed') THEN label.value ELSE -1 END
FROM unnest(%s::bigint[]) WITH ORDINALITY AS asked (id, place)
JOIN annotations_label AS label ON label.question_id = asked.id
ORDER BY asked.place, label.claim COLLATE "C"
"""
_VOTES = """
SELECT asked.place, label.id, response.worker_id, response.is_expert, {affirmed}
FROM unnest(%s::bigint[]) WITH ORDINALITY AS asked (id, place)
JOIN annotations_label AS label ON label.question_id = asked.id
JOIN annotations_response AS response ON response.question_id = asked.id AND response.is_valid
"""

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def with_complete_votes() -> QuerySet[Question]:
    """Select the open questions that have all the votes that were asked for."""
    return _open_if(Q(valid_votes__gte=F("votes_needed")))


def lacking_votes() -> QuerySet[Question]:
    """Select the open questions that need more votes."""
    return _open_if(Q(valid_votes__lt=F("votes_needed")))


@transaction.atomic
def settle_questions(limit: int = 500, *, wait: bool = False) -> int:
    """Do with open questions that have their votes what their corpus' policy says: settle, or ask on.

    Those that audit others have a policy of their own, the same in all corpora.

    What the policy does not leave to votes goes to the experts' queue. What cannot be read, or is of a corpus
    whose policy is unknown, is passed over and logged. What becomes of a question hangs on
    its own votes alone, not on when others are settled.

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
    _note_unknown()
    questions = list(
        with_complete_votes()
        .filter(kind__in=list(KINDS), document__corpus__policy__in=list(POLICIES))
        .select_related("document")
        .annotate(
            policy=F("document__corpus__policy"),
            most_votes=F("document__corpus__most_votes"),
            least_posterior=F("document__corpus__least_posterior"),
        )
        .order_by("pk")
        .select_for_update(no_key=True, of=("self",), skip_locked=not wait)[:limit]
    )
    votes: dict[int, list[Response]] = defaultdict(list)
    for response in Response.objects.filter(question__in=questions, is_valid=True, is_expert=False):
        votes[response.question_id].append(response)
    asked = _read_each(questions)
    settled: dict[Question, _Settled] = {}
    asked_on, undecided = [], []
    for question in (one for one in questions if one.pk in asked):
        found = _amount(asked[question.pk], votes[question.pk])
        policy = find_policy(question.policy) if question.audits_id is None else OF_AUDITS
        decision = policy.decide(
            Votes(
                number=len(found.answers),
                asked=question.votes_needed,
                agree=found.content.agree(found.answers),
                verdicts=None if found.verdicts is None else found.verdicts.values(),
            ),
            Limits(most_votes=question.most_votes, least_posterior=question.least_posterior),
        )
        match decision:
            case Settle():
                settled[question] = found
            case Ask(more):
                question.votes_needed = len(found.answers) + more
                asked_on.append(question)
            case Expert():
                undecided.append(question)
            case Wait():  # a vote ceased to count after the question was found
                pass
    _store_settled(settled, Label.Source.MAJORITY)
    Question.objects.bulk_update(asked_on, ["votes_needed"])
    _leave_to_experts(undecided)
    return len(asked)


def _note_unknown() -> None:
    """Log whose questions are passed over, since nothing here knows when or how they are settled."""
    for tag, policy in Corpus.objects.exclude(policy__in=list(POLICIES)).values_list("tag", "policy"):
        logger.error("corpus %s: no question is settled, for its policy %r is unknown", tag, policy)
    unknown = Question.objects.filter(state=Question.State.OPEN).exclude(kind__in=list(KINDS))
    for kind in unknown.order_by().values_list("kind", flat=True).distinct():
        logger.error("questions of the kind %r: none is settled, for it is unknown", kind)


def _read_each(questions: Collection[Question]) -> dict[int, Asked]:
    """Read stored questions by their ids, without those that cannot be read, which are logged."""
    try:
        return read_asked(questions)
    except InvalidInput:
        found: dict[int, Asked] = {}
        for question in questions:
            try:
                found |= read_asked([question])
            except InvalidInput as error:
                logger.error("question %s is not settled: %s", question.pk, error)
        return found


@transaction.atomic
def send_to_experts(*, questions: Collection[Question], by: User | None) -> int:
    """Let an expert decide those questions that are open, as somebody wants; return how many that were."""
    asked = Question.objects.filter(pk__in=[question.pk for question in questions])
    found = list(
        asked.filter(state=Question.State.OPEN).order_by("pk").select_for_update(no_key=True, of=("self",))
    )
    _leave_to_experts(found)
    for question in found:
        acts.record(acts.What.QUESTION_SENT_ON, by=by, about=question)
    return len(found)


def _leave_to_experts(questions: Collection[Question]) -> None:
    pks = [question.pk for question in questions]
    Question.objects.filter(pk__in=pks, state=Question.State.OPEN).update(state=Question.State.EXPERT)


def settle_by_experts(answers: Mapping[Question, Response]) -> None:
    """Settle questions, locked by the caller and not yet settled, by an expert's answer each."""
    asked = read_asked(answers)
    settled = {question: _amount(asked[question.pk], [vote]) for question, vote in answers.items()}
    _store_settled(settled, Label.Source.EXPERT)


def settle_without_more(votes: Mapping[Question, Sequence[Response]]) -> None:
    """Settle questions, locked by the caller, by the votes that are in: nobody can be asked any more.

    What the votes leave open, or nobody has voted on, does not hold: its label says that nobody judged it.
    What audits another then leaves that one's labels as they are: nobody has found them wrong.
    """
    asked = read_asked(votes)
    audited = _verdicts_of([question.audits_id for question in votes if question.audits_id is not None])
    settled: dict[str, dict[Question, _Settled]] = {Label.Source.MAJORITY: {}, Label.Source.REMOVED: {}}
    for question, given in votes.items():
        content = asked[question.pk]
        found = _amount(content, given) if given or not content.claims else None
        if found is not None and found.verdicts is not None:
            settled[Label.Source.MAJORITY][question] = found
        else:
            nothing = dict.fromkeys(content.claims, Verdict(0.0, 0, 0))
            if question.audits_id is not None:
                nothing |= audited.get(question.audits_id, {})
            settled[Label.Source.REMOVED][question] = _Settled(content, [], nothing)
    for source, some in settled.items():
        _store_settled(some, Label.Source(source))


def _verdicts_of(questions: Collection[int]) -> dict[int, dict[str, Verdict]]:
    """Return the value of each label of settled questions, as if nobody had voted."""
    found: dict[int, dict[str, Verdict]] = defaultdict(dict)
    rows = Label.objects.filter(question__in=questions).values_list("question", "claim", "value")
    for question, claim, value in rows if questions else ():
        found[question][claim] = Verdict(value, 0, 0)
    return found


@transaction.atomic
def reopen_questions(*, questions: Collection[int]) -> int:
    """Have questions settled again of whose votes one does not count any more, where their kind wants it.

    Such a question is open again. With enough votes left it is settled by those, else it waits for another.
    What an expert has said stays, and so does what is published.

    Parameters
    ----------
    questions : collection of int
        Row ids, of any questions, which the caller has locked.

    Returns
    -------
    int
        How many are open again.
    """
    by_expert = Response.objects.filter(question=OuterRef("pk"), is_expert=True, is_valid=True)
    reopened = Question.objects.filter(
        ~Exists(by_expert),
        pk__in=questions,
        document__takedown=None,
        kind__in=[kind.name for kind in KINDS.values() if kind.reopens],
        state=Question.State.SETTLED,
        published_at=None,
    ).update(state=Question.State.OPEN, settled_at=None)
    if reopened:
        nudge("kbpo.pipeline.settle_questions")
    return reopened


@transaction.atomic
def update_posteriors(*, corpus: Corpus) -> int:
    """Compute again how probable each claim of a corpus' settled questions is, from who voted what.

    Dawid and Skene's model, fitted to all valid votes for each kind of question by itself; every predicate
    and direction that was offered is a claim of its own. An expert's answer makes a posterior 0 or 1. It does
    not teach the model, since it is the questions with the worst votes that come to experts. Labels keep
    their value.

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
    settled = Question.objects.filter(
        document__corpus=corpus, state=Question.State.SETTLED, audits__isnull=True
    )
    check_kinds(settled)
    return sum(
        _update_posteriors(settled.filter(kind=kind.name), kind.affirms)
        for kind in KINDS.values()
        if kind.affirms is not None
    )


def _update_posteriors(settled: QuerySet[Question], affirms: str) -> int:
    # In the order of what was asked, not of row ids, which tell who settled what when: sums depend on order.
    asked = array_literal([pk for _, _, pk in sorted(settled.values_list("document_id", "key", "pk"))])
    labels = read_columns(_LABELS, [asked], {"id": "bigint", "known": "float8"})
    if not labels["id"].size:
        return 0
    votes = read_columns(
        _VOTES.format(affirmed=affirms),
        [asked],
        {"place": "bigint", "label": "bigint", "worker": "bigint", "is_expert": "bool", "held": "bool"},
    )
    by_id = np.argsort(labels["id"])
    items = by_id[np.searchsorted(labels["id"], votes["label"], sorter=by_id)]
    order = np.lexsort((items, votes["worker"], votes["place"]))
    items, workers, held, is_expert = (
        column[order] for column in (items, votes["worker"], votes["held"], votes["is_expert"])
    )
    known = labels["known"].astype(np.int64)
    by_experts, first = np.unique(items[is_expert], return_index=True)
    known[by_experts] = np.where(known[by_experts] < 0, held[is_expert][first], known[by_experts])
    told = ~is_expert
    measured = _measure(items[told], workers[told], held[told].astype(np.int64), known)
    return _store_measured(labels["id"], measured)


def _measure(items: IntArray, workers: IntArray, votes: IntArray, known: IntArray) -> FloatArray:
    """Return posteriors; NaN where no vote is left and no expert has spoken."""
    posteriors = np.where(known >= 0, known, np.nan)
    if items.size:
        told, rows = np.unique(items, return_inverse=True)
        fit = dawid_skene(rows, np.unique(workers, return_inverse=True)[1], votes)
        probable = np.clip(fit.posteriors[:, 1], _DOUBT, 1 - _DOUBT)
        truth = known[told]
        posteriors[told] = np.where(truth >= 0, truth, probable)
    return posteriors


def _store_measured(label_ids: IntArray, posteriors: FloatArray) -> int:
    # bulk_update would send one CASE for each row: minutes, where this takes a second.
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE annotations_label AS label SET posterior = new.posterior"
            " FROM unnest(%s::bigint[], %s::float8[]) AS new (id, posterior)"
            " WHERE label.id = new.id AND label.posterior IS DISTINCT FROM new.posterior",
            [array_literal(column.tolist()) for column in (label_ids, posteriors)],
        )
        return int(cursor.rowcount)


def publish(questions: QuerySet[Question], *, now: datetime | None = None) -> int:
    """Publish the labels of those questions that are settled and not yet published.

    Parameters
    ----------
    questions : QuerySet of Question
    now : datetime, optional
        When they are published: as the epoch that they belong to is released. By default, the clock's.

    Returns
    -------
    int
        How many questions that were.
    """
    return questions.filter(state=Question.State.SETTLED, published_at=None).update(
        published_at=now or timezone.now()
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


@dataclass(frozen=True, slots=True)
class _Settled:
    """A question as it was asked, what was answered, and what that amounts to; None: nothing yet."""

    content: Asked
    answers: Sequence[StoredAnswer]
    verdicts: Mapping[str, Verdict] | None


def _amount(content: Asked, votes: Sequence[Response]) -> _Settled:
    answers = [vote.answer for vote in votes]
    return _Settled(content, answers, content.settle(answers))


def _store_settled(settled: Mapping[Question, _Settled], source: Label.Source) -> None:
    """Store the labels of questions that are settled, and whatever else their kind makes of the answers."""
    labels = []
    for question, found in settled.items():
        assert found.verdicts is not None, "what settles nothing settles no question"
        kind = find_kind(question.kind)
        if kind.settled is not None:
            kind.settled(question, found.content, found.answers)
        labels += [
            Label(
                question=question,
                claim=claim,
                value=verdict.value,
                votes_for=verdict.votes_for,
                votes=verdict.votes,
                source=source,
            )
            for claim, verdict in found.verdicts.items()
        ]
    analyse({Label: len(Label.objects.bulk_create(labels))})
    for question in settled:
        question.state = Question.State.SETTLED
    Question.objects.filter(pk__in=[question.pk for question in settled]).update(
        state=Question.State.SETTLED, settled_at=timezone.now()
    )
