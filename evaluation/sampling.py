"""Sampling: decide with which probability each claim is judged, draw, store, and ask.

Everything about one arrival happens in one transaction under the epoch's row lock: arrivals have one order,
that of the uploads among those that have the go-ahead and a place in the quota. The submission's own row is
locked in the end alone, so that its team may cancel it until then.
"""

import hmac
from dataclasses import dataclass

import numpy as np
from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone
from numpy.typing import NDArray

from annotations import questions
from annotations.models import Corpus, Question
from annotations.questions import CanonicalClaim, Claim
from evaluation import quota
from evaluation.estimators import coordinated, iid
from evaluation.lifecycle import BEFORE_SAMPLING, lock, move
from evaluation.models import (
    Epoch,
    InclusionProbability,
    Prediction,
    SampleBatch,
    SampledInstance,
    Submission,
)
from kbpo.core.nudge import nudge
from kbpo.core.spans import Span

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

SETTLE_TASK = "kbpo.pipeline.settle_questions"


@dataclass(frozen=True)
class Claims:
    """A submission's predictions as columns, in the order of their instances' keys.

    Attributes
    ----------
    predictions : list of Prediction
        With their instances and documents.
    keys : list of str
        The instances' keys, ascending: the order in which every sum and draw is made.
    p : float[n]
        The stored probabilities of the default weighting.
    """

    predictions: list[Prediction]
    keys: list[str]
    p: FloatArray


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
    """Grow the design for a system (ESTIMATION.md 3.2).

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


def read_claims(submission: Submission) -> Claims:
    """Read a submission's predictions in the order of their keys."""
    predictions = list(
        submission.predictions.select_related("instance__document").defer("instance__document__text")
    )
    keyed = sorted((key_of(prediction), index) for index, prediction in enumerate(predictions))
    ordered = [predictions[index] for _, index in keyed]
    return Claims(ordered, [key for key, _ in keyed], np.array([row.probability for row in ordered]))


def key_of(prediction: Prediction) -> str:
    """Return the key of a prediction's instance: what the epoch's secret is applied to."""
    instance = prediction.instance
    return coordinated.instance_key(
        instance.document.doc_id,
        instance.predicate,
        Span(instance.subject_start, instance.subject_end),
        Span(instance.object_start, instance.object_end),
    )


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
    if submission.corpus.design == Corpus.Design.COORDINATED:
        sampled = _draw_coordinated(batch, claims)
    else:
        sampled = _draw_iid(batch, claims)
    asked = _ask(batch, claims, sampled)
    connection.check_constraints()  # now, instead of under the lock: a million rows take seconds
    locked = lock(submission_id).filter(state=Submission.State.ACCEPTED, go_ahead=True).first()
    if locked is None or not quota.take(submission=locked, now=timezone.now()):
        transaction.set_rollback(True)
        return False
    move(
        locked,
        Submission.State.JUDGING,
        f"epoch {epoch.number}; people have to answer {asked} questions",
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


def current_pi(epoch: Epoch, through: int | None = None) -> dict[int, float]:
    """Return π of every instance in the epoch's design after batch `through` (None: the last), by row id."""
    rows = InclusionProbability.objects.filter(batch__epoch=epoch)
    if through is not None:
        rows = rows.filter(batch__number__lte=through)
    latest = rows.order_by("instance_id", "-batch__number").distinct("instance_id")
    return dict(latest.values_list("instance_id", "probability"))


def _draw_coordinated(batch: SampleBatch, claims: Claims) -> dict[int, int | None]:
    """Store the design and return the newly sampled rows of `claims`, with no number of draws."""
    instance_ids = [row.instance_id for row in claims.predictions]
    before = current_pi(batch.epoch)
    pi = np.array([before.get(instance_id, 0.0) for instance_id in instance_ids])
    known = known_claims(batch.submission, claims)
    arrival = arrive(pi=pi, p=claims.p, known=known, target_variance=batch.target_variance)
    batch.lam, batch.floor = arrival.lam, arrival.floor
    batch.save()
    InclusionProbability.objects.bulk_create(
        (
            InclusionProbability(
                batch=batch, instance_id=instance_ids[row], probability=arrival.pi[row], is_known=known[row]
            )
            for row in np.flatnonzero(arrival.pi > pi)
        ),
        batch_size=5000,
    )
    u = coordinated.uniforms(bytes.fromhex(batch.epoch.secret), claims.keys)
    return {int(row): None for row in np.flatnonzero((u < arrival.pi) & (u >= pi))}


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
        .values_list("submission_id", "draws")
    )
    # Its own instances come first, in the order of their keys: they alone are summed over.
    column_of = {row.instance_id: column for column, row in enumerate(claims.predictions)}
    rows: dict[int, tuple[list[int], list[float]]] = {submission_id: ([], []) for submission_id, _ in before}
    others = Prediction.objects.filter(submission__in=list(rows)).order_by("submission_id", "instance_id")
    for submission_id, instance_id, p in others.values_list("submission_id", "instance_id", "probability"):
        columns, weights = rows[submission_id]
        columns.append(column_of.setdefault(instance_id, len(column_of)))
        weights.append(p)
    own = (np.arange(len(claims.p)), claims.p)
    systems = [(np.array(columns), np.array(weights)) for columns, weights in rows.values()]
    return iid.draws_for_new_system(
        iid.systems_matrix([*systems, own], len(column_of)),
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


def known_claims(submission: Submission, claims: Claims) -> BoolArray:
    """Say for which predictions every question that they need was published before the upload.

    Such an instance counts exactly, with π = 1 (ESTIMATION.md 4); it needs no sample of its own.

    Returns
    -------
    bool[n]
        In the order of `claims`. The answer stays the same at any later time.
    """
    documents = set(
        Question.objects.filter(
            document__corpus=submission.corpus_id, published_at__lt=submission.uploaded_at
        ).values_list("document_id", flat=True)
    )
    possible = [row for row in claims.predictions if row.instance.document_id in documents]
    relations = questions.find_relations([relation_claim(row) for row in possible])
    canonicals = questions.find_canonicals({claim for row in possible for claim in canonical_claims(row)})

    def published(question: Question | None) -> bool:
        return (
            question is not None
            and question.published_at is not None
            and question.published_at < submission.uploaded_at
        )

    return np.array(
        [
            published((relations.get(relation_claim(row)) or (None, 0))[0])
            and all(published(canonicals.get(claim)) for claim in canonical_claims(row))
            for row in claims.predictions
        ],
        dtype=bool,
    )


def relation_claim(prediction: Prediction) -> Claim:
    """Return what a prediction says, as questions name it. Its instance must be at hand."""
    instance = prediction.instance
    return Claim(
        document_id=instance.document_id,
        predicate=instance.predicate,
        subject=Span(instance.subject_start, instance.subject_end),
        subject_type=prediction.subject_type,
        object=Span(instance.object_start, instance.object_end),
        object_type=prediction.object_type,
    )


def canonical_claims(prediction: Prediction) -> list[CanonicalClaim]:
    """List the canonical mentions that a prediction claims: subject and, unless a string, object."""
    instance = prediction.instance
    claims = [
        CanonicalClaim(
            document_id=instance.document_id,
            mention=Span(instance.subject_start, instance.subject_end),
            canonical=Span(prediction.subject_canonical_start, prediction.subject_canonical_end),
        )
    ]
    if prediction.object_canonical_start is not None and prediction.object_canonical_end is not None:
        claims.append(
            CanonicalClaim(
                document_id=instance.document_id,
                mention=Span(instance.object_start, instance.object_end),
                canonical=Span(prediction.object_canonical_start, prediction.object_canonical_end),
            )
        )
    return claims


def _ask(batch: SampleBatch, claims: Claims, sampled: dict[int, int | None]) -> int:
    """Store the sampled rows and ask whatever the batch's estimates need; return the number of questions.

    A batch needs the relation of each newly sampled instance, the canonical mentions that any system of the
    epoch claims there, and this system's own canonical mentions at instances that were sampled before.
    """
    rows = {row: relation_claim(claims.predictions[row]) for row in sampled}
    asked = questions.ask_relations(list(rows.values()))
    SampledInstance.objects.bulk_create(
        (
            SampledInstance(
                batch=batch,
                epoch=batch.epoch,
                instance_id=claims.predictions[row].instance_id,
                question=asked[claim][0],
                subject=asked[claim][1],
                draws=sampled[row],
            )
            for row, claim in rows.items()
        ),
        batch_size=5000,
    )
    new_ids = [claims.predictions[row].instance_id for row in sampled]
    everybody = Q(submission__batch__epoch=batch.epoch, instance__in=new_ids)
    own = Q(submission=batch.submission, instance__sampled__epoch=batch.epoch)
    claimants = Prediction.objects.filter(everybody | own).select_related("instance").distinct()
    canonicals = questions.ask_canonicals({claim for row in claimants for claim in canonical_claims(row)})
    needed = {question.pk for question, _ in asked.values()} | {
        question.pk for question in canonicals.values()
    }
    batch.questions.add(*needed)
    return len(needed)
