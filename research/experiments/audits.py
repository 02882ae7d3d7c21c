"""What an audit of labels leaves of the judges' errors: ten systems on KnowledgeNet, judged by three crowds.

Each seed draws a sample, as the service does, and documents, has a crowd judge the sample, audits a share of
the questions, and holds the corrected 95% intervals against the truth, beside those that take the votes for
the truth and those of judges who never err; all with the pooled model of the labels at hand. Once with errors
that are alike on all claims, once with errors that go with how many teams make the claim. Relations are those
of the data; canonical mentions, which whole claims and linking need, are made up.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from annotations.aggregation.crowds import CROWDS
from kbpo_estimators.intervals import Interval
from kbpo_estimators.pooled import Predicted
from research.experiments import figures
from research.experiments.audited_samples import (
    CLAIMS,
    RECALLS,
    RELATION,
    RELATIONS,
    Asked,
    Judged,
    Part,
    Sample,
)
from research.experiments.coverage import Held
from research.experiments.outcome import Compared, Options, Outcome
from research.experiments.runs import FloatArray, IntArray
from tests.readers import knowledgenet
from tests.readers.knowledgenet import KnowledgeNet

SHARES = (0.10, 0.20)
MEASURES = (
    "precision",
    *(f"{measure} from {source}" for measure in ("recall", "f1") for source in RECALLS),
    "difference of precisions",
)
WAYS = ("exact", "votes", "corrected")
"""Judges who never err; votes that are taken for the truth; labels that are audited, and corrected."""
OTHERWISE = "corrected, aimed at "
"""So begins the name of labels corrected by audits that are aimed otherwise than the service's."""
ADJUSTED = "adjusted"
"""Labels corrected by Dawid and Skene's model of the votes, without an audit (precision only)."""


@dataclass(frozen=True)
class Case:
    """One crowd, one audit.

    Attributes
    ----------
    crowd : str
    bent : bool
        Whether errors go with how many teams claim a thing.
    share : float
        Of the questions, that is audited.
    """

    crowd: str
    bent: bool
    share: float

    def __str__(self) -> str:
        return f"{self.crowd}{', by teams' if self.bent else ''}, audit {self.share:.0%}"


LINKED = (0.99, 0.95, 0.80)
"""Shares of the canonical mentions that are right, chosen before anything was simulated."""
PARTS = (
    RELATION,
    Part(linked=LINKED[1]),
    *(Part(name, linked) for name in ("all", "linking") for linked in LINKED),
)
SHOWN = (RELATION, Part("all", LINKED[1]), Part("linking", LINKED[1]))
CASES = tuple(Case(crowd, bent, share) for crowd in CROWDS for bent in (False, True) for share in SHARES)


@dataclass(frozen=True, eq=False)
class Found:
    """What one case came to.

    Attributes
    ----------
    held : dict of (way, measure) to Held, [seeds, systems or pairs of them]
        Of `WAYS` and `MEASURES`, and the precision that is ``adjusted``.
    wrong : float[seeds]
        The share of the sample's labels that are wrong.
    errors : int[seeds]
        Wrong labels that the audit found.
    """

    held: dict[tuple[str, str], Held]
    wrong: FloatArray
    errors: IntArray

    def width(self, measure: str, way: str = "corrected") -> float:
        """Return the median width relative to that with judges who never err."""
        return self.held[way, measure].half_width / self.held["exact", measure].half_width

    def error(self, measure: str, way: str = "corrected") -> float:
        """Return the root of the mean squared error."""
        one = self.held[way, measure]
        return float(np.sqrt(np.mean((one.estimate - one.truth) ** 2)))

    def bias(self, measure: str, way: str = "corrected") -> FloatArray:
        """Return each system's mean error."""
        one = self.held[way, measure]
        return np.asarray((one.estimate - one.truth).mean(axis=0))

    def by_system(self, measure: str, way: str = "corrected") -> FloatArray:
        """Return each system's share of intervals that hold the truth."""
        one = self.held[way, measure]
        return np.asarray(((one.low <= one.truth) & (one.truth <= one.high)).mean(axis=0))


def run(options: Options) -> Outcome:
    """Judge and audit the ten systems; nothing without the folder of KnowledgeNet."""
    if options.knowledgenet is None:
        return Outcome("Audits of labels", "Needs the ten systems on KnowledgeNet.", [], lambda _: None)
    seeds = range(options.count(300, 2))
    data = knowledgenet.read(Path(options.knowledgenet))
    found = {
        part: simulate(data, seeds, part=part, aims=(CLAIMS, RELATIONS), progress=options.progress)
        for part in PARTS
    }
    return outcome(found, len(seeds))


def outcome(found: Mapping[Part, Mapping[Case, Found]], seeds: int) -> Outcome:
    """Tell what simulations came to."""
    numbers = {
        str(part): {str(case): _numbers(one) for case, one in of.items()} for part, of in found.items()
    }
    return Outcome(
        title="Audits of labels",
        says=f"95% intervals of ten systems on KnowledgeNet, {seeds} seeds: how many hold the truth, for the"
        " worst system too, and how wide they are beside those of judges who never err.",
        compared=[row for part in SHOWN for row in _compared(part, found[part])],
        numbers=numbers,
        draw=_draw_figure({str(part): numbers[str(part)] for part in SHOWN}),
    )


def _compared(part: Part, found: Mapping[Case, Found]) -> Iterator[Compared]:
    """Return the least and the most over crowds, for each share that is audited."""
    for share in SHARES:
        of = {case: one for case, one in found.items() if case.share == share}
        held = [one.held["corrected", "precision"].coverage for one in of.values()]
        what = f"precision, {part}, audit of {share:.0%}"
        yield Compared(f"{what}: intervals that hold the truth, least of the crowds", "", min(held))
        yield Compared(f"{what}: most", "", max(held))
        worst = min(float(one.by_system("precision").min()) for one in of.values())
        yield Compared(f"{what}: of one system, least", "", worst)
        for name, crowds in (("alike and mixed", ("alike", "mixed")), ("hard", ("hard",))):
            widths = [one.width("precision") for case, one in of.items() if case.crowd in crowds]
            yield Compared(f"{what}: relative width, {name}, at most", "", max(widths))


def simulate(
    data: KnowledgeNet,
    seeds: range,
    cases: tuple[Case, ...] = CASES,
    part: Part = RELATION,
    aims: tuple[str, ...] = (CLAIMS,),
    progress: Callable[[str], None] = lambda _: None,
) -> dict[Case, Found]:
    """Sample, judge, audit and score the ten systems, once for each seed and case.

    Parameters
    ----------
    data : KnowledgeNet
    seeds : range
        Each decides the order of arrival, the secret, the documents, and who errs where.
    cases : tuple of Case
    part : Part
    aims : tuple of str
        What ρ follows: `CLAIMS`, `LARGEST` or `RELATIONS`; ``corrected`` is by `CLAIMS`.
    progress : callable
        Takes a line about how far it is.
    """
    asked = Asked.of(data, part)
    measures = [one for one in MEASURES if asked.has_recall or not one.startswith(("recall", "f1"))]
    ends: dict[tuple[Case, str, str], list[list[tuple[float, float, float]]]] = {}
    wrong: dict[Case, list[float]] = {case: [] for case in cases}
    errors: dict[Case, list[int]] = {case: [] for case in cases}
    for seed in seeds:
        progress(f"KnowledgeNet, {part}, seed {seed} of {seeds.stop}")
        sample = Sample.of(asked, seed)
        exact = sample.scores(asked.truths)
        crowds: dict[tuple[str, bool], tuple[Judged, Predicted, dict[str, list[Interval]]]] = {}
        for case in cases:
            if (case.crowd, case.bent) not in crowds:
                judged = sample.judged(CROWDS[case.crowd], bent=case.bent)
                crowds[case.crowd, case.bent] = (
                    judged,
                    sample.learnt_of_relations(judged),
                    sample.scores(judged.labels),
                )
            judged, model, by_votes = crowds[case.crowd, case.bent]
            audits = {aim: sample.audit(judged, model, case.share, aim) for aim in aims}
            of_ways = {"exact": exact, "votes": by_votes} | {
                "corrected" if aim == CLAIMS else f"{OTHERWISE}{aim}": sample.scores(judged.labels, audit)
                for aim, audit in audits.items()
            }
            for way, rows in of_ways.items():
                for measure in measures:
                    ends.setdefault((case, way, measure), []).append(_ends(rows[measure]))
            if part == RELATION:
                found = _ends(sample.adjusted(judged, model))
                ends.setdefault((case, ADJUSTED, "precision"), []).append(found)
            wrong[case].append(sample.wrong(judged))
            errors[case].append(sample.found_wrong(audits[aims[0]]))
    held: dict[Case, dict[tuple[str, str], Held]] = {case: {} for case in cases}
    for (case, way, measure), found_ends in ends.items():
        estimate, low, high = np.moveaxis(np.array(found_ends), 2, 0)
        held[case][way, measure] = Held(estimate, low, high, asked.truth[measure.split()[0]])
    return {case: Found(held[case], np.array(wrong[case]), np.array(errors[case])) for case in cases}


def _ends(found: Iterable[Interval]) -> list[tuple[float, float, float]]:
    return [(one.estimate, one.low, one.high) for one in found]


def _numbers(found: Found) -> dict[str, Any]:
    numbers: dict[str, Any] = {measure: {} for measure in MEASURES}
    for way, measure in found.held:
        numbers[measure][way] = {
            "coverage": found.held[way, measure].coverage,
            "worst system": float(found.by_system(measure, way).min()),
            "width": found.width(measure, way),
            "error": found.error(measure, way),
            "worst bias": float(np.abs(found.bias(measure, way)).max()),
        }
    return numbers | {"wrong labels": float(found.wrong.mean()), "errors found": float(found.errors.mean())}


def _draw_figure(parts: dict[str, dict[str, Any]]) -> Callable[[Figure], None]:
    marks = dict(zip(WAYS, ("coordinated", "simple", "joint"), strict=True))

    def draw(figure: Figure) -> None:
        cases = next(iter(parts.values()))
        figure.set_size_inches(figures.WIDTH, 0.3 * len(cases) + 1)
        place = np.arange(len(cases))[::-1]
        of_parts = np.atleast_1d(figure.subplots(1, len(parts), sharey=True))
        for axes, (part, numbers) in zip(of_parts, parts.items(), strict=True):
            axes.axvline(0.95, color=figures.COLOURS["grey"], linewidth=0.8)
            for way, mark in marks.items():
                coverage = [one["precision"][way]["coverage"] for one in numbers.values()]
                axes.plot(coverage, place, label=way, **figures.MARKS[mark])
            axes.set_title(part.split(",")[0])
        of_parts[0].set_yticks(place, list(cases))
        of_parts[len(parts) // 2].set_xlabel("share of 95% intervals of precision that hold the truth")
        of_parts[0].legend(loc="lower left")

    return draw
