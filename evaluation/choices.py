"""What of a task's scores there is to choose from, by key, each with its name for people."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from kbpo.core.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Part:
    """What of a prediction must be right.

    Attributes
    ----------
    name : str
    measures : tuple of str
        Those that are estimated of it; the task's others are never estimable.
    ranked_by : str
        The one of them by which systems are ranked.
    """

    name: str
    measures: tuple[str, ...]
    ranked_by: str


@dataclass(frozen=True, slots=True)
class Counted:
    """What else a score says of what it rests on: a column of the leaderboard.

    Attributes
    ----------
    heading : str
        Of its column.
    words : str
        What it is, in a sentence without its end.
    stored : str
        Its name in `Score.counts`.
    divisor : int
        By which what is stored is divided.
    """

    heading: str
    words: str
    stored: str
    divisor: int = 1

    def read(self, counts: Mapping[str, float | None]) -> float | None:
        """Return it from what is stored; None where that is not estimable."""
        found = counts.get(self.stored)
        return found if found is None or self.divisor == 1 else found / self.divisor


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What of a task's scores there is to choose from.

    Attributes
    ----------
    unit, units : str
        What is sampled, in words for one and for several.
    measures : mapping of str to str
        What is estimated of a system, in the order of a table's columns.
    parts : mapping of str to Part
        The first is what the leaderboard shows.
    weightings : mapping of str to str
        How predictions are averaged.
    weightings_of : mapping of str to tuple of str
        Those under each design; the first is what the leaderboard shows, and what samples are drawn for.
    estimators : mapping of str to str
        How what can be estimated in several ways is.
    estimators_of : mapping of str to tuple of str
        Those under each design; the first is what the leaderboard shows.
    standards : mapping of str to str
        What counts as right: what the votes say, or what an audit of them makes of that.
    standards_of : mapping of str to tuple of str
        Those under each design; the first that a corpus has scores by is what its leaderboard shows.
    standards_choose : str
        What is chosen by choosing a standard, for the label of that choice.
    estimators_choose : str
        The same of estimators; empty: what they estimate.
    estimators_of_all : tuple of str
        The designs whose estimators differ in every measure.
    resampled : tuple of str
        The estimators whose intervals are the bootstrap's; those of others follow from a formula.
    estimated : str
        The measure that can be estimated in several ways: a part without it leaves nothing to choose, but
        under a design of `estimators_of_all`.
    designed : str
        The measure whose interval the sample is designed for.
    of_truth : tuple of str
        The measures that rest on how much that is true is known.
    few_true : str
        Why these are left out of a subset of which too little is; {} stands for how much is needed.
    ranked_from : int
        How many labelled units a system needs to be ranked.
    levels : tuple of int
        Of the intervals, and of the ranks over all pairs of systems, in per cent.
    level : int
        The one that is shown.
    true_units : str
        What the number that `of_truth` rest on counts, in a table's heading.
    least_labels : int
        How many labels a subset needs, in words on pages.
    parts_rank_alone : bool
        Whether parts differ in nothing but by which measure systems are ranked.
    scales : mapping of str to (float, float)
        The lowest and the highest value of the measures that are no shares.
    less_is_better : tuple of str
        The measures of which that system is ahead that has less.
    standard_words : mapping of str to str
        What scores by a standard hold, for a task that does not audit labels; empty: the pages know it.
    in_hundredths : str
        How a column's heading says that its figures are multiplied by 100.
    labelled : str
        What heads a column of labelled units.
    measure_words : mapping of str to str
        What a measure is, for somebody who has not heard of it: a clause.
    plane : (str, str) or None
        The measures that the picture of systems has across and up; None: there is none.
    has_equal_f1 : bool
        Whether F1 follows from these two, so that lines of equal F1 can be drawn.
    counts : mapping of str to Counted
        What else the leaderboard says of a score, by its name in the API.
    missing : callable
        From a part and a measure to why the measure of a scored system is not estimable, in words.
    """

    unit: str
    units: str
    measures: Mapping[str, str]
    parts: Mapping[str, Part]
    weightings: Mapping[str, str]
    weightings_of: Mapping[str, tuple[str, ...]]
    estimators: Mapping[str, str]
    estimators_of: Mapping[str, tuple[str, ...]]
    standards: Mapping[str, str]
    standards_of: Mapping[str, tuple[str, ...]]
    estimated: str
    designed: str
    of_truth: tuple[str, ...]
    few_true: str
    ranked_from: int
    levels: tuple[int, ...]
    level: int
    missing: Callable[[str, str], str]
    standards_choose: str = "scores"
    estimators_choose: str = ""
    estimators_of_all: tuple[str, ...] = ()
    resampled: tuple[str, ...] = ()
    true_units: str = "true relations"
    least_labels: int = 30
    parts_rank_alone: bool = False
    scales: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    less_is_better: tuple[str, ...] = ()
    standard_words: Mapping[str, str] = field(default_factory=dict)
    in_hundredths: str = "%"
    labelled: str = "labels"
    measure_words: Mapping[str, str] = field(default_factory=dict)
    plane: tuple[str, str] | None = None
    has_equal_f1: bool = False
    counts: Mapping[str, Counted] = field(default_factory=dict)

    @property
    def explained(self) -> list[tuple[str, str]]:
        """The measures' names, each with what it is."""
        return [(self.measures[name], words) for name, words in self.measure_words.items()]

    @property
    def is_share(self) -> bool:
        """Whether figures are in per cent."""
        return self.in_hundredths == "%"

    def number(self, units: int) -> str:
        """Return so many units in words, as "1 claim" or "1,205 outputs"."""
        return f"{units:,} {self.unit if units == 1 else self.units}"

    @property
    def parts_of_scores(self) -> tuple[str, ...]:
        """The parts whose scores say something of their own."""
        return (self.part,) if self.parts_rank_alone else tuple(self.parts)

    @property
    def part(self) -> str:
        """The part that is shown by default."""
        return next(iter(self.parts))

    def estimated_name(self, design: str) -> str:
        """Return the name of what a design's estimators estimate in different ways, or are chosen for."""
        if self.estimators_choose:
            return self.estimators_choose
        return "scores" if design in self.estimators_of_all else self.measures[self.estimated]

    @property
    def designed_name(self) -> str:
        """The name of the measure that the sample is designed for."""
        return self.measures[self.designed]

    def unranked(self, labels: int) -> str:
        """Say why a system with so few labelled units has no rank; empty where they are enough."""
        if labels >= self.ranked_from:
            return ""
        units = self.unit if labels == 1 else self.units
        return f"No rank: {labels} {units} judged, and {self.ranked_from} are needed."

    def default_weighting(self, design: str) -> str:
        """Return what is shown by default under a design, and what its new epochs draw samples for."""
        return self.weightings_of[design][0]

    def named_weightings(self, design: str) -> dict[str, str]:
        """Return the weightings under a design, with their names."""
        return {key: self.weightings[key] for key in self.weightings_of[design]}

    def named_estimators(self, design: str, part: str | None = None) -> dict[str, str]:
        """Return the estimators under a design, with their names; none where a part needs none."""
        is_needed = part is None or self.estimated in self.parts[part].measures
        if not is_needed and design not in self.estimators_of_all:
            return {}
        return {key: self.estimators[key] for key in self.estimators_of[design]}

    def named_standards(self, design: str) -> dict[str, str]:
        """Return what may count as right under a design, with its name."""
        return {key: self.standards[key] for key in self.standards_of[design]}

    def check(
        self, design: str, *, level: int, part: str, weighting: str, estimator: str | None, standard: str
    ) -> str:
        """Validate what is to be shown, and return the estimator that this means.

        Raises
        ------
        InvalidInput
            Naming the argument, its value and what would be right.
        """
        for name, value, admitted in (
            ("level", level, self.levels),
            ("part", part, tuple(self.parts)),
            ("weighting", weighting, self.weightings_of[design]),
            ("standard", standard, self.standards_of[design]),
        ):
            if value not in admitted:
                known = ", ".join(str(one) for one in admitted)
                raise InvalidInput(f"{value!r} is none of {known}.", where=name)
        fitting = self.estimators_of[design]
        if estimator is None:
            return fitting[0]
        if estimator not in fitting:
            message = f"{estimator!r} is not for the design {design!r}: choose {' or '.join(fitting)}."
            raise InvalidInput(message, where="estimator")
        return estimator
