"""What people find in a document together, and how far they agree.

The paper reports that three people together mark 92% of the spans that experts do, seven 96%, and the
majority by word of three 78%, with more people no better; and Fleiss' κ. Spans that some see and others
overlook are made up here: how easily a span is seen is drawn from the beta distribution that comes nearest to
those three figures, and people's marks are settled as the service does, word by word. Where a file of
recorded votes is given, five people's words on real sentences are settled too. How far judges of relations
agree is that of the crowds that audits are tested with.
"""

import csv
import gzip
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import minimize

from annotations.aggregation import tokens
from annotations.aggregation.agreement import fleiss_kappa
from annotations.aggregation.crowds import CROWDS
from annotations.texts.records import MentionRecord
from kbpo.core.errors import InvalidInput
from kbpo_formats.spans import Span
from research.experiments import figures
from research.experiments.outcome import Compared, Options, Outcome
from research.experiments.runs import FloatArray

PAPER_FOUND = {("union", 3): 0.92, ("union", 7): 0.96, ("majority", 3): 0.78}
"""The share of experts' spans."""
PAPER_WORDS = {("majority", 7): "no better"}
PAPER_KAPPA = {"typed spans": 0.83, "canonical mentions": 0.75, "links": 0.75, "relations": 0.61}
PEOPLE = (1, 3, 5, 7)
WORKERS = 30
DOCUMENTS, WORDS, MENTIONS = 100, 300, 25
"""Of the made-up documents: how many, their words, and the spans that experts mark in each."""
LONG = 0.4
"""The share of spans of two words; the others are of one."""
CUT = 0.03
"""How often a span of two words that is seen is marked as one."""
EXTRA = 0.04
"""How often, for each true span, something is marked that is none, by one person alone."""
OTHER_CANONICAL, OTHER_LINK = 0.22, 0.14
"""How often somebody names another canonical mention, or another page, than the expert does: so often that κ
comes near the paper's."""
TYPE = "PER"
CLAIMS, RIGHT = 4_000, 0.4
"""Of relation questions: how many, and the share that holds."""


def fit() -> tuple[float, float]:
    """Return the beta distribution of how easily spans are seen that comes nearest to the paper's figures."""

    def error(log_parameters: FloatArray) -> float:
        a, b = np.exp(log_parameters)
        return sum((expected(a, b, way, n) - share) ** 2 for (way, n), share in PAPER_FOUND.items())

    a, b = np.exp(minimize(error, np.log([2.0, 0.5]), method="Nelder-Mead").x)
    return float(a), float(b)


def expected(a: float, b: float, way: str, people: int) -> float:
    """Return which share of spans is marked by somebody, or by more than half, of so many people."""
    at = (np.arange(2_000) + 0.5) / 2_000
    # Beta quantiles would be dear: a sum over a fine grid, transformed so that it is dense at both ends.
    q = at**3 * (10 - 15 * at + 6 * at**2)
    density = q ** (a - 1) * (1 - q) ** (b - 1) * 30 * at**2 * (1 - at) ** 2
    seen = 1 - (1 - q) ** people
    if way == "majority":
        seen = np.zeros_like(q)
        chance = np.ones_like(q) * (1 - q) ** people
        for k in range(1, people + 1):
            chance = chance * (people - k + 1) / k * q / (1 - q)
            if 2 * k > people:
                seen = seen + chance
    return float((density @ seen) / density.sum())


def make_document(rng: np.random.Generator, ease: tuple[float, float], people: int) -> tuple[Any, ...]:
    """Make a document; return its words, the experts' mentions, and what each of the people marks."""
    words = [Span(4 * number, 4 * number + 3) for number in range(WORDS)]
    starts = np.sort(rng.choice(WORDS // 4, MENTIONS, replace=False)) * 4
    long = rng.random(MENTIONS) < LONG
    spans = [
        Span(words[at].start, words[at + extra].end)
        for at, extra in zip(starts, long.astype(int), strict=True)
    ]
    # Every third entity has been named before: its canonical mention is the first of them.
    first = [spans[number - number % 3] for number in range(MENTIONS)]
    expert = [
        MentionRecord(span, TYPE, canonical, f"Q{canonical.start}")
        for span, canonical in zip(spans, first, strict=True)
    ]
    q = rng.beta(*ease, MENTIONS)
    votes = []
    for _ in range(people):
        marked = []
        for number in np.flatnonzero(rng.random(MENTIONS) < q):
            span, canonical = spans[number], first[number]
            link = f"Q{canonical.start}"
            if long[number] and rng.random() < CUT:
                span = words[starts[number]]
            if rng.random() < OTHER_CANONICAL:
                canonical = span
            if rng.random() < OTHER_LINK:
                link = ""
            marked.append(MentionRecord(span, TYPE, canonical, link))
        for number in np.flatnonzero(rng.random(MENTIONS) < EXTRA):
            span = words[starts[number] + 3]  # a word that no expert marks
            marked.append(MentionRecord(span, TYPE, span, ""))
        votes.append(marked)
    return words, expert, votes


def of_documents(ease: tuple[float, float], documents: int, rng: np.random.Generator) -> dict[str, Any]:
    """Settle made-up documents; return which share of experts' spans is found, and the agreement."""
    most = max(PEOPLE)
    made = [make_document(rng, ease, most) for _ in range(documents)]
    found: dict[str, dict[str, float]] = {"union": {}, "majority": {}, "precision of the majority": {}}
    for people in PEOPLE:
        hit = np.zeros(4)
        for words, expert, votes in made:
            true = {one.span for one in expert}
            some = votes[:people]
            settled = {one.record.span for one in tokens.settle(words, some).mentions}
            hit += [
                len(true & {one.span for vote in some for one in vote}),
                len(true & settled),
                len(settled),
                len(true),
            ]
        found["union"][str(people)] = float(hit[0] / hit[3])
        found["majority"][str(people)] = float(hit[1] / hit[3])
        found["precision of the majority"][str(people)] = float(hit[1] / hit[2])
    agreed = tokens.agreement(tokens.ratings(words, votes[:3]) for words, _, votes in made)
    kappa = {
        name: None if one is None else one.estimate
        for name, one in zip(
            ("typed spans", "canonical mentions", "links"),
            (agreed.spans, agreed.canonical, agreed.links),
            strict=True,
        )
    }
    return {"found": found, "kappa": kappa}


def of_relations(rng: np.random.Generator) -> dict[str, dict[str, float]]:
    """Return Fleiss' κ of three and of five judges of relations, by crowd."""
    kappas: dict[str, dict[str, float]] = {}
    for name, crowd in CROWDS.items():
        errors, hard = crowd.errors(WORKERS), rng.random(CLAIMS) < crowd.hard
        workers = np.argsort(rng.random((CLAIMS, WORKERS)), axis=1)[:, :5]
        chance = errors[workers] + crowd.more * hard[:, None]
        says = (rng.random(workers.shape) < chance) ^ (rng.random(CLAIMS) < RIGHT)[:, None]
        kappas[name] = {}
        for people in (3, 5):
            yes = says[:, :people].sum(axis=1)
            kappa = fleiss_kappa(np.column_stack([yes, people - yes]))
            assert kappa is not None
            kappas[name][str(people)] = kappa.estimate
    return kappas


def of_votes(path: Path) -> dict[str, Any]:
    """Settle recorded votes on words of sentences; a mention is a run of words of one class."""
    if not path.exists():
        raise InvalidInput(f"{path} does not exist; a table of words and votes is needed", where="--votes")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    columns = [f"vote{number}" for number in range(1, 6)]
    missing = [name for name in ("sentence", "gold", *columns) if not rows or name not in rows[0]]
    if missing:
        raise InvalidInput(f"{path} has no column {missing[0]}", where="--votes")
    hit: dict[int, FloatArray] = {people: np.zeros(4) for people in (1, 3, 5)}
    ratings: list[Any] = []
    sentences = 0
    for _, group in groupby(rows, key=lambda row: row["sentence"]):
        sentence = list(group)
        sentences += 1
        words = [Span(2 * number, 2 * number + 1) for number in range(len(sentence))]
        true = {(one.span, one.type) for one in _runs(words, [row["gold"] for row in sentence])}
        votes = [_runs(words, [row[column] for row in sentence]) for column in columns]
        ratings.append(tokens.ratings(words, votes[:3]))
        for people, counts in hit.items():
            some = votes[:people]
            settled = {(one.record.span, one.record.type) for one in tokens.settle(words, some).mentions}
            union = {(one.span, one.type) for vote in some for one in vote}
            counts += [len(true & union), len(true & settled), len(settled), len(true)]
    agreed = tokens.agreement(ratings)
    return {
        "sentences": sentences,
        "words": len(rows),
        "spans": float(hit[5][3]),
        "found": {
            "union": {str(people): float(one[0] / one[3]) for people, one in hit.items()},
            "majority": {str(people): float(one[1] / one[3]) for people, one in hit.items()},
            "precision of the majority": {str(people): float(one[1] / one[2]) for people, one in hit.items()},
        },
        "kappa": None if agreed.spans is None else agreed.spans.estimate,
    }


def _runs(words: list[Span], classes: list[str]) -> list[MentionRecord]:
    """Return the runs of words of one class, other than none."""
    found, start = [], 0
    for name, group in groupby(classes):
        end = start + len(list(group))
        if name not in ("O", "NONE", ""):
            span = Span(words[start].start, words[end - 1].end)
            found.append(MentionRecord(span, name, span, ""))
        start = end
    return found


def run(options: Options) -> Outcome:
    """Settle made-up documents, recorded votes where there are some, and questions of relations."""
    ease = fit()
    repeats = options.count(5, 1)
    made = [
        of_documents(ease, 20 if options.quick else DOCUMENTS, options.rng(51, number))
        for number in options.track("repetition", range(repeats), repeats)
    ]
    numbers: dict[str, Any] = {
        "beta": list(ease),
        "repetitions": repeats,
        "fitted": {f"{way} of {n}": expected(*ease, way, n) for way, n in PAPER_FOUND},
        "found": {
            way: {n: float(np.mean([one["found"][way][n] for one in made])) for n in made[0]["found"][way]}
            for way in made[0]["found"]
        },
        "kappa": {name: float(np.mean([one["kappa"][name] for one in made])) for name in made[0]["kappa"]},
        "relations": of_relations(options.rng(52)),
    }
    if options.votes is not None:
        numbers["recorded votes"] = of_votes(options.votes)
    return Outcome(
        title="People on documents, together",
        says=f"The share of an expert's spans that people mark: {DOCUMENTS} made-up documents,"
        f" {repeats} times, in which spans are as easily seen as makes the paper's three figures come out"
        " best; and how far people agree beyond chance.",
        compared=list(_compared(numbers)),
        numbers=numbers,
        draw=_draw_figure(numbers),
    )


def _compared(numbers: dict[str, Any]) -> Iterator[Compared]:
    said = {"union": "marked by somebody of", "majority": "in the majority by word of"}
    for way, what in said.items():
        for people, share in numbers["found"][way].items():
            reported = PAPER_FOUND.get((way, int(people)))
            in_words = PAPER_WORDS.get((way, int(people)), "")
            yield Compared(f"spans {what} {people}", in_words if reported is None else f"{reported}", share)
    for people, share in numbers["found"]["precision of the majority"].items():
        yield Compared(
            f"the majority by word of {people}: share of its spans that are the expert's", "", share
        )
    for name, kappa in numbers["kappa"].items():
        yield Compared(f"Fleiss' κ of three, {name}", f"{PAPER_KAPPA[name]}", kappa)
    for crowd, kappas in numbers["relations"].items():
        for people, kappa in kappas.items():
            reported_kappa = f"{PAPER_KAPPA['relations']}" if people == "3" else ""
            yield Compared(f"Fleiss' κ of {people}, relations, crowd {crowd}", reported_kappa, kappa)
    if "recorded votes" in numbers:
        recorded = numbers["recorded votes"]
        for way, what in said.items():
            for people, share in recorded["found"][way].items():
                yield Compared(f"recorded votes: typed spans {what} {people}", "", share)
        yield Compared("recorded votes: Fleiss' κ of three, typed spans", "", recorded["kappa"])


def _draw_figure(numbers: dict[str, Any]) -> Callable[[Figure], None]:
    def draw(figure: Figure) -> None:
        figure.set_size_inches(figures.WIDTH, 3.0)
        axes = figure.subplots()
        marks = {"union": figures.MARKS["simple"], "majority": figures.MARKS["coordinated"]}
        for way, mark in marks.items():
            found = numbers["found"][way]
            line = mark | {"linestyle": "-"}
            axes.plot([int(n) for n in found], list(found.values()), **line, label=f"{way}, made up")
            if "recorded votes" in numbers:
                real = numbers["recorded votes"]["found"][way]
                dashed = mark | {"linestyle": ":"}
                axes.plot([int(n) for n in real], list(real.values()), **dashed, label=f"{way}, recorded")
        for (_, people), share in PAPER_FOUND.items():
            axes.plot([people], [share], "k+", markersize=9)
        axes.plot([], [], "k+", label="as reported")
        axes.set_xlabel("people")
        axes.set_ylabel("share of an expert's spans")
        axes.set_ylim(0.5, 1.0)
        axes.legend(loc="lower right")

    return draw
