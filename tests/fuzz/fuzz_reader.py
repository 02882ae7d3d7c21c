"""A coverage-guided fuzzer for the reader: ``make fuzz`` (it needs atheris, which the project does not).

Whatever the bytes, reading must give a list of problems or predictions, in time that its size bounds; what
is accepted must, written and read again, give the same predictions. The inputs begin with the examples of
faults and repairs in the unit tests; a finding is kept as ``crash-*``.
"""

import io
import sys
import time
from pathlib import Path

import atheris  # type: ignore[import-not-found]

with atheris.instrument_imports(include=["kbpo_formats"]):
    from kbpo_formats.kbp.files import Reading, read, write

from kbpo_formats.corpus import Texts
from tests.ontologies import TAC

FORMATS = ("jsonl", "tac2016", "tac2015")
SECONDS = 5.0
# The fuzzer's inputs name these documents.
DOCUMENTS = Texts(
    {
        "D1": "Ann, the boss: she".ljust(30) + "Bolt".ljust(10) + 'Cork \t\n\u00e9e\u0301 # "x" \\'.ljust(60),
        "D2": "." * 60,
        "LONG": "x " * 2_500,
    }
)


def content(reading: Reading) -> list[object]:
    return [prediction._replace(line=0, provenance="") for prediction in reading.predictions]


def check(data: bytes) -> None:
    """Read one input under each format."""
    for format in FORMATS:
        started = time.monotonic()
        reading = read(io.BytesIO(data), format=format, documents=DOCUMENTS, ontology=TAC)
        assert time.monotonic() - started < SECONDS, "too slow"
        counts = reading.counts
        assert reading.accepted is (counts["errors"] == 0)
        assert reading.accepted or reading.problems
        assert counts["errors"] + counts["warnings"] == len(reading.problems) + counts["unlisted"]
        if not reading.accepted:
            assert not reading.predictions
            continue
        assert (
            counts["instances"] + counts["overlapping"] + counts["merged_lines"] + counts["dropped_lines"]
            == counts["relation_lines"]
        )
        written = "".join(write(reading, DOCUMENTS)).encode()
        target = "jsonl" if format == "jsonl" else "tac2016"
        again = read(io.BytesIO(written), format=target, documents=DOCUMENTS, ontology=TAC)
        assert content(again) == content(reading), (data, written)
        assert set(again.counts["problems"]) <= (
            {"DUPLICATE_ASSERTION", "LONG_MENTION", "MULTIPLE_FILLS_ENTITY"} & set(counts["problems"])
        ), (data, written, again.counts["problems"])


def seed(folder: Path) -> None:
    """Write the examples of the unit tests as first inputs."""
    from tests.unit.evaluation.reading.test_hostile_claims import NESTED, RIGHT
    from tests.unit.kbpo_formats.kbp.tac.kb import BASE, tabbed
    from tests.unit.kbpo_formats.kbp.tac.test_instances import REPAIRS
    from tests.unit.kbpo_formats.kbp.tac.test_validator import FAULTS

    folder.mkdir(parents=True, exist_ok=True)
    examples = [lines for lines, _ in FAULTS.values()] + [
        lines for pair in REPAIRS.values() for lines in pair
    ]
    for number, lines in enumerate(examples):
        (folder / f"example-{number:03}").write_bytes(tabbed(BASE + "".join(f"{line}\n" for line in lines)))
    (folder / "claims").write_bytes(RIGHT * 2)
    (folder / "nested").write_bytes(RIGHT + NESTED[:40] + RIGHT)


if __name__ == "__main__":
    seed(Path(sys.argv[1]))
    atheris.Setup(sys.argv, check)
    atheris.Fuzz()
