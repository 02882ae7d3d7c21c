"""What a file is, told from how it begins: its format, or that it is of none that can be read."""

import json
import re
import zlib
from collections.abc import Iterable
from typing import BinaryIO, NamedTuple

from kbpo_formats import json_lines
from kbpo_formats.problems import shorten

ENOUGH = 1 << 16  # bytes of a file that tell what it is

_GZIP = b"\x1f\x8b"
_SPACE = b" \t\r\n\xef\xbb\xbf"  # and a byte-order mark
_LINES = 50  # that are looked at
_PLAIN = "Upload it as plain text in UTF-8, or that text compressed by gzip."
_UNPACK = "Unpack it, and upload the one file that your system wrote, plain or compressed by gzip."
_EXPORT = "Upload what your system wrote, as plain text in UTF-8, or that text compressed by gzip."
_BINARY = (
    (b"%PDF", "a PDF document", _EXPORT),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a Word, Excel or PowerPoint document", _EXPORT),
    (b"{\\rtf", "a document in Rich Text Format", _EXPORT),
    (b"BZh", "compressed by bzip2", _PLAIN),
    (b"\xfd7zXZ", "compressed by xz", _PLAIN),
    (b"\x28\xb5\x2f\xfd", "compressed by Zstandard", _PLAIN),
    (b"\x04\x22\x4d\x18", "compressed by LZ4", _PLAIN),
    (b"\x1f\x9d", "compressed by compress", _PLAIN),
    (b"7z\xbc\xaf", "a 7-Zip archive", _UNPACK),
    (b"Rar!", "a RAR archive", _UNPACK),
    (b"\x89PNG", "a picture", _EXPORT),
    (b"\xff\xd8\xff", "a picture", _EXPORT),
    (b"GIF8", "a picture", _EXPORT),
    (b"PAR1", "a Parquet table", _EXPORT),
    (b"ARROW1", "an Arrow table", _EXPORT),
    (b"SQLite format 3\0", "an SQLite database", _EXPORT),
    (b"\x93NUMPY", "a NumPy array", _EXPORT),
    (b"\x89HDF", "an HDF5 file", _EXPORT),
    (
        b"\0\x05\x16\x07",
        "an AppleDouble file, in which macOS keeps notes about another file",
        "Upload the other file: its name does not begin with ._",
    ),
    (b"\xff\xfe\0\0", "text in UTF-32", "Save it as UTF-8."),
    (b"\xff\xfe", "text in UTF-16", "Save it as UTF-8."),
    (b"\xfe\xff", "text in UTF-16", "Save it as UTF-8."),
)
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_IN_ZIP = (
    (b"word/", "a Word document"),
    (b"xl/", "an Excel workbook"),
    (b"ppt/", "a PowerPoint presentation"),
    (b"application/vnd.oasis.opendocument", "an OpenDocument file"),
)
_TAR = slice(257, 262)
_POINTER = "version https://git-lfs.github.com/spec/"
_CONFLICT = re.compile(r"^(<{7}|>{7}) ", re.MULTILINE)
_MARKUP = re.compile(r"<!doctype\s+html|<html|<head|<body", re.IGNORECASE)
_THREE_COLUMNS = re.compile(r"\S+ +\S+ +\S")
_NAMED = re.compile(
    r'"(?:doc_id|input_id)"\s*:\s*("(?:[^"\\]|\\.)*")'  # in JSON, whatever the task
    r"|(?<=[\t,])\s*([^:,\t\n]+):[0-9]{1,18}-[0-9]{1,18}"  # in TAC KBP
)
_ONE_A_LINE = "Write one object a line"


class Foreign(NamedTuple):
    """What a file is that cannot be read, and what would be right."""

    what: str
    right: str


def recognise(stream: BinaryIO, formats: Iterable[str]) -> str:
    """Tell the format of a file.

    Parameters
    ----------
    stream : binary file
        Plain or gzip. It is read from where it stands, and put back there.
    formats : iterable of str
        Those that it may have; the first of each kind is taken.

    Returns
    -------
    str
        JSON Lines if the file begins with a brace, or there is no other format; else the first other one.
    """
    known = list(formats)
    others = [name for name in known if name != json_lines.FORMAT]
    if json_lines.FORMAT not in known or not others:
        return known[0]
    at = stream.tell()
    begin = stream.read(ENOUGH)
    stream.seek(at)
    if begin.startswith(_GZIP):
        try:
            begin = zlib.decompressobj(wbits=31).decompress(begin, ENOUGH)
        except zlib.error:
            begin = b""
    is_json = begin.lstrip(_SPACE).startswith((b"{", b"[")) or _is_json_after_a_line(begin)
    return json_lines.FORMAT if is_json else others[0]


def _is_json_after_a_line(begin: bytes) -> bool:
    """Return whether every line after the first begins an object, as in a file with a log message on top."""
    lines = [line for line in begin.split(b"\n")[:_LINES] if line.strip(_SPACE)]
    return len(lines) > 1 and all(line.lstrip(_SPACE).startswith(b"{") for line in lines[1:])


def is_recognised(format: str, formats: Iterable[str]) -> bool:
    """Say whether files of a format are taken for what they are; else it has to be named."""
    others = [name for name in formats if name != json_lines.FORMAT]
    return format in (json_lines.FORMAT, *others[:1])


def find_binary(begin: bytes) -> Foreign | None:
    """Say what a file is, by its first bytes, if it is no text in UTF-8; gzip is not looked into."""
    if begin.startswith(_ZIP):
        of_office = next((words for name, words in _IN_ZIP if name in begin), None)
        return Foreign(of_office, _EXPORT) if of_office else Foreign("a zip archive", _UNPACK)
    for magic, what, right in _BINARY:
        if begin.startswith(magic):
            return Foreign(what, right)
    if begin[_TAR] == b"ustar":
        return Foreign("a tar archive", _UNPACK)
    return Foreign("text in UTF-16", "Save it as UTF-8.") if _is_utf16(begin[:4096]) else None


def find_other_text(begin: bytes, format: str, *, is_all: bool) -> Foreign | None:
    """Say what a text is, by how it begins, if it is in no form that a format has.

    Parameters
    ----------
    begin : bytes
        Unpacked; some `ENOUGH` of them, or all.
    format : str
        What it is read as: JSON Lines, or a format that has tabs between columns.
    is_all : bool
        Whether the text ends there.
    """
    text = begin.decode("utf-8", "replace").removeprefix("\ufeff").lstrip()
    if text.startswith(_POINTER):
        return Foreign(
            "a Git LFS pointer instead of the file", "Run git lfs pull, and upload the file again."
        )
    if "\r" in text.rstrip() and "\n" not in text:
        return Foreign(
            "text whose lines end in a carriage return alone",
            "Save it with line feeds, or carriage returns and line feeds, between lines.",
        )
    if conflict := _CONFLICT.search(text):
        line = text.count("\n", 0, conflict.start()) + 1
        return Foreign(
            f"text with a mark of a Git merge conflict, {text[conflict.start() :][:40].splitlines()[0]!r},"
            f" in line {line}",
            "Resolve the conflict, and upload the result.",
        )
    if _MARKUP.match(text):
        return Foreign(
            "a page in HTML",
            "A browser may have saved it in the place of the file: upload what your system wrote.",
        )
    if text.startswith("<?xml"):
        return Foreign("XML", _ONE_A_LINE + ", as JSON." if format == json_lines.FORMAT else _EXPORT)
    lines = [line for line in text.split("\n") if line.strip()]
    if not is_all and len(lines) > 1:
        del lines[-1]  # it may go on
    if format == json_lines.FORMAT:
        if text[:1] in ("{", "["):
            return _find_json(text, lines, is_all=is_all)
        if _is_json_after_a_line(begin):
            return Foreign(
                f"JSON Lines, but its first line is other text: {shorten(lines[0], 60)!r}",
                "Delete that line, and have the program print its messages to standard error.",
            )
        return _find_table(lines)
    return _find_no_tabs(lines[:_LINES])


def find_documents(text: str) -> list[str]:
    r"""Return the ids of the documents or inputs that a text names, each once: lines of any task and format.

    Examples
    --------
    >>> find_documents('{"doc_id": "D1", "label": "spam"}')
    ['D1']
    >>> find_documents(':A\tmention\t"Ann"\tD2:0-2,D3:0-2')
    ['D2', 'D3']
    """
    found: dict[str, None] = {}
    for in_json, in_columns in _NAMED.findall(text):
        try:
            name = json.loads(in_json) if in_json else in_columns.strip()
            name.encode()
        except ValueError:
            continue  # no string of JSON, or with half a character, which no id has
        found[name] = None
    return list(found)


def _is_utf16(begin: bytes) -> bool:
    """Say whether every other byte is zero, as in UTF-16 without its mark."""
    pairs = len(begin) // 2
    zeros = sorted((begin[: 2 * pairs : 2].count(0), begin[1 : 2 * pairs : 2].count(0)))
    return pairs >= 4 and zeros[0] <= pairs // 20 and zeros[1] >= 0.7 * pairs


def _find_json(text: str, lines: list[str], *, is_all: bool) -> Foreign | None:
    """Say what JSON is that is not one object a line."""
    try:
        first = json.loads(lines[0])
    except (ValueError, RecursionError) as error:
        is_open = isinstance(error, json.JSONDecodeError) and error.pos >= len(lines[0].rstrip())
        is_list = lines[0].startswith("[") and (is_open or "{" in lines[0])
        if is_list:
            return _ARRAY
        is_spread = is_open and len(lines) > 1 and not lines[1].startswith("{")
        return _of_whole(text if is_all else "") if is_spread else None
    if isinstance(first, list):
        is_array = len(lines) == 1 or any(isinstance(one, dict) for one in first)
        return _ARRAY if is_array else None
    return _of_object(first) if is_all and len(lines) == 1 else None


_ARRAY = Foreign(
    "a JSON array",
    f"{_ONE_A_LINE}, without brackets around all and commas between them: jq -c '.[]' makes that of it.",
)


def _of_whole(text: str) -> Foreign:
    try:
        found = _of_object(json.loads(text))
    except (ValueError, RecursionError):
        found = None
    return found or Foreign(
        "JSON that is spread over several lines", f"{_ONE_A_LINE}: jq -c . makes that of it."
    )


def _of_object(value: object) -> Foreign | None:
    for name, one in value.items() if isinstance(value, dict) else ():
        if isinstance(one, list) and one and all(isinstance(element, dict) for element in one):
            shown = shorten(name, 40)
            return Foreign(
                f"one JSON object, with a list in {shown!r}",
                f"{_ONE_A_LINE}: jq -c '.[{json.dumps(shown)}][]' makes that of it.",
            )
    return None


def _find_table(lines: list[str]) -> Foreign | None:
    """Say whether lines that should be JSON are those of a table."""
    for separator, name in (("\t", "tabs"), (",", "commas"), (";", "semicolons")):
        if lines and all(separator in line and "{" not in line for line in lines[:_LINES]):
            return Foreign(
                f"a table with {name} between its columns",
                f"{_ONE_A_LINE}, as JSON, or leave it to the service to recognise the format.",
            )
    return None


def _find_no_tabs(lines: list[str]) -> Foreign | None:
    """Say what stands where tabs should be."""
    if lines and lines[0].startswith("{"):
        return Foreign("JSON, and not in columns", "Leave it to the service to recognise the format.")
    if any("\t" in line for line in lines):
        return None
    told = [line for line in lines if not line.lstrip().startswith("#")]
    for separator, is_so in (
        ("spaces", [_THREE_COLUMNS.match(line.strip()) is not None for line in told]),
        ("commas", [line.count(",") >= 2 and " " not in line.strip() for line in told]),
    ):
        if sum(is_so) * 2 >= len(told) > 0 and any(is_so):
            return Foreign(
                f"in columns with {separator} between them, and has no tab",
                "Put one tab between each two columns; an editor may have replaced them.",
            )
    return None
