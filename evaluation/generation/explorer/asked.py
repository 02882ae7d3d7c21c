"""Which outputs are asked for, and in which order, as an address says it."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from evaluation.generation import subsets
from kbpo.core.errors import InvalidInput

LONGEST = 200  # characters of what is looked for
FILE = "file"
METRIC_UP, METRIC_DOWN = "metric-up", "metric-down"
JUDGED_UP, JUDGED_DOWN = "judged-up", "judged-down"
OVER, UNDER = "over", "under"
ORDERS: Mapping[str, str] = MappingProxyType(
    {
        FILE: "as in the file",
        METRIC_UP: "the metric, lowest first",
        METRIC_DOWN: "the metric, highest first",
        JUDGED_UP: "the judgement, lowest first",
        JUDGED_DOWN: "the judgement, highest first",
        OVER: "overrated by the metric first",
        UNDER: "underrated by the metric first",
    }
)
OF_JUDGED = (JUDGED_UP, JUDGED_DOWN, OVER, UNDER)
"""Orders of what is judged; the others are of all outputs."""
BY_LINE = (OVER, UNDER)
"""Orders by how far outputs lie off the line of what the metric predicts."""
JUDGED: Mapping[str, str] = MappingProxyType({"": "all", "yes": "with judgements", "no": "without"})
DIVISIONS: Mapping[str, str] = MappingProxyType(
    {"length": subsets.BY_OUTPUT, "given": subsets.BY_INPUT, "word": subsets.BY_QUESTION}
)
"""How a division is called in an address."""
_OF_TEXTS = ("q", "word")  # what is found by them tells words of the corpus' texts


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """From where to where values may go; None: as far as they do."""

    low: float | None = None
    high: float | None = None

    @property
    def is_open(self) -> bool:
        """Say whether it leaves nothing out."""
        return self.low is None and self.high is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Which outputs are asked for.

    Attributes
    ----------
    text : str
        Words that must be in an output; empty for any.
    input_id : str
    subsets : mapping of str to str
        A subset's name, by the name of its division in the address.
    judged : {"", "yes", "no"}
        Whether judgements of them are published.
    metric : str
        The one that is shown first, and filtered and ordered by; empty where there is none.
    values : Range
        Of that metric.
    measure : str
        The one by which judgements are filtered and ordered.
    judgements : Range
    order : str
        A key of `ORDERS`.
    """

    metric: str
    measure: str
    text: str = ""
    input_id: str = ""
    subsets: Mapping[str, str] = field(default_factory=dict)
    judged: str = ""
    values: Range = field(default_factory=Range)
    judgements: Range = field(default_factory=Range)
    order: str = FILE

    @property
    def is_filtered(self) -> bool:
        """Say whether anything is left out."""
        ranges = self.values.is_open and self.judgements.is_open
        return bool(self.text or self.input_id or self.subsets or self.judged or not ranges)

    @property
    def needs_judgements(self) -> bool:
        """Say whether what is not judged is left out."""
        return self.judged == "yes" or not self.judgements.is_open or self.order in OF_JUDGED


def read(
    given: Mapping[str, str],
    *,
    metrics: Collection[str],
    declared: str,
    measures: Collection[str],
    is_open: bool,
) -> Asked:
    """Read which outputs an address asks for.

    Parameters
    ----------
    given : mapping of str to str
        What stands behind its question mark.
    metrics : collection of str
        Those of the submission.
    declared : str
        The metric that is shown where none is asked for, if the submission has it.
    measures : collection of str
        What is judged.
    is_open : bool
        Whether who asks may read the corpus' texts; else nothing can be found by their words.

    Raises
    ------
    InvalidInput
        Naming what is wrong, and what would be right.
    """
    for name in _OF_TEXTS:
        if given.get(name) and not is_open:
            raise InvalidInput("outputs are found by words only where the texts are open to you", where=name)
    found = {name: given[name] for name in DIVISIONS if given.get(name)}
    for name, subset in found.items():
        _check(name, subset, subsets.NAMES[DIVISIONS[name]])
    first = declared if declared in metrics else next(iter(metrics), "")
    metric, measure = given.get("metric") or first, given.get("measure") or next(iter(measures))
    if metric != first:
        _check("metric", metric, metrics)
    _check("measure", measure, measures)
    judged, order = given.get("judged", ""), given.get("order") or FILE
    _check("judged", judged, JUDGED)
    _check("order", order, ORDERS)
    if len(text := given.get("q", "").strip()) > LONGEST:
        raise InvalidInput(f"{len(text):,} characters; {LONGEST} are the most", where="q")
    return Asked(
        text=text,
        input_id=given.get("input", "").strip(),
        subsets=found,
        judged=judged,
        metric=metric,
        values=_range(given, "from", "to"),
        measure=measure,
        judgements=_range(given, "low", "high"),
        order=order,
    )


def _check(name: str, value: str, known: Collection[str]) -> None:
    if value not in known:
        listed = ", ".join(one for one in known if one)
        raise InvalidInput(f"{value!r:.80} is none of {listed}", where=name)


def _range(given: Mapping[str, str], low: str, high: str) -> Range:
    return Range(low=_number(given, low), high=_number(given, high))


def _number(given: Mapping[str, str], name: str) -> float | None:
    text = given.get(name, "").strip()
    if not text:
        return None
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InvalidInput(f"{text!r:.80} is no number; write one as 0.25, or nothing", where=name)
    return number
