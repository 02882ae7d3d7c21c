"""Ten real systems with exact scores, for tests that hold estimates against a known truth.

The data lie beside the project, not in it; tests that need them are skipped where they are missing.
"""

import csv
import functools
import gzip
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from evaluation.estimators import coordinated, weighting
from evaluation.estimators.matching import Claim, Matching, TrueRelation, match
from kbpo.core.spans import Span

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "knowledgenet"

needs_knowledgenet = pytest.mark.skipif(
    not FOLDER.is_dir(), reason=f"the data set {FOLDER} is missing; nothing to compare with"
)


@dataclass(frozen=True)
class System:
    """One system's instances, and what is written beside them."""

    name: str
    claims: list[Claim]
    subjects: list[str]
    objects: list[str]
    confidence: np.ndarray
    correct: np.ndarray
    p_subject_relation: np.ndarray

    def weights(self, name: str) -> np.ndarray:
        predicates = [claim.predicate for claim in self.claims]
        return weighting.WEIGHTINGS[name](self.subjects, predicates, self.objects)


def _opened(path: Path):
    return gzip.open(path, "rt", encoding="utf-8")


@functools.cache
def truth() -> dict:
    return json.loads((FOLDER / "truth.json").read_text(encoding="utf-8"))


@functools.cache
def systems() -> list[System]:
    return [_system(path) for path in sorted((FOLDER / "instances").glob("*.tsv.gz"))]


def _system(path: Path) -> System:
    with _opened(path) as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    return System(
        name=path.name.removesuffix(".tsv.gz"),
        claims=[
            Claim(
                row["doc_id"],
                row["predicate"],
                Span(int(row["subject_start"]), int(row["subject_end"])),
                Span(int(row["object_start"]), int(row["object_end"])),
            )
            for row in rows
        ],
        subjects=[row["subject_entity"] for row in rows],
        objects=[row["object_entity"] for row in rows],
        confidence=np.array([float(row["confidence"]) for row in rows]),
        correct=np.array([float(row["correct"]) for row in rows]),
        p_subject_relation=np.array([float(row["p_subject_relation"]) for row in rows]),
    )


@functools.cache
def gold() -> tuple[list[str], list[TrueRelation]]:
    """The documents, and every true relation in them."""
    with _opened(FOLDER / "gold.jsonl.gz") as lines:
        documents = [json.loads(line) for line in lines]
    relations = [
        TrueRelation(
            document["doc_id"], relation["predicate"], Span(*relation["subject"]), Span(*relation["object"])
        )
        for document in documents
        for relation in document["relations"]
    ]
    return [document["doc_id"] for document in documents], relations


@dataclass(frozen=True)
class Pool:
    """The ten systems over their common instances, in arrays."""

    keys: list[str]
    documents: list[str]
    members: list[np.ndarray]
    """For each system the positions of its instances in the pool."""
    matching: Matching
    true_document: np.ndarray
    """For each true relation the position of its document."""
    claim_document: np.ndarray
    """For each instance of the pool the position of its document."""

    def weights(self, system: int, name: str) -> np.ndarray:
        p = np.zeros(len(self.keys))
        p[self.members[system]] = systems()[system].weights(name)
        return p

    def teams(self) -> np.ndarray:
        """How many teams have each instance of the pool."""
        of_team: dict[str, np.ndarray] = {}
        for system, members in zip(systems(), self.members, strict=True):
            team = truth()["systems"][system.name]["team"]
            of_team.setdefault(team, np.zeros(len(self.keys), dtype=bool))[members] = True
        return np.sum(list(of_team.values()), axis=0)

    def by_document(self, flags: np.ndarray, document: np.ndarray) -> np.ndarray:
        return np.bincount(document[flags], minlength=len(self.documents))


@functools.cache
def pool() -> Pool:
    index: dict[Claim, int] = {}
    members = [
        np.array([index.setdefault(claim, len(index)) for claim in system.claims]) for system in systems()
    ]
    documents, relations = gold()
    position = {document: number for number, document in enumerate(documents)}
    return Pool(
        keys=[coordinated.instance_key(*claim[:4]) for claim in index],
        documents=documents,
        members=members,
        matching=match(list(index), relations),
        true_document=np.array([position[relation.doc_id] for relation in relations]),
        claim_document=np.array([position[claim.doc_id] for claim in index]),
    )
