"""The process that reads one knowledge base: ``python -m evaluation.kbp.files.child ORDER``."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, cast

from evaluation.kbp.files import sent
from evaluation.reading import child
from kbpo_formats.corpus import Documents
from kbpo_formats.kbp.tac.problems import Format, ProblemLog
from kbpo_formats.kbp.tac.reader import Reading, read
from kbpo_formats.kbp.tac.writer import write
from kbpo_formats.ontologies.normal import read_normal
from kbpo_formats.problems import Problem


@dataclass(frozen=True, slots=True)
class KnowledgeBase:
    """A knowledge base that was read: an `evaluation.reading.child.FileRead`."""

    reading: Reading
    predictions: sent.Predictions
    documents: Documents

    @property
    def accepted(self) -> bool:
        """Say whether it has no error."""
        return self.reading.accepted

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return what is wrong with it, by line."""
        return self.reading.problems

    @property
    def counts(self) -> dict[str, Any]:
        """Return what became of it, in numbers."""
        return dict(self.reading.counts)

    def send(self, answer: BinaryIO) -> None:
        """Write its predictions in columns."""
        sent.write(self.predictions, answer)

    def lines(self) -> Iterator[str]:
        """Write it as one without faults."""
        return write(self.reading, self.documents)


def read_file(file: BinaryIO, format: str, documents: Documents) -> KnowledgeBase:
    """Read a knowledge base; refuse one that claims nothing: it has no precision.

    Parameters
    ----------
    file : binary file
    format : str
    documents : Documents
        Which have in `about` the corpus' ontology, in its normal form.
    """
    known = cast(Format, format)
    ontology = read_normal(documents.about["ontology"])
    reading = _refuse_without_claims(read(file, format=known, documents=documents, ontology=ontology), known)
    return KnowledgeBase(reading, sent.gather(reading.predictions, documents), documents)


def _refuse_without_claims(reading: Reading, format: Format) -> Reading:
    counts = reading.counts
    if not reading.accepted or counts["instances"]:
        return reading
    log = ProblemLog(format)
    log.add("NO_CLAIMS", counts["lines"], "", counts["relation_lines"])
    problems = {**counts["problems"], "NO_CLAIMS": 1}
    return replace(
        reading,
        accepted=False,
        problems=(*reading.problems, *log.by_line()),
        counts={**counts, "errors": 1, "problems": problems},
    )


if __name__ == "__main__":
    child.main(read_file)
