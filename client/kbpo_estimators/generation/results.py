"""What is estimated of a system, and of two."""

import math
from dataclasses import dataclass

from scipy.special import stdtrit

from kbpo_estimators.generation.scales import Scale, interval
from kbpo_estimators.intervals import DEFAULT_LEVEL, Interval


@dataclass(frozen=True, slots=True)
class Estimated:
    """An estimated mean that has an interval.

    Attributes
    ----------
    estimate, variance, degrees_of_freedom, n_eff : float
    scale : Scale
    """

    estimate: float
    variance: float
    degrees_of_freedom: float
    n_eff: float
    scale: Scale

    def interval(self, level: float = DEFAULT_LEVEL) -> Interval:
        """Return its interval at a level."""
        return interval(self.estimate, self.variance, self.degrees_of_freedom, self.n_eff, self.scale, level)


@dataclass(frozen=True, slots=True)
class Score:
    """A system's score by one measure.

    Attributes
    ----------
    this_crowd : Estimated
        With a variance for other outputs drawn, and other people of this crowd asked.
    another_crowd : Estimated or None
        For another crowd altogether; None where one person gave all judgements.
    plain : Estimated
        The same without a metric.
    of_draw, of_people : float
        Both parts of the variance of `this_crowd`.
    sigma2_a : float
        σ̂_a² as it was used; NaN where no output was judged twice: then the variance is an upper bound.
    outputs, judgements : int
        Judged outputs, and judgements of them.
    metric : str or None
        The candidate that serves most folds.
    workers : float
        G: how many people of equal shares the judgements amount to.
    """

    this_crowd: Estimated
    another_crowd: Estimated | None
    plain: Estimated
    of_draw: float
    of_people: float
    sigma2_a: float
    outputs: int
    judgements: int
    metric: str | None
    workers: float

    @property
    def efficiency(self) -> float:
        """How many judgements one is worth, with the metric: the ratio of both variances."""
        if self.this_crowd.variance > 0:
            return self.plain.variance / self.this_crowd.variance
        return 1.0 if self.plain.variance == 0 else math.inf

    @property
    def saved(self) -> float:
        """The judgements more that the plain mean would take; below 0 where the metric harms."""
        return self.judgements * (self.efficiency - 1.0)


@dataclass(frozen=True, slots=True)
class Compared:
    """How much more one system has of a measure than another, on the inputs that both have.

    Attributes
    ----------
    estimate, variance, degrees_of_freedom : float
    crowd_variance, crowd_degrees : float
        For another crowd; infinite and 1 where one person gave all judgements.
    different, shared : int
        Inputs for which their outputs differ, and for which they are the same.
    first, second : Estimated
        The two scores.
    """

    estimate: float
    variance: float
    degrees_of_freedom: float
    crowd_variance: float
    crowd_degrees: float
    different: int
    shared: int
    first: Estimated
    second: Estimated

    def interval(self, level: float = DEFAULT_LEVEL, *, another_crowd: bool = False) -> Interval:
        """Return its interval, clipped to what can be; without width where all outputs are shared.

        Where no variance is seen the two scores' intervals are combined by Newcombe's square-and-add, as
        `kbpo_estimators.intervals.difference_interval` does.
        """
        if not self.different:
            return Interval(0.0, 0.0, 0.0)
        variance, degrees = self.variance, self.degrees_of_freedom
        if another_crowd:
            variance, degrees = self.crowd_variance, self.crowd_degrees
        down = up = float(stdtrit(degrees, (1 + level) / 2)) * math.sqrt(variance)
        if not variance > 0:
            one, two = self.first.interval(level), self.second.interval(level)
            down = math.hypot(one.estimate - one.low, two.high - two.estimate)
            up = math.hypot(one.high - one.estimate, two.estimate - two.low)
        scale = self.first.scale
        most = math.inf if scale.high is None else scale.span
        low, high = max(-most, self.estimate - down), min(most, self.estimate + up)
        return Interval(min(most, max(-most, self.estimate)), low, high)
