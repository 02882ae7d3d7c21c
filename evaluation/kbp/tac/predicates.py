"""What the second column of a line means."""

from difflib import get_close_matches
from functools import lru_cache
from typing import NamedTuple

from kbpo.core.ontology import ALIASES, ENTITY_TYPES, PREDICATES, Alias, Predicate

STRUCTURE = ("type", "link", "mention", "canonical_mention", "nominal_mention")

_ALIASES: dict[tuple[str, str], Alias] = {
    (subject_type, alias.alias): alias for alias in ALIASES for subject_type in alias.subject_types
}
_BY_NAME: dict[str, list[Predicate]] = {}
for _predicate in PREDICATES.values():
    _BY_NAME.setdefault(_predicate.name.split(":")[1], []).append(_predicate)


class Finding(NamedTuple):
    """A problem with a predicate's name: the code, and what its templates want."""

    code: str
    values: tuple[str, ...]


class Structure(NamedTuple):
    """A predicate that says something of one entity rather than relating two.

    Attributes
    ----------
    name : str
        One of `STRUCTURE`.
    subject_type : str or None
        The type that stands before the name, if any.
    finding : Finding or None
    """

    name: str
    subject_type: str | None = None
    finding: Finding | None = None


class Meaning(NamedTuple):
    """A relation's predicate; None after an error."""

    predicate: Predicate | None
    finding: Finding | None = None


@lru_cache(maxsize=1 << 10)
def structure_of(verb: str) -> Structure | None:
    """Return what a predicate says of an entity, or None if it is a relation's."""
    prefix, colon, name = verb.rpartition(":")
    subject_type = prefix.upper() if colon else None
    if subject_type is not None and subject_type not in ENTITY_TYPES:
        return None
    if name in STRUCTURE:
        return Structure(name, subject_type)
    alias = _ALIASES.get((subject_type or ENTITY_TYPES[0], name))
    if alias is not None and alias.name in STRUCTURE:
        finding = Finding("PREDICATE_ALIAS", (alias.reason, name, alias.name))
        return Structure(alias.name, subject_type, finding)
    return None


@lru_cache(maxsize=1 << 10)
def relation_of(verb: str, subject_type: str | None) -> Meaning:
    """Find the official predicate of a relation.

    Parameters
    ----------
    verb : str
        With or without the subject type's prefix; may be an alias.
    subject_type : str or None
        The type that is asserted for the subject, if there is one.
    """
    prefix, colon, name = verb.partition(":")
    if colon:
        domain: str | None = prefix.upper()
        if domain not in ENTITY_TYPES:
            return Meaning(None, Finding("ILLEGAL_PREDICATE_TYPE", (prefix,)))
        if subject_type is not None and subject_type != domain:
            return Meaning(None, Finding("SUBJECT_PREDICATE_MISMATCH", (subject_type, verb, domain or "")))
    else:
        name, domain = verb, subject_type
    finding = None
    alias = _ALIASES.get((domain, name)) if domain else None
    if alias is not None:
        finding = Finding("PREDICATE_ALIAS", (alias.reason, name, alias.name))
        name = alias.name
    found = [p for p in _BY_NAME.get(name, ()) if domain in (None, p.subject_type)]
    if not found:
        return Meaning(None, Finding("ILLEGAL_PREDICATE", (verb,)))
    if len(found) > 1:
        names = ", ".join(p.name for p in found)
        return Meaning(None, Finding("AMBIGUOUS_PREDICATE", (verb, names)))
    return Meaning(found[0], finding)


def suggestion_for(verb: str) -> str:
    """Say which official predicate resembles a name most; empty where none does."""
    close = get_close_matches(verb[:60].lower(), [*PREDICATES, *STRUCTURE], n=1, cutoff=0.8)
    return f" Is {close[0]} meant?" if close else ""
