"""Whether an answer to a question is right, by what each of some passages shows.

An answer says whether it is plausible at all, and if so, of each passage, whether it shows it to be right
(1), shows it to be wrong (-1) or does not help (0), with the part of the document's text that does::

    {"version": 1, "plausible": true,
     "passages": [{"verdict": 1, "span": [42, 57]}, {"verdict": 0, "span": null}]}
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from django.db.models import QuerySet

from annotations.aggregation.majority import Verdict
from annotations.kinds.agreement import Agreement, Aspect, on_values
from annotations.kinds.fields import VERSION, read_fields
from annotations.kinds.kind import Kind, StoredAnswer
from annotations.kinds.means import mean_verdicts, output_digest
from annotations.models import Question, kind_names
from annotations.texts.passages import Passage
from annotations.texts.records import shown
from kbpo.core.errors import InvalidInput
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.spans import Span

NAME = kind_names.CORRECTNESS

RIGHT, NEITHER, WRONG = 1, 0, -1
CLAIMS = ("any", "average", "undecided")
_FIELDS = {"plausible", "passages"}


@dataclass(frozen=True)
class CorrectnessQuestion:
    """Whether `answer` is right.

    Attributes
    ----------
    answer : str
    question : Span
        Of the document's text: what was asked.
    passages : tuple of Span
        Of the document's text, in which evidence may be.
    passage : Passage or None
        The document; None where no answer is read.
    """

    kind: ClassVar[str] = NAME

    answer: str
    question: Span
    passages: tuple[Span, ...]
    passage: Passage | None = field(default=None, compare=False, repr=False)

    @cached_property
    def key(self) -> str:
        """Return what tells it from every other question about its document."""
        payload = json.dumps(self.payload(), ensure_ascii=False, sort_keys=True)
        return f"correctness|{VERSION}|{hashlib.sha256(payload.encode()).hexdigest()[:32]}"

    @property
    def spans(self) -> tuple[Span, ...]:
        """Return every span that it shows."""
        return self.question, *self.passages

    @property
    def claims(self) -> tuple[str, ...]:
        """Return the names of what is scored."""
        return CLAIMS

    def payload(self) -> dict[str, Any]:
        """Return its JSON."""
        return {
            "version": VERSION,
            "answer": self.answer,
            "question": list(self.question),
            "passages": [list(span) for span in self.passages],
        }

    def judgement(self, plausible: bool, passages: Sequence[tuple[int, Span | None]] = ()) -> dict[str, Any]:
        """Return the JSON of an answer: the verdict on each passage, and the part that shows it.

        Of a judgement that was recorded elsewhere the parts may be unknown.
        """
        return {
            "version": VERSION,
            "plausible": plausible,
            "passages": [
                {"verdict": verdict, "span": None if span is None else list(span)}
                for verdict, span in passages
            ],
        }

    def read_answer(self, answer: object) -> dict[str, Any]:
        """Validate an answer, as the head of this module says, and return its normal form.

        A span is taken without the white space at its ends.

        Raises
        ------
        InvalidInput
            If it is of another form; if a passage has no verdict, or one that needs evidence has none, or
            evidence that lies outside it.
        """
        fields = read_fields(answer, _FIELDS)
        plausible, listed = fields.get("plausible"), fields.get("passages", [])
        if not isinstance(plausible, bool):
            raise InvalidInput(f"plausible is {shown(plausible)}; it must be true or false")
        if not isinstance(listed, list):
            raise InvalidInput(f"passages is {shown(listed)}; it must be a list")
        if not plausible:
            if listed:
                raise InvalidInput("the answer is not plausible, so passages must be an empty list")
            return self.judgement(False)
        if len(listed) != len(self.passages):
            raise InvalidInput(
                f"{len(listed)} passages have a verdict; each of the {len(self.passages)} needs one"
            )
        return self.judgement(True, [self._read_verdict(*one) for one in enumerate(listed)])

    def values(self, answer: StoredAnswer) -> dict[str, float]:
        """Return what a stored answer says.

        `any` is 1 where a passage shows the answer to be right; `average` the share of such among those that
        decide it either way; `undecided` 1 where it is plausible, and none does.
        """
        verdicts = [one["verdict"] for one in answer["passages"]] if answer["plausible"] else []
        right, wrong = verdicts.count(RIGHT), verdicts.count(WRONG)
        return {
            "any": float(right > 0),
            "average": right / (right + wrong) if right + wrong else 0.0,
            "undecided": float(answer["plausible"] and right + wrong == 0),
        }

    def agree(self, answers: Sequence[StoredAnswer]) -> bool:
        """Say whether there is one stored answer at most: each further one moves the mean."""
        return len(answers) < 2

    def settle(self, answers: Sequence[StoredAnswer]) -> Mapping[str, Verdict] | None:
        """Return the means of the votes; None without one."""
        return mean_verdicts([self.values(answer) for answer in answers])

    def is_right(self, answer: StoredAnswer, labels: Mapping[str, float]) -> bool:
        """Say whether a stored answer is what was settled."""
        return self.values(answer) == dict(labels)

    def published(self, claim: str) -> dict[str, Any]:
        """Return the columns of a claim in the files of released labels."""
        return {"measure": claim, "output": output_digest(self.answer)}

    def _read_verdict(self, index: int, one: object) -> tuple[int, Span | None]:
        where = f"passage {index + 1}"
        if not isinstance(one, Mapping) or one.keys() - {"verdict", "span"}:
            raise InvalidInput(f"{where} has {shown(one)}; it must have a verdict and a span")
        verdict, span = one.get("verdict"), one.get("span")
        if (
            isinstance(verdict, bool)
            or not isinstance(verdict, int)
            or verdict not in (RIGHT, NEITHER, WRONG)
        ):
            raise InvalidInput(f"the verdict on {where} is {shown(verdict)}; it must be 1, -1 or 0")
        if verdict == NEITHER:
            if span is not None:
                raise InvalidInput(
                    f"{where} does not help, so nothing is highlighted in it: its span must be null"
                )
            return verdict, None
        if span is None:
            shows = "right" if verdict == RIGHT else "wrong"
            raise InvalidInput(f"{where} shows the answer to be {shows}; highlight the part that does")
        return verdict, self._read_span(where, span, self.passages[index])

    def _read_span(self, where: str, given: object, within: Span) -> Span:
        match given:
            case [int(start), int(end)] if not isinstance(start, bool) and not isinstance(end, bool):
                span = Span(start, end)
            case _:
                raise InvalidInput(
                    f"the span in {where} is {shown(given)}; it must be two offsets of the document"
                )
        if not within.start <= span.start < span.end <= within.end:
            raise InvalidInput(f"the span {span} does not lie within {where}, which is {within}")
        if self.passage is None:
            return span
        words = self.passage.text[span.start : span.end]
        start = span.start + len(words) - len(words.lstrip())
        if not words.strip():
            raise InvalidInput(f"the span {span} in {where} holds white space alone; highlight words")
        return Span(start, start + len(words.strip()))


def _parse(
    payload: Mapping[str, Any], passage: Passage | None, ontology: Ontology | None
) -> CorrectnessQuestion:
    text = payload["answer"]
    if not isinstance(text, str):
        raise TypeError("its answer is no text")
    return CorrectnessQuestion(
        text, Span(*payload["question"]), tuple(Span(*one) for one in payload["passages"]), passage
    )


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody said of an answer, to be shown.

    Attributes
    ----------
    is_plausible : bool
    verdicts : list of (int, Span or None)
        Of each passage, with the highlighted part; none where it is not plausible.
    """

    is_plausible: bool
    verdicts: list[tuple[int, Span | None]]


def read_said(answer: StoredAnswer) -> Said | None:
    """Return what a stored answer says; None for one to another kind of question."""
    if "plausible" not in answer:
        return None
    verdicts = [
        (one["verdict"], None if one["span"] is None else Span(*one["span"])) for one in answer["passages"]
    ]
    return Said(answer["plausible"], verdicts)


#: What agreement is measured of, the first one where there is room for one alone.
_ASPECTS = {"any": Aspect.ANY, "average": Aspect.AVERAGE}


def _agreement(questions: QuerySet[Question], first: int | None, level: float) -> list[Agreement]:
    return on_values(questions, first, level, kind=NAME, aspects=_ASPECTS, read=KIND.read)


KIND = Kind(
    name=NAME,
    label="whether an answer is right",
    parse=_parse,
    reads_passage=True,
    usual_error=0.3,  # of two who judge one answer, 27% differ in whether anything shows it to be right
    affirms=None,
    category="(answer -> 'passages' @> '[{\"verdict\": 1}]')",
    agreement=_agreement,
    can_be_gold=False,  # the mean of what some people find is no answer that others must give
    reopens=True,
    settled=None,
    columns=("measure", "output"),
)
