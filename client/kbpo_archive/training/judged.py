"""Examples that were judged: claims of relations, and names that claims need."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from kbpo_archive.kbp import KINDS, MAJORITY
from kbpo_archive.keys import read_span, relation_of, subject_of
from kbpo_archive.pool import ArchivedPool
from kbpo_archive.reading import NOTHING, Columns
from kbpo_archive.tables import WEIGHT
from kbpo_archive.training.texts import Span, Text
from kbpo_estimators._checks import FloatArray
from kbpo_estimators.coordinated import FOLDS
from kbpo_estimators.precision import label_weights

COORDINATED = "coordinated"
PART = "relation"
"""Of scores: that which the labels of relations decide alone."""
REMOVED = "removed"
Example = dict[str, Any]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What examples lack of a system's sampled claims.

    Attributes
    ----------
    claims : int
    weight : float
        By how much its weights sum to less than 1.
    precision : float
        By how much Σ weight · label falls short of its precision.
    """

    claims: int
    weight: float
    precision: float


@dataclass(frozen=True, eq=False)
class Judged:
    """What was judged in an epoch.

    Attributes
    ----------
    pool : ArchivedPool
    texts : mapping of str to Text
        Of documents; none where somebody has none.
    """

    pool: ArchivedPool
    texts: Mapping[str, Text]

    def relations(self) -> Iterator[Example]:
        """Yield the sampled claims that have a label."""
        units = self.pool.units
        numbers = {name: units[name].tolist() for name in ("question", "pi", "known", *_SPANS)}
        for unit in self._units:
            question, claim = numbers["question"][unit], units["claim"][unit]
            doc_id, key = units["doc_id"][unit], self._questions[question]
            subject, object_ = _span(numbers, "subject", unit), _span(numbers, "object", unit)
            text = self.texts.get(doc_id)
            *_, one, _, other = key.split("|")  # the types of the pair, each after its place
            types = (one, other) if subject_of(claim) == 0 else (other, one)
            yield {
                "id": self._id(unit),
                "doc_id": doc_id,
                "relation": units["relation"][unit],
                **_placed("subject", subject),
                "subject_type": types[0],
                "subject_text": text and text.words(subject),
                **_placed("object", object_),
                "object_type": types[1],
                "object_text": text and text.words(object_),
                **self._judged(self.pool.labels.place[question, claim]),
                "offers": [
                    {
                        "relation": relation_of(offer),
                        "is_reversed": int(subject_of(offer) != subject_of(claim)),
                        "label": int(self._labels["value"][place]),
                        "votes_for": int(self._labels["votes_for"][place]),
                        "votes": int(self._labels["votes"][place]),
                    }
                    for offer, place in self._offers[question]
                ],
                "pi": _number(numbers["pi"][unit]),
                "known": int(numbers["known"][unit]),
                **self._draws(unit),
                "claimed": [
                    {"system": system, "confidence": confidence, "p": p, "weight": weight}
                    for system, confidence, p, weight in self._claimed[unit]
                ],
                **_passage(text, subject, object_),
            }

    def names(self) -> Iterator[Example]:
        """Yield the names that sampled claims need, and that have a label."""
        needed: dict[int, list[Example]] = defaultdict(list)
        predictions, own = self.pool.predictions, set(self._units)
        pi = self.pool.units["pi"].tolist()
        rows = zip(
            *(
                predictions[name].tolist()
                for name in ("system", "unit", "subject_question", "object_question")
            ),
            strict=True,
        )
        for system, unit, *sides in rows:
            for side, question in zip(("subject", "object"), sides, strict=True):
                if question != NOTHING and unit in own:
                    probability = _number(pi[unit])
                    needed[question].append(
                        {"system": system, "claim": self._id(unit), "side": side, "pi": probability}
                    )
        for question in sorted(needed):
            of_question = self._offers.get(question, ())
            if not of_question:
                continue
            (_, place), *_ = of_question
            doc_id = self._documents[question]
            mention, name = (read_span(one) for one in self._questions[question].split("|")[-2:])
            text, claimed = self.texts.get(doc_id), needed[question]
            yield {
                "id": f"{self._begin}-name-{doc_id}-{mention[0]}-{mention[1]}-{name[0]}-{name[1]}",
                "doc_id": doc_id,
                **_placed("mention", mention),
                "mention_text": text and text.words(mention),
                **_placed("name", name),
                "name_text": text and text.words(name),
                **self._judged(place),
                "claimed": claimed,
                "weight": None
                if any(one["pi"] is None for one in claimed)
                else math.fsum(1 / one["pi"] for one in claimed),
                **_passage(text, mention, name),
            }

    def left_out(self) -> Mapping[int, LeftOut]:
        """Return by system what is left out of its claims, since a document was removed; if anything is."""
        missing = self.pool.sampled.copy()
        missing[self._units] = False
        labels = np.nan_to_num(self.pool.units["label"])
        found = {}
        for number, (rows, weights) in enumerate(
            zip(self.pool.split("unit"), self._weights, strict=True), start=1
        ):
            own = missing[rows]
            if own.any():
                of_system = weights[own]
                found[number] = LeftOut(
                    int(own.sum()),
                    math.fsum(of_system.tolist()),
                    math.fsum((of_system * labels[rows][own]).tolist()),
                )
        return found

    @property
    def doc_ids(self) -> set[str]:
        """The documents that examples are of."""
        return {self.pool.units["doc_id"][unit] for unit in self._units} | {
            self._documents[question] for question in self._offers
        }

    @cached_property
    def _begin(self) -> str:
        manifest = self.pool.archive.manifest
        return f"{manifest['corpus']['tag']}-{manifest['epoch']}"

    def _id(self, unit: int) -> str:
        units = self.pool.units
        places = "-".join(str(units[name][unit]) for name in _SPANS)
        return f"{self._begin}-{units['relation'][unit]}-{units['doc_id'][unit]}-{places}"

    @cached_property
    def _labels(self) -> Columns:
        return self.pool.archive.table("labels")

    @cached_property
    def _questions(self) -> Mapping[int, str]:
        table = self.pool.archive.table("questions")
        return dict(zip(table["question"].tolist(), table["key"], strict=True))

    @cached_property
    def _documents(self) -> Mapping[int, str]:
        table = self.pool.archive.table("questions")
        return dict(zip(table["question"].tolist(), table["doc_id"], strict=True))

    @cached_property
    def _offers(self) -> Mapping[int, Sequence[tuple[str, int]]]:
        """By question, the claims that have a label, and where that stands; not of documents removed."""
        table = self.pool.archive.table("questions")
        kinds = dict(zip(table["question"].tolist(), table["kind"], strict=True))
        found: dict[int, list[tuple[str, int]]] = defaultdict(list)
        for place, (question, claim, source) in enumerate(
            zip(self._labels["question"].tolist(), self._labels["claim"], self._labels["source"], strict=True)
        ):
            if source != REMOVED and kinds[question] in KINDS:
                found[question].append((claim, place))
        return found

    @cached_property
    def _units(self) -> list[int]:
        """The sampled units whose claim has a label."""
        units = self.pool.units
        has_label = {(question, claim) for question, some in self._offers.items() for claim, _ in some}
        return [
            unit
            for unit in np.flatnonzero(self.pool.sampled).tolist()
            if (int(units["question"][unit]), units["claim"][unit]) in has_label
        ]

    def _judged(self, place: int) -> Example:
        labels = self._labels
        value, answer = int(labels["value"][place]), self.pool.labels.answer[place]
        is_voted = labels["source"][place] == MAJORITY
        votes_for, votes = (int(labels[name][place]) if is_voted else 0 for name in ("votes_for", "votes"))
        agreeing = votes_for if value else votes - votes_for
        return {
            "label": value,
            "votes_for": votes_for,
            "votes": votes,
            "agreement": agreeing / votes if votes else None,
            "source": labels["source"][place],
            "audited": int(answer) if is_voted and not math.isnan(answer) else None,
        }

    @cached_property
    def _claimed(self) -> Mapping[int, Sequence[tuple[int, float, float, float]]]:
        """By unit, of each system that claims it its number, confidence, p and weight."""
        weighting = self.pool.archive.manifest["weighting"]
        found: dict[int, list[tuple[int, float, float, float]]] = defaultdict(list)
        wanted = np.zeros(self.pool.size, dtype=np.bool_)
        wanted[self._units] = True
        columns = zip(
            *(self.pool.split(name) for name in ("unit", "confidence", WEIGHT + weighting)),
            self._weights,
            strict=True,
        )
        for number, (rows, confidence, p, weights) in enumerate(columns, start=1):
            own = np.flatnonzero(wanted[rows])
            for row in zip(*(one[own].tolist() for one in (rows, confidence, p, weights)), strict=True):
                found[row[0]].append((number, *row[1:]))
        return found

    @cached_property
    def _weights(self) -> Sequence[FloatArray]:
        """Of each system, by how much its precision counts the label of each of its claims."""
        pool, manifest = self.pool, self.pool.archive.manifest
        if manifest["design"] != COORDINATED:
            return [draws / draws.sum() for draws in (_draws(one) for one in pool.split("draws"))]
        model = np.zeros((pool.size, FOLDS))
        if pool.archive.has("predicted"):
            table = pool.archive.table("predicted")
            own = np.array([part == PART for part in table["part"]], dtype=np.bool_)
            model[table["unit"][own], table["fold"][own]] = table["value"][own]
        units = pool.units
        return [
            label_weights(
                system.weights[manifest["weighting"]],
                units["pi"][system.rows],
                pool.sampled[system.rows],
                units["fold"][system.rows],
                system.confidence,
                model=model[system.rows],
            )
            for system in pool.systems
        ]

    def _draws(self, unit: int) -> Example:
        if self.pool.archive.manifest["design"] == COORDINATED:
            return {"draws": None, "expected_draws": None}
        drawn, expected = self._drawn
        return {"draws": int(drawn[unit]), "expected_draws": float(expected[unit])}

    @cached_property
    def _drawn(self) -> tuple[FloatArray, FloatArray]:
        """Of each unit, how often it was drawn, and how often it was to be."""
        drawn, expected = np.zeros(self.pool.size), np.zeros(self.pool.size)
        weighting = WEIGHT + self.pool.archive.manifest["weighting"]
        for rows, times, p in zip(
            *(self.pool.split(one) for one in ("unit", "draws", weighting)), strict=True
        ):
            own = _draws(times)
            drawn[rows] += own
            expected[rows] += own.sum() * p
        return drawn, expected


_SPANS = ("subject_start", "subject_end", "object_start", "object_end")


def _draws(times: Any) -> FloatArray:
    return np.where(times == NOTHING, 0, times).astype(np.float64)


def _span(numbers: Mapping[str, Sequence[int]], side: str, unit: int) -> Span:
    return numbers[f"{side}_start"][unit], numbers[f"{side}_end"][unit]


def _placed(name: str, span: Span) -> Example:
    return {f"{name}_start": span[0], f"{name}_end": span[1]}


def _passage(text: Text | None, *spans: Span) -> Example:
    words, start = (None, None) if text is None else text.passage(*spans)
    return {"text": words, "text_start": start}


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
