"""Its kind of question: how good a text is, from 0 to 1."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, ClassVar

from django.db.models import QuerySet

from annotations.aggregation.majority import Verdict
from annotations.kinds.agreement import Agreement, on_whole_answers
from annotations.kinds.fields import VERSION, read_fields
from annotations.kinds.kind import Kind, StoredAnswer
from annotations.models import Question
from annotations.texts.passages import Passage
from kbpo.core.errors import InvalidInput
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.spans import Span

NAME = "grade"
CLAIM = "good"


@dataclass(frozen=True, slots=True)
class GradeQuestion:
    kind: ClassVar[str] = NAME

    text: str

    @property
    def key(self) -> str:
        return f"grade|{VERSION}|{self.text}"

    @property
    def spans(self) -> tuple[Span, ...]:
        return ()

    @property
    def claims(self) -> tuple[str, ...]:
        return (CLAIM,)

    def payload(self) -> dict[str, Any]:
        return {"version": VERSION, "text": self.text}

    def read_answer(self, answer: object) -> dict[str, Any]:
        grade = read_fields(answer, {"grade"}).get("grade")
        if not isinstance(grade, float) or not 0 <= grade <= 1:
            raise InvalidInput("a grade is a number from 0 to 1")
        return {"version": VERSION, "grade": grade}

    def values(self, answer: StoredAnswer) -> dict[str, float]:
        return {CLAIM: answer["grade"]}

    def agree(self, answers: Sequence[StoredAnswer]) -> bool:
        return len({answer["grade"] for answer in answers}) <= 1

    def settle(self, answers: Sequence[StoredAnswer]) -> Mapping[str, Verdict] | None:
        grades = [answer["grade"] for answer in answers]
        return {CLAIM: Verdict(fmean(grades), len(grades), len(grades))}

    def is_right(self, answer: StoredAnswer, labels: Mapping[str, float]) -> bool:
        return self.values(answer) == labels

    def published(self, claim: str) -> dict[str, Any]:
        return {"text": self.text}


def _parse(payload: Mapping[str, Any], passage: Passage | None, ontology: Ontology | None) -> GradeQuestion:
    return GradeQuestion(payload["text"])


def _agreement(questions: QuerySet[Question], first: int | None, level: float) -> list[Agreement]:
    return [on_whole_answers(questions, first, level, kind=NAME, category="answer ->> 'grade'")]


KIND = Kind(
    name=NAME,
    label="how good a text is",
    parse=_parse,
    reads_passage=False,
    usual_error=0.2,
    affirms=None,
    category="answer ->> 'grade'",
    agreement=_agreement,
    can_be_gold=False,
    reopens=False,
    settled=None,
    columns=("text",),
)
