"""How uncertain a judgement is planned to be: from what was said of a data set as it was made.

Nothing here rests on a judgement of the epoch, so that what is sampled by it is as good as any.
"""

import math
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from annotations import prompts
from annotations.models import Corpus, Prompt
from annotations.policies.single import SECOND_SHARE
from annotations.texts.inputs import MEASURES, PARTS_OF_PLAN, QUALITY
from evaluation.estimators import coordinated
from evaluation.generation.estimates import Variances, needed
from evaluation.generation.metrics import stored as stored_metrics
from evaluation.models import Epoch, PlannedVariance, Submission
from evaluation.units import FloatArray, IntArray, Plan

VERSION = "planning values 1"
USUAL: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "overall": (0.140, 0.280),
        "fluency": (0.102, 0.320),
        "redundancy": (0.298, 0.260),
        "edit": (0.151, 0.066),
        "edit_capped": (0.151, 0.066),
        "any": (0.086, 0.139),
        "average": (0.080, 0.120),
    }
)
"""Variance of outputs and of judgements of one, as Chaganty, Mussmann and Liang (2018) found them."""
MOST_SAMPLED = 0.9999
"""π of outputs whose target is out of reach: as good as all are judged."""


def values_of(prompt: Prompt | None, measure: str) -> tuple[float, float, float]:
    """Return σ_f², σ_a² and ρ that a data set is planned with."""
    given = {} if prompt is None else prompt.planning.get(measure, {})
    outputs, judgements = USUAL[measure]
    usual = dict(zip(PARTS_OF_PLAN, (outputs, judgements, 0.0), strict=True))
    found = {**usual, **given}
    return tuple(float(found[name]) for name in PARTS_OF_PLAN)  # type: ignore[return-value]


def planned_pi(
    outputs: float, judgements: float, correlation: float, *, size: int, target_variance: float
) -> float:
    """Return π with which a system alone meets its target, as nearly as that can be.

    V = (σ_f²(1 − ρ²)(1/π − 1) + σ_a² E[1/k]/π)/N: what people differ in about one output is left even where
    all are judged, unlike what outputs differ in.

    Examples
    --------
    >>> round(planned_pi(0.14, 0.28, 0.0, size=596, target_variance=0.000548), 3)
    0.81
    """
    planned = Variances(sigma2_a=judgements, sigma2_f=outputs)
    half_width = math.sqrt(target_variance)  # of an interval of one standard error
    found = needed(planned, correlation, size, half_width, quantile=1.0, twice=SECOND_SHARE)
    return min(MOST_SAMPLED, found.outputs / size)


def variance_of(stated: tuple[float, float, float], size: int, target_variance: float) -> FloatArray:
    """Return s² of each output: with it Σ p² s² (1/π − 1) ≤ V* comes to the π of `planned_pi`."""
    outputs, judgements, correlation = stated
    pi = planned_pi(outputs, judgements, correlation, size=size, target_variance=target_variance)
    return np.full(size, size * target_variance * pi / (1.0 - pi))


def plan(
    submission: Submission, epoch: Epoch, ids: IntArray, *, number: int, foreseen: bool = False
) -> Plan | None:
    """Plan the variance of a submission's judgements; None for one without outputs."""
    if not ids.size:
        return None
    stated = _stated(submission, epoch)
    target = _target(epoch.corpus)
    return Plan(
        variance=variance_of(stated, ids.size, target),
        version=VERSION,
        matching="",
        error_ratio=1.0,
        coefficients=[list(stated)],
        evidence=b"",
        annotations=[],
        units=ids.size,
    )


def plan_again(stored: PlannedVariance, ids: IntArray) -> tuple[FloatArray, list[str]]:
    """Plan the variances of a batch again; say what differs from what the data set was made with."""
    batch, findings = stored.batch, []
    (stated,) = map(tuple, stored.coefficients)
    if stored.version == VERSION and stated != _stated(batch.submission, batch.epoch):
        findings.append("the values that variances were planned with are not those of the data set")
    return variance_of(stated, ids.size, batch.target_variance), findings


def _stated(submission: Submission, epoch: Epoch) -> tuple[float, float, float]:
    """Return what a submission is planned with: a metric that it has not corrects nothing."""
    prompt = prompts.prompt_of(epoch.corpus)
    measure = MEASURES[QUALITY if prompt is None else prompt.name][0]
    outputs, judgements, correlation = values_of(prompt, measure)
    has_metric = prompt is not None and prompt.metric in stored_metrics.names_of(submission)
    return outputs, judgements, correlation if has_metric else 0.0


def _target(corpus: Corpus) -> float:
    return coordinated.target_variance(corpus.target_half_width, corpus.target_level)
