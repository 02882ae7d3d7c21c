"""JSON Schemas of the lines of JSON Lines files, one for each task: files beside this module."""

import json
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

from kbpo_formats.errors import InvalidInput
from kbpo_formats.ontologies.ontology import Ontology

TASKS = ("kbp", "classification", "generation")


def schema_text(task: str) -> str:
    """Return the schema of a task's lines, as its file has it.

    Raises
    ------
    InvalidInput
        If there is no such task.
    """
    if task not in TASKS:
        raise InvalidInput(f"there is no task {task!r:.40}; known are {', '.join(TASKS)}", where="task")
    return Path(__file__).with_name(f"{task}.json").read_text(encoding="utf-8")


def schema(task: str) -> dict[str, Any]:
    """Return the schema of a task's lines; errors are those of `schema_text`."""
    return deepcopy(_schema(task))


def claim_schema(ontology: Ontology) -> dict[str, Any]:
    """Return the schema of the claims of a corpus, which lists the predicates and types of its ontology."""
    found = schema("kbp")
    found["properties"]["predicate"]["enum"] = [one.name for one in ontology.predicates]
    found["$defs"]["end"]["properties"]["type"]["enum"] = [one.name for one in ontology.types]
    return found


def class_schema(classes: tuple[str, ...]) -> dict[str, Any]:
    """Return the schema of the lines of a corpus, which lists its classes."""
    found = schema("classification")
    found["properties"]["label"]["enum"] = list(classes)
    return found


@cache
def _schema(task: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(schema_text(task))
    return found
