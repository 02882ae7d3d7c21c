"""Reading an ontology, or a corpus' own guidelines, from TOML: docs/ontologies/README.md has the form. Pure.

What the tables of a file hold is read here, and whether they go together is looked at by `contradictions`.
Every fault is found that can be, in one pass, and said with its line.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kbpo_formats.ontologies import contradictions
from kbpo_formats.ontologies.faults import Fault, Faults, Faulty
from kbpo_formats.ontologies.fields import Fields, check_text, shown
from kbpo_formats.ontologies.ontology import (
    REASONS,
    TYPE_KINDS,
    Alias,
    Example,
    MentionType,
    Ontology,
    Predicate,
    Relation,
    Turn,
)
from kbpo_formats.ontologies.placed import Draft, Placed
from kbpo_formats.ontologies.toml_lines import Path, find_lines

MOST_BYTES = 256 * 1024
LONGEST_LINE = 4_000  # characters: a key of more parts would take `tomllib` minutes
LONGEST_NAME, LONGEST_TYPE, LONGEST_WORD, LONGEST_STATEMENT, LONGEST_TEXT = 64, 8, 40, 200, 4_000
MOST_TYPES, MOST_RELATIONS, MOST_PREDICATES, MOST_ALIASES, MOST_EXAMPLES = 40, 500, 2_000, 500, 100
MOST_ASKED = 16  # types that people mark: eight colours, each with two kinds of line
LARGEST_VERSION = 9_999

#: Letters for types: the others mean something else where mentions are marked.
KEYS = "abdeghijkopqtuvwyz"

_ONTOLOGY_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_TYPE_NAME = re.compile(r"[A-Z][A-Z0-9_]+")
_NAME = re.compile(r"(?:[a-z0-9_]+:)?[A-Za-z][A-Za-z0-9_-]*")
_ALIAS = re.compile(r"[A-Za-z][A-Za-z0-9_/-]*")
_KEY = re.compile(rf"[{KEYS}]")

_NAME_IS = "letters, digits, _ and -, after its subject's type in small letters and a colon if there is one"
_TYPE_IS = "of capital letters, digits and _, and begin with a letter"
_AT = re.compile(r"\(at line (\d+), column (\d+)\)\Z")


@dataclass(frozen=True, slots=True)
class Guidelines:
    """What a corpus says instead of its ontology.

    Attributes
    ----------
    of_types, of_relations : mapping of str to str
        By the names of those that it says something else of.
    examples : tuple of Example or None
        Instead of all of the ontology's; None: these stay.
    """

    of_types: Mapping[str, str]
    of_relations: Mapping[str, str]
    examples: tuple[Example, ...] | None


def read_ontology(data: bytes, *, where: str = "") -> Ontology:
    """Read an ontology.

    Parameters
    ----------
    data : bytes
        TOML, in UTF-8.
    where : str
        The file, for errors.

    Raises
    ------
    Faulty
        If it is none, or contradicts itself: with every fault, and its line.
    """
    values, faults = _load(data, where)
    fields = Fields(values, (), faults)
    draft = Draft(
        name=fields.text(
            "name", longest=40, pattern=_ONTOLOGY_NAME, made_of="of small letters, digits and -, as tac-kbp"
        ),
        version=fields.number("version", least=1, most=LARGEST_VERSION),
        title=fields.text("title", longest=200),
        source=fields.text("source", longest=LONGEST_TEXT, is_needed=False),
        types=_each(fields, "types", _read_type, MOST_TYPES),
        relations=_each(fields, "relations", _read_relation, MOST_RELATIONS),
        predicates=_each(fields, "predicates", _read_predicate, MOST_PREDICATES, is_needed=False),
        aliases=_each(fields, "aliases", _read_alias, MOST_ALIASES, is_needed=False),
        examples=_each(fields, "examples", _read_example, MOST_EXAMPLES, is_needed=False),
        names_predicates="predicates" in fields,
    )
    fields.finish()
    ontology = contradictions.check(draft, faults, keys=KEYS, most_asked=MOST_ASKED)
    faults.refuse(where=where)
    return ontology


def read_guidelines(data: bytes, ontology: Ontology, *, where: str = "") -> Guidelines:
    """Read what a corpus says instead of its ontology.

    Parameters
    ----------
    data : bytes
        TOML, in UTF-8: tables ``[types]`` and ``[relations]``, with guidelines by names, and
        ``[[examples]]``.
    ontology : Ontology
        The corpus'.
    where : str
        The file, for errors.

    Raises
    ------
    Faulty
        If it is of another form, is about nothing of the ontology, or says nothing.
    """
    values, faults = _load(data, where)
    fields = Fields(values, (), faults)

    def guideline_in(key: str, known: Mapping[str, Any]) -> Callable[[str, Any, Path], str]:
        def read(name: str, value: Any, path: Path) -> str:
            if name not in known:
                faults.add(path, f"unknown {key[:-1]} {shown(name)}; {ontology} has {', '.join(known)}")
            if not isinstance(value, str):
                faults.add(path, f"the guideline of {shown(name)} is {shown(value)}; it must be a text")
                return ""
            return check_text(value, f"the guideline of {shown(name)}", path, faults, longest=LONGEST_TEXT)

        return read

    asked = {one.name: one for one in ontology.mention_types}
    of_types = fields.pairs("types", guideline_in("types", asked), most=MOST_TYPES)
    of_relations = fields.pairs(
        "relations", guideline_in("relations", ontology.relations_by_name), most=MOST_RELATIONS
    )
    examples = _each(fields, "examples", _read_example, MOST_EXAMPLES, is_needed=False)
    fields.finish()
    for one in examples:
        contradictions.check_example(one, ontology.types_by_name, ontology.relations_by_name, faults)
    if not any(key in fields for key in ("types", "relations", "examples")):
        faults.add((), "nothing is said: give guidelines of [types] or [relations], or [[examples]]")
    faults.refuse(where=where)
    return Guidelines(
        of_types, of_relations, tuple(one.value for one in examples) if "examples" in fields else None
    )


def _load(data: bytes, where: str) -> tuple[dict[str, Any], Faults]:
    """Parse TOML, and find its lines."""

    def refuse(line: int, message: str) -> Faulty:
        return Faulty([Fault(line, message)], where=where)

    if len(data) > MOST_BYTES:
        raise refuse(1, f"the file has {len(data):,} bytes; at most {MOST_BYTES:,} are allowed")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise refuse(data.count(b"\n", 0, error.start) + 1, "this is not UTF-8") from None
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > LONGEST_LINE:
            raise refuse(number, f"the line has more than {LONGEST_LINE:,} characters; break it")
    try:
        values = tomllib.loads(text)
        lines = find_lines(text)
    except RecursionError:
        raise refuse(1, "lists or tables are nested too deep") from None
    except ValueError as error:
        raise refuse(*_told(str(error), text)) from None
    return values, Faults(lines)


def _told(message: str, text: str) -> tuple[int, str]:
    """Return line and words for what is no TOML."""
    found = _AT.search(message)
    line = int(found[1]) if found else text.count("\n") + 1
    reason = message[: found.start()] if found else message
    if "overwrite" in reason or "mutate" in reason or "twice" in reason:
        reason = f"a key or a table is there twice ({reason.strip()[:200]})"
    return line, f"this is no TOML: {' '.join(reason.split())[:300]}"


def _each(
    fields: Fields, key: str, read: Callable[[Fields], Any], most: int, *, is_needed: bool = True
) -> tuple[Placed[Any], ...]:
    found = []
    for one in fields.tables(key, is_needed=is_needed, most=most):
        found.append(Placed(one.path, read(one)))
        one.finish()
    return tuple(found)


def _read_type(fields: Fields) -> MentionType:
    is_asked = fields.truth("asked", default=True)
    kind = fields.one_of("kind", TYPE_KINDS)
    return MentionType(
        name=fields.text("name", longest=LONGEST_TYPE, pattern=_TYPE_NAME, made_of=_TYPE_IS),
        word=fields.text("word", longest=LONGEST_WORD),
        kind=kind,  # type: ignore[arg-type]
        guideline=fields.text("guideline", longest=LONGEST_TEXT, is_needed=is_asked),
        key=fields.text(
            "key", longest=1, pattern=_KEY, made_of=f"one of the letters {' '.join(KEYS)}", is_needed=False
        ),
        is_asked=is_asked,
    )


def _read_relation(fields: Fields) -> tuple[Relation, Mapping[str, str]]:
    """Return a relation and its inverses, by the type of its object."""
    statement = _statement(fields, "statement", is_needed=True)
    objects = _types(fields, "objects")
    relation = Relation(
        name=fields.text("name", longest=LONGEST_NAME, pattern=_NAME, made_of=_NAME_IS),
        subject_type=_type(fields, "subject"),
        object_types=objects,
        label=fields.text("label", longest=LONGEST_WORD),
        statement=statement,
        reverse=_statement(fields, "reverse", is_needed=False) or statement,
        guideline=fields.text("guideline", longest=LONGEST_TEXT),
        is_symmetric=fields.truth("symmetric", default=False),
        is_single_valued=fields.truth("single_valued", default=False),
    )
    return relation, _for_each(fields, "inverse", objects)


def _read_predicate(fields: Fields) -> Predicate:
    objects = _types(fields, "objects")
    turned = fields.truth("turned", default=False)
    turn: Turn = "swap" if turned else "no"
    return Predicate(
        name=fields.text("name", longest=LONGEST_NAME, pattern=_NAME, made_of=_NAME_IS),
        subject_type=_type(fields, "subject"),
        object_types=objects,
        stored_as=tuple(_for_each(fields, "stored_as", objects).items()),
        turn=turn,
        inverses=tuple(_for_each(fields, "inverse", objects).items()),
        is_single_valued=fields.truth("single_valued", default=False),
    )


def _read_alias(fields: Fields) -> Alias:
    made_of = "letters, digits, _, / and -, without its subject's type"
    return Alias(
        reason=fields.one_of("reason", REASONS),  # type: ignore[arg-type]
        subject_types=_types(fields, "subjects"),
        alias=fields.text("alias", longest=LONGEST_NAME, pattern=_ALIAS, made_of=made_of),
        name=fields.text("name", longest=LONGEST_NAME, pattern=_ALIAS, made_of=made_of),
    )


def _read_example(fields: Fields) -> Example:
    holds = []
    for line, path in fields.names("holds", is_needed=False):
        relation, _, number = line.partition(" ")
        if number not in ("1", "2"):
            fields.faults.add(
                path,
                f"holds has {shown(line)}; it must be a relation and 1 or 2, the number of the mention that"
                " is its subject",
            )
        else:
            holds.append((relation, int(number) - 1))
    return Example(
        text=fields.text("text", longest=LONGEST_TEXT),
        holds=tuple(holds),
        explanation=fields.text("explanation", longest=LONGEST_TEXT),
        is_practice=fields.truth("practice", default=False),
    )


def _statement(fields: Fields, key: str, *, is_needed: bool) -> str:
    text = fields.text(key, longest=LONGEST_STATEMENT, is_needed=is_needed)
    if not text:
        return ""
    rest = text.replace("{subject}", "", 1).replace("{object}", "", 1)
    if len(rest) != len(text) - len("{subject}{object}") or "{" in rest or "}" in rest:
        fields.refuse(key, f"is {shown(text)}; it must have {{subject}} and {{object}}, each once")
        return ""
    if "\n" in text:
        fields.refuse(key, "has several lines; it must be one")
        return ""
    return text


def _type(fields: Fields, key: str) -> str:
    return fields.text(key, longest=LONGEST_TYPE, pattern=_TYPE_NAME, made_of=_TYPE_IS)


def _types(fields: Fields, key: str) -> tuple[str, ...]:
    return tuple(name for name, _ in fields.names(key, most=MOST_TYPES))


def _for_each(fields: Fields, key: str, types: Iterable[str]) -> dict[str, str]:
    """Return a name for each type of the object: the same for all, or what a table has of each."""
    given = fields.by_type(key)
    if isinstance(given, str):
        return dict.fromkeys(types, given)
    return given or {}
