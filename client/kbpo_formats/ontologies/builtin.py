"""The ontologies that the service comes with: files beside this module. Pure."""

from functools import cache
from pathlib import Path

from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.ontologies.reading import read_ontology

#: By reference, with their digests: they never change, and a test says so.
DIGESTS = {
    "tac-kbp@1": "4b8653b0a8759d1933df3320a809f4ef6f218e6a16638feb1627c1dd34796a12",
    "tac-kbp@2": "ff218695cc82f0470b047740e4448bd9b6d69cd7802adf68310be13926380c8e",
}

#: Of a corpus that names none.
DEFAULT = "tac-kbp@1"


@cache
def read_builtin(reference: str) -> Ontology:
    """Return a built-in ontology.

    Parameters
    ----------
    reference : str
        One of `DIGESTS`.
    """
    name = f"{reference.replace('@', '-')}.toml"
    return read_ontology(Path(__file__).with_name(name).read_bytes(), where=name)


def builtin_ontologies() -> tuple[Ontology, ...]:
    """Return all of them."""
    return tuple(map(read_builtin, DIGESTS))
