"""What metrics are worth, as stored: by measure and system, from judgements that may be seen. Reads only."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from annotations import prompts
from annotations.models import Corpus
from annotations.texts.inputs import MEASURES, QUALITY
from evaluation.generation.choices import EDITS, NAMES
from evaluation.generation.house import HOUSE, House
from evaluation.generation.metrics.registry import METRICS
from evaluation.generation.planning import label_of
from evaluation.models import Epoch, HouseMetric, JudgedVariance, MetricWorth, Submission
from evaluation.submissions.visibility import Viewer, visible
from kbpo_estimators.generation import Variances

PEOPLE, METRIC = "people", "metric"


@dataclass(frozen=True, slots=True)
class MetricRow:
    """A metric by one measure of a system, with 95% intervals.

    Attributes
    ----------
    name, label : str
    mean : float
        Over all outputs.
    rho, rho_low, rho_high : float or None
        None where outputs show no difference, or none was judged twice.
    efficiency, efficiency_low, efficiency_high : float or None
        None: without end.
    """

    name: str
    label: str
    mean: float
    rho: float | None
    rho_low: float | None
    rho_high: float | None
    efficiency: float | None
    efficiency_low: float | None
    efficiency_high: float | None


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """One measure of a system's judged outputs, or of all.

    Attributes
    ----------
    submission : Submission or None
        None for all outputs, each once.
    mean : float
    variances : Variances or None
        None where they are not estimable: no output was judged twice, or too few to tell the two apart, so
        that one of them comes out below 0.
    outputs, judgements : int
    metrics : sequence of MetricRow
    """

    submission: Submission | None
    mean: float
    variances: Variances | None
    outputs: int
    judgements: int
    metrics: Sequence[MetricRow]

    @property
    def name(self) -> str:
        """Return what it is called."""
        return "All outputs" if self.submission is None else self.submission.shown_name

    @property
    def cap(self) -> float | None:
        """Return what a judgement is worth with a perfect metric; None where that has no end."""
        if self.variances is None or not self.variances.sigma2_a > 0:
            return None
        return self.variances.cap

    @property
    def best(self) -> MetricRow | None:
        """Return the metric with which a judgement is worth most."""
        return max(
            self.metrics,
            key=lambda one: float("inf") if one.efficiency is None else one.efficiency,
            default=None,
        )

    @property
    def unexplained(self) -> float | None:
        """Return the variance of outputs that the best metric leaves: σ_f²(1 − ρ²)."""
        if self.variances is None:
            return None
        rho = (self.best.rho if self.best else None) or 0.0
        return self.variances.sigma2_f * max(0.0, 1.0 - rho**2)

    @property
    def explained(self) -> float | None:
        """Return the variance of outputs that the best metric explains."""
        if self.variances is None or self.unexplained is None:
            return None
        return self.variances.sigma2_f - self.unexplained

    @property
    def bottleneck(self) -> str:
        """Say what leaves more of a judgement's variance: people, or the best metric; empty if unknown."""
        if self.variances is None or self.unexplained is None:
            return ""
        return PEOPLE if self.variances.sigma2_a >= self.unexplained else METRIC

    def metric(self, name: str) -> MetricRow | None:
        """Return one of its metrics."""
        return next((one for one in self.metrics if one.name == name), None)


@dataclass(frozen=True, slots=True)
class MeasureReport:
    """One measure.

    Attributes
    ----------
    measure, name : str
    less_is_better : bool
    together : JudgedRow or None
        All outputs; None where too few are judged.
    systems : sequence of JudgedRow
        Those that the viewer may see and of which enough is judged, in the order in which they came.
    """

    measure: str
    name: str
    less_is_better: bool
    together: JudgedRow | None
    systems: Sequence[JudgedRow]

    @property
    def rows(self) -> Sequence[JudgedRow]:
        """Return all rows, that of all outputs first."""
        return [*([] if self.together is None else [self.together]), *self.systems]

    @property
    def metrics(self) -> Sequence[str]:
        """Return the metrics that some row has, those that go best with all outputs first."""
        names = list(dict.fromkeys(one.name for row in self.rows for one in row.metrics))
        worth = {} if self.together is None else {one.name: one.efficiency for one in self.together.metrics}
        return sorted(names, key=lambda name: -(worth.get(name, 0.0) or float("inf")))


@dataclass(frozen=True, slots=True)
class Coefficient:
    """How a built-in metric enters the house metric of a measure: for a standard deviation of it."""

    name: str
    label: str
    version: str
    value: float
    centre: float
    spread: float


@dataclass(frozen=True, slots=True)
class HouseMeasure:
    """The house metric of a measure; its coefficients, the largest first."""

    measure: str
    name: str
    intercept: float
    penalty: float
    outputs: int
    rho: float | None
    coefficients: Sequence[Coefficient]


@dataclass(frozen=True, slots=True)
class HouseReport:
    """An epoch's house metric; without measures where too little was published to learn one."""

    epoch: int
    digest: str
    outputs: int
    learnt_from: Sequence[int]
    measures: Sequence[HouseMeasure]


@dataclass(frozen=True, slots=True)
class Report:
    """What metrics are worth in one epoch.

    Attributes
    ----------
    epoch : Epoch or None
        None where no judgement may be seen yet.
    epochs : sequence of Epoch
        Of which something may be seen, the newest first.
    measures : sequence of MeasureReport
        Without rows where nothing may be seen.
    house : HouseReport or None
        Of that epoch, or of the open one.
    """

    epoch: Epoch | None
    epochs: Sequence[Epoch]
    measures: Sequence[MeasureReport]
    house: HouseReport | None

    def measure(self, name: str) -> MeasureReport:
        """Return one measure."""
        return next(one for one in self.measures if one.measure == name)


def measures_of(corpus: Corpus) -> Sequence[str]:
    """Return what is judged of a corpus' outputs."""
    prompt = prompts.prompt_of(corpus)
    return MEASURES[QUALITY if prompt is None else prompt.name]


def read_report(corpus: Corpus, viewer: Viewer, number: int | None = None) -> Report:
    """Read what metrics are worth in an epoch of a corpus, as far as its judgements are published.

    Of an open epoch that is what rests on judgements that were published before it. All the rest is sealed:
    each metric is another sum over the sampled outputs, and a team may submit fifty.

    Parameters
    ----------
    corpus : Corpus
    viewer : User or None
    number : int, optional
        Of the epoch; the newest that has something if left out.
    """
    found = JudgedVariance.objects.filter(epoch__corpus=corpus)
    shown = found.filter(is_published=True) | found.filter(epoch__released_at__isnull=False)
    with_any = set(shown.values_list("epoch", flat=True))
    epochs = list(Epoch.objects.filter(pk__in=with_any).order_by("-number"))
    epoch = next((one for one in epochs if number in (None, one.number)), None)
    rows: list[JudgedVariance] = []
    if epoch is not None:
        of_epoch = found.filter(epoch=epoch)
        whole = list(of_epoch.filter(is_published=False)) if epoch.released_at is not None else []
        rows = whole or list(of_epoch.filter(is_published=True))
    seen = visible(viewer).in_bulk([row.submission_id for row in rows if row.submission_id is not None])
    rows = [row for row in rows if row.submission_id is None or row.submission_id in seen]
    for row in rows:
        row.submission = None if row.submission_id is None else seen[row.submission_id]
    metrics: dict[int, list[MetricRow]] = defaultdict(list)
    for one in MetricWorth.objects.filter(judged__in=rows).order_by("pk"):
        metrics[one.judged_id].append(_metric(one))
    measures = [_measure(name, rows, metrics) for name in measures_of(corpus)]
    of_house = epoch or Epoch.objects.filter(corpus=corpus, released_at=None).first()
    return Report(epoch, epochs, measures, None if of_house is None else read_house(of_house))


def _measure(name: str, rows: Iterable[JudgedVariance], metrics: dict[int, list[MetricRow]]) -> MeasureReport:
    own = [row for row in rows if row.measure == name]
    own.sort(key=lambda row: row.submission_id or 0)
    made = [_judged(row, metrics[row.pk]) for row in own]
    return MeasureReport(
        name,
        NAMES[name],
        name in EDITS,
        next((one for one in made if one.submission is None), None),
        [one for one in made if one.submission is not None],
    )


def _judged(row: JudgedVariance, metrics: Sequence[MetricRow]) -> JudgedRow:
    variances = None
    people, outputs = row.variance_judgements, row.variance_outputs
    if people is not None and outputs is not None and people >= 0 and outputs > 0:
        variances = Variances(sigma2_a=people, sigma2_f=outputs)
    return JudgedRow(row.submission, row.mean, variances, row.outputs, row.judgements, metrics)


def _metric(row: MetricWorth) -> MetricRow:
    return MetricRow(
        row.metric,
        label_of(row.metric),
        row.mean,
        row.rho,
        row.rho_low,
        row.rho_high,
        row.efficiency,
        row.efficiency_low,
        row.efficiency_high,
    )


def read_house(epoch: Epoch) -> HouseReport | None:
    """Read an epoch's house metric; None where it is not frozen yet."""
    frozen = HouseMetric.objects.filter(epoch=epoch).first()
    if frozen is None:
        return None
    measures: list[HouseMeasure] = []
    if frozen.coefficients:
        measures = _house_measures(House.from_json(frozen.coefficients))
    return HouseReport(epoch.number, frozen.digest, frozen.outputs, frozen.learnt_from, measures)


def _house_measures(learnt: House) -> list[HouseMeasure]:
    made = []
    for measure, one in learnt.measures.items():
        names = [name.partition("|") for name in learnt.metrics]
        coefficients = [
            Coefficient(name, METRICS[name].label if name in METRICS else name, version, *figures)
            for (name, _, version), *figures in zip(
                names, one.coefficients, one.centres, one.spreads, strict=True
            )
        ]
        found = learnt.found.get(measure)
        made.append(
            HouseMeasure(
                measure,
                NAMES[measure],
                one.intercept,
                one.penalty,
                one.outputs,
                None if found is None else found.correlations[HOUSE],
                sorted(coefficients, key=lambda each: -abs(each.value)),
            )
        )
    return made
