"""The scale of a measure, as a share: 0 is the worst there can be, 1 the best."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from kbpo_estimators.differences import Difference, Differences
from kbpo_estimators.intervals import Interval


@dataclass(frozen=True, slots=True)
class Scale:
    """A measure's scale.

    Attributes
    ----------
    low, high : float
    is_less_better : bool
    """

    low: float
    high: float
    is_less_better: bool

    @classmethod
    def of(
        cls, measure: str, scales: Mapping[str, tuple[float, float]], less_is_better: Collection[str]
    ) -> "Scale":
        """Return that of a measure, from those of the measures that are no shares, and those turned round."""
        low, high = scales.get(measure, (0.0, 1.0))
        return cls(low, high, measure in less_is_better)

    @property
    def is_plain(self) -> bool:
        """Say whether its values are such shares."""
        return (self.low, self.high, self.is_less_better) == (0.0, 1.0, False)

    @property
    def step(self) -> float:
        """How far a share goes up, where the measure does by 1."""
        return (-1.0 if self.is_less_better else 1.0) / (self.high - self.low)

    def share(self, figure: Interval) -> Interval:
        """Return an estimate of the measure as a share."""
        if self.is_plain:
            return figure
        worst = self.high if self.is_less_better else self.low
        ends = sorted(min(1.0, max(0.0, (end - worst) * self.step)) for end in (figure.low, figure.high))
        estimate = (figure.estimate - worst) * self.step
        return Interval(min(ends[1], max(ends[0], estimate)), *ends)

    def difference(self, found: Difference) -> Difference:
        """Return a difference of the measure as one of shares."""
        if self.is_plain:
            return found
        variance = None if found.variance is None else found.variance * self.step**2
        return replace(found, estimate=found.estimate * self.step, variance=variance)

    def shares(self, found: Differences) -> Differences:
        """Return differences of the measure as those of shares."""
        if self.is_plain:
            return found
        square = self.step**2
        return replace(
            found,
            estimates=found.estimates * self.step,
            variances=found.variances * square,
            own=found.own * square,
            others=found.others * square,
        )

    def back(self, difference: Interval) -> Interval:
        """Return a difference of shares as one of the measure."""
        if self.is_plain:
            return difference
        low, high = sorted((difference.low / self.step, difference.high / self.step))
        return Interval(difference.estimate / self.step, low, high)
