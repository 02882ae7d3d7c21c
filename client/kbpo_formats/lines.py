"""From the bytes of an uploaded file to numbered lines of text, in bounded memory."""

import zlib
from collections.abc import Iterator
from typing import BinaryIO

from kbpo_formats.json_lines import FORMAT
from kbpo_formats.problems import ProblemLog
from kbpo_formats.recognising import ENOUGH, Foreign, find_binary, find_other_text

CHUNK = 1 << 20
LONGEST_LINE = 1 << 13  # characters
GIVE_UP = 1 << 22  # bytes without a line end: this is no text of assertions, and reading on is no use
MOST_BYTES = 1 << 30  # of text, unpacked
MOST_LINES = 5_000_000  # with some 70 to 110 bytes each, about as much as the largest plain file
MOST_SWELLING = 100  # text packs ten to thirty times smaller; what swells more was made to
SWELLS_FREELY = 1 << 26  # bytes
BYTE_ORDER_MARK = "\ufeff"

_GZIP = b"\x1f\x8b"
_BLANK = b" \t\r\n\xef\xbb\xbf"
_TWICE = Foreign("gzip again", "Compress it once.")


def numbered_lines(
    stream: BinaryIO, log: ProblemLog, *, longest: int = LONGEST_LINE
) -> Iterator[tuple[int, str]]:
    """Read the lines of a file, plain or gzip.

    What cannot be read is logged, and its line is empty; after damage that nothing can follow, reading stops.
    Of a file that is empty, or in another form than the log's format has, one problem is logged, and no line
    is read.

    Parameters
    ----------
    stream : binary file
        Read once, in chunks, without seeking.
    log : ProblemLog
        Receives UNSUPPORTED_FILE, EMPTY_FILE, BROKEN_GZIP, UNDECODABLE_BYTES, ILLEGAL_CHARACTER,
        LINE_TOO_LONG and TOO_LARGE.
    longest : int
        The most characters that a line may have.

    Yields
    ------
    tuple of int and str
        The line's number, from 1, and its text without line end and byte-order mark.
    """
    number = 1
    rest = b""
    try:
        for chunk in _of_format(stream, log):
            cut = chunk.rfind(b"\n") + 1
            if not cut:
                rest += chunk
                if len(rest) > GIVE_UP:
                    log.end(
                        "LINE_TOO_LONG",
                        number,
                        _start_of(rest),
                        f"{GIVE_UP:,}",
                        "bytes",
                        " The rest of the file was not read.",
                    )
                    return
                continue
            block = rest + chunk[: cut - 1]
            rest = chunk[cut:]
            if number + block.count(b"\n") > MOST_LINES:
                log.end("TOO_LARGE", number, "", f"has more than {MOST_LINES:,} lines")
                return
            lines = _decoded(block, number, log, longest)
            yield from enumerate(lines, number)
            number += len(lines)
    except (EOFError, zlib.error) as error:
        log.end("BROKEN_GZIP", number, "", str(error))
    if rest and not log.is_cut_short:  # else its end is missing
        yield from enumerate(_decoded(rest, number, log, longest), number)


def unpacked(stream: BinaryIO, log: ProblemLog) -> Iterator[bytes]:
    """Yield a file's bytes in chunks, unpacked where it is gzip, within the limits that any file has.

    Raises
    ------
    EOFError, zlib.error
        If it is broken gzip.
    """
    first = stream.read(CHUNK)
    while 0 < len(first) < 8 and (more := stream.read(CHUNK)):
        first += more
    if foreign := find_binary(first):
        log.end("UNSUPPORTED_FILE", 1, "", *foreign)
        return
    packed = first.startswith(_GZIP)
    source = _Counted(first, stream)
    size = 0
    for chunk in _inflated(source) if packed else iter(source.read, b""):
        if packed and not size:
            foreign = _TWICE if chunk.startswith(_GZIP) else find_binary(chunk)
            if foreign:
                log.end(
                    "UNSUPPORTED_FILE", 1, "", f"gzip, and what is in it is {foreign.what}", foreign.right
                )
                return
        size += len(chunk)
        if size > MOST_BYTES:
            log.end("TOO_LARGE", 0, "", f"has more than {MOST_BYTES:,} bytes{' when unpacked' * packed}")
            return
        if packed and size > SWELLS_FREELY + MOST_SWELLING * source.count:
            log.end("TOO_LARGE", 0, "", f"swells more than {MOST_SWELLING} times when unpacked")
            return
        yield chunk


def _of_format(stream: BinaryIO, log: ProblemLog) -> Iterator[bytes]:
    """Yield a file's bytes, unpacked, unless it is empty or plainly no text of the log's format."""
    held: bytes | None = b""  # what it begins with, until that is enough to tell
    try:
        for chunk in unpacked(stream, log):
            if held is None:
                yield chunk
                continue
            held += chunk
            if len(held) < ENOUGH:
                continue
            if _is_other_text(held, log, is_all=False):
                return
            yield held
            held = None
    except (EOFError, zlib.error):
        if held:
            yield held  # what was read before the damage is checked
        raise
    if held is None or log.is_cut_short:
        if held:
            yield held
    elif not held.strip(_BLANK):
        log.end("EMPTY_FILE", 0, "", " but for white space" if held else "")
    elif not _is_other_text(held, log, is_all=True):
        yield held


def _is_other_text(begin: bytes, log: ProblemLog, *, is_all: bool) -> bool:
    foreign = find_other_text(begin, log.format, is_all=is_all)
    if foreign:
        log.end("UNSUPPORTED_FILE", 1, "", *foreign)
    return foreign is not None


class _Counted:
    """A stream whose first bytes were read already, and the number of bytes that it gave."""

    def __init__(self, first: bytes, stream: BinaryIO) -> None:
        self._first = first
        self._stream = stream
        self.count = 0

    def read(self) -> bytes:
        """Return the next bytes; none at the end."""
        data = self._first or self._stream.read(CHUNK)
        self._first = b""
        self.count += len(data)
        return data


def _inflated(source: _Counted) -> Iterator[bytes]:
    inflater = zlib.decompressobj(wbits=31)
    data = source.read()
    while data:
        # The size is bounded, however much the data swells.
        if chunk := inflater.decompress(data, CHUNK):
            yield chunk
        if not inflater.eof:
            data = inflater.unconsumed_tail or source.read()
            continue
        data = inflater.unused_data or source.read()
        # Several members may follow one another, and zeros may fill up the last block.
        while data and not (data := data.lstrip(b"\0")):
            data = source.read()
        if data:
            inflater = zlib.decompressobj(wbits=31)
    if not inflater.eof:
        if chunk := inflater.flush():
            yield chunk
        raise EOFError("it ends in the middle")


def _decoded(block: bytes, number: int, log: ProblemLog, longest: int) -> list[str]:
    """Return each line's text, empty where what is wrong with the line is logged."""
    try:
        lines = block.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        lines = [_decoded_line(line, number + i, log) for i, line in enumerate(block.split(b"\n"))]
    if number == 1 or b"\xef\xbb\xbf" in block:  # files that were joined may each begin with one
        lines = [line.removeprefix(BYTE_ORDER_MARK) for line in lines]
    if b"\0" in block or max(map(len, lines)) > longest:
        lines = [_legal_line(line, number + i, log, longest) for i, line in enumerate(lines)]
    return lines


def _decoded_line(line: bytes, number: int, log: ProblemLog) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        column = _column(line[: error.start].decode("utf-8"), log)
        wrong = f"0x{line[error.start]:02x}"
        log.add("UNDECODABLE_BYTES", number, _start_of(line), error.start + 1, wrong, column=column)
        return ""


def _legal_line(line: str, number: int, log: ProblemLog, longest: int) -> str:
    if len(line) > longest:
        shown, column = line[:longest].replace("\0", "␀"), _column(line[:longest], log)
        log.add("LINE_TOO_LONG", number, shown, f"{longest:,}", "characters", "", column=column)
        return ""
    if "\0" in line:
        at = line.index("\0")
        shown, column = line.replace("\0", "␀"), _column(line[:at], log)
        log.add("ILLEGAL_CHARACTER", number, shown, at + 1, column=column)
        return ""
    return line


def _column(before: str, log: ProblemLog) -> int:
    """Return the column of what follows some text of a line, as the format counts columns."""
    return len(before) + 1 if log.format == FORMAT else before.count("\t") + 1


def _start_of(line: bytes) -> str:
    return line[:1000].decode("utf-8", "replace").replace("\0", "␀")
