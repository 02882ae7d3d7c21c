"""Whether what a file holds goes together: types that are there, relations that fit them, examples. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from kbpo_formats.ontologies.faults import Faults
from kbpo_formats.ontologies.fields import shown
from kbpo_formats.ontologies.names import RESERVED_TYPES, Relations, Types, check_ends, check_name, known
from kbpo_formats.ontologies.ontology import Example, MentionType, Ontology, Relation
from kbpo_formats.ontologies.placed import Draft, Placed
from kbpo_formats.ontologies.predicates import check_aliases, check_predicates, implied_predicates
from kbpo_formats.ontologies.toml_lines import Path

_MARKED = re.compile(r"\[([^|\[\]]+)\|([^|\[\]]+)\]")


def check(draft: Draft, faults: Faults, *, keys: str, most_asked: int) -> Ontology:
    """Make the ontology of a draft, and note every contradiction in it.

    Parameters
    ----------
    draft : Draft
    faults : Faults
        Receives the contradictions; where there is one, the ontology is of no use.
    keys : str
        The letters that types may have.
    most_asked : int
        How many types people may be asked to mark.
    """
    types = _types(draft.types, faults, keys, most_asked)
    relations = _relations(draft, types, faults)
    if draft.names_predicates:
        predicates = check_predicates(draft, types, relations, faults)
    else:
        predicates = implied_predicates(draft, types, faults)
    check_aliases(draft, types, predicates, faults)
    for example in draft.examples:
        check_example(example, types, relations, faults)
    return Ontology(
        name=draft.name,
        version=draft.version,
        title=draft.title,
        source=draft.source,
        types=tuple(types.values()),
        relations=tuple(relations.values()),
        predicates=tuple(predicates),
        aliases=tuple(one.value for one in draft.aliases),
        examples=tuple(one.value for one in draft.examples),
    )


def check_example(placed: Placed[Example], types: Types, relations: Relations, faults: Faults) -> None:
    """Note what is wrong with an example."""
    path, example = placed.path, placed.value
    if not example.text:
        return
    marked = [found[2] for found in _MARKED.finditer(example.text)]
    left = _MARKED.sub("", example.text)
    if len(marked) != 2 or "[" in left or "]" in left:
        faults.add(
            (*path, "text"), "text must have two marked mentions, as in [Ada|PER], and no other bracket"
        )
        return
    asked = [name for name, one in types.items() if one.is_asked]
    if unknown := [name for name in marked if name not in asked]:
        faults.add(
            (*path, "text"), f"text has a mention of the unknown type {shown(unknown[0])}; {known(asked)}"
        )
        return
    fitting = [
        (relation, subject)
        for relation in relations.values()
        for subject in (0, 1)
        if relation.admits(marked[subject], marked[1 - subject])
        and not (relation.is_symmetric and subject == 1)
    ]
    if not fitting:
        faults.add((*path, "text"), f"no relation is admitted between {marked[0]} and {marked[1]}")
    for place, (name, subject) in enumerate(example.holds):
        at = (*path, "holds", place)
        if name not in relations:
            faults.add(at, f"holds has the unknown relation {shown(name)}; {known(relations)}")
        elif (relations[name], subject) not in fitting:
            reason = (
                f"{name} is symmetric, so its subject is 1, the mention that comes first"
                if relations[name].is_symmetric and marked[0] == marked[1] == relations[name].subject_type
                else f"{name} does not admit {marked[subject]} as its subject with {marked[1 - subject]}"
            )
            faults.add(at, f"holds has {shown(f'{name} {subject + 1}')}: {reason}")


# Types ------------------------------------------------------------------------------------------------


def _types(
    placed: Sequence[Placed[MentionType]], faults: Faults, keys: str, most_asked: int
) -> dict[str, MentionType]:
    found: dict[str, MentionType] = {}
    words: dict[str, str] = {}
    letters: dict[str, str] = {}
    for one in placed:
        path, type_ = one.path, one.value
        if type_.name in RESERVED_TYPES:
            faults.add((*path, "name"), f"{type_.name} is reserved, and cannot be a type's name")
        if type_.name in found:
            faults.add((*path, "name"), f"there are two types named {type_.name}")
        if type_.word and words.setdefault(type_.word.casefold(), type_.name) != type_.name:
            other = words[type_.word.casefold()]
            faults.add((*path, "word"), f"{type_.name} and {other} are both called {shown(type_.word)}")
        if type_.key and not type_.is_asked:
            faults.add((*path, "key"), f"{type_.name} is not asked for, so no key gives it")
        elif type_.key and letters.setdefault(type_.key, type_.name) != type_.name:
            faults.add(
                (*path, "key"), f"{type_.name} and {letters[type_.key]} have the same key, {type_.key}"
            )
        if type_.name:
            found.setdefault(type_.name, type_)
    asked = [one for one in found.values() if one.is_asked]
    if len(asked) > most_asked:
        faults.add(("types",), f"people are asked for {len(asked)} types; at most {most_asked} are allowed")
        return found
    if placed and not any(one.is_entity for one in asked):
        faults.add(
            ("types",), 'no type that people are asked for is of kind "entity", so nothing is a subject'
        )
    for type_ in asked:
        if not type_.key:
            wanted = [*(type_.word + type_.name).lower(), *keys]
            key = next(letter for letter in wanted if letter in keys and letter not in letters)
            letters[key] = type_.name
            found[type_.name] = replace(type_, key=key)
    return found


# Relations --------------------------------------------------------------------------------------------


def _relations(draft: Draft, types: Types, faults: Faults) -> dict[str, Relation]:
    found: dict[str, Relation] = {}
    names: dict[str, str] = {}
    for one in draft.relations:
        path, (relation, inverses) = one.path, one.value
        if relation.name:
            check_name(path, relation.name, relation.subject_type, faults)
            if relation.name.casefold() in names:
                faults.add(
                    (*path, "name"),
                    "there are two relations of one name:"
                    f" {names[relation.name.casefold()]} and {relation.name}",
                )
            names.setdefault(relation.name.casefold(), relation.name)
        check_ends(path, relation.subject_type, relation.object_types, types, faults, is_asked=True)
        _check_symmetry(path, relation, inverses, faults)
        _check_reads_alone(path, relation, found.values(), faults)
        if relation.name:
            found.setdefault(relation.name, relation)
        if draft.names_predicates and inverses:
            faults.add(
                (*path, "inverse"), "inverse stands with the predicates where a file has these, not here"
            )
    return found


def _check_symmetry(path: Path, relation: Relation, inverses: Mapping[str, str], faults: Faults) -> None:
    if not relation.is_symmetric:
        return
    if relation.subject_type and relation.object_types not in ((), (relation.subject_type,)):
        faults.add(
            (*path, "symmetric"),
            f"{relation.name} is symmetric, so its objects must be {relation.subject_type} alone, as its"
            f" subject is; they are {', '.join(relation.object_types)}",
        )
    if any(name != relation.name for name in inverses.values()):
        faults.add(
            (*path, "inverse"), f"{relation.name} is symmetric, so it is its own inverse: leave it out"
        )


def _check_reads_alone(path: Path, relation: Relation, before: Iterable[Relation], faults: Faults) -> None:
    for other in before:
        if (
            relation.statement
            and other.statement.casefold() == relation.statement.casefold()
            and other.subject_type == relation.subject_type
            and set(other.object_types) & set(relation.object_types)
        ):
            faults.add(
                (*path, "statement"),
                f"{relation.name} reads as {other.name} does, and nobody could tell them apart",
            )
