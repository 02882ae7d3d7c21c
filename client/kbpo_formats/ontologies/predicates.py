"""The names by which files state relations: those listed, or those that follow from the relations. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from kbpo_formats.ontologies.faults import Faults
from kbpo_formats.ontologies.fields import shown
from kbpo_formats.ontologies.names import (
    RESERVED_NAMES,
    STRUCTURE,
    Relations,
    Types,
    check_ends,
    check_name,
    known,
)
from kbpo_formats.ontologies.ontology import Predicate, Relation
from kbpo_formats.ontologies.placed import Draft, Placed
from kbpo_formats.ontologies.toml_lines import Path


def implied_predicates(draft: Draft, types: Types, faults: Faults) -> list[Predicate]:
    """Return the relations and their inverses as what files may state."""
    found: dict[str, Predicate] = {}
    listed = {one.value[0].name: one.value for one in draft.relations if one.value[0].name}
    for relation, _ in listed.values():
        found[relation.name] = Predicate(
            name=relation.name,
            subject_type=relation.subject_type,
            object_types=relation.object_types,
            stored_as=tuple((one, relation.name) for one in relation.object_types),
            turn="symmetric" if relation.is_symmetric else "no",
            inverses=((relation.subject_type, relation.name),) if relation.is_symmetric else (),
            is_single_valued=relation.is_single_valued,
        )
    for one in draft.relations:
        path, (relation, inverses) = one.path, one.value
        at = (*path, "inverse")
        if relation.is_symmetric or not relation.name or not inverses:
            continue
        given = _of_entities(at, inverses, relation.object_types, types, faults)
        for object_type, name in given.items():
            if _is_refused_as_inverse(at, name, object_type, relation, listed, faults):
                continue
            if name in found:
                faults.add(
                    at,
                    f"{name} would have two meanings; give each its own name, as in"
                    f' inverse = {{ {object_type} = "{object_type.lower()}:{name.rpartition(":")[2]}" }}',
                )
                continue
            found[name] = Predicate(
                name=name,
                subject_type=object_type,
                object_types=(relation.subject_type,),
                stored_as=((relation.subject_type, relation.name),),
                turn="swap",
                inverses=((relation.subject_type, relation.name),),
            )
        found[relation.name] = replace(found[relation.name], inverses=tuple(given.items()))
    return list(found.values())


def _is_refused_as_inverse(
    at: Path,
    name: str,
    object_type: str,
    relation: Relation,
    listed: Mapping[str, tuple[Relation, Mapping[str, str]]],
    faults: Faults,
) -> bool:
    prefix, colon, bare = name.rpartition(":")
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", bare) or len(name) > 64:
        faults.add(at, f"inverse is {shown(name)}; it must be a name as relations have them")
    elif bare.casefold() in RESERVED_NAMES:
        faults.add(at, f"{name} is reserved: {bare} means something else in files or forms")
    elif colon and prefix != object_type.lower():
        faults.add(
            at,
            f"{name} begins with {prefix}:, but its subject is {object_type};"
            f" write {object_type.lower()}:{bare}",
        )
    elif name == relation.name:
        faults.add(at, f"{name} is its own inverse: write symmetric = true, and leave out inverse")
    elif name in listed:
        other, back = listed[name]
        if relation.name not in back.values():
            told = ", ".join(sorted(set(back.values()))) or "none"
            faults.add(at, f"{name} does not invert {relation.name}: its own inverse is {told}")
        elif not other.admits(object_type, relation.subject_type):
            faults.add(
                at,
                f"{name} does not invert {relation.name}: it is not from {object_type} to"
                f" {relation.subject_type}",
            )
        else:
            faults.add(
                at,
                f"{name} and {relation.name} say the same; list one of them, with the other as its inverse:"
                " files may state either",
            )
    else:
        return False
    return True


def _of_entities(
    at: Path, inverses: Mapping[str, str], object_types: Sequence[str], types: Types, faults: Faults
) -> dict[str, str]:
    """Return the inverses for entities; note those for types that have none."""
    known = {name: one for name, one in inverses.items() if name in types}
    given = {name: one for name, one in known.items() if types[name].is_entity and name in object_types}
    for name, one in inverses.items():
        if name not in object_types:
            faults.add((*at, name), f"inverse names {shown(name)}, which is none of the objects' types")
        elif name in known and name not in given and one not in given.values():
            faults.add(
                at, f"an object of {name} is a {types[name].kind}, of which nothing is said: leave it out"
            )
    return given


def check_predicates(draft: Draft, types: Types, relations: Relations, faults: Faults) -> list[Predicate]:
    """Return the predicates that a file lists, and note what does not go together."""
    found: dict[str, Placed[Predicate]] = {}
    bare: dict[tuple[str, str], str] = {}
    for one in draft.predicates:
        path, predicate = one.path, one.value
        if not predicate.name:
            continue
        check_name(path, predicate.name, predicate.subject_type, faults)
        check_ends(path, predicate.subject_type, predicate.object_types, types, faults, is_asked=False)
        if predicate.name in found:
            faults.add((*path, "name"), f"there are two predicates named {predicate.name}")
            continue
        key = predicate.subject_type, predicate.bare_name
        if bare.setdefault(key, predicate.name) != predicate.name:
            faults.add((*path, "name"), f"{predicate.name} and {bare[key]} are one name of {key[0]}")
        inverses = _of_entities(
            (*path, "inverse"), dict(predicate.inverses), predicate.object_types, types, faults
        )
        predicate = replace(predicate, inverses=tuple(inverses.items()))
        found[predicate.name] = Placed(path, _stored(path, predicate, types, relations, faults))
    predicates = {name: one.value for name, one in found.items()}
    for one in found.values():
        _check_inverses(one, predicates, faults)
    stored = {
        (relation, end)
        for one in predicates.values()
        for object_type, relation in one.stored_as
        for end in (one.subject_type if one.turn == "swap" else object_type,)
    }
    for placed in draft.relations:
        relation = placed.value[0]
        for object_type in relation.object_types:
            if relation.name and object_type in types and (relation.name, object_type) not in stored:
                faults.add(
                    placed.path, f"no predicate states {relation.name} with an object of type {object_type}"
                )
    return list(predicates.values())


def _stored(
    path: Path, predicate: Predicate, types: Types, relations: Relations, faults: Faults
) -> Predicate:
    """Return a predicate with its turn; note relations that are not there or do not fit."""
    at, name = (*path, "stored_as"), predicate.name
    if not predicate.stored_as:
        if predicate.turn == "swap":
            faults.add((*path, "turned"), f"{name} is not scored, so nothing is turned")
        return predicate
    told = dict(predicate.stored_as)
    for object_type in predicate.object_types:
        if object_type not in told:
            faults.add(at, f"stored_as says nothing of objects of type {object_type}")
    for object_type in told:
        if object_type not in predicate.object_types:
            faults.add(
                (*at, object_type),
                f"stored_as names {shown(object_type)}, which is none of the objects' types",
            )
    is_symmetric = False
    for object_type, stored in told.items():
        relation = relations.get(stored)
        if relation is None:
            faults.add(at, f"{name} is stored as the unknown relation {shown(stored)}; {known(relations)}")
            continue
        ends = predicate.subject_type, object_type
        if predicate.turn == "swap":
            ends = ends[1], ends[0]
        if object_type in types and not relation.admits(*ends):
            faults.add(at, f"{name} is stored as {stored}, which does not admit {ends[0]} and {ends[1]}")
        if relation.is_symmetric and predicate.turn == "swap":
            faults.add((*path, "turned"), f"{stored} is symmetric, so nothing is turned")
        is_symmetric = is_symmetric or relation.is_symmetric
    if name in relations and (predicate.turn == "swap" or set(told.values()) != {name}):
        faults.add(
            at, f"{name} is a relation, so the predicate of this name must be stored as it, not turned"
        )
    return replace(predicate, turn="symmetric") if is_symmetric else predicate


def _check_inverses(placed: Placed[Predicate], predicates: Mapping[str, Predicate], faults: Faults) -> None:
    at, predicate = (*placed.path, "inverse"), placed.value
    for object_type, name in predicate.inverses:
        other = predicates.get(name)
        if other is None:
            faults.add(at, f"the inverse of {predicate.name}, {shown(name)}, is no predicate")
            continue
        reason = ""
        if other.subject_type != object_type or predicate.subject_type not in other.object_types:
            reason = f"it is not from {object_type} to {predicate.subject_type}"
        elif (back := other.inverse_for(predicate.subject_type)) != predicate.name:
            reason = f"its own inverse is {back or 'none'}"
        elif other.relation_for(predicate.subject_type) != predicate.relation_for(object_type):
            reason = "they are stored as two relations"
        elif predicate.relation_for(object_type) and {predicate.turn, other.turn} not in (
            {"no", "swap"},
            {"symmetric"},
        ):
            reason = "both are stored in the same direction"
        if reason:
            faults.add(at, f"{name} does not invert {predicate.name}: {reason}")


def check_aliases(draft: Draft, types: Types, predicates: Iterable[Predicate], faults: Faults) -> None:
    """Note aliases that stand for nothing, or for two things."""
    named = {(one.subject_type, one.bare_name) for one in predicates}
    seen: set[tuple[str, str]] = set()
    for one in draft.aliases:
        path, alias = one.path, one.value
        if not alias.alias or not alias.name:
            continue
        for name in alias.subject_types:
            if name not in types:
                faults.add((*path, "subjects"), f"unknown type {shown(name)}; {known(types)}")
                continue
            if alias.name not in STRUCTURE and (name, alias.name) not in named:
                faults.add((*path, "name"), f"{alias.name} is no predicate of {name}")
            if alias.alias in STRUCTURE or (name, alias.alias) in named:
                faults.add((*path, "alias"), f"{alias.alias} is a predicate of {name}, so it is no alias")
            if (name, alias.alias) in seen:
                faults.add((*path, "alias"), f"{alias.alias} is twice an alias of {name}")
            seen.add((name, alias.alias))
