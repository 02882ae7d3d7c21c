"""Files of outputs and metrics for tests."""

import json
from io import BytesIO

from kbpo_formats.corpus import Texts
from kbpo_formats.generation.reader import Reading, read
from kbpo_formats.problems import Problem

DOCUMENTS = Texts({"D1": "One.", "D2": "Two."})
RIGHT = ({"input_id": "D2", "output": "Second."}, {"input_id": "D1", "output": "First."})


def read_lines(*lines: object, metrics: str | bytes | None = None, documents: Texts = DOCUMENTS) -> Reading:
    """Read lines of outputs, objects or as they are, and a table beside them."""
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    table = metrics.encode() if isinstance(metrics, str) else metrics
    return read(
        BytesIO("\n".join(texts).encode()),
        "jsonl",
        documents,
        metrics=None if table is None else BytesIO(table),
    )


def read_table(*lines: str) -> Reading:
    """Read a table, its columns parted by spaces, beside outputs that are right."""
    return read_lines(*RIGHT, metrics="".join("\t".join(line.split(" ")) + "\n" for line in lines))


def only(found: Reading) -> Problem:
    """Return the one problem of a file."""
    (problem,) = found.problems
    return problem
