"""Ten real systems on KnowledgeNet with exact scores, read from their folder into arrays.

The data are not part of this project (CC BY-SA 4.0, Mesquita et al. 2019).
"""

import csv
import gzip
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TextIO

import numpy as np

from evaluation.kbp.keys import instance_key
from evaluation.kbp.matching import Claim, ClaimColumns, Matching, TrueRelation, match
from evaluation.kbp.name_keys import Names
from evaluation.kbp.words import Words
from kbpo.core.errors import InvalidInput
from kbpo_estimators import weighting
from kbpo_estimators._checks import BoolArray, FloatArray, IntArray
from kbpo_estimators.kbp.features import of_relations
from kbpo_estimators.pooled import UnitFeatures
from kbpo_formats.ontologies.builtin import DEFAULT, read_builtin
from kbpo_formats.spans import Span

ONTOLOGY = read_builtin(DEFAULT)
"""The systems state the properties by the names of TAC."""


@dataclass(frozen=True, eq=False)
class System:
    """One system's instances, and what is written beside them.

    Attributes
    ----------
    name, team : str
    claims : list of Claim
        Those that count: one that overlaps a surer one of the same system does not.
    subjects, objects : list of str
        Their name keys.
    confidence, correct : float[n]
    precision : mapping of weighting to float
        Exact, as published.
    """

    name: str
    team: str
    claims: list[Claim]
    subjects: list[str]
    objects: list[str]
    confidence: FloatArray
    correct: FloatArray
    precision: dict[str, float]

    def weights(self, name: str) -> FloatArray:
        """Return p under a weighting, float[n]."""
        predicates = [claim.predicate for claim in self.claims]
        return weighting.WEIGHTINGS[name](self.subjects, predicates, self.objects)


@dataclass(frozen=True, eq=False)
class KnowledgeNet:
    """The ten systems over their common instances.

    Attributes
    ----------
    systems : list of System
    keys : list of str
        Of the pool's instances.
    predicates : list of str
        Theirs.
    documents : list of str
    texts : dict of str to str
        Of the documents, by id.
    relations : list of TrueRelation
    members : list of int[n_i]
        For each system the positions of its instances in the pool.
    correct : bool[N]
        What judges would say of the pool's instances, as the folder has it: any overlap is enough for them.
    matching : Matching
        Of the pool's instances with the true relations, by the rule of recall.
    true_document, claim_document : int[number of relations], int[N]
        The positions of their documents.
    """

    systems: list[System]
    keys: list[str]
    predicates: list[str]
    documents: list[str]
    texts: dict[str, str]
    relations: list[TrueRelation]
    members: list[IntArray]
    correct: BoolArray
    matching: Matching
    true_document: IntArray
    claim_document: IntArray

    def weights(self, system: int, name: str) -> FloatArray:
        """Return p of a system over the pool, float[N]."""
        p = np.zeros(len(self.keys))
        p[self.members[system]] = self.systems[system].weights(name)
        return p

    def found_by(self, system: int) -> BoolArray:
        """Return which true relations a system finds."""
        own = np.zeros(len(self.keys), dtype=np.bool_)
        own[self.members[system]] = True
        return self.matching.found_by(own)

    def recall(self, system: int) -> float:
        """Return a system's exact recall."""
        return float(self.found_by(system).mean())

    def teams(self) -> IntArray:
        """Count the teams that have each instance of the pool."""
        of_team: dict[str, BoolArray] = {}
        for system, members in zip(self.systems, self.members, strict=True):
            of_team.setdefault(system.team, np.zeros(len(self.keys), dtype=bool))[members] = True
        return np.asarray(np.sum(list(of_team.values()), axis=0), dtype=np.int64)

    def features(self) -> UnitFeatures:
        """Return what the pooled model learns from of each instance of the pool."""
        names = list(dict.fromkeys(self.predicates))
        codes = np.array([names.index(one) for one in self.predicates])
        return of_relations([ONTOLOGY.relations_by_name[name] for name in names], codes)

    def by_document(self, flags: BoolArray, document: IntArray) -> IntArray:
        """Count what is flagged in each document."""
        return np.bincount(document[flags], minlength=len(self.documents))


@cache
def read(folder: Path) -> KnowledgeNet:
    """Read the folder.

    Parameters
    ----------
    folder : Path
        With ``truth.json``, ``exact.json``, ``corpus.jsonl.gz``, ``gold.jsonl.gz`` and
        ``instances/*.tsv.gz``.

    Returns
    -------
    KnowledgeNet

    Raises
    ------
    InvalidInput
        If one of them is missing.
    """
    for name in ("truth.json", "exact.json", "corpus.jsonl.gz", "gold.jsonl.gz", "instances"):
        if not (folder / name).exists():
            message = f"{folder} has no {name}; the folder of the ten systems is needed"
            raise InvalidInput(message, where="--knowledgenet")
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))["systems"]
    exact = json.loads((folder / "exact.json").read_text(encoding="utf-8"))
    documents, relations = _gold(folder / "gold.jsonl.gz")
    with _opened(folder / "corpus.jsonl.gz") as lines:
        texts = {row["doc_id"]: row["text"] for row in map(json.loads, lines)}
    names = {doc_id: Names(doc_id, text) for doc_id, text in texts.items()}
    systems = [
        _system(path, truth[name]["team"], exact[name]["precision"], names)
        for path in sorted((folder / "instances").glob("*.tsv.gz"))
        for name in [path.name.removesuffix(".tsv.gz")]
    ]
    position = {document: number for number, document in enumerate(documents)}
    index: dict[Claim, int] = {}
    members = [
        np.array([index.setdefault(claim, len(index)) for claim in system.claims]) for system in systems
    ]
    correct = np.zeros(len(index), dtype=np.bool_)
    for system, rows in zip(systems, members, strict=True):
        correct[rows] = system.correct == 1
    return KnowledgeNet(
        systems=systems,
        keys=[instance_key(*claim[:4]) for claim in index],
        predicates=[claim.predicate for claim in index],
        documents=documents,
        texts=texts,
        relations=relations,
        members=members,
        correct=correct,
        matching=match(ClaimColumns.of(list(index)), relations, Words.of(texts), ONTOLOGY),
        true_document=np.array([position[relation.doc_id] for relation in relations]),
        claim_document=np.array([position[claim.doc_id] for claim in index]),
    )


def _opened(path: Path) -> TextIO:
    return gzip.open(path, "rt", encoding="utf-8")


def _system(path: Path, team: str, precision: dict[str, float], names: Mapping[str, Names]) -> System:
    with _opened(path) as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    claims = [
        Claim(
            row["doc_id"],
            row["predicate"],
            Span(int(row["subject_start"]), int(row["subject_end"])),
            Span(int(row["object_start"]), int(row["object_end"])),
        )
        for row in rows
    ]
    confidence = np.array([float(row["confidence"]) for row in rows])
    kept = _counting(claims, confidence)
    claims = [claims[place] for place in kept]
    return System(
        name=path.name.removesuffix(".tsv.gz"),
        team=team,
        claims=claims,
        subjects=[names[claim.doc_id].key(*claim.subject) for claim in claims],
        objects=[names[claim.doc_id].key(*claim.object) for claim in claims],
        confidence=confidence[kept],
        correct=np.array([float(rows[place]["correct"]) for place in kept]),
        precision=precision,
    )


def _counting(claims: Sequence[Claim], confidence: FloatArray) -> IntArray:
    """Return the places of the claims that overlap no surer one that counts, as the reader does."""
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place in sorted(range(len(claims)), key=lambda place: (-confidence[place], place)):
        one = claims[place]
        others = groups[one.doc_id, one.predicate]
        if not any(
            one.subject.overlaps(claims[other].subject) and one.object.overlaps(claims[other].object)
            for other in others
        ):
            others.append(place)
    return np.sort([place for own in groups.values() for place in own])


def _gold(path: Path) -> tuple[list[str], list[TrueRelation]]:
    with _opened(path) as lines:
        documents = [json.loads(line) for line in lines]
    relations = [
        TrueRelation(
            document["doc_id"], relation["predicate"], Span(*relation["subject"]), Span(*relation["object"])
        )
        for document in documents
        for relation in document["relations"]
    ]
    return [document["doc_id"] for document in documents], relations
