"""Example systems: they read the plain text of documents, and each writes a knowledge base.

Their names are invented and their teams too; their mistakes are their own.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from demo.markup import Document, Gold, read_folder
from demo.systems import almanac, classifier, loose, strict, vote
from demo.systems.reading import Extraction
from demo.systems.writer import write_claims, write_tac

TRAINING = Path(__file__).parent.parent / "training"


@dataclass(frozen=True, slots=True)
class System:
    """An example system.

    Attributes
    ----------
    name : str
        Also the run id and the name of its file.
    team : str
    description : str
        For its page.
    extract : callable
        From documents to an `Extraction` for each, in their order.
    format : {"jsonl", "tac2016"}
        Which its file has.
    """

    name: str
    team: str
    description: str
    extract: Callable[[Sequence[Document]], list[Extraction]]
    format: Literal["jsonl", "tac2016"] = "jsonl"

    @property
    def file(self) -> str:
        """The name of its file."""
        return f"{self.name}.{'jsonl' if self.format == 'jsonl' else 'kb'}.gz"

    def write(self, documents: Sequence[Document]) -> Iterator[str]:
        """Write what it claims of documents; yield the lines, without line ends."""
        found = self.extract(documents)
        return write_claims(found) if self.format == "jsonl" else write_tac(found, run_id=self.name)


@cache
def _training() -> tuple[tuple[Document, Gold], ...]:
    return tuple(read_folder(TRAINING))


@cache
def _memory() -> almanac.Memory:
    return almanac.remember(_training())


@cache
def _model() -> classifier.Model:
    return classifier.train(_training())


def _remember(documents: Sequence[Document]) -> list[Extraction]:
    return almanac.extract(documents, _memory())


def _classify_surely(documents: Sequence[Document]) -> list[Extraction]:
    return classifier.extract(documents, _model(), threshold=0.5)


def _classify_boldly(documents: Sequence[Document]) -> list[Extraction]:
    return classifier.extract(documents, _model(), threshold=0.15)


def _vote(documents: Sequence[Document]) -> list[Extraction]:
    voters = strict.extract, loose.extract, _remember, _classify_surely
    return vote.merge([extract(documents) for extract in voters])


SYSTEMS = (
    System(
        name="needle",
        team="Wren",
        format="tac2016",
        description="Exact patterns over typed mentions. Rarely wrong, often silent.",
        extract=strict.extract,
    ),
    System(
        name="dragnet",
        team="Wren",
        description="Trigger words near any two mentions that fit. Finds much, claims more.",
        extract=loose.extract,
    ),
    System(
        name="almanac",
        team="Heron",
        description="Remembers what annotated documents say of a name, and repeats it at every mention.",
        extract=_remember,
    ),
    System(
        name="abacus",
        team="Plover",
        description="Logistic regression on the words around two mentions; speaks when it is sure.",
        extract=_classify_surely,
    ),
    System(
        name="abacus-bold",
        team="Plover",
        description="The same logistic regression; speaks when it has a hunch.",
        extract=_classify_boldly,
    ),
    System(
        name="quorum",
        team="Heron",
        description="A vote: what at least two of needle, dragnet, almanac and abacus claim.",
        extract=_vote,
    ),
)
