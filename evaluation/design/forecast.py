"""What judging a submission would take, before its claims are sampled.

Everything here is an expected value over the epoch's random numbers: which claims are sampled stays sealed.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
from django.core.cache import cache
from django.db.models import Count, Exists, Max, Min, OuterRef
from numpy.typing import ArrayLike, NDArray

from annotations.models import Corpus, Question
from evaluation.design import sampling
from evaluation.estimators import coordinated, iid
from evaluation.kbp.claims import COLUMNS, ClaimRow, known_claims
from evaluation.models import Epoch, InclusionProbability, Prediction, SampleBatch, Submission

FloatArray = NDArray[np.float64]

PACE_WINDOW = timedelta(days=7)
SHORTEST = timedelta(hours=1)  # over which a pace is taken
ENOUGH = 10  # settled questions before a pace says anything
KEPT = 3600  # seconds that a forecast is kept; another arrival in the epoch makes a new one


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a sample of a submission's claims is expected to take.

    Attributes
    ----------
    instances : int
        Claims in all.
    known : int
        Those whose verdict was published before the upload: they count exactly.
    covered : float
        Those that are judged already, or are being judged for others, `known` among them.
    judged : float
        Those that must be judged for this submission.
    questions : float
        That these make.
    relations : float
        Those of the questions that are about relations; the others are about names.
    half_width, level : float
        What the sample aims at: this half-width of the interval of precision, at this level.
    """

    instances: int
    known: int
    covered: float
    judged: float
    questions: float
    relations: float
    half_width: float
    level: float


@dataclass(frozen=True)
class _Rows:
    p: FloatArray
    pi: FloatArray
    known: NDArray[np.bool_]
    pairs: NDArray[np.int64]
    canonicals: NDArray[np.int64]
    rows_of_canonicals: NDArray[np.int64]
    is_shared: NDArray[np.bool_]


def forecast(submission: Submission) -> Forecast | None:
    """Say what judging an accepted submission would take now; None where there is nothing to say.

    Of its canonical mentions, one that another system of the epoch claims at the same instance counts as
    asked wherever that instance is sampled already. The canonical mentions that others claim at newly sampled
    instances are not foreseen, nor are questions that another epoch has asked: both are few.
    """
    epoch = Epoch.objects.filter(corpus=submission.corpus_id, released_at=None).first()
    if epoch is None:
        return None
    arrivals = SampleBatch.objects.filter(epoch=epoch).count()
    key = f"forecast.2.{submission.pk}.{epoch.pk}.{arrivals}"
    found: Forecast | None = cache.get(key)
    if found is None and submission.predictions.exists():
        found = _forecast(submission, epoch)
        cache.set(key, found, KEPT)
    return found


def _forecast(submission: Submission, epoch: Epoch) -> Forecast:
    corpus = submission.corpus
    target = coordinated.target_variance(corpus.target_half_width, corpus.target_level)
    rows = _read(submission, epoch)
    if corpus.design == Corpus.Design.COORDINATED:
        before = np.where(rows.known, 1.0, rows.pi)
        after = sampling.arrive(pi=rows.pi, p=rows.p, known=rows.known, target_variance=target).pi
    else:
        before = np.where(rows.known, 1.0, 0.0)
        after = np.maximum(before, chance_to_be_drawn(rows.p, iid.draws_needed(target)))
    canonical_before = np.where(rows.is_shared, before[rows.rows_of_canonicals], 0.0)
    known_too = rows.known[rows.rows_of_canonicals]
    relations = expected_questions(rows.pairs, before, after)
    names = expected_questions(
        rows.canonicals,
        np.where(known_too, 1.0, canonical_before),
        after[rows.rows_of_canonicals],
    )
    return Forecast(
        instances=len(rows.p),
        known=int(rows.known.sum()),
        covered=float(before.sum()),
        judged=float((after - before).sum()),
        questions=relations + names,
        relations=relations,
        half_width=corpus.target_half_width,
        level=corpus.target_level,
    )


def expected_questions(groups: ArrayLike, before: ArrayLike, after: ArrayLike) -> float:
    """Return how many groups are expected to have their first sampled member because π grows.

    Parameters
    ----------
    groups : int[n]
        Which group, from 0, each instance belongs to: those that one question settles.
    before, after : float[n]
        Each instance's inclusion probability now and then; instances are sampled independently.

    Examples
    --------
    Two instances share a question, and each is to be sampled with probability ½:

    >>> expected_questions([0, 0], [0.0, 0.0], [0.5, 0.5])
    0.75
    """
    members = np.asarray(groups, dtype=np.int64)
    if not members.size:
        return 0.0
    size = int(members.max()) + 1

    def none_of(probabilities: ArrayLike) -> FloatArray:
        with np.errstate(divide="ignore"):
            logs = np.log1p(-np.asarray(probabilities, dtype=np.float64))
        return np.exp(np.bincount(members, logs, size))

    return float((none_of(before) - none_of(after)).sum())


def chance_to_be_drawn(p: FloatArray, draws: int) -> FloatArray:
    """Return the probability that each instance comes at least once in `draws` draws from p."""
    with np.errstate(divide="ignore"):
        return np.asarray(-np.expm1(draws * np.log1p(-p)), dtype=np.float64)


def time_to_judge(questions: float, now: datetime) -> timedelta | None:
    """Return how long until that many more questions are settled, at the pace of the last days.

    Those that wait already come first. None where too few were settled to tell.
    """
    recent = Question.objects.filter(settled_at__gt=now - PACE_WINDOW, settled_at__lte=now).aggregate(
        n=Count("pk"), first=Min("settled_at")
    )
    if recent["n"] < ENOUGH:
        return None
    waiting = Question.objects.exclude(state=Question.State.SETTLED).count()
    elapsed: timedelta = max(now - recent["first"], SHORTEST)
    return (waiting + questions) * elapsed / int(recent["n"])


def _read(submission: Submission, epoch: Epoch) -> _Rows:
    others = Prediction.objects.filter(instance=OuterRef("instance"), submission__batch__epoch=epoch)
    rows = submission.predictions.annotate(
        subject_shared=Exists(
            others.filter(
                subject_canonical_start=OuterRef("subject_canonical_start"),
                subject_canonical_end=OuterRef("subject_canonical_end"),
            )
        ),
        object_shared=Exists(
            others.filter(
                object_canonical_start=OuterRef("object_canonical_start"),
                object_canonical_end=OuterRef("object_canonical_end"),
            )
        ),
    ).values_list(
        "instance_id",
        "probability",
        "instance__document_id",
        "instance__subject_start",
        "instance__subject_end",
        "instance__object_start",
        "instance__object_end",
        "subject_canonical_start",
        "subject_canonical_end",
        "object_canonical_start",
        "object_canonical_end",
        "subject_shared",
        "object_shared",
    )
    present = dict(
        InclusionProbability.objects.filter(batch__epoch=epoch, instance__predictions__submission=submission)
        .values_list("instance_id")
        .annotate(highest=Max("probability"))  # it never falls
        .order_by()
    )
    published = _known(submission)
    pair_ids: dict[object, int] = {}
    canonical_ids: dict[object, int] = {}
    p, pi, known, pairs = [], [], [], []
    canonicals, owners, shared = [], [], []
    for row, (instance, share, document, *spans, subject_shared, object_shared) in enumerate(rows):
        subject, object_, canonical, object_canonical = zip(spans[::2], spans[1::2], strict=True)
        p.append(share)
        pi.append(present.get(instance, 0.0))
        known.append(instance in published)
        pair = (document, *sorted((subject, object_)))
        pairs.append(pair_ids.setdefault(pair, len(pair_ids)))
        claims = [(subject, canonical, subject_shared), (object_, object_canonical, object_shared)]
        for mention, named, is_shared in claims:
            if named[0] is not None:
                key = document, mention, named
                canonicals.append(canonical_ids.setdefault(key, len(canonical_ids)))
                owners.append(row)
                shared.append(is_shared)
    return _Rows(
        np.array(p),
        np.array(pi),
        np.array(known, dtype=bool),
        np.array(pairs, dtype=np.int64),
        np.array(canonicals, dtype=np.int64),
        np.array(owners, dtype=np.int64),
        np.array(shared, dtype=bool),
    )


def _known(submission: Submission) -> set[int]:
    """Return the instances that are known to a submission, looking only where something was published."""
    documents = Question.objects.filter(
        document__corpus=submission.corpus_id, published_at__lt=submission.uploaded_at
    ).values("document")
    rows = [
        ClaimRow._make(values)
        for values in submission.predictions.filter(instance__document__in=documents).values_list(*COLUMNS)
    ]
    known = known_claims(submission, rows)
    return {row.instance_id for row, is_known in zip(rows, known, strict=True) if is_known}
