"""Sampling: decide with which probability each claim is judged, draw, store, and ask.

Everything about one arrival happens in one transaction under the epoch's row lock: arrivals have one order,
that of the uploads among those that have the go-ahead and a place in the quota. The submission's own row is
locked in the end alone, so that its team may cancel it until then.
"""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.db import connection, transaction
from django.utils import timezone
from numpy.typing import NDArray

from annotations import questions
from annotations.models import Corpus, Question
from evaluation.design import columns
from evaluation.estimators import coordinated, iid, weighting
from evaluation.kbp.claims import COLUMNS, ClaimRow, Claims, known_claims, read_claims
from evaluation.models import (
    Epoch,
    InclusionProbability,
    Prediction,
    SampleBatch,
    SampledClaim,
    SampledInstance,
    Submission,
)
from evaluation.submissions import quota
from evaluation.submissions.lifecycle import BEFORE_SAMPLING, lock, move
from kbpo.core.analysing import analyse
from kbpo.core.coded import unpack, unpack_coded
from kbpo.core.columns import copy_rows, read_columns
from kbpo.core.nudge import nudge

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

SETTLE_TASK = "kbpo.pipeline.settle_questions"


@dataclass(frozen=True)
class Arrival:
    """What an arrival does to the design.

    Attributes
    ----------
    pi : float[n]
        Inclusion probabilities of the system's instances after it.
    lam : float
        The least scale of p that meets the target.
    floor : float
        b, the expected number of labels spread uniformly.
    """

    pi: FloatArray
    lam: float
    floor: float


def arrive(*, pi: FloatArray, p: FloatArray, known: BoolArray, target_variance: float) -> Arrival:
    """Grow the design for a system (docs/estimation.md, 3.2).

    Parameters
    ----------
    pi : float[n]
        Current inclusion probabilities of its instances; 0 where an instance was never in a design.
    p : float[n]
        Its distribution; sums to 1.
    known : bool[n]
        Instances whose labels were published before the upload: they count exactly.
    target_variance : float
        V*, the variance that its precision may have at most.
    """
    floor = coordinated.floor_labels(target_variance)
    new_pi, lam = coordinated.top_up(np.where(known, 1.0, pi), p, target_variance, floor / len(p))
    return Arrival(new_pi, lam, floor)


def is_due(submission: Submission) -> bool:
    """Say whether a submission waits for its sample and may have it now."""
    if submission.state != Submission.State.ACCEPTED or not submission.go_ahead:
        return False
    return submission.quota_taken_at is not None or (
        quota.free_at(team=submission.team, corpus=submission.corpus, now=timezone.now()) is None
    )


@transaction.atomic
def sample_submission(*, submission_id: int) -> bool:
    """Draw the sample of an accepted submission that has the go-ahead, store it, and ask its questions.

    Returns
    -------
    bool
        False where there was nothing to do: not its turn, its team's quota used up, sampled before, or
        cancelled, be it meanwhile.
    """
    corpus_id = Submission.objects.values_list("corpus_id", flat=True).get(pk=submission_id)
    open_epoch = Epoch.objects.filter(corpus=corpus_id, released_at=None)
    epoch = open_epoch.select_for_update(of=("self",)).first()  # not of its corpus: others hand in there
    if epoch is None:  # released while we waited for its lock; the next one is there when this is tried again
        return False
    submission = Submission.objects.select_related("corpus", "team").get(pk=submission_id)
    if not is_due(submission) or _is_behind(submission):
        return False
    batch = SampleBatch(
        epoch=epoch,
        number=1 + SampleBatch.objects.filter(epoch=epoch).count(),
        submission=submission,
        target_variance=coordinated.target_variance(
            submission.corpus.target_half_width, submission.corpus.target_level
        ),
    )
    claims = read_claims(submission)
    secret = bytes.fromhex(epoch.secret)
    pi = None
    if submission.corpus.design == Corpus.Design.COORDINATED:
        sampled, pi = _draw_coordinated(batch, claims)
    else:
        sampled = _draw_iid(batch, claims)
    columns.keep(batch, columns.make(claims, secret, pi))
    asked = _ask(batch, claims, sampled)
    connection.check_constraints()  # now, instead of under the lock: a million rows take seconds
    locked = lock(submission_id).filter(state=Submission.State.ACCEPTED, go_ahead=True).first()
    if locked is None or not quota.take(submission=locked, now=timezone.now()):
        transaction.set_rollback(True)
        return False
    move(
        locked,
        Submission.State.JUDGING,
        f"epoch {epoch.number}; people have to answer {asked} question{'s' * (asked != 1)}",
    )
    nudge(SETTLE_TASK)
    return True


def _is_behind(submission: Submission) -> bool:
    """Say whether an earlier upload to the corpus goes first: samples do not depend on who works when."""
    earlier = (
        Submission.objects.filter(corpus=submission.corpus, pk__lt=submission.pk, go_ahead=True)
        .filter(state__in=BEFORE_SAMPLING)
        .select_related("corpus", "team")
    )
    return any(other.state == Submission.State.UPLOADED or is_due(other) for other in earlier)


def current_pi(
    epoch: Epoch, through: int | None = None, submission: Submission | None = None
) -> dict[int, float]:
    """Return π of the instances in the epoch's design, by row id.

    Parameters
    ----------
    through : int or None
        After which batch; None for the last.
    submission : Submission or None
        Whose instances; None for all.
    """
    # It never falls: the highest is the last.
    query = (
        "SELECT inclusion.instance_id, max(inclusion.probability)"
        " FROM evaluation_inclusionprobability AS inclusion"
        " JOIN evaluation_samplebatch AS batch ON batch.id = inclusion.batch_id AND batch.epoch_id = %s"
    )
    parameters: list[object] = [epoch.pk]
    if submission is not None:
        query += (
            " JOIN evaluation_prediction AS prediction"
            " ON prediction.instance_id = inclusion.instance_id AND prediction.submission_id = %s"
        )
        parameters.append(submission.pk)
    if through is not None:
        query += " WHERE batch.number <= %s"
        parameters.append(through)
    found = read_columns(
        f"{query} GROUP BY inclusion.instance_id", parameters, {"instance": "bigint", "pi": "float8"}
    )
    return dict(zip(found["instance"].tolist(), found["pi"].tolist(), strict=True))


def _draw_coordinated(batch: SampleBatch, claims: Claims) -> tuple[dict[int, int | None], FloatArray]:
    """Store the design; return the newly sampled rows of `claims`, with no number of draws, and π."""
    before = current_pi(batch.epoch, submission=batch.submission)
    pi = np.array([before.get(row.instance_id, 0.0) for row in claims.rows])
    known = known_claims(batch.submission, claims.rows)
    arrival = arrive(pi=pi, p=claims.p, known=known, target_variance=batch.target_variance)
    batch.lam, batch.floor = arrival.lam, arrival.floor
    batch.save()
    changed = np.flatnonzero(arrival.pi > pi)
    of_changed = (column[changed].tolist() for column in (claims.instance_ids, arrival.pi, known))
    stored = copy_rows(
        InclusionProbability,
        ("batch_id", "instance_id", "probability", "is_known"),
        ((batch.pk, *row) for row in zip(*of_changed, strict=True)),
    )
    analyse({InclusionProbability: stored})
    u = coordinated.uniforms(bytes.fromhex(batch.epoch.secret), claims.keys)
    return {int(row): None for row in np.flatnonzero((u < arrival.pi) & (u >= pi))}, arrival.pi


def _draw_iid(batch: SampleBatch, claims: Claims) -> dict[int, int | None]:
    """Draw with replacement from p, store the number of draws, and return how often each row came."""
    batch.draws = draws_needed(batch, claims)
    batch.save()
    counts = count_draws(claims.p, batch.draws, secret=bytes.fromhex(batch.epoch.secret), number=batch.number)
    return {int(row): int(counts[row]) for row in np.flatnonzero(counts)}


def draws_needed(batch: SampleBatch, claims: Claims) -> int:
    """Return how many draws of a system meet the batch's target, beside those of the batches before it."""
    before = list(
        SampleBatch.objects.filter(epoch=batch.epoch, number__lt=batch.number)
        .order_by("number")
        .values_list("pk", "draws")
    )
    name = columns.weight(weighting.DEFAULT)
    systems = [
        (unpack(stored[columns.INSTANCES]), unpack_coded(stored[name]).column())
        for stored in columns.read([pk for pk, _ in before], [columns.INSTANCES, name])
    ]
    # Its own instances come first, in the order of their keys: they alone are summed over.
    own = claims.instance_ids
    foreign = np.setdiff1d(np.concatenate([[], *(ids for ids, _ in systems)]).astype(np.int64), own)
    ids = np.concatenate([own, foreign])
    order = np.argsort(ids)
    placed = [(order[np.searchsorted(ids, one, sorter=order)], p) for one, p in systems]
    return iid.draws_for_new_system(
        iid.systems_matrix([*placed, (np.arange(own.size), claims.p)], ids.size),
        np.array([draws for _, draws in before], dtype=np.int64),
        batch.target_variance,
    )


def count_draws(p: FloatArray, draws: int, *, secret: bytes, number: int) -> NDArray[np.int64]:
    """Draw with replacement from p, seeded by the epoch's secret and the batch's number.

    Returns
    -------
    int[n]
        How often each instance came; the sum is `draws`.
    """
    seed = int.from_bytes(hmac.digest(secret, f"draws|{number}".encode(), "sha256"), "big")
    return np.bincount(iid.draw(p, draws, np.random.default_rng(seed)), minlength=len(p))


def _ask(batch: SampleBatch, claims: Claims, sampled: dict[int, int | None]) -> int:
    """Store the sampled rows and ask whatever the batch's estimates need; return the number of questions.

    A batch needs the relation of each newly sampled instance, the canonical mentions that any system of the
    epoch claims there, and this system's own canonical mentions at instances that were sampled before.
    """
    rows = {row: claims.rows[row].relation() for row in sampled}
    asked = questions.ask_relations(list(rows.values()))
    SampledInstance.objects.bulk_create(
        (
            SampledInstance(
                batch=batch,
                epoch=batch.epoch,
                instance_id=claims.rows[row].instance_id,
                question=asked[claim][0],
                subject=asked[claim][1],
                draws=sampled[row],
            )
            for row, claim in rows.items()
        ),
        batch_size=5000,
    )
    claimants = _read_claimants(batch, claims, [claims.rows[row].instance_id for row in sampled])
    canonicals = questions.ask_canonicals({claim for _, row in claimants for claim in row.canonicals()})
    SampledClaim.objects.bulk_create(
        (
            SampledClaim(
                submission_id=submission_id,
                instance_id=row.instance_id,
                subject_question=canonicals[named[0]],
                object_question=canonicals[named[1]] if len(named) > 1 else None,
            )
            for submission_id, row in claimants
            for named in [row.canonicals()]
        ),
        batch_size=5000,
        ignore_conflicts=True,  # under `iid` an instance may be drawn again for another system
    )
    needed = {question.pk for question, _ in asked.values()} | {
        question.pk for question in canonicals.values()
    }
    batch.questions.add(*needed)
    analyse({SampledInstance: len(rows), SampledClaim: len(claimants)})
    analyse(dict.fromkeys((Question, SampleBatch.questions.through), len(needed)))
    return len(needed)


def _read_claimants(batch: SampleBatch, claims: Claims, new_ids: Sequence[int]) -> list[tuple[int, ClaimRow]]:
    """Return what systems of the epoch claim at new sampled instances, and the batch's at all of them."""
    everybody = Prediction.objects.filter(submission__batch__epoch=batch.epoch, instance__in=new_ids)
    found = {
        (submission_id, values[0]): ClaimRow._make(values)
        for submission_id, *values in everybody.order_by("submission_id", "instance_id").values_list(
            "submission_id", *COLUMNS
        )
    }
    before = SampledInstance.objects.filter(epoch=batch.epoch, batch__number__lt=batch.number)
    sampled = set(before.values_list("instance_id", flat=True))
    found |= {
        (batch.submission_id, row.instance_id): row for row in claims.rows if row.instance_id in sampled
    }
    return [(submission_id, row) for (submission_id, _), row in found.items()]
