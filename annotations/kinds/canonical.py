"""Whether a canonical mention is right."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django.db.models import QuerySet

from annotations.aggregation import majority
from annotations.aggregation.majority import Verdict
from annotations.kinds.agreement import Agreement, on_whole_answers
from annotations.kinds.fields import VERSION, read_fields, read_span
from annotations.kinds.kind import Kind, StoredAnswer
from annotations.models import Question, kind_names
from annotations.texts.passages import Passage
from annotations.texts.records import shown
from kbpo.core.errors import InvalidInput
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.spans import Span

NAME = kind_names.CANONICAL

#: The one claim of a canonical question: that it is right.
CLAIM = "right"


@dataclass(frozen=True, slots=True)
class CanonicalQuestion:
    """Whether `canonical` is the right canonical mention of the entity that `mention` names."""

    kind: ClassVar[str] = NAME

    mention: Span
    canonical: Span

    @property
    def key(self) -> str:
        """Return what tells it from every other question about its document."""
        return f"canonical|{VERSION}|{self.mention}|{self.canonical}"

    @property
    def spans(self) -> tuple[Span, ...]:
        """Return every span that it shows."""
        return self.mention, self.canonical

    @property
    def claims(self) -> tuple[str, ...]:
        """Return the name of its one claim."""
        return (CLAIM,)

    def payload(self) -> dict[str, Any]:
        """Return its JSON."""
        return {
            "version": VERSION,
            "mention": self.mention._asdict(),
            "canonical": self.canonical._asdict(),
        }

    def answer(self, right: bool) -> dict[str, Any]:
        """Return the JSON of an answer."""
        return {"version": VERSION, "right": right}

    def read_answer(self, answer: object) -> dict[str, Any]:
        """Validate an answer, ``{"right": true or false}``, and return its normal form.

        Raises
        ------
        InvalidInput
            If it is of another form.
        """
        right = read_fields(answer, {"right"}).get("right")
        if not isinstance(right, bool):
            raise InvalidInput(f"right is {shown(right)}; it must be true or false")
        return self.answer(right)

    def values(self, answer: StoredAnswer) -> dict[str, float]:
        """Return what a stored answer says of the claim: 1 that it is right, 0 that it is wrong."""
        return {CLAIM: float(answer["right"])}

    def agree(self, answers: Sequence[StoredAnswer]) -> bool:
        """Say whether stored answers are all right, or all wrong."""
        return len({answer["right"] for answer in answers}) <= 1

    def settle(self, answers: Sequence[StoredAnswer]) -> Mapping[str, Verdict] | None:
        """Return the verdict of the majority; None for a tie."""
        verdict = majority.canonical([answer["right"] for answer in answers])
        return None if verdict is None else {CLAIM: verdict}

    def is_right(self, answer: StoredAnswer, labels: Mapping[str, float]) -> bool:
        """Say whether a stored answer is what was settled."""
        return self.values(answer) == dict(labels)

    def published(self, claim: str) -> dict[str, Any]:
        """Return the columns of its claim in the files of released labels: the two spans."""
        return {
            "mention_start": self.mention.start,
            "mention_end": self.mention.end,
            "canonical_start": self.canonical.start,
            "canonical_end": self.canonical.end,
        }


def _parse(
    payload: Mapping[str, Any], passage: Passage | None, ontology: Ontology | None
) -> CanonicalQuestion:
    return CanonicalQuestion(read_span(payload["mention"]), read_span(payload["canonical"]))


_CATEGORY = "answer ->> 'right'"


def _agreement(questions: QuerySet[Question], first: int | None, level: float) -> list[Agreement]:
    return [on_whole_answers(questions, first, level, kind=NAME, category=_CATEGORY)]


KIND = Kind(
    name=NAME,
    label="whether a canonical mention is right",
    parse=_parse,
    reads_passage=False,
    usual_error=majority.ERROR,
    affirms="(response.answer ->> 'right')::bool",
    category=_CATEGORY,
    agreement=_agreement,
    can_be_gold=False,
    reopens=False,
    settled=None,
    columns=("mention_start", "mention_end", "canonical_start", "canonical_end"),
)
