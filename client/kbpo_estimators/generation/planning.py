"""How many judgements a target takes."""

import math
from dataclasses import dataclass

from kbpo_estimators import _checks
from kbpo_estimators.generation.worth import Variances


@dataclass(frozen=True, slots=True)
class Needed:
    """What a target takes.

    Attributes
    ----------
    outputs, judgements : float
        To be judged, on average; all of them where the target is out of reach.
    half_width : float
        What comes of that: the target, or the least that there is.
    is_reached : bool
    efficiency : float
        (1 + γ)/(1 − ρ² + γ).
    """

    outputs: float
    judgements: float
    half_width: float
    is_reached: bool
    efficiency: float


def needed(
    planned: Variances,
    rho: float,
    outputs: int,
    half_width: float,
    *,
    quantile: float = 1.2815515655446004,
    twice: float = 0.3,
) -> Needed:
    """Say how many judgements a half-width takes with a metric.

    V = σ_f²(1 − ρ²)(1/n − 1/N) + σ_a² E[1/k]/n for n of N outputs, of which a share is judged twice.

    Parameters
    ----------
    planned : Variances
        Planning values: of the data set, or of an epoch before.
    rho : float
        Of the candidate metric; 0 for none.
    outputs : int
        N.
    half_width : float
        Of the normal interval, above 0.
    quantile : float
        Of the normal distribution; by default that of 80%.
    twice : float
        The share that is judged twice.

    Returns
    -------
    Needed
    """
    target = (_checks.positive("half_width", half_width) / _checks.positive("quantile", quantile)) ** 2
    n = _checks.whole("outputs", outputs, 1)
    if not -1.0 <= rho <= 1.0:
        _checks.refuse("rho", f"is {rho!r}; a correlation lies in [−1, 1]")
    of_outputs = max(0.0, planned.sigma2_f) * (1.0 - rho**2)
    of_people = planned.sigma2_a * (1.0 - twice / 2.0)
    total = max(0.0, planned.sigma2_f) + planned.sigma2_a
    left = total - max(0.0, planned.sigma2_f) * rho**2
    efficiency = total / left if left > 0 else math.inf if total > 0 else 1.0
    wanted = (of_outputs + of_people) / (target + of_outputs / n)
    judged = min(float(n), max(1.0, wanted))
    least = quantile * math.sqrt(max(0.0, of_outputs * (1.0 / judged - 1.0 / n) + of_people / judged))
    reached = wanted <= n
    return Needed(
        judged, judged * (1.0 + twice), half_width if reached and wanted >= 1 else least, reached, efficiency
    )
