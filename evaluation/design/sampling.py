"""Sampling: decide with which probability each unit is judged, draw, store, and ask.

Everything about one arrival happens in one transaction under the epoch's row lock: arrivals have one order,
that of the uploads among those that have the go-ahead and a place in the quota. The submission's own row is
locked in the end alone, so that its team may cancel it until then.
"""

import hmac
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import connection, transaction
from django.utils import timezone
from numpy.typing import NDArray

from annotations.models import Corpus, Question
from evaluation.design import columns, plans
from evaluation.models import Epoch, InclusionProbability, SampleBatch, Submission
from evaluation.submissions import quota
from evaluation.submissions.lifecycle import BEFORE_SAMPLING, lock, move
from evaluation.submissions.progress import count_asked
from evaluation.task import Task
from evaluation.units import BoolArray, FloatArray, IntArray, Units
from kbpo.core.clock.nudge import nudge
from kbpo.core.database.analysing import analyse
from kbpo.core.database.bulk import array_literal, copy_rows, read_columns
from kbpo.core.database.coded import unpack, unpack_coded
from kbpo.core.errors import InvalidInput
from kbpo_estimators import coordinated, iid

SETTLE_TASK = "kbpo.pipeline.settle_questions"


@dataclass(frozen=True)
class Arrival:
    """What an arrival does to the design.

    Attributes
    ----------
    pi : float[n]
        Inclusion probabilities of the system's units after it.
    lam : float
        The least scale of p that meets the target.
    floor : float
        b, the expected number of labels spread uniformly.
    squares : float[n]
        Under quadratic growth, the sums of squares after it; otherwise 0.
    flat_term : float[n]
        Under quadratic growth, what the system alone would have, were every label as uncertain as one can be:
        of these π with s² = ¼ is made, on which rests what must rest on no label; otherwise 0.
    """

    pi: FloatArray
    lam: float
    floor: float
    squares: FloatArray
    flat_term: FloatArray


def arrive(*, pi: FloatArray, p: FloatArray, known: BoolArray, target_variance: float) -> Arrival:
    """Grow the design for a system (docs/estimation.md, 3.2).

    Parameters
    ----------
    pi : float[n]
        Current inclusion probabilities of its units; 0 where one was never in a design.
    p : float[n]
        Its distribution; sums to 1.
    known : bool[n]
        Units whose labels were published before the upload: they count exactly.
    target_variance : float
        V*, the variance that its precision may have at most.
    """
    floor = coordinated.floor_labels(target_variance)
    new_pi, lam = coordinated.top_up(np.where(known, 1.0, pi), p, target_variance, floor / len(p))
    return Arrival(new_pi, lam, floor, np.zeros(len(p)), np.zeros(len(p)))


@dataclass(frozen=True, eq=False)
class Before:
    """What an epoch's design is for some units before an arrival.

    Attributes
    ----------
    pi : float[n]
        Their inclusion probabilities; 0 where one was never in a design.
    squares : float[n]
        Under quadratic growth, their sums of squares; 0 otherwise.
    """

    pi: FloatArray
    squares: FloatArray


def arrive_quadratically(
    *,
    before: Before,
    p: FloatArray,
    known: BoolArray,
    target_variance: float,
    variance: FloatArray | None = None,
    most: float = coordinated.LABEL_VARIANCE,
) -> Arrival:
    """Grow the design for a system by the quadratic sum (docs/estimation.md, 3.2).

    Parameters are those of `arrive`; `variance` is s² as it is planned, ¼ where left out, and `most` the
    largest that it may be.
    """
    floor = coordinated.floor_labels(target_variance, coordinated.QUADRATIC_FLOOR)

    def grown(s2: FloatArray | None) -> coordinated.QuadraticSum:
        return coordinated.quadratic_sum(
            before.pi,
            before.squares,
            p,
            target_variance,
            variance=s2,
            most=most,
            known=known,
            floor=floor / len(p),
        )

    found = grown(variance)
    flat = found if variance is None else grown(None)
    return Arrival(found.pi, found.lam, floor, found.squares, flat.term)


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
    if submission.corpus.design != Corpus.Design.COORDINATED:
        sampled = _draw_iid(batch, units, p)
    elif epoch.growth == Epoch.Growth.QUADRATIC:
        sampled, pi, of_design = _draw_quadratically(batch, units, p, task)
    else:
        sampled, pi = _draw_coordinated(batch, units, p, task)
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


def current_pi(epoch: Epoch, through: int | None = None, ids: IntArray | None = None) -> dict[int, float]:
    """Return π of the units in the epoch's design, by row id.

    Parameters
    ----------
    through : int or None
        After which batch; None for the last.
    ids : int[n] or None
        Of which units; None for all.
    """
    # It never falls: the highest is the last.
    query = (
        "SELECT inclusion.unit_id, max(inclusion.probability)"
        " FROM evaluation_inclusionprobability AS inclusion"
        " JOIN evaluation_samplebatch AS batch ON batch.id = inclusion.batch_id AND batch.epoch_id = %s"
    )
    parameters: list[object] = [epoch.pk]
    if ids is not None:
        query += " JOIN unnest(%s::bigint[]) AS wanted (id) ON wanted.id = inclusion.unit_id"
        parameters.append(array_literal(ids.tolist()))
    if through is not None:
        query += " WHERE batch.number <= %s"
        parameters.append(through)
    found = read_columns(
        f"{query} GROUP BY inclusion.unit_id", parameters, {"unit": "bigint", "pi": "float8"}
    )
    return dict(zip(found["unit"].tolist(), found["pi"].tolist(), strict=True))


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


def _draw_quadratically(
    batch: SampleBatch, units: Units, p: FloatArray, task: Task
) -> tuple[dict[int, int | None], FloatArray, dict[str, bytes]]:
    """Store the design; return the newly sampled rows of `units`, π, and the columns of the design."""
    planned = None
    if task.plan is not None:
        planned = task.plan(batch.submission, batch.epoch, units.ids, number=batch.number)
    variance = None if planned is None else planned.variance
    known = task.known(batch.submission, units)
    before = read_before(batch.epoch, units.ids)
    arrival = arrive_quadratically(
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
    changed = np.flatnonzero((arrival.pi > before.pi) | (arrival.squares > before.squares))
    of_changed = (column[changed].tolist() for column in (units.ids, arrival.pi, arrival.squares, known))
    stored = copy_rows(
        InclusionProbability,
        ("batch_id", "unit_id", "probability", "squares", "is_known"),
        ((batch.pk, *row) for row in zip(*of_changed, strict=True)),
    )
    analyse({InclusionProbability: stored})
    u = coordinated.uniforms(bytes.fromhex(batch.epoch.secret), task.random_keys(units))
    drawn: dict[int, int | None] = {}
    drawn.update((int(row), None) for row in np.flatnonzero((u < arrival.pi) & (u >= before.pi)))
    return drawn, arrival.pi, columns.of_design(arrival.flat_term, variance)


def _draw_coordinated(
    batch: SampleBatch, units: Units, p: FloatArray, task: Task
) -> tuple[dict[int, int | None], FloatArray]:
    """Store the design; return the newly sampled rows of `units`, with no number of draws, and π."""
    known = task.known(batch.submission, units)
    before = current_pi(batch.epoch, ids=units.ids)
    pi = np.array([before.get(unit_id, 0.0) for unit_id in units.ids.tolist()])
    arrival = arrive(pi=pi, p=p, known=known, target_variance=batch.target_variance)
    batch.lam, batch.floor = arrival.lam, arrival.floor
    batch.save()
    changed = np.flatnonzero(arrival.pi > pi)
    of_changed = (column[changed].tolist() for column in (units.ids, arrival.pi, known))
    stored = copy_rows(
        InclusionProbability,
        ("batch_id", "unit_id", "probability", "is_known"),
        ((batch.pk, *row) for row in zip(*of_changed, strict=True)),
    )
    analyse({InclusionProbability: stored})
    u = coordinated.uniforms(bytes.fromhex(batch.epoch.secret), task.random_keys(units))
    return {int(row): None for row in np.flatnonzero((u < arrival.pi) & (u >= pi))}, arrival.pi


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
