"""Lines of JSON: each one object, read strictly, and what is wrong with one by its column."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from kbpo_formats.problems import Code, ProblemLog, own, shorten

FORMAT = "jsonl"
NAME = "JSON Lines"

#: The way to a value, as in ``("subject", "start")``.
Path = tuple[str, ...]

_SPACE = re.compile(r"[ \t\r\n]*")
_STRINGS_AND_CONSTANTS = re.compile(r'"(?:[^"\\]|\\.)*"|(-?Infinity|NaN)')
# A pair of halves, a half alone, any other escape.
_ESCAPES = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\."
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_KINDS: tuple[tuple[type, str], ...] = (
    (str, "text"),
    (dict, "an object"),
    (list, "a list"),
    (type(None), "null"),
)


def codes_of_lines(formats: tuple[str, ...], example: str) -> tuple[Code, ...]:
    """Return what can be wrong with lines of JSON, whatever they say.

    Parameters
    ----------
    formats : tuple of str
    example : str
        A line that is right.
    """
    shown = example.replace("{", "{{").replace("}", "}}")
    errors = (
        ("NOT_JSON", "The line is not JSON: {0}", f"Write each line as one JSON object, as in {shown}"),
        ("NOT_AN_OBJECT", "The line is {0}, not an object", f"Write each line as in {shown}"),
        (
            "DUPLICATE_KEY",
            "The key {0} stands twice in one object",
            "Leave one of them out: which of them counts would depend on who reads it.",
        ),
        ("NOT_A_NUMBER", "{0} is no number of JSON", "Write a finite number, or leave the field out."),
        (
            "HALF_A_CHARACTER",
            "{0} is half of a pair that stands for one character",
            "Write the character itself in UTF-8, or both halves.",
        ),
        ("MISSING_FIELD", "{0} is missing", "It must be {1}."),
        ("WRONG_KIND", "{0} is {1}", "It must be {2}."),
        ("UNKNOWN_DOCUMENT", "The corpus has no document {0}", "Use the document's id as the corpus has it."),
        (
            "WRONG_CONFIDENCE",
            "The confidence is {0}",
            "It must be a number from 0 to 1; left out, it is 1.",
        ),
    )
    return (
        *(own(name, formats, "ERROR", "reject", wrong, right) for name, wrong, right in errors),
        own(
            "UNKNOWN_FIELD",
            formats,
            "WARNING",
            "ignored",
            "{0} is no field of {1}",
            "It was ignored: the fields are {2}.{3}",
        ),
    )


class _TwiceError(ValueError):
    """A key that stands twice in an object."""


class _ConstantError(ValueError):
    """A number that JSON has not."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        times = Counter(key for key, _ in pairs)
        raise _TwiceError(next(key for key in times if times[key] > 1))
    return fields


def _constant(name: str) -> Any:
    raise _ConstantError(name)


_STRICT = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)
_LAX = json.JSONDecoder()


def read_object(text: str, line: int, log: ProblemLog) -> dict[str, Any] | None:
    """Return the object of a line; log what is wrong where it holds none.

    Parameters
    ----------
    text : str
        Without its line end.
    line : int
    log : ProblemLog
        Its codes are among others those of `codes_of_lines`.
    """
    try:
        value = _STRICT.decode(text)
    except _TwiceError as error:
        key = str(error)
        log.add("DUPLICATE_KEY", line, text, show(key), column=_column_of_twice(text, key))
        return None
    except _ConstantError as error:
        at = next(
            (found.start(1) for found in _STRINGS_AND_CONSTANTS.finditer(text) if found[1] is not None), 0
        )
        log.add("NOT_A_NUMBER", line, text, error, column=at + 1)
        return None
    except json.JSONDecodeError as error:
        words = error.msg[:1].lower() + error.msg[1:]
        if error.msg == "Extra data" and text[error.pos :].lstrip(" \t\ufeff").startswith("{"):
            words = "a second object follows; files may have been joined without a line end between them"
        log.add("NOT_JSON", line, text[error.pos :] or text, words, column=error.pos + 1)
        return None
    except RecursionError:
        log.add("NOT_JSON", line, text, "lists or objects are nested too deep", column=1)
        return None
    except ValueError:
        log.add("NOT_JSON", line, text, "it holds a number of thousands of digits", column=1)
        return None
    if type(value) is not dict:
        log.add("NOT_AN_OBJECT", line, text, show(value), column=1)
        return None
    if "\\u" in text:
        half = next((found for found in _ESCAPES.finditer(text) if found[1] is not None), None)
        if half is not None:
            log.add("HALF_A_CHARACTER", line, half[1], half[1], column=half.start() + 1)
            return None
    return value


def show(value: object) -> str:
    """Show a value as JSON, shortened; a list or an object by what it is."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    try:
        return shorten(json.dumps(value, ensure_ascii=False), 80)
    except ValueError:
        return "a number of thousands of digits"


def kind_of(value: object) -> str:
    """Say what kind of value stands where another kind must."""
    if isinstance(value, bool):
        return show(value)
    for kind, words in _KINDS:
        if isinstance(value, kind):
            return f"{words}, {show(value)}" if kind is str else words
    return f"a number, {show(value)}"


def find(text: str, path: Path) -> tuple[int, str]:
    """Find a value of a line that is an object, or what it is missing from.

    Returns
    -------
    tuple of int and str
        Its column, from 1, and how it is written.
    """
    at = _after_space(text, 0)
    for key in path:
        if text[at] != "{":
            break
        for name, _, value_at in _members(text, at):
            if name == key:
                at = value_at
                break
        else:
            break
    _, end = _LAX.raw_decode(text, at)
    return at + 1, text[at:end]


def report_unknown(
    fields: Mapping[str, Any], known: Iterable[str], path: Path, text: str, line: int, log: ProblemLog
) -> None:
    """Warn of the fields of an object that nobody asks for.

    Parameters
    ----------
    fields : mapping
        The object.
    known : iterable of str
        The fields that it may have.
    path : tuple of str
        The way to it; empty for the line itself.
    text : str
        The line.
    line : int
    log : ProblemLog
    """
    names = list(known)
    columns: dict[str, int] = {}
    for name in fields:
        if name in names:
            continue
        if not log.tells("UNKNOWN_FIELD"):  # a million lines may have notes of their own
            log.add("UNKNOWN_FIELD", line, name, name, "", "", "")
            continue
        close = get_close_matches(name[:60], names, n=1) if log.lists("UNKNOWN_FIELD") else ()
        hint = f" Is {close[0]} meant?" if close else ""
        within = ".".join(path) or "a line"
        columns = columns or _columns(text, path)
        log.add("UNKNOWN_FIELD", line, name, show(name), within, ", ".join(names), hint, column=columns[name])


def has_control(text: str) -> bool:
    """Say whether a text holds a character that ends lines, or is no character to see."""
    return _CONTROL.search(text) is not None


def without_control(text: str) -> str:
    """Return a text with white space in the place of such characters."""
    return _CONTROL.sub(" ", text)


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    assert found is not None, "it may match nothing, and so always matches"
    return found.end()


def _members(text: str, at: int) -> Iterator[tuple[str, int, int]]:
    """Yield the keys of the object at a place, where each stands, and where its value does."""
    at = _after_space(text, at + 1)
    while text[at] == '"':
        key, end = _LAX.raw_decode(text, at)
        value_at = _after_space(text, _after_space(text, end) + 1)
        yield key, at, value_at
        _, end = _LAX.raw_decode(text, value_at)
        at = _after_space(text, end)
        if text[at] == ",":
            at = _after_space(text, at + 1)


def _columns(text: str, path: Path) -> dict[str, int]:
    """Return the columns of the values of an object of a line, by their names, in one walk."""
    column, _ = find(text, path)
    return {name: value_at + 1 for name, _, value_at in _members(text, column - 1)}


def _column_of_twice(text: str, key: str) -> int:
    """Return the column of the second of two equal keys of an object; 1 where it is not found."""
    waiting = [_after_space(text, 0)]
    try:
        while waiting:
            at = waiting.pop()
            if text[at] != "{":
                continue
            seen: set[str] = set()
            for name, key_at, value_at in _members(text, at):
                if name == key and name in seen:
                    return key_at + 1
                seen.add(name)
                waiting.append(value_at)
    except (ValueError, IndexError, RecursionError):  # the line has other faults behind it
        pass
    return 1
