"""The process that reads one knowledge base: ``python -m evaluation.kbp.files.child ORDER``."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from evaluation.kbp.files import sent
from evaluation.reading import child
from kbpo_formats.corpus import Documents
from kbpo_formats.kbp import files
from kbpo_formats.ontologies.normal import read_normal
from kbpo_formats.problems import Problem, Recorder


@dataclass(frozen=True, slots=True)
class KnowledgeBase:
    """A knowledge base that was read: an `evaluation.reading.child.FileRead`."""

    reading: files.Reading
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
        return {**self.reading.counts}

    def lines(self) -> Iterator[str]:
        """Write it as one without faults."""
        return files.write(self.reading, self.documents)


def read_file(
    file: BinaryIO, format: str, documents: Documents, *, recorder: Recorder | None = None
) -> KnowledgeBase:
    """Read a knowledge base; refuse one that claims nothing: it has no precision.

    Parameters
    ----------
    file : binary file
    format : str
    documents : Documents
        Which have in `about` the corpus' ontology, in its normal form.
    recorder : Recorder, optional
        Takes every problem while it is read.
    """
    ontology = read_normal(documents.about["ontology"])
    reading = files.read(file, format=format, documents=documents, ontology=ontology, recorder=recorder)
    return KnowledgeBase(reading, sent.gather(reading.predictions, documents), documents)


def send(read: KnowledgeBase, answer: BinaryIO) -> None:
    """Write its predictions in columns."""
    sent.write(read.predictions, answer)


if __name__ == "__main__":
    child.main(read_file, send)
