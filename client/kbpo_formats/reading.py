"""Read the files of any task: what a client needs that checks one before it is submitted."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, BinaryIO, Protocol

from kbpo_formats.classification import problems as of_classes
from kbpo_formats.classification import reader as classes
from kbpo_formats.corpus import Documents
from kbpo_formats.errors import InvalidInput
from kbpo_formats.generation import problems as of_outputs
from kbpo_formats.generation import reader as outputs
from kbpo_formats.kbp import files as knowledge_bases
from kbpo_formats.kbp import problems as of_knowledge_bases
from kbpo_formats.ontologies.normal import read_normal
from kbpo_formats.problems import LISTED_PER_CODE, Problem
from kbpo_formats.recognising import recognise

#: The formats of each task, with their names; the first is recommended.
FORMATS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "kbp": of_knowledge_bases.FORMATS,
        "classification": of_classes.FORMATS,
        "generation": of_outputs.FORMATS,
    }
)
#: What may be submitted beside a file of a task, by name.
ATTACHMENTS: Mapping[str, tuple[str, ...]] = MappingProxyType({"generation": (of_outputs.METRICS,)})


class Checked(Protocol):
    """A file that was read."""

    @property
    def accepted(self) -> bool:
        """Whether it has no error."""

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with it, by line."""

    @property
    def counts(self) -> Mapping[str, Any]:
        """What became of it, in numbers."""


def check(
    stream: BinaryIO,
    *,
    task: str,
    documents: Documents,
    format: str | None = None,
    attachments: Mapping[str, BinaryIO] | None = None,
    most: int | None = LISTED_PER_CODE,
) -> Checked:
    """Read and validate a file exactly as the service does when it is submitted.

    Parameters
    ----------
    stream : binary file
        Plain or gzip.
    task : {"kbp", "classification", "generation"}
        The corpus'.
    documents : Documents
        The corpus', as in `kbpo_formats.corpus.Texts`; in ``about`` the normal form of its ontology
        (``ontology``), or the names of its classes (``classes``).
    format : str, optional
        One of `FORMATS`; left out, it is recognised.
    attachments : mapping of str to binary file, optional
        What is submitted beside it: of `ATTACHMENTS`.
    most : int or None
        How many problems of each code are listed; None: all.

    Raises
    ------
    InvalidInput
        If there is no such task or format, or nothing of that name goes beside its files.
    """
    if task not in FORMATS:
        raise InvalidInput(f"there is no task {task!r:.40}; known are {', '.join(FORMATS)}", where="task")
    format = format or recognise(stream, FORMATS[task])
    if format not in FORMATS[task]:
        known = " or ".join(FORMATS[task])
        raise InvalidInput(f"there is no format {format!r:.40}; use {known}", where="format")
    for name in attachments or {}:
        if name not in ATTACHMENTS.get(task, ()):
            raise InvalidInput(f"nothing goes beside a file of {task}: leave it out", where=name)
    if task == "generation":
        metrics = (attachments or {}).get(of_outputs.METRICS)
        return outputs.read(stream, format, documents, metrics=metrics, most=most)
    if task == "classification":
        return classes.read(stream, format, documents, most=most)
    ontology = read_normal(documents.about["ontology"])
    return knowledge_bases.read(stream, format=format, documents=documents, ontology=ontology, most=most)
