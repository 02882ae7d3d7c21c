"""Whom documents that are annotated in full are about: uniform documents, and two phases.

As in the paper: of documents that are drawn uniformly most relations are about entities that are hardly ever
named, and few entities come twice. So a fifth is drawn uniformly, the rest for the names that stand there.
Here the second phase has known probabilities, so recall stays unbiased; without them it is not. Entities are
in clusters by how many of the corpus' documents name them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from evaluation.kbp.name_keys import Names
from kbpo_estimators.document_samples import (
    SimpleRandom,
    TwoPhase,
    second_phase_probabilities,
    tfidf_scores,
)
from kbpo_estimators.recall import document_recall
from research.experiments import figures
from research.experiments.outcome import Compared, Options, Outcome
from research.experiments.pool import BoolArray
from research.experiments.runs import FloatArray, IntArray
from tests.readers.knowledgenet import KnowledgeNet, read

DOCUMENTS, DRAWN = 15_000, 1_000
FIRST_SHARE = 0.2
"""Of the drawn documents, that the first phase takes uniformly."""
ENTITIES = 60_000
POPULARITY = 0.9
"""Of Zipf's law: how much more often the first entities are named than the last."""
BANDS = {"low": (1, 9), "medium": (10, 99), "high": (100, DOCUMENTS)}
"""The clusters: in how many documents of the corpus an entity is named."""
NAMED = 1.5
"""The logarithm of the frequency at which the system knows an entity every second time."""
PHASES = ("uniform", "two phases")
Z95 = 1.96


@dataclass(frozen=True, eq=False)
class Corpus:
    """Which entity is named in which document, once for each pair; each is an argument of a true relation.

    Attributes
    ----------
    document, entity : int[k]
        In the order of documents.
    found : bool[k]
        Whether the system finds that relation (the first, where there are several).
    size : int
        The number of documents.
    bands : mapping of str to (int, int)
        The clusters, by the number of documents that name an entity, both ends included.
    """

    document: IntArray
    entity: IntArray
    found: BoolArray
    size: int
    bands: dict[str, tuple[int, int]]

    @property
    def frequency(self) -> IntArray:
        """Return in how many documents each entity is named."""
        return np.bincount(self.entity)

    @property
    def recall(self) -> float:
        """Return the system's exact recall."""
        return float(self.found.mean())

    def band(self) -> IntArray:
        """Return the cluster of each entity; −1 where nobody names it."""
        found = np.full(self.frequency.size, -1)
        for number, (low, high) in enumerate(self.bands.values()):
            found[(self.frequency >= low) & (self.frequency <= high)] = number
        return found


def make(rng: np.random.Generator, documents: int = DOCUMENTS, entities: int = ENTITIES) -> Corpus:
    """Make a corpus: a system knows who is named often, and is lost in long documents."""
    popularity = 1.0 / np.arange(1, entities + 1) ** POPULARITY
    sizes = 1 + rng.poisson(rng.gamma(1.2, 6, documents))
    document = np.repeat(np.arange(documents), sizes)
    entity = rng.choice(entities, document.size, p=popularity / popularity.sum())
    pairs = np.unique(document * entities + entity)
    document, entity = pairs // entities, pairs % entities
    frequency, length = np.bincount(entity), np.bincount(document, minlength=documents)
    known = 1 / (1 + np.exp(NAMED - np.log(frequency[entity])))
    found = rng.random(pairs.size) < known / (1 + length[document] / 25)
    return Corpus(document, entity, found, documents, dict(BANDS))


def of_knowledgenet(data: KnowledgeNet) -> Corpus:
    """Return whom the true relations of real documents are between, by name, and which of them are found.

    Hardly a subject comes twice there, but places and employers do. The system is the one that finds most.
    """
    system = int(np.argmax([data.recall(number) for number in range(len(data.systems))]))
    finds = data.found_by(system)
    code: dict[str, int] = {}
    entity = np.array(
        [
            code.setdefault(Names(one.doc_id, data.texts[one.doc_id]).key(*span), len(code))
            for one in data.relations
            for span in (one.subject, one.object)
        ]
    )
    document, finds = np.repeat(data.true_document, 2), np.repeat(finds, 2)
    order = np.lexsort((entity, document))
    document, entity, finds = document[order], entity[order], finds[order]
    new = np.r_[True, (np.diff(document) != 0) | (np.diff(entity) != 0)]
    bands = {"low": (1, 1), "medium": (2, 4), "high": (5, len(data.documents))}
    return Corpus(document[new], entity[new], finds[new], len(data.documents), bands)


def draw(corpus: Corpus, wanted: int, rng: np.random.Generator) -> dict[str, tuple[IntArray, Any]]:
    """Draw documents once each way; return which, and how."""
    uniform = rng.choice(corpus.size, wanted, replace=False)
    n1 = round(FIRST_SHARE * wanted)
    first = uniform[:n1]
    taken = np.zeros(corpus.size, dtype=bool)
    taken[first] = True
    place = np.cumsum(~taken) - 1
    names = np.zeros(corpus.frequency.size, dtype=bool)
    names[corpus.entity[taken[corpus.document]]] = True
    hit = names[corpus.entity] & ~taken[corpus.document]
    scores = tfidf_scores(
        place[corpus.document[hit]],
        np.ones(int(hit.sum()), dtype=np.int64),
        corpus.entity[hit],
        np.maximum(1, corpus.frequency),
        corpus.size - n1,
        corpus.size,
    )
    p2 = second_phase_probabilities(scores, wanted - n1)
    second = rng.random(p2.size) < p2
    drawn = np.concatenate([first, np.flatnonzero(~taken)[second]])
    of_first = np.arange(drawn.size) < n1
    probabilities = np.concatenate([np.ones(n1), p2[second]])
    return {
        "uniform": (uniform, SimpleRandom(corpus.size)),
        "two phases": (drawn, TwoPhase(of_first, probabilities, corpus.size, wanted)),
    }


def study(corpus: Corpus, wanted: int, repetitions: int, options: Options, key: int) -> dict[str, Any]:
    """Draw documents again and again; return whom they are about, and what recall comes out.

    Returns
    -------
    dict
        By phase: ``relations``, the mean number about entities of each cluster; ``different entities``, how
        many these are; ``clusters``, how many of them come in at least two of the documents; ``times``, in
        how many documents each comes; and the mean error of recall, its standard error, and the share of the
        95% intervals that hold the truth. The same under "two phases, unweighted", of recall alone.
    """
    band, names = corpus.band(), tuple(corpus.bands)
    true = np.bincount(corpus.document, minlength=corpus.size)
    found = np.bincount(corpus.document[corpus.found], minlength=corpus.size)
    rows: dict[str, list[FloatArray]] = {phase: [] for phase in PHASES}
    recalls: dict[str, list[tuple[float, float]]] = {}
    for repetition in options.track("repetition", range(repetitions), repetitions):
        for phase, (drawn, sample) in draw(corpus, wanted, options.rng(41, key, repetition)).items():
            inside = np.zeros(corpus.size, dtype=bool)
            inside[drawn] = True
            times = np.bincount(corpus.entity[inside[corpus.document]], minlength=band.size)
            counted = [
                [times[band == one].sum(), (times[band == one] > 0).sum(), (times[band == one] > 1).sum()]
                for one in range(len(names))
            ]
            rows[phase].append(np.array(counted, dtype=float))
            ways = {phase: sample}
            if phase == "two phases":
                ways["two phases, unweighted"] = SimpleRandom(corpus.size)
            for way, how in ways.items():
                one = document_recall(true[drawn], found[drawn], how)
                if one is not None:
                    recalls.setdefault(way, []).append((one.estimate - corpus.recall, _spread(one.variance)))
    numbers: dict[str, Any] = {}
    for phase, counts in rows.items():
        mean = np.mean(counts, axis=0)
        numbers[phase] = {
            "relations": dict(zip(names, mean[:, 0].tolist(), strict=True)),
            "different entities": dict(zip(names, mean[:, 1].tolist(), strict=True)),
            "clusters": dict(zip(names, mean[:, 2].tolist(), strict=True)),
            "times": dict(zip(names, (mean[:, 0] / np.maximum(mean[:, 1], 1)).tolist(), strict=True)),
        }
    for way, errors in recalls.items():
        error, spread = np.array(errors).T
        numbers.setdefault(way, {})["recall"] = {
            "mean error": float(error.mean()),
            "its standard error": float(error.std(ddof=1) / np.sqrt(error.size)),
            "coverage of 95% intervals": float((np.abs(error) <= Z95 * spread).mean()),
        }
    return numbers | {"recall": corpus.recall, "repetitions": repetitions, "documents": wanted}


def _spread(variance: float | None) -> float:
    return 0.0 if variance is None else float(np.sqrt(variance))


def run(options: Options) -> Outcome:
    """Draw documents from a made-up corpus and, where the folder is given, from KnowledgeNet."""
    scale = 5 if options.quick else 1
    corpus = make(options.rng(40), DOCUMENTS // scale, ENTITIES // scale)
    repetitions = options.count(100, 5)
    numbers = {"made up": study(corpus, DRAWN // scale, repetitions, options, 0)}
    if options.knowledgenet is not None:
        real = of_knowledgenet(read(options.knowledgenet))
        numbers["KnowledgeNet"] = study(real, 100, repetitions, options, 1)
    return Outcome(
        title="Documents in two phases",
        says=f"Whom {DRAWN // scale:,} of {corpus.size:,} made-up documents are about, {repetitions} times:"
        " low, medium and high are entities that fewer than 10, fewer than 100, and more documents name. In"
        " two phases a fifth is drawn uniformly and the rest for the names in those.",
        compared=list(_compared(numbers)),
        numbers=numbers,
        draw=_draw_figure(numbers),
    )


def _compared(numbers: dict[str, Any]) -> Iterator[Compared]:
    for world, one in numbers.items():
        for what in ("relations", "different entities", "clusters", "times"):
            said = {
                "relations": "share of the relations",
                "different entities": "different entities",
                "clusters": "entities in two or more of the documents",
                "times": "documents for each entity",
            }[what]
            for phase in PHASES:
                values = one[phase][what]
                total = sum(values.values()) if what == "relations" else 1
                for band, value in values.items():
                    yield Compared(f"{world}, {phase}, {band}: {said}", "", value / total)
        for way in (*PHASES, "two phases, unweighted"):
            recall = one[way]["recall"]
            yield Compared(f"{world}, {way}: mean error of recall", "", recall["mean error"])
            yield Compared(f"{world}, {way}: its standard error", "", recall["its standard error"])
            held = recall["coverage of 95% intervals"]
            yield Compared(f"{world}, {way}: coverage of 95% intervals of recall", "", held)


def _draw_figure(numbers: dict[str, Any]) -> Callable[[Figure], None]:
    def draw_it(figure: Figure) -> None:
        figure.set_size_inches(figures.WIDTH, 2.8)
        one = numbers["made up"]
        marks = dict(zip(PHASES, ("grey", "blue"), strict=True))
        titles = {
            "relations": "relations",
            "different entities": "different entities",
            "clusters": "entities named twice or more",
        }
        subplots = figure.subplots(1, len(titles))
        for axes, (what, title) in zip(subplots, titles.items(), strict=True):
            for place, phase in enumerate(PHASES):
                values = one[phase][what]
                at = np.arange(len(values)) + 0.36 * (place - 0.5)
                axes.bar(at, list(values.values()), 0.34, color=figures.COLOURS[marks[phase]], label=phase)
            axes.set_xticks(np.arange(len(values)), list(values))
            axes.set_title(title)
        subplots[1].legend()

    return draw_it
