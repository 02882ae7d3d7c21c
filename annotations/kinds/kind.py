"""What every kind of question must say."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from django.db.models import QuerySet

from annotations.aggregation.majority import Verdict
from annotations.kinds.agreement import Agreement
from annotations.kinds.fields import VERSION
from annotations.models import Question
from annotations.texts.passages import Passage
from annotations.texts.records import shown
from kbpo.core.errors import InvalidInput
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.spans import Span

StoredAnswer = Mapping[str, Any]


class Content(Protocol):
    """What one question asks, as a value: what it shows, and what its answers amount to.

    A claim is what a label is about. Its name is the kind's own, and is made and read in the kind's module
    alone.
    """

    kind: ClassVar[str]

    @property
    def key(self) -> str:
        """Return what tells it from every other question about its document."""

    @property
    def spans(self) -> tuple[Span, ...]:
        """Return every span that it shows."""

    @property
    def claims(self) -> tuple[str, ...]:
        """Return the name of each claim that an answer says something about."""

    def payload(self) -> dict[str, Any]:
        """Return its JSON."""

    def read_answer(self, answer: object) -> dict[str, Any]:
        """Validate an answer and return its normal form; InvalidInput if it is of another form."""

    def values(self, answer: StoredAnswer) -> dict[str, float]:
        """Return what a stored answer says of each claim: 1 and 0 where it affirms and denies it."""

    def agree(self, answers: Sequence[StoredAnswer]) -> bool:
        """Say whether stored answers all say the same of whatever is settled by them.

        What two answers that agree are settled to stays as it is, whatever a third says.
        """

    def settle(self, answers: Sequence[StoredAnswer]) -> Mapping[str, Verdict] | None:
        """Return the verdict on each claim; None while the votes settle nothing."""

    def is_right(self, answer: StoredAnswer, labels: Mapping[str, float]) -> bool:
        """Say whether a stored answer is all of what was settled, and nothing else."""

    def published(self, claim: str) -> dict[str, Any]:
        """Return the columns of a claim in the files of released labels."""


C = TypeVar("C", bound=Content)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[C]):
    """One kind of question.

    Attributes
    ----------
    name : str
        As it stands in the database.
    label : str
        What it asks, for people.
    parse : callable
        Makes the content of a stored payload; whatever it stumbles over, `read` refuses with clear words.
    reads_passage : bool
        Whether answers are read against the words of the document.
    reads_ontology : bool
        Whether answers are read against the ontology of the corpus.
    usual_error : float
        How often one person's whole answer is wrong somewhere, where nothing was measured.
    affirms : str or None
        SQL that says whether the answer of `response` affirms the claim of `label`, as `Content.values` does;
        None where answers amount to no verdicts: to labels of other values than 0 and 1, or to none.
    category : str or None
        SQL for what tells one whole answer from another, as text, from the column `answer`; None where two
        people can hardly be expected to give the same whole answer.
    columns : tuple of str
        The names of `Content.published`, in the order in which files of released labels have them.
    agreement : callable
        Measures how far workers agree on questions of this kind, one value for each aspect, at a level. By
        all votes on those that are no longer open; or, where a number is given, by so many of the first votes
        on each, be it open or not.
    can_be_gold : bool
        Whether a settled question may be asked again to see how a worker answers it.
    reopens : bool
        Whether a settled question is open again when one of its votes does not count any more.
    settled : callable or None
        What settling a question by its answers does besides its labels.
    """

    name: str
    label: str
    parse: Callable[[Mapping[str, Any], Passage | None, Ontology | None], C]
    reads_passage: bool
    usual_error: float
    affirms: str | None
    category: str | None
    agreement: Callable[[QuerySet[Question], int | None, float], list[Agreement]]
    can_be_gold: bool
    reopens: bool
    settled: Callable[[Question, C, Sequence[StoredAnswer]], None] | None
    columns: tuple[str, ...] = ()
    reads_ontology: bool = False

    @property
    def is_verdict(self) -> bool:
        """Say whether its labels are 1, it holds, and 0, it does not."""
        return self.affirms is not None

    def read(
        self,
        payload: Mapping[str, Any],
        passage: Passage | None = None,
        ontology: Ontology | None = None,
    ) -> C:
        """Read a stored question.

        Parameters
        ----------
        payload : mapping
            As made by `Content.payload`.
        passage : Passage, optional
            Its document, where answers are to be read against it.
        ontology : Ontology, optional
            Its corpus', where answers are to be read against it.

        Raises
        ------
        InvalidInput
            If it is of another form or version.
        """
        try:
            if payload["version"] != VERSION:
                raise InvalidInput(f"the question is of version {shown(payload['version'])}, not {VERSION}")
            return self.parse(payload, passage, ontology)
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidInput(f"the {self.name} question is not of the known form: {error!r}") from error
