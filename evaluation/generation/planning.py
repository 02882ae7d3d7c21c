"""How uncertain a judgement is planned to be, and what a target takes with each metric.

What is planned is what was said of a data set as it was made; else what was found in judgements that were
published before the epoch opened, frozen with its house metric; else what was found elsewhere. Nothing rests
on a judgement of the epoch, so that what is sampled by it is as good as any.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from annotations import prompts
from annotations.models import Corpus, Prompt
from annotations.policies.single import SECOND_SHARE
from annotations.texts.inputs import MEASURES, PARTS_OF_PLAN, QUALITY
from evaluation.generation.house import HOUSE, House
from evaluation.generation.metrics import freezing
from evaluation.generation.metrics import stored as stored_metrics
from evaluation.generation.metrics.registry import METRICS
from evaluation.models import Epoch, PlannedVariance, Submission
from evaluation.units import Alternative, FloatArray, IntArray, Plan
from kbpo_estimators import coordinated
from kbpo_estimators.generation import Needed, Variances, needed

VERSION = "planning values 2"
NONE, PERFECT = "none", "perfect"
STATED, MEASURED, ELSEWHERE = "stated", "measured", "elsewhere"
"""Where a planned value is from: the data set, what was published before, other data sets."""
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


@dataclass(frozen=True, slots=True)
class Values:
    """What a measure of a data set is planned with.

    Attributes
    ----------
    outputs, judgements : float
        σ_f² and σ_a².
    source : {"stated", "measured", "elsewhere"}
        Where these are from.
    correlations : mapping of str to (float, str)
        ρ of the candidates for g of which something is known, by name, and where that is from.
    """

    outputs: float
    judgements: float
    source: str
    correlations: Mapping[str, tuple[float, str]]

    @property
    def variances(self) -> Variances:
        """Return σ_a² and σ_f²."""
        return Variances(sigma2_a=self.judgements, sigma2_f=self.outputs)


def values_of(prompt: Prompt | None, measure: str, house: House | None = None) -> Values:
    """Return what a measure of a data set is planned with, in an epoch with this house metric."""
    given = {} if prompt is None else prompt.planning.get(measure, {})
    declared = "" if prompt is None else prompt.metric
    found = None if house is None else house.found.get(measure)
    (outputs, judgements), source = USUAL[measure], ELSEWHERE
    correlations: dict[str, tuple[float, str]] = {}
    if found is not None:
        outputs, judgements, source = found.variance_outputs, found.variance_judgements, MEASURED
        known = {name.partition("|")[0]: rho for name, rho in found.correlations.items()}
        correlations = {name: (known[name], MEASURED) for name in (declared, HOUSE) if name in known}
    if given:
        before = dict(zip(PARTS_OF_PLAN, (outputs, judgements, 0.0), strict=True))
        outputs, judgements, rho = (float({**before, **given}[name]) for name in PARTS_OF_PLAN)
        source = STATED
        # One that is left out stands as 0, and then what is measured says more.
        if declared and (rho or declared not in correlations):
            correlations[declared] = rho, STATED
    return Values(outputs, judgements, source, correlations)


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
    if stated != _stated(batch.submission, batch.epoch):
        findings.append("the values that variances were planned with are not those of the data set")
    return variance_of(stated, ids.size, batch.target_variance), findings


def alternatives(submission: Submission, epoch: Epoch, size: int) -> Sequence[Alternative]:
    """Return what judging would take with no metric, with each candidate, and with a perfect one.

    A sample is planned with the candidate that goes best with judgements, of those that the submission has.

    Parameters
    ----------
    submission : Submission
    epoch : Epoch
    size : int
        How many outputs it has.
    """
    values, known = _known(submission, epoch)
    taken = _best(known)
    target = _target(epoch.corpus)
    found = []
    for name, (rho, source) in {NONE: (0.0, ""), **known, PERFECT: (1.0, "")}.items():
        foreseen = _needed(values, rho, size, target)
        found.append(
            Alternative(
                name=name,
                label=label_of(name),
                words="" if not source else f"ρ = {rho:.2f}, {_SOURCES[source]}",
                variance=variance_of((values.outputs, values.judgements, rho), size, target),
                votes=1.0 + SECOND_SHARE,
                share=foreseen.half_width / math.sqrt(target),
                is_reached=foreseen.is_reached,
                efficiency=foreseen.efficiency if math.isfinite(foreseen.efficiency) else None,
                is_taken=name == taken,
                is_bound=name == PERFECT,
            )
        )
    return found


def label_of(name: str) -> str:
    """Return what a candidate is called."""
    if name in _LABELS:
        return _LABELS[name]
    return METRICS[name].label if name in METRICS else name


_LABELS = {NONE: "No metric", PERFECT: "A perfect metric", HOUSE: "House metric"}
_SOURCES = {
    STATED: "as the data set states it",
    MEASURED: "as published judgements have it",
    ELSEWHERE: "as it was found elsewhere",
}


def noise_words(submission: Submission, epoch: Epoch, size: int) -> str:
    """Say what people's differences allow at best, in a sentence or two."""
    values, _ = _known(submission, epoch)
    cap, target = values.variances.cap, _target(epoch.corpus)
    least = _needed(values, 0.0, size, 1e-12).half_width / math.sqrt(target) * epoch.corpus.target_half_width
    much = f"{cap:.1f} judgements" if math.isfinite(cap) else "any number of them"
    return (
        f"What people say of one output varies by σ² = {values.judgements:.3f}, outputs themselves by"
        f" {values.outputs:.3f}, {_SOURCES[values.source]}. So even with a perfect metric a judgement is"
        f" worth {much} at most, and with all {size:,} outputs judged ±{100 * least:.1f} points are left."
    )


def _needed(values: Values, rho: float, size: int, target_variance: float) -> Needed:
    half_width = math.sqrt(target_variance)  # of an interval of one standard error
    return needed(values.variances, rho, size, half_width, quantile=1.0, twice=SECOND_SHARE)


def _known(submission: Submission, epoch: Epoch) -> tuple[Values, Mapping[str, tuple[float, str]]]:
    """Return what a submission is planned with, and ρ of the candidates that it has, where one is known."""
    prompt, house = prompts.prompt_of(epoch.corpus), freezing.frozen_of(epoch)
    values = values_of(prompt, _measure(epoch.corpus), house)
    there = set(stored_metrics.names_of(submission))
    if house is not None and freezing.has_house(submission, house):
        there.add(HOUSE)
    return values, {name: one for name, one in values.correlations.items() if name in there}


def _best(known: Mapping[str, tuple[float, str]]) -> str:
    """Return the candidate that a sample is planned with."""
    return max(known, key=lambda name: abs(known[name][0]), default=NONE)


def _stated(submission: Submission, epoch: Epoch) -> tuple[float, float, float]:
    """Return what a submission is planned with: a metric that it has not corrects nothing."""
    values, known = _known(submission, epoch)
    rho = known[_best(known)][0] if known else 0.0
    return values.outputs, values.judgements, rho


def _measure(corpus: Corpus) -> str:
    prompt = prompts.prompt_of(corpus)
    return MEASURES[QUALITY if prompt is None else prompt.name][0]


def _target(corpus: Corpus) -> float:
    return coordinated.target_variance(corpus.target_half_width, corpus.target_level)
