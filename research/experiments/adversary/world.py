"""The ten systems on KnowledgeNet as the service reads and scores them, and as they would be if changed."""

import gzip
import io
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from evaluation.kbp.keys import instance_key
from evaluation.kbp.matching import PARTS as FOUND_PARTS
from evaluation.kbp.matching import Claim, ClaimColumns, TrueRelation, full_names, match
from evaluation.kbp.name_keys import Names
from evaluation.kbp.recall.relation_keys import number_relations
from evaluation.kbp.words import Words
from kbpo_estimators.f1 import harmonic
from kbpo_estimators.weighted_recall import WEIGHTED, TrueRelations, weigher
from kbpo_estimators.weighting import every
from kbpo_formats.corpus import Texts
from kbpo_formats.kbp.overlapping import find_overlapping
from kbpo_formats.kbp.predictions import Predictions, ReadPrediction
from kbpo_formats.kbp.tac.reader import Reading, read
from kbpo_formats.spans import Span
from research.experiments.pool import BoolArray
from research.experiments.runs import FloatArray, IntArray
from tests.readers import knowledgenet
from tests.readers.knowledgenet import ONTOLOGY

Claims = Sequence[ReadPrediction]
Score = tuple[str, str, str]
"""A part, a weighting and a measure."""

TARGET = "C1_crf_knn"
"""Whose team plays: in the middle of the ten."""


@dataclass(frozen=True, eq=False)
class Version:
    """A system, honest or changed, as it is scored.

    Attributes
    ----------
    team : str
    claims : list of ReadPrediction
        Those that count.
    keys : list of str
        Of their instances.
    document, predicate : int[n]
    weights : mapping of weighting to float[n]
    right : mapping of part to float[n]
        What judges who never err say: any overlap with what is true is enough for them, and a canonical
        mention has to be the full name.
    finds : mapping of part to int[n]
        Which true relation each claim finds; −1 for none.
    """

    team: str
    claims: list[ReadPrediction]
    keys: list[str]
    document: IntArray
    predicate: IntArray
    weights: dict[str, FloatArray]
    right: dict[str, FloatArray]
    finds: dict[str, IntArray]

    @cached_property
    def confidence(self) -> FloatArray:
        """The confidence of each claim, float[n]."""
        return np.array([one.confidence for one in self.claims])

    def found(self, part: str, relations: int) -> BoolArray:
        """Return which true relations are found."""
        found = np.zeros(relations, dtype=np.bool_)
        own = self.finds[part]
        found[own[own >= 0]] = True
        return found

    def is_as(self, other: "Version") -> bool:
        """Say whether another says the same, so that every score is the same, bit for bit."""
        return (
            sorted(self.keys) == sorted(other.keys)
            and self._said() == other._said()
            and dict(zip(self.keys, self.confidence, strict=True))
            == dict(zip(other.keys, other.confidence, strict=True))
        )

    def _said(self) -> dict[str, tuple[float, ...]]:
        columns = [*self.weights.values(), *self.right.values(), *self.finds.values()]
        return {key: tuple(column[place] for column in columns) for place, key in enumerate(self.keys)}


@dataclass(eq=False)
class World:
    """KnowledgeNet: documents, what is true in them, and ten systems.

    Attributes
    ----------
    folder : Path
    """

    folder: Path
    _keys: dict[tuple[str, Span], str] = field(default_factory=dict)

    @cached_property
    def data(self) -> knowledgenet.KnowledgeNet:
        """The folder's contents."""
        return knowledgenet.read(self.folder)

    @cached_property
    def documents(self) -> Texts:
        """The texts, as a reader takes them."""
        return Texts(self.data.texts)

    @cached_property
    def words(self) -> Words:
        """Those of all texts."""
        return Words.of(self.data.texts)

    @cached_property
    def column(self) -> dict[str, int]:
        """Where each document stands."""
        return {doc_id: number for number, doc_id in enumerate(self.data.documents)}

    @cached_property
    def predicates(self) -> dict[str, int]:
        """A number for each relation."""
        return {predicate: number for number, predicate in enumerate(ONTOLOGY.relations_by_name)}

    @cached_property
    def names(self) -> dict[str, Names]:
        """The names of each document."""
        return {doc_id: Names(doc_id, text) for doc_id, text in self.data.texts.items()}

    @cached_property
    def mentions(self) -> dict[str, list[tuple[Span, Span]]]:
        """The true mentions of each document, with the full name of each."""
        with gzip.open(self.folder / "gold.jsonl.gz", "rt", encoding="utf-8") as lines:
            return {
                row["doc_id"]: [
                    (Span(one["start"], one["end"]), Span(*one["canonical"])) for one in row["mentions"]
                ]
                for row in map(json.loads, lines)
            }

    @cached_property
    def relations(self) -> list[TrueRelation]:
        """The true relations, with the full names of their entities."""
        entities: dict[tuple[str, Span], list[Span]] = defaultdict(list)
        full = {(doc, span): name for doc, own in self.mentions.items() for span, name in own}
        for (doc, span), name in full.items():
            entities[doc, name].append(span)

        def names(doc: str, span: Span) -> tuple[Span, ...]:
            name = full.get((doc, span), span)
            return full_names(self.data.texts[doc], name, entities[doc, name])

        return [
            one._replace(
                subject_names=names(one.doc_id, one.subject),
                object_names=names(one.doc_id, one.object),
            )
            for one in self.data.relations
        ]

    @cached_property
    def true(self) -> dict[tuple[str, str], list[TrueRelation]]:
        """The true relations of each document and predicate."""
        found: dict[tuple[str, str], list[TrueRelation]] = defaultdict(list)
        for one in self.relations:
            found[one.doc_id, one.predicate].append(one)
        return found

    @cached_property
    def numbered(self) -> TrueRelations:
        """The true relations, told by their name keys."""
        return number_relations(self.relations, self.data.true_document, self.data.texts)

    @cached_property
    def relation_weights(self) -> dict[str, FloatArray]:
        """What each true relation weighs in recall, by weighting; each sums to 1."""
        ones = np.ones(len(self.relations))
        found = {name: weigher(self.numbered, name)(ones) for name in WEIGHTED}
        return {name: one / one.sum() for name, one in found.items()}

    def name_key(self, doc_id: str, span: Span) -> str:
        """Return the name key of a span."""
        if (doc_id, span) not in self._keys:
            self._keys[doc_id, span] = self.names[doc_id].key(*span)
        return self._keys[doc_id, span]

    def text(self, doc_id: str, span: Span) -> str:
        """Return the words of a span."""
        return self.data.texts[doc_id][span.start : span.end]

    def uploaded(self, system: str) -> bytes:
        """Return the file of a system."""
        return gzip.decompress((self.folder / "submissions" / f"{system}.kb.gz").read_bytes())

    def read(self, file: bytes) -> Reading:
        """Read a file as an upload is read."""
        return read(io.BytesIO(file), documents=self.documents, ontology=ONTOLOGY)

    def honest(self, system: str) -> Version:
        """Return a system as it was submitted."""
        return self.version(system[0], self.read(self.uploaded(system)).predictions)

    def is_right(self, one: ReadPrediction) -> bool:
        """Say what judges say of a relation."""
        both_ways = ONTOLOGY.relations_by_name[one.predicate].is_symmetric
        return any(
            (one.subject.overlaps(true.subject) and one.object.overlaps(true.object))
            or (both_ways and one.subject.overlaps(true.object) and one.object.overlaps(true.subject))
            for true in self.true.get((one.doc_id, one.predicate), ())
        )

    def is_full_name(self, doc_id: str, mention: Span, canonical: Span | None) -> bool:
        """Say what judges say of a canonical mention: it must touch the entity's full name, not any of it."""
        if canonical is None:
            return True
        full = {name for span, name in self.mentions[doc_id] if span.overlaps(mention)}
        return any(canonical.overlaps(name) for name in full or {mention})

    def version(self, team: str, claims: Iterable[ReadPrediction]) -> Version:
        """Return claims as they are scored: those that overlap a surer one of their own left out."""
        given = list(claims)
        overlapping = find_overlapping(Predictions(given), self.documents)
        kept = [one for place, one in enumerate(given) if place not in overlapping]
        names = [
            [self.name_key(one.doc_id, span) for one in kept for span in [getattr(one, role)]]
            for role in ("subject", "object")
        ]
        relation = np.array([self.is_right(one) for one in kept], dtype=np.float64)
        linking = np.array(
            [
                self.is_full_name(one.doc_id, one.subject, one.subject_canonical)
                and self.is_full_name(one.doc_id, one.object, one.object_canonical)
                for one in kept
            ],
            dtype=np.float64,
        )
        finds = {}
        of_match = ClaimColumns.of([Claim(*(getattr(one, name) for name in Claim._fields)) for one in kept])
        for part in FOUND_PARTS:
            matched = match(of_match, self.relations, self.words, ONTOLOGY, part)
            finds[part] = np.full(len(kept), -1)
            finds[part][matched.claim] = matched.true
        return Version(
            team=team,
            claims=kept,
            keys=[instance_key(one.doc_id, one.predicate, one.subject, one.object) for one in kept],
            document=np.array([self.column[one.doc_id] for one in kept], dtype=np.int64),
            predicate=np.array([self.predicates[one.predicate] for one in kept], dtype=np.int64),
            weights=every(names[0], [one.predicate for one in kept], names[1]),
            right={"relation": relation, "linking": linking, "all": relation * linking},
            finds=finds,
        )

    def exact(self, one: Version) -> dict[Score, float]:
        """Return the exact scores of a version: by part, weighting and measure."""
        found: dict[Score, float] = {}
        for part, right in one.right.items():
            for name, p in one.weights.items():
                precision = found[part, name, "precision"] = float(p @ right)
                if part in FOUND_PARTS:
                    finds = one.found(part, len(self.relations))
                    recall = found[part, name, "recall"] = float(self.relation_weights[name] @ finds)
                    found[part, name, "f1"] = harmonic(precision, recall)
        return found

    def joined_f1(self, own: Version, other: Version, places: Sequence[int], weighting: str) -> float:
        """Return the exact F1 of a system that takes in some claims of another, which overlap none of its."""
        claims = [*own.claims, *(other.claims[place] for place in places)]
        subjects = [self.name_key(one.doc_id, one.subject) for one in claims]
        objects = [self.name_key(one.doc_id, one.object) for one in claims]
        p = every(subjects, [one.predicate for one in claims], objects)[weighting]
        right = np.concatenate([own.right["relation"], other.right["relation"][places]])
        finds = own.found("relation", len(self.relations))
        more = other.finds["relation"][places]
        finds[more[more >= 0]] = True
        return harmonic(float(p @ right), float(self.relation_weights[weighting] @ finds))
