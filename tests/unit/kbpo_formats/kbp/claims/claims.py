"""A corpus and claims about it to build examples on."""

import io
import json
from typing import Any

from kbpo_formats.corpus import Texts
from kbpo_formats.kbp.claims.reader import Reading, read
from tests.ontologies import TAC

TEXT = "Ada Quill was born in Brackwater on 4 May 1979. She lived there."
DOCUMENTS = Texts({"D1": TEXT, "D2": "Nothing."})
ADA = {"start": 0, "end": 9, "type": "PER"}
SHE = {"start": 48, "end": 51, "type": "PER", "canonical": {"start": 0, "end": 9}}
TOWN = {"start": 22, "end": 32, "type": "GPE"}
DAY = {"start": 36, "end": 46, "type": "DATE"}


def claim(**fields: Any) -> dict[str, Any]:
    """Return a claim that is right, but for what is given."""
    right = {"doc_id": "D1", "predicate": "per:city_of_birth", "subject": ADA, "object": TOWN}
    return {**right, **fields}


def read_bytes(data: bytes) -> Reading:
    return read(io.BytesIO(data), documents=DOCUMENTS, ontology=TAC)


def read_lines(*lines: object) -> Reading:
    """Read lines, those that are no text as JSON."""
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    return read_bytes("\n".join(texts).encode())
