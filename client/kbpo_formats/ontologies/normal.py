"""The normal form of an ontology: one text for each, by which it is stored and its digest computed. Pure."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from functools import lru_cache
from typing import Any

from kbpo_formats.errors import InvalidInput
from kbpo_formats.ontologies.ontology import Alias, Example, MentionType, Ontology, Predicate, Relation

_PARTS: Mapping[str, type] = {
    "types": MentionType,
    "relations": Relation,
    "predicates": Predicate,
    "aliases": Alias,
    "examples": Example,
}


def write_normal(ontology: Ontology) -> str:
    """Return an ontology's normal form.

    JSON without white space, keys in alphabetical order, lists in the ontology's order. What has its default
    is left out, so that a field that is added later changes no digest of those that do without it.
    """
    return _json(_plain(ontology))


def compute_digest(ontology: Ontology) -> str:
    """Return the SHA-256 of an ontology's normal form, in hexadecimal."""
    return hashlib.sha256(write_normal(ontology).encode()).hexdigest()


@lru_cache(maxsize=64)
def read_normal(text: str) -> Ontology:
    """Return the ontology of a normal form.

    Raises
    ------
    InvalidInput
        If it is none.
    """
    try:
        data: dict[str, Any] = json.loads(text)
        parts: dict[str, Any] = {
            name: tuple(_read(kind, one) for one in data.pop(name, ())) for name, kind in _PARTS.items()
        }
        return Ontology(**{**data, **parts})
    except (TypeError, ValueError, AttributeError, RecursionError) as error:
        raise InvalidInput(f"this is no normal form of an ontology: {error!r:.200}") from None


def write_examples(examples: Sequence[Example]) -> list[dict[str, Any]]:
    """Return examples as the normal form has them."""
    return [_plain(one) for one in examples]


def read_examples(values: Sequence[Mapping[str, Any]]) -> tuple[Example, ...]:
    """Return the examples that `write_examples` wrote."""
    return tuple(_read(Example, one) for one in values)


def _plain(value: Any) -> dict[str, Any]:
    written = {}
    for field in fields(value):
        one = getattr(value, field.name)
        if field.default is not MISSING and one == field.default:
            continue
        written[field.name] = [_plain(part) for part in one] if field.name in _PARTS else one
    return written


def _read(kind: type, value: Mapping[str, Any]) -> Any:
    return kind(**{name: _tuples(one) for name, one in value.items()})


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
