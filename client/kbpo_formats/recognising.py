"""Which format a file is written in, told from how it begins."""

import zlib
from collections.abc import Iterable
from typing import BinaryIO

from kbpo_formats import json_lines

_ENOUGH = 1 << 16  # bytes
_GZIP = b"\x1f\x8b"
_SPACE = b" \t\r\n\xef\xbb\xbf"  # and a byte-order mark


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
    begin = stream.read(_ENOUGH)
    stream.seek(at)
    if begin.startswith(_GZIP):
        try:
            begin = zlib.decompressobj(wbits=31).decompress(begin, _ENOUGH)
        except zlib.error:
            begin = b""
    return json_lines.FORMAT if begin.lstrip(_SPACE).startswith((b"{", b"[")) else others[0]


def is_recognised(format: str, formats: Iterable[str]) -> bool:
    """Say whether files of a format are taken for what they are; else it has to be named."""
    others = [name for name in formats if name != json_lines.FORMAT]
    return format in (json_lines.FORMAT, *others[:1])
