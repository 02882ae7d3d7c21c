"""Writing TOML, as far as the service writes any: texts, truths, numbers, lists and tables of these. Pure."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

_WIDTH = 110  # characters of a line of a long text


def toml_value(value: Any) -> str:
    """Return a value as TOML has it, on one line but for a long text.

    Examples
    --------
    >>> print(toml_value({"a": ["b", 1, True]}))
    { a = ["b", 1, true] }
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return _long(value) if len(value) > _WIDTH or "\n" in value else _short(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_plain(one)}" for key, one in value.items()) + " }"
    assert isinstance(value, Sequence), "nothing else is written"
    return "[" + ", ".join(_plain(one) for one in value) + "]"


def toml_lines(values: Mapping[str, Any]) -> str:
    """Return keys and values, a line each; what is None is left out."""
    return "".join(f"{_key(key)} = {toml_value(one)}\n" for key, one in values.items() if one is not None)


def _plain(value: Any) -> str:
    return _short(value) if isinstance(value, str) else toml_value(value)


def _key(key: str) -> str:
    is_bare = key.isascii() and key.replace("_", "").replace("-", "").isalnum()
    return key if is_bare else _short(key)


def _short(text: str) -> str:
    # JSON's strings are TOML's, but for this one character.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _long(text: str) -> str:
    """Return a text on several lines, which are one again when it is read."""
    return '"""\n' + "\n".join(_broken(line) for line in text.split("\n")) + '"""'


def _broken(line: str) -> str:
    parts, start = [], 0
    while len(line) - start > _WIDTH:
        end = line.rfind(" ", start, start + _WIDTH) + 1
        # White space after a break is lost, so the next part begins with none.
        while start < end and line[end : end + 1].isspace():
            end = line.rfind(" ", start, end - 1) + 1
        if end <= start:
            end = start + _WIDTH
            while line[end : end + 1].isspace():
                end += 1
        parts.append(line[start:end])
        start = end
    return "\\\n".join(_short(part)[1:-1] for part in [*parts, line[start:]])
