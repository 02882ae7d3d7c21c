"""Ten real systems with exact scores, for tests that hold estimates against a known truth.

The data lie beside the project, not in it; tests that need them are skipped where they are missing.
"""

import functools
import json
from pathlib import Path

import pytest

from evaluation.kbp.matching import TrueRelation
from tests.readers import knowledgenet
from tests.readers.knowledgenet import KnowledgeNet, System

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "knowledgenet"

needs_knowledgenet = pytest.mark.skipif(
    not FOLDER.is_dir(), reason=f"the data set {FOLDER} is missing; nothing to compare with"
)


@functools.cache
def truth() -> dict:
    return json.loads((FOLDER / "truth.json").read_text(encoding="utf-8"))


@functools.cache
def exact() -> dict:
    """Exact scores: overlapping claims counted once, weights by name keys, recall by the rule `near`."""
    return json.loads((FOLDER / "exact.json").read_text(encoding="utf-8"))


def pool() -> KnowledgeNet:
    """The ten systems over their common instances, in arrays."""
    return knowledgenet.read(FOLDER)


def systems() -> list[System]:
    return pool().systems


def gold() -> tuple[list[str], list[TrueRelation]]:
    """The documents, and every true relation in them."""
    return pool().documents, pool().relations
