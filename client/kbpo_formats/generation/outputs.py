"""Read a file of outputs: JSON Lines, one for each input of the corpus."""

import json
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from kbpo_formats.corpus import Documents
from kbpo_formats.generation.problems import LONGEST_OUTPUT
from kbpo_formats.json_lines import find, kind_of, read_object, report_unknown, show
from kbpo_formats.lines import numbered_lines
from kbpo_formats.normal import normal_id
from kbpo_formats.problems import ProblemLog

FIELDS = ("input_id", "output")
#: Faults of lines that say of which input they are to nobody.
_UNREAD = (
    *("UNDECODABLE_BYTES", "ILLEGAL_CHARACTER", "LINE_TOO_LONG"),
    *("NOT_JSON", "NOT_AN_OBJECT", "DUPLICATE_KEY", "NOT_A_NUMBER", "HALF_A_CHARACTER"),
)
LONGEST_LINE = (1 << 15) - 2  # characters: the longest output with every character escaped, and its id


class Output(NamedTuple):
    """What a system wrote for an input."""

    input_id: str
    output: str


def tidy(text: str) -> str:
    """Return an output as it is shown and judged: line ends are line feeds, with none at its ends.

    All else is as it was written, but for an output of white space alone: that is empty.
    """
    tidied = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    return tidied if tidied.strip() else ""


def read_outputs(file: BinaryIO, documents: Documents, log: ProblemLog) -> tuple[list[Output], int]:
    """Read the outputs of a file, in its order; log what is wrong.

    Returns
    -------
    list of Output
        Those that are right.
    int
        How many lines the file has.
    """
    first: dict[str, int] = {}
    found: list[Output] = []
    number = 0
    for number, text in numbered_lines(file, log, longest=LONGEST_LINE):
        if log.ends_at(number):
            break
        if not text.strip():
            continue
        input_id, output = _read_line(text, number, documents, log)
        if not input_id:
            continue
        if input_id in first:
            column, said = find(text, ("input_id",))
            log.add("INPUT_TWICE", number, said, show(input_id), first[input_id], column=column)
            continue
        first[input_id] = number
        if output is not None:
            found.append(Output(input_id, output))
    if not log.is_cut_short:
        report_missing(first, documents, log)
    return found, number


def report_missing(first: dict[str, int], documents: Documents, log: ProblemLog) -> None:
    """Log the inputs of the corpus that have no line, unless these may be the lines that cannot be read."""
    missing = [doc_id for doc_id in documents.doc_ids() if doc_id not in first]
    if len(missing) <= sum(log.counts[code] for code in _UNREAD):
        return
    for doc_id in missing:
        log.add("MISSING_INPUT", 0, doc_id, show(doc_id))


def write_outputs(outputs: list[Output]) -> Iterator[str]:
    """Write outputs as lines, with their ends."""
    for one in outputs:
        yield json.dumps({"input_id": one.input_id, "output": one.output}, ensure_ascii=False) + "\n"


def _read_line(text: str, number: int, documents: Documents, log: ProblemLog) -> tuple[str, str | None]:
    """Return a line's input, empty where it names none, and its output; None where that is bad."""
    fields = read_object(text, number, log)
    if fields is None:
        return "", None

    def fault(code: str, name: str, *values: object) -> None:
        column, said = find(text, (name,))
        log.add(code, number, said, *values, column=column)

    def wrong(name: str, what: str) -> None:
        if name in fields:
            fault("WRONG_KIND", name, name, kind_of(fields[name]), what)
        else:
            fault("MISSING_FIELD", name, name, what)

    report_unknown(fields, FIELDS, (), text, number, log)
    output: str | None = None
    given = fields.get("output")
    if not isinstance(given, str):
        wrong("output", "what the system wrote, as text; empty where it wrote nothing")
    elif "\0" in given:
        fault("NULL_CHARACTER", "output", "output")
    elif len(given) > LONGEST_OUTPUT:
        fault("OUTPUT_TOO_LONG", "output", len(given))
    else:
        output = tidy(given)
        if not output:
            fault("EMPTY_OUTPUT", "output")
    input_id = fields.get("input_id")
    if not isinstance(input_id, str):
        wrong("input_id", "the id of an input of the corpus, as text")
        return "", None
    input_id = normal_id(input_id)
    if "\0" in input_id or documents.length(input_id) is None:
        fault("UNKNOWN_INPUT", "input_id", show(input_id))
        return "", None
    return input_id, output
