"""The parts of a line: comments, columns, strings, confidences and provenance."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from kbpo_formats.corpus import Documents
from kbpo_formats.kbp.tac.problems import Format
from kbpo_formats.normal import nfc, normal_id
from kbpo_formats.problems import ProblemLog
from kbpo_formats.spans import Span

# Possessive, so that no line costs more than its length; an unclosed quote leaves the line as it is.
_BEFORE_COMMENT = re.compile(r'((?:[^#"]++|"(?:[^"\\]++|\\.)*+")*+)#')
_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"')
_ESCAPE = re.compile(r"\\(.)")
_TRIPLE = re.compile(r"\s*([^:,]+):([0-9]{1,18})-([0-9]{1,18})\s*")
_OFFSET = re.compile(r"[0-9]{1,18}")
_DECIMAL = re.compile(r"1\.0*|0\.[0-9]*|\.[0-9]+")
_SCIENTIFIC = re.compile(r"[0-9]+(?:\.[0-9]*)?[eE][-+]?[0-9]+")
_LONGEST_CONFIDENCE = 400  # as a decimal fraction, the smallest float has 326
_KNOWN_PLACES = 1 << 16
_new = tuple.__new__  # a third of what a call of the class costs, where each line makes some
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Limits:
    """What a format allows.

    Attributes
    ----------
    triples : int
        Spans of provenance in a line.
    chars : int
        Characters of a span.
    total_chars : int
        Characters of all spans of a line.
    nominal_types : tuple of str or None
        Entity types that may have nominal mentions, where the ontology has them; None: all.
    """

    triples: int = 4
    chars: int = 150
    total_chars: int = 600
    nominal_types: tuple[str, ...] | None = None


LIMITS: Mapping[Format, Limits] = MappingProxyType(
    {"tac2015": Limits(nominal_types=("PER",)), "tac2016": Limits()}
)


class Place(NamedTuple):
    """A span of a document."""

    doc_id: str
    span: Span

    def __str__(self) -> str:
        return f"{self.doc_id}:{self.span.start}-{self.span.end - 1}"


def columns(line: str) -> list[str]:
    """Split a line at its tabs, without comment and without white space around the columns.

    Returns
    -------
    list of str
        Empty for a line that says nothing.
    """
    if "#" in line and (match := _BEFORE_COMMENT.match(line)):
        line = match[1]
    cells = list(map(str.strip, line.split("\t")))
    while cells and not cells[-1]:
        cells.pop()
    return cells


def is_string(text: str) -> bool:
    """Say whether a text is a string: between double quotes, with those inside escaped."""
    if "\\" not in text:
        return text.startswith('"') and text.find('"', 1) == len(text) - 1 > 0
    return _STRING.fullmatch(text) is not None


def unquoted(string: str) -> str:
    """Return what stands between the quotes of a string, with its escapes resolved."""
    inside = string[1:-1]
    return _ESCAPE.sub(r"\1", inside) if "\\" in inside else inside


def same_text(one: str, other: str) -> bool:
    """Say whether two texts are the same but for white space and canonically equivalent characters.

    Any run of white space equals any other, since a string in a file cannot hold the line end or tab that a
    document may have there; white space at the ends does not count. Case and everything else does.
    """
    one, other = (" ".join(nfc(text).split()) for text in (one, other))
    return one == other


def is_number(text: str) -> bool:
    """Say whether a column is meant as a confidence rather than anything else."""
    return _NUMBER.fullmatch(text) is not None


def confidence_of(text: str, scientific: bool) -> tuple[float, str | None]:
    """Read a confidence.

    Parameters
    ----------
    text : str
    scientific : bool
        Whether the format lets scientific notation pass with a warning.

    Returns
    -------
    tuple of float and str or None
        The confidence, from 0 to 1, and the code of the problem, if any. After an error the value is 1.0.
    """
    if len(text) > _LONGEST_CONFIDENCE:
        return 1.0, "ILLEGAL_CONFIDENCE_VALUE"
    code = None
    if text in ("0", "1"):
        return float(text), "MISSING_DECIMAL_POINT"
    if scientific and _SCIENTIFIC.fullmatch(text):
        code = "IMPROPER_CONFIDENCE_VALUE"
    elif not _DECIMAL.fullmatch(text):
        return 1.0, "ILLEGAL_CONFIDENCE_VALUE"
    value = float(text)
    if value > 1.0:
        return 1.0, "ILLEGAL_CONFIDENCE_VALUE"
    return value, code


class PlaceReader:
    """Reads provenance, and reports what is wrong with it.

    Parameters
    ----------
    documents : Documents
    limits : Limits
    log : ProblemLog
    """

    def __init__(self, documents: Documents, limits: Limits, log: ProblemLog) -> None:
        self._documents = documents
        self._known: dict[str, Place] = {}
        self._limits = limits
        self._log = log

    def quiet(self) -> "PlaceReader":
        """Return a reader of what was read before, which reports nothing to this one's log."""
        reader = PlaceReader(self._documents, self._limits, ProblemLog(self._log.codes, self._log.format))
        reader._known = self._known
        return reader

    def read(self, text: str, line: int, column: int = 4) -> list[Place] | None:
        """Read a comma-separated list of spans.

        Parameters
        ----------
        text : str
            As in ``DOC:17-23,DOC:40-52``: offsets from 0, both ends included.
        line, column : int
            Where it stands.

        Returns
        -------
        list of Place or None
            With warnings repaired; None after an error.
        """
        known = self._known
        if "," not in text:  # most often: a mention
            place = known.get(text) or self._place(text, line, column)
            return None if place is None else [place]
        pieces = text.split(",")
        limits = self._limits
        if len(pieces) > limits.triples:
            self._log.add(
                "TOO_MANY_PROVENANCE_TRIPLES", line, text, len(pieces), limits.triples, column=column
            )
            del pieces[limits.triples :]
        places = []
        sound = True
        for piece in pieces:
            place = known.get(piece) or self._place(piece, line, column)
            if place is None:
                sound = False
            else:
                places.append(place)
        if len(places) * limits.chars > limits.total_chars:
            total = sum(span.end - span.start for _, span in places)
            if total > limits.total_chars:
                self._log.add("TOO_MANY_TOTAL_CHARS", line, text, total, limits.total_chars, column=column)
                sound = False
        return places if sound else None

    def _place(self, piece: str, line: int, column: int) -> Place | None:
        match = _TRIPLE.fullmatch(piece)
        if match is None:
            self._log_unreadable(piece.strip(), line, column)
            return None
        doc_id, first, last = normal_id(match[1]), match[2], match[3]
        start, end = int(first), int(last)
        length = self._documents.length(doc_id)
        if length is None or not start <= end < length or end - start >= self._limits.chars:
            mended = self._mended(doc_id, start, end, length, line, column)
            return None if mended is None else Place(doc_id, Span(start, mended + 1))
        # What relations point at are mentions, and a line's neighbours name the same ones.
        if len(self._known) == _KNOWN_PLACES:
            self._known.clear()
        place = self._known[piece] = _new(Place, (doc_id, _new(Span, (start, end + 1))))
        return place

    def _mended(
        self, doc_id: str, start: int, end: int, length: int | None, line: int, column: int
    ) -> int | None:
        """Report what is wrong with a span; return its last offset where a repair is enough."""
        text = f"{doc_id}:{start}-{end}"
        sound = True
        if length is None:
            self._log.add("ILLEGAL_DOCID", line, text, doc_id, column=column)
            sound = False
        if end < start:
            self._log.add("ILLEGAL_OFFSET_PAIR", line, text, start, end, column=column)
            sound = False
        elif end - start >= self._limits.chars:
            limit = self._limits.chars
            self._log.add("TOO_MANY_CHARS", line, text, text, end - start + 1, limit, column=column)
            end = start + limit - 1
        if length is not None:
            for offset in (start, end):
                if offset >= length:
                    self._log.add(
                        "ILLEGAL_OFFSET_IN_DOC", line, text, offset, doc_id, length, length - 1, column=column
                    )
                    sound = False
        return end if sound else None

    def _log_unreadable(self, piece: str, line: int, column: int) -> None:
        doc_id, colon, pair = piece.rpartition(":")
        offsets = pair.split("-")
        if not colon or not doc_id or ":" in doc_id:
            self._log.add("ILLEGAL_OFFSET_TRIPLE_STRING", line, piece, repr(piece), column=column)
        elif len(offsets) != 2 or not all(offsets):
            self._log.add("ILLEGAL_OFFSET_PAIR_STRING", line, piece, repr(pair), column=column)
        else:
            for offset in offsets:
                if not _OFFSET.fullmatch(offset):
                    self._log.add("ILLEGAL_OFFSET", line, piece, repr(offset), column=column)
