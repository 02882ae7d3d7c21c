"""Names and types in a file: whether they are free, known, and of the right kind. Pure."""

from collections.abc import Iterable, Mapping

from kbpo_formats.ontologies.faults import Faults
from kbpo_formats.ontologies.fields import shown
from kbpo_formats.ontologies.ontology import MentionType, Relation
from kbpo_formats.ontologies.toml_lines import Path

#: What files say of one entity rather than of two.
STRUCTURE = (
    "type",
    "link",
    "mention",
    "canonical_mention",
    "nominal_mention",
    "pronominal_mention",
    "normalized_mention",
)
#: Words that stand for something else in files, addresses and forms.
RESERVED_NAMES = frozenset({*STRUCTURE, "all", "none", "nothing", "other"})
RESERVED_TYPES = frozenset({"ALL", "ANY", "NONE", "NOTHING"})

Types = Mapping[str, MentionType]
Relations = Mapping[str, Relation]


def known(names: Iterable[str]) -> str:
    """Say which names there are."""
    listed = list(names)
    return f"known are {', '.join(listed[:60])}" if listed else "there are none"


def check_name(path: Path, name: str, type_name: str, faults: Faults) -> None:
    """Note a name that is reserved, or whose prefix is not its subject's type."""
    prefix, colon, bare = name.rpartition(":")
    if bare.casefold() in RESERVED_NAMES:
        faults.add((*path, "name"), f"{name} is reserved: {bare} means something else in files or forms")
    if colon and type_name and prefix != type_name.lower():
        faults.add(
            (*path, "name"),
            f"{name} begins with {prefix}:, but its subject is {type_name}; write {type_name.lower()}:{bare}",
        )


def check_ends(
    path: Path, subject: str, objects: Iterable[str], types: Types, faults: Faults, *, is_asked: bool
) -> None:
    """Note types that are not there, and those that cannot stand where they do."""
    literal = None
    for name, at in ((subject, (*path, "subject")), *((one, (*path, "objects")) for one in objects)):
        if not name:
            continue
        if name not in types:
            faults.add(at, f"unknown type {shown(name)}; {known(types)}")
            continue
        if is_asked and not types[name].is_asked:
            faults.add(at, f"people are not asked for mentions of {name}, so no relation can be about one")
        if types[name].is_entity:
            continue
        if at[-1] == "subject":
            faults.add(at, f"the subject is a {types[name].kind}, {name}; it must be an entity")
        elif literal is not None:
            faults.add(
                at,
                f"{literal} and {name} are both strings in files, which do not say which is meant; name one",
            )
        else:
            literal = name
