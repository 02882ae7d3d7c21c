"""Sampling: decide with which probability each unit is judged, draw, store, and ask.

Everything about one arrival happens in one transaction under the epoch's row lock: arrivals have one order,
that of the uploads among those that have the go-ahead and a place in the quota. The submission's own row is
locked in the end alone, so that its team may cancel it until then.
"""

import hmac
from collections.abc import Collection
from typing import Any

import numpy as np
from django.db import connection, transaction
from django.utils import timezone
from numpy.typing import NDArray

from annotations.models import Corpus, Question
from evaluation.design import columns, designs, plans
from evaluation.design.designs import Before
from evaluation.models import Epoch, InclusionProbability, SampleBatch, Submission
from evaluation.submissions import quota
from evaluation.submissions.lifecycle import BEFORE_SAMPLING, lock, move
from evaluation.submissions.progress import count_asked
from evaluation.task import Task
from evaluation.units import FloatArray, IntArray, Units
from kbpo.core.clock.nudge import nudge
from kbpo.core.database.analysing import analyse
from kbpo.core.database.bulk import array_literal, copy_rows, read_columns
from kbpo.core.database.coded import unpack, unpack_coded
from kbpo.core.errors import InvalidInput
from kbpo_estimators import coordinated, iid

SETTLE_TASK = "kbpo.pipeline.settle_questions"


def all_due() -> set[int]:
    """Return the submissions that wait for their sample and may have it now, planned once for each corpus."""
    waiting = Submission.objects.filter(state=Submission.State.ACCEPTED, go_ahead=True)
    found = set(waiting.filter(quota_taken_at__isnull=False).values_list("pk", flat=True))
    for corpus in Corpus.objects.filter(pk__in=waiting.filter(quota_taken_at=None).values("corpus")):
        found |= quota.due(corpus=corpus, now=timezone.now())
    return found


def is_due(submission: Submission, *, due: Collection[int] | None = None) -> bool:
    """Say whether a submission waits for its sample and may have it now.

    Parameters
    ----------
    submission : Submission
    due : collection of int or None
        Those of its corpus without a place that may have one now, if that is known.
    """
    if submission.state != Submission.State.ACCEPTED or not submission.go_ahead:
        return False
    if due is None:
        due = quota.due(corpus=submission.corpus, now=timezone.now())
    return submission.quota_taken_at is not None or submission.pk in due


@transaction.atomic
def sample_submission(*, submission_id: int, task: Task) -> bool:
    """Draw the sample of an accepted submission that has the go-ahead, store it, and ask its questions.

    Parameters
    ----------
    submission_id : int
    task : Task
        Its corpus'.

    Returns
    -------
    bool
        False where there was nothing to do: not its turn, its team's quota used up, not prepared yet, sampled
        before, or cancelled, be it meanwhile.
    """
    corpus_id = Submission.objects.values_list("corpus_id", flat=True).get(pk=submission_id)
    open_epoch = Epoch.objects.filter(corpus=corpus_id, released_at=None)
    epoch = open_epoch.select_for_update(of=("self",)).first()  # not of its corpus: others submit there
    if epoch is None:  # released while we waited for its lock; the next one is there when this is tried again
        return False
    submission = Submission.objects.select_related("corpus", "team").get(pk=submission_id)
    if not _is_its_turn(submission):
        return False
    task.check_corpus(submission.corpus)
    if not task.is_prepared(submission):
        return False
    batch = SampleBatch(
        epoch=epoch,
        number=1 + SampleBatch.objects.filter(epoch=epoch).count(),
        submission=submission,
        target_variance=coordinated.target_variance(
            submission.corpus.target_half_width, submission.corpus.target_level
        ),
        weights_version=task.weights_version,
    )
    units = task.read_units(submission)
    weights = task.weights(units, batch.weights_version)
    p = weights[epoch.weighting]
    secret = bytes.fromhex(epoch.secret)
    pi: FloatArray | None = None
    of_design: dict[str, bytes] = {}
    if submission.corpus.design == Corpus.Design.COORDINATED:
        sampled, pi, of_design = _draw_coordinated(batch, units, p, task)
    else:
        sampled = _draw_iid(batch, units, p)
    others = {**task.columns(units), **of_design}
    kept = columns.make(
        units, secret, pi, weights=weights, others=others, random_keys=task.random_keys(units)
    )
    columns.keep(batch, kept)
    needed = task.ask(batch, units, sampled)
    batch.questions.add(*needed)
    asked = len(needed)
    analyse(dict.fromkeys((Question, SampleBatch.questions.through), asked))
    connection.check_constraints()  # now, instead of under the lock: a million rows take seconds
    locked = lock(submission_id).filter(state=Submission.State.ACCEPTED, go_ahead=True).first()
    if locked is None or not quota.take(submission=locked, now=timezone.now()):
        transaction.set_rollback(True)
        return False
    move(
        locked,
        Submission.State.JUDGING,
        _words_of_questions(batch),
    )
    nudge(SETTLE_TASK)
    return True


def _words_of_questions(batch: SampleBatch) -> str:
    """Say how many questions a sample makes: new ones, and those that are shared."""
    new, shared = count_asked(batch)
    were = "was" if shared == 1 else "were"
    beside = f"; {shared:,} more that it needs {were} asked for systems before it" if shared else ""
    return f"epoch {batch.epoch.number}; people are asked {new:,} question{'s' * (new != 1)} for it{beside}"


def design_weights(batch: SampleBatch, units: Units, task: Task) -> FloatArray:
    """Return p of a system (float[n]): what its epoch designs samples for, by the rules of its batch.

    Raises
    ------
    InvalidInput
        If the rules or the weighting are unknown.
    """
    weights = task.weights(units, batch.weights_version)
    if batch.epoch.weighting not in weights:
        raise InvalidInput(f"weighting {batch.epoch.weighting!r} is unknown; known are {', '.join(weights)}")
    return weights[batch.epoch.weighting]


def _is_its_turn(submission: Submission) -> bool:
    """Say whether it is due and no earlier upload to the corpus goes first.

    Samples do not depend on who reads files when. So the earlier ones are read before what is due: the other
    way round, one whose file another process has just read would not be due yet, and be passed over. Which of
    them has a place is read last, for who has one since is not due any more.
    """
    earlier = Submission.objects.filter(
        corpus=submission.corpus, pk__lt=submission.pk, go_ahead=True, state__in=BEFORE_SAMPLING
    )
    states = dict(earlier.values_list("pk", "state"))
    due = quota.due(corpus=submission.corpus, now=timezone.now())
    if not is_due(submission, due=due):
        return False
    is_behind = any(state == Submission.State.UPLOADED or pk in due for pk, state in states.items())
    return not is_behind and not earlier.filter(quota_taken_at__isnull=False).exists()


def read_before(epoch: Epoch, ids: IntArray) -> Before:
    """Return what an epoch's design is for units, in the order of their row ids as they are given."""
    wanted = columns.Wanted.of(ids)
    last = np.zeros(wanted.ids.size, dtype=np.int64)
    batches = list(epoch.batches.order_by("number").values_list("pk", flat=True))
    for pk, kept in zip(batches, columns.read(batches, [columns.UNITS]), strict=True):
        last[wanted.among(unpack(kept[columns.UNITS]))[1]] = pk
    # What the last system with a unit made of it, found by itself: a popular one has a row for each system.
    there = np.flatnonzero(last)
    if not there.size:
        return Before(np.zeros(ids.size), np.zeros(ids.size))
    found = read_columns(
        "SELECT wanted.unit_id, inclusion.probability, COALESCE(inclusion.squares, 0)"
        " FROM unnest(%s::bigint[], %s::bigint[]) AS wanted (batch_id, unit_id) CROSS JOIN LATERAL ("
        "SELECT probability, squares FROM evaluation_inclusionprobability AS own"
        " WHERE own.batch_id = wanted.batch_id AND own.unit_id = wanted.unit_id OFFSET 0) AS inclusion",
        [array_literal(column.tolist()) for column in (last[there], wanted.ids[there])],
        {"unit": "bigint", "pi": "float8", "squares": "float8"},
    )
    left = np.setdiff1d(wanted.ids[there], found["unit"])
    pi, squares = np.zeros(wanted.ids.size), np.zeros(wanted.ids.size)
    for rows in (found, _read_unchanged(epoch, left)) if left.size else (found,):
        at = np.searchsorted(wanted.ids, rows["unit"])
        pi[at], squares[at] = rows["pi"], rows["squares"]
    order = np.searchsorted(wanted.ids, ids)
    return Before(pi[order], squares[order])


def _read_unchanged(epoch: Epoch, ids: IntArray) -> dict[str, Any]:
    """Return the design of units of which the last system with them changed nothing: it never falls."""
    return read_columns(
        "SELECT inclusion.unit_id, max(inclusion.probability), COALESCE(max(inclusion.squares), 0)"
        " FROM evaluation_inclusionprobability AS inclusion"
        " JOIN evaluation_samplebatch AS batch ON batch.id = inclusion.batch_id AND batch.epoch_id = %s"
        " WHERE inclusion.unit_id = ANY(%s::bigint[]) GROUP BY inclusion.unit_id",
        [epoch.pk, array_literal(ids.tolist())],
        {"unit": "bigint", "pi": "float8", "squares": "float8"},
    )


def _draw_coordinated(
    batch: SampleBatch, units: Units, p: FloatArray, task: Task
) -> tuple[dict[int, int | None], FloatArray, dict[str, bytes]]:
    """Store the design; return the newly sampled rows of `units`, π, and the columns of the design."""
    growth, planned = batch.epoch.growth, None
    if growth == designs.QUADRATIC and task.plan is not None:
        planned = task.plan(batch.submission, batch.epoch, units.ids, number=batch.number)
    variance = None if planned is None else planned.variance
    known = task.known(batch.submission, units)
    before = read_before(batch.epoch, units.ids)
    arrival = designs.arrive(
        growth,
        before=before,
        p=p,
        known=known,
        target_variance=batch.target_variance,
        variance=variance,
        most=task.label_variance,
    )
    batch.lam, batch.floor = arrival.lam, arrival.floor
    batch.save()
    if planned is not None:
        plans.store(batch, planned)
    changed = np.flatnonzero(arrival.changed(before))
    squares = [None] * changed.size if arrival.squares is None else arrival.squares[changed].tolist()
    ids, pi, certain = (column[changed].tolist() for column in (units.ids, arrival.pi, known))
    stored = copy_rows(
        InclusionProbability,
        ("batch_id", "unit_id", "probability", "squares", "is_known"),
        ((batch.pk, *row) for row in zip(ids, pi, squares, certain, strict=True)),
    )
    analyse({InclusionProbability: stored})
    u = coordinated.uniforms(bytes.fromhex(batch.epoch.secret), task.random_keys(units))
    drawn: dict[int, int | None] = {}
    drawn.update((int(row), None) for row in np.flatnonzero((u < arrival.pi) & (u >= before.pi)))
    return drawn, arrival.pi, columns.of_design(arrival.flat_term, variance)


def _draw_iid(batch: SampleBatch, units: Units, p: FloatArray) -> dict[int, int | None]:
    """Draw with replacement from p, store the number of draws, and return how often each row came."""
    batch.draws = draws_needed(batch, units, p)
    batch.save()
    counts = count_draws(p, batch.draws, secret=bytes.fromhex(batch.epoch.secret), number=batch.number)
    return {int(row): int(counts[row]) for row in np.flatnonzero(counts)}


def draws_needed(batch: SampleBatch, units: Units, p: FloatArray) -> int:
    """Return how many draws of a system from p meet the batch's target, beside those of earlier batches."""
    before = list(
        SampleBatch.objects.filter(epoch=batch.epoch, number__lt=batch.number)
        .order_by("number")
        .values_list("pk", "draws")
    )
    name = columns.weight(batch.epoch.weighting)
    systems = [
        (unpack(stored[columns.UNITS]), unpack_coded(stored[name]).column())
        for stored in columns.read([pk for pk, _ in before], [columns.UNITS, name])
    ]
    # Its own units come first, in the order of their keys: they alone are summed over.
    own = units.ids
    foreign = np.setdiff1d(np.concatenate([[], *(ids for ids, _ in systems)]).astype(np.int64), own)
    ids = np.concatenate([own, foreign])
    order = np.argsort(ids)
    placed = [(order[np.searchsorted(ids, one, sorter=order)], weights) for one, weights in systems]
    return iid.draws_for_new_system(
        iid.systems_matrix([*placed, (np.arange(own.size), p)], ids.size),
        np.array([draws for _, draws in before], dtype=np.int64),
        batch.target_variance,
    )


def count_draws(p: FloatArray, draws: int, *, secret: bytes, number: int) -> NDArray[np.int64]:
    """Draw with replacement from p, seeded by the epoch's secret and the batch's number.

    Returns
    -------
    int[n]
        How often each unit came; the sum is `draws`.
    """
    seed = int.from_bytes(hmac.digest(secret, f"draws|{number}".encode(), "sha256"), "big")
    return np.bincount(iid.draw(p, draws, np.random.default_rng(seed)), minlength=len(p))
