"""Writing an ontology as the TOML of which `reading` makes the same one again. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from kbpo_formats.ontologies.ontology import Alias, Example, MentionType, Ontology, Predicate, Relation
from kbpo_formats.ontologies.toml_text import toml_lines


def write_ontology(ontology: Ontology) -> str:
    """Return an ontology as a file that `read_ontology` reads as the same one."""
    tables = [
        *(("types", _type(one)) for one in ontology.types),
        *(("relations", _relation(one)) for one in ontology.relations),
        *(("predicates", _predicate(one)) for one in ontology.predicates),
        *(("aliases", _alias(one)) for one in ontology.aliases),
        *(("examples", _example(one)) for one in ontology.examples),
    ]
    head = {
        "name": ontology.name,
        "version": ontology.version,
        "title": ontology.title,
        "source": ontology.source or None,
    }
    return toml_lines(head) + "".join(f"\n[[{name}]]\n{toml_lines(values)}" for name, values in tables)


def _type(one: MentionType) -> Mapping[str, Any]:
    return {
        "name": one.name,
        "word": one.word,
        "kind": one.kind,
        "key": one.key or None,
        "asked": None if one.is_asked else False,
        "guideline": one.guideline or None,
    }


def _relation(one: Relation) -> Mapping[str, Any]:
    return {
        "name": one.name,
        "subject": one.subject_type,
        "objects": one.object_types,
        "symmetric": one.is_symmetric or None,
        "single_valued": one.is_single_valued or None,
        "label": one.label,
        "statement": one.statement,
        "reverse": one.reverse,
        "guideline": one.guideline,
    }


def _predicate(one: Predicate) -> Mapping[str, Any]:
    return {
        "name": one.name,
        "subject": one.subject_type,
        "objects": one.object_types,
        "single_valued": one.is_single_valued or None,
        "stored_as": _for_each(one.stored_as, one.object_types),
        "turned": one.turn == "swap" or None,
        "inverse": _for_each(one.inverses, one.object_types),
    }


def _for_each(pairs: Sequence[tuple[str, str]], types: Sequence[str]) -> str | Mapping[str, str] | None:
    """Return the name for each type of the object: one where it is the same for all."""
    if not pairs:
        return None
    names = dict(pairs)
    is_same = set(names) == set(types) and len(set(names.values())) == 1
    return next(iter(names.values())) if is_same else names


def _alias(one: Alias) -> Mapping[str, Any]:
    return {"reason": one.reason, "subjects": one.subject_types, "alias": one.alias, "name": one.name}


def _example(one: Example) -> Mapping[str, Any]:
    return {
        "text": one.text,
        "holds": [f"{name} {number + 1}" for name, number in one.holds],
        "explanation": one.explanation,
        "practice": one.is_practice or None,
    }
