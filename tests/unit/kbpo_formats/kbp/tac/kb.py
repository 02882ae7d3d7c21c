"""A small knowledge base to build examples on. Columns are written with `` | `` between them."""

import io
import re
from typing import Literal

from kbpo_formats.corpus import Texts
from kbpo_formats.kbp.tac.reader import Reading, read
from kbpo_formats.ontologies.ontology import Ontology
from tests.ontologies import TAC

DOCUMENTS = {"D1": 100, "D2": 60, "LONG": 5_000}
BLANK = Texts({doc_id: "." * length for doc_id, length in DOCUMENTS.items()})

BASE = """\
run1
:A | type | PER
:A | canonical_mention | "Ann" | D1:0-2
:A | mention | "Ann" | D1:0-2
:A | mention | "she" | D1:20-22
:B | type | ORG
:B | canonical_mention | "Bolt" | D1:30-33
:B | mention | "Bolt" | D1:30-33
:C | type | GPE
:C | canonical_mention | "Cork" | D1:40-43
:C | mention | "Cork" | D1:40-43
"""
NEXT = BASE.count("\n") + 1

_MENTION = re.compile(r'mentions?\t"(.*)"\t([^:]+):([0-9]{1,5})-([0-9]{1,5})(?![0-9])')


def tabbed(text: str) -> bytes:
    return text.replace(" | ", "\t").encode()


def texts_for(text: str) -> Texts:
    """Make documents in which every mention of a file stands where the file says, as far as that can be."""
    documents = {doc_id: "." * length for doc_id, length in DOCUMENTS.items()}
    for string, doc_id, first, last in _MENTION.findall(tabbed(text).decode()):
        start, end = int(first), int(last) + 1
        if start < end <= DOCUMENTS.get(doc_id, 0):
            document = documents[doc_id]
            documents[doc_id] = document[:start] + string.ljust(end - start)[: end - start] + document[end:]
    return Texts(documents)


def read_text(
    text: str, format: Literal["tac2015", "tac2016"] = "tac2016", ontology: Ontology = TAC
) -> Reading:
    """Read a file about documents that agree with it."""
    return read(io.BytesIO(tabbed(text)), format=format, documents=texts_for(text), ontology=ontology)


def extend(*lines: str, format: Literal["tac2015", "tac2016"] = "tac2016") -> Reading:
    """Read the base with further lines, of which the first is line ``NEXT``."""
    return read_text(BASE + "".join(f"{line}\n" for line in lines), format)


def faults(reading: Reading) -> list[tuple[int, str, str]]:
    return [(problem.line, problem.code, problem.severity) for problem in reading.problems]
