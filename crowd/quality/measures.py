"""Measuring workers and batches, now and then: speed, agreement with the others, gold questions, κ."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import Case, Count, Exists, Max, Min, OuterRef, Q, RowRange, Sum, When, Window

from annotations import agreements
from annotations.aggregation.shares import median_of
from annotations.kinds.registry import find_kind
from annotations.models import Question, Response
from annotations.policies.registry import POLICIES, measured_by_first
from crowd.interfaces.registry import ASKED_KINDS, find_interface
from crowd.models import Assignment, BatchMeasure, HitBatch, WorkerMeasure
from crowd.quality import checking
from kbpo.core.database.leases import CLOCKS_DIFFER

EVERY = timedelta(minutes=1)  # and for each so many answers as long again, since all are read
ANSWERS = 10_000
_Counts = dict[tuple[int | None, str], dict[str, Any]]

# An answer is compared where more than half of the votes of others on its question are the same whole answer.
# Answers are alike if they are of one category of their kind, whatever else they hold; a kind may have none.
# Answers that are no votes, since they were rejected or wait for a person, are compared as
# well, with the votes; gold answers are not.
#
# Where a third vote is asked for only if two differ, the third voter sees nothing but disputed questions, and
# is not compared. Each of the first two is compared as if there always were a third vote. Two others might
# have come in the other order: so as often as the third backs a worker against the second, the second would
# have backed the worker against the third. To agree with the second therefore counts for a worker, and to be
# backed by the third against the second takes one such agreement back; to be alone is to disagree.
#
# Answers to what audits another question count as answers, and are not compared: doubtful ones are drawn.
#
# One pass over the answers to each question, with no join of what was counted: where Postgres expects few
# rows, it would pair each answer with every other.
_AGREEMENT = """
WITH said AS (
    SELECT response.question_id, response.worker_id, response.is_valid::int AS own, answer.what,
        question.audits_id IS NULL AND %(compared)s AS is_compared,
        corpus.policy = ANY(%(by_first)s) AND response.is_valid AS by_first,
        row_number() OVER (
            PARTITION BY response.question_id, response.is_valid ORDER BY response.id
        ) AS place,
        array_agg(answer.what) FILTER (WHERE response.is_valid) OVER (
            PARTITION BY response.question_id ORDER BY response.id
            ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
        ) AS votes
    FROM annotations_response AS response
    JOIN annotations_question AS question ON question.id = response.question_id
    JOIN annotations_document AS document ON document.id = question.document_id
    JOIN annotations_corpus AS corpus ON corpus.id = document.corpus_id
    CROSS JOIN LATERAL (
        SELECT COALESCE(({category})::text, '') AS what FROM (SELECT response.answer) AS given (answer)
    ) AS answer
    WHERE question.kind = %(kind)s AND NOT response.is_expert AND (response.is_valid OR NOT EXISTS (
        SELECT 1 FROM crowd_assignment AS shown
        JOIN accounts_workeridentity AS identity ON identity.id = shown.worker_id
        WHERE shown.gold_id = response.question_id AND identity.user_id = response.worker_id
    ))
), alike AS (
    SELECT *, sum(own) OVER with_it AS number, row_number() OVER with_it = 1 AS is_first
    FROM said WINDOW with_it AS (PARTITION BY question_id, what)
), counted AS (
    SELECT *, sum(own) OVER together AS together, max(number) OVER together AS largest,
        COALESCE((array_agg(number) FILTER (WHERE is_first) OVER (
            PARTITION BY question_id ORDER BY number DESC
            ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
        ))[2], 0) AS second
    FROM alike WINDOW together AS (PARTITION BY question_id)
), compared AS (
    SELECT worker_id, own,
        CASE
            WHEN NOT is_compared THEN 0
            WHEN NOT by_first THEN (2 * (number - own) > together - own)::int
            WHEN place > 2 THEN 0
            WHEN votes[3 - place] = what THEN 1
            WHEN votes[3] = what THEN -1
            ELSE 0
        END AS agrees,
        CASE
            WHEN NOT is_compared THEN 0
            WHEN NOT by_first THEN (
                2 * (CASE WHEN number < largest THEN largest ELSE second END)
                > together - own
            )::int
            WHEN place > 2 OR votes[3 - place] = what THEN 0
            WHEN votes[3 - place] = votes[3] THEN 1
            ELSE 0
        END AS disagrees
    FROM counted
)
SELECT worker_id, count(*), sum(agrees + disagrees), sum(agrees), sum(own),
    sum(own * (agrees + disagrees)), sum(own * agrees)
FROM compared GROUP BY worker_id
"""
_COLUMNS = ("votes", "compared", "agreed")


def measure_work(*, now: datetime) -> int:
    """Measure workers and batches again, if anything was answered or decided since, and `pause` has passed.

    Safe to run twice, and at the same time as itself.

    Parameters
    ----------
    now : datetime
        Aware.

    Returns
    -------
    int
        How many rows were measured; 0 if it was not due.
    """
    last = last_measured()
    if last is not None and last > now + CLOCKS_DIFFER:  # by a clock that has been put right since
        last = None
    if last is not None and (now < last + pause() or not _has_changed(last)):
        return 0
    if last is None and not Response.objects.exists():
        return 0
    return _measure_workers(now) + _measure_batches(now, last)


def last_measured() -> datetime | None:
    """Return when workers were measured last."""
    last: datetime | None = WorkerMeasure.objects.filter(worker=None).aggregate(at=Min("measured_at"))["at"]
    return last


def pause() -> timedelta:
    """Return how long after measuring it is done again at the soonest."""
    together = WorkerMeasure.objects.filter(worker=None)
    return EVERY * (1 + (together.aggregate(votes=Sum("votes"))["votes"] or 0) // ANSWERS)


def _has_changed(since: datetime) -> bool:
    newest = Response.objects.aggregate(at=Max("answered_at"))["at"]
    decided = Assignment.objects.filter(Q(decided_at__gte=since) | Q(counted_at__gte=since))
    return (newest is not None and newest >= since) or decided.exists()


@transaction.atomic
def _measure_workers(now: datetime) -> int:
    list(WorkerMeasure.objects.select_for_update().filter(worker=None))  # one at a time
    found: _Counts = defaultdict(dict)
    _count_agreement(found)
    _time(found)
    for (user, kind), (right, asked) in checking.all_gold_answers().items():
        for worker in (user, None):
            counts = found[worker, kind]
            counts["gold_right"] = counts.get("gold_right", 0) + right
            counts["gold_asked"] = counts.get("gold_asked", 0) + asked
    for kind in ASKED_KINDS:
        found.setdefault((None, kind), {})
    WorkerMeasure.objects.bulk_create(
        (
            WorkerMeasure(worker_id=worker, kind=kind, measured_at=now, **counts)
            for (worker, kind), counts in sorted(found.items(), key=_order)
        ),
        batch_size=2000,
        update_conflicts=True,
        unique_fields=["worker", "kind"],
        update_fields=[
            field.name for field in WorkerMeasure._meta.fields if field.name not in {"id", "worker", "kind"}
        ],
    )
    WorkerMeasure.objects.exclude(measured_at=now).delete()
    return len(found)


def _order(item: tuple[tuple[int | None, str], Any]) -> tuple[int, str]:
    (worker, kind), _ = item
    return worker or 0, kind


def _count_agreement(found: _Counts) -> None:
    for kind in ASKED_KINDS:
        category = find_kind(kind).category
        with connection.cursor() as cursor:
            cursor.execute(
                _AGREEMENT.format(category=category or "''"),
                {"kind": kind, "compared": category is not None, "by_first": measured_by_first()},
            )
            rows = cursor.fetchall()
        together = [0, 0, 0]
        for worker, *numbers in rows:
            found[worker, kind] |= _columns(numbers[:3])
            together = [a + b for a, b in zip(together, numbers[3:], strict=True)]
        if rows:
            found[None, kind] |= _columns(together)


def _columns(numbers: Sequence[int]) -> dict[str, int]:
    """Name the counts; of few answers more may be taken back than there are."""
    return {name: max(0, number) for name, number in zip(_COLUMNS, numbers, strict=True)}


def _time(found: _Counts) -> None:
    times: dict[tuple[int | None, str], list[float]] = defaultdict(list)
    # One pass over the answers to each question, in their order: whatever Postgres believes of how many there
    # are. A vote is left out that was asked for because of the votes before it: it is on a
    # disputed question.
    votes_before = Window(
        Sum(Case(When(is_valid=True, then=1), default=0)),
        partition_by="question",
        order_by="pk",
        frame=RowRange(end=-1),
    )
    unseen = ~Q(flag="") | ~Q(hold="") & Q(state=Assignment.State.SUBMITTED)
    suspected = Assignment.objects.filter(unseen, responses=OuterRef("pk"))
    rows = Response.objects.filter(is_expert=False, question__audits__isnull=True).annotate(
        before=votes_before, is_left=Exists(suspected)
    )
    for worker, kind, seconds, is_valid, policy, before, is_left in rows.values_list(
        "worker",
        "question__kind",
        "seconds",
        "is_valid",
        "question__document__corpus__policy",
        "before",
        "is_left",
    ).iterator():
        if policy not in POLICIES:
            continue
        first = POLICIES[policy].measured_votes
        if seconds is None or (is_valid and first is not None and (before or 0) >= first):
            continue
        times[worker, kind].append(seconds)
        if is_valid and not is_left:  # who only clicks makes nobody else look slow
            times[None, kind].append(seconds)
    for key, values in times.items():
        found_median = median_of(values)
        assert found_median is not None  # none is empty
        found[key] |= {
            "timed": found_median.of,
            "seconds": found_median.estimate,
            "seconds_low": found_median.low,
            "seconds_high": found_median.high,
        }


def _measure_batches(now: datetime, since: datetime | None) -> int:
    """Measure the agreement on the main questions of batches in which something happened."""
    batches = HitBatch.objects.filter(is_tutorial=False, corpus__policy__in=list(POLICIES)).select_related(
        "corpus"
    )
    if since is not None:
        batches = batches.filter(
            Q(hits__assignments__counted_at__gte=since) | Q(hits__assignments__decided_at__gte=since)
        ).distinct()
    rows = []
    for batch in batches:
        kind = find_interface(batch.kind).main
        asked = Question.objects.filter(
            hit_questions__hit__batch=batch, kind=kind, audits__isnull=True
        ).distinct()
        first = batch.corpus.judged_by.measured_votes
        if first is not None:  # those that came to it with their first votes are the disputed ones
            before = Q(
                responses__is_valid=True,
                responses__is_expert=False,
                responses__answered_at__lt=batch.created_at,
            )
            counted = Question.objects.filter(pk__in=asked).annotate(before=Count("responses", filter=before))
            asked = counted.filter(before__lt=first)
        measured = agreements.measure_on(asked, kind, first=first)
        kappa = measured.kappa
        rows.append(
            BatchMeasure(
                batch=batch,
                questions=measured.questions,
                kappa=kappa.estimate if kappa else None,
                kappa_low=kappa.low if kappa else None,
                kappa_high=kappa.high if kappa else None,
                measured_at=now,
            )
        )
    BatchMeasure.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["batch"],
        update_fields=["questions", "kappa", "kappa_low", "kappa_high", "measured_at"],
    )
    return len(rows)
