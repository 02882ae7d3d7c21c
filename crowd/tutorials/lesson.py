"""What a tutorial is made of, whatever the interface that it teaches. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from kbpo_formats.ontologies.ontology import Ontology

Posted = Mapping[str, Sequence[str]]


class Practice(Protocol):
    """A practice question, with its right answer and the reason for it."""

    @property
    def text(self) -> str:
        """Return the text that it is about."""

    @property
    def explanation(self) -> str:
        """Return why the right answer is right."""

    def page(self, posted: Posted) -> Any:
        """Return what the tutorial's template shows of the question, with what has been answered."""

    def read(self, posted: Posted) -> dict[str, Any]:
        """Return the form's answer; `InvalidInput` if there is none."""

    def is_right(self, answer: Mapping[str, Any]) -> bool:
        """Say whether an answer is right."""

    def review(self, answer: Mapping[str, Any]) -> Any:
        """Return what the tutorial's template shows of an answer beside the right one."""

    @property
    def right_answer(self) -> dict[str, Any]:
        """Return the right answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tutorial:
    """Instructions, and questions to practise.

    Attributes
    ----------
    kind : str
        Of work: the name of the interface that it teaches.
    title : str
    pass_mark : int
        So many right answers pass.
    tries : int
        That a worker has.
    is_repeated : bool
        Whether a question comes again until it is answered rightly.
    examples, practice : tuple of Practice
    ontology : Ontology or None
        Under which it is taught; None where that is the same for all.
    """

    kind: str
    title: str
    pass_mark: int
    tries: int
    examples: tuple[Practice, ...]
    practice: tuple[Practice, ...]
    ontology: Ontology | None = None
    is_repeated: bool = False

    def keeps(self, index: int, answer: Mapping[str, Any]) -> bool:
        """Say whether an answer to a practice question stays, so that the next one comes."""
        return not self.is_repeated or self.practice[index].is_right(answer)

    @property
    def words(self) -> int:
        """Return how many words somebody must read to answer it: the texts, once."""
        return sum(len(one.text.split()) for one in self.practice)
