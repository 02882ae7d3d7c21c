"""What a data set of generated text is made with: its settings, and a line of its file of inputs. Pure."""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NoReturn

from annotations.texts.records import DocumentRecord, read_id, read_text, shown
from kbpo.core.errors import InvalidInput
from kbpo_formats.generation.names import BUILT_IN, LONGEST_NAME, RESERVED, is_name
from kbpo_formats.spans import Span

QUALITY, ANSWER = "quality", "answer"
MEASURES: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        QUALITY: ("overall", "fluency", "redundancy", "edit", "edit_capped"),
        ANSWER: ("any", "average"),
    }
)
"""What is judged of an output under each prompt; the first is what its samples are drawn for."""
MOST_PASSAGES = 10
PARTS_OF_PLAN = ("variance_outputs", "variance_judgements", "correlation")
BREAK = "\n\n"
"""Between the question and the passages in a document's text."""


@dataclass(frozen=True, slots=True)
class PromptRecord:
    """What is asked of the outputs of a data set, and what its samples are planned with.

    Attributes
    ----------
    name : {"quality", "answer"}
    metric : str
        The declared one; empty for none.
    planning : mapping of str to mapping of str to float
        By measure, `PARTS_OF_PLAN`.
    """

    name: str
    metric: str = ""
    planning: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what is none.

        Raises
        ------
        InvalidInput
        """
        if self.name not in MEASURES:
            raise InvalidInput(f"is {shown(self.name)}; it must be {' or '.join(MEASURES)}", where="prompt")
        small = self.metric.lower()
        if self.metric and (not is_name(self.metric) or small in RESERVED):
            raise InvalidInput(
                f"is {shown(self.metric)}; no column of metrics can have that name: it begins with a letter,"
                " has letters, digits, '.', '_' and '-', at most"
                f" {LONGEST_NAME} of them, and is not {' or '.join(RESERVED)}",
                where="metric",
            )
        if small in BUILT_IN and self.metric != small:
            raise InvalidInput(
                f"is {shown(self.metric)}; the metric that is computed here is called {small}", where="metric"
            )
        for measure in self.planning:
            if measure not in MEASURES[self.name]:
                known = ", ".join(MEASURES[self.name])
                raise InvalidInput(f"has {shown(measure)}; judged are {known}", where="planning")


def read_planning(given: Iterable[str]) -> dict[str, dict[str, float]]:
    """Read how outputs and judgements are expected to vary.

    Parameters
    ----------
    given : iterable of str
        ``measure=variance of outputs,variance of judgements,correlation with the metric``, one a measure; the
        last may be left out.

    Raises
    ------
    InvalidInput

    Examples
    --------
    >>> read_planning(["any=0.08,0.14,0.4"])
    {'any': {'variance_outputs': 0.08, 'variance_judgements': 0.14, 'correlation': 0.4}}
    """
    found = {}
    for one in given:
        measure, _, values = one.partition("=")
        try:
            numbers = [float(value) for value in values.split(",")]
        except ValueError:
            numbers = []
        outputs, judgements, correlation = (*numbers, 0.0, 0.0, 0.0)[:3]
        is_right = len(numbers) in (2, 3) and all(map(math.isfinite, numbers))
        if not (is_right and outputs >= 0 and judgements >= 0 and outputs + judgements > 0):
            is_right = False
        if not is_right or not -1 <= correlation <= 1:
            raise InvalidInput(
                f"is {shown(one)}; write MEASURE=OUTPUTS,JUDGEMENTS,CORRELATION: two variances, not both 0,"
                " and a number from -1 to 1, as overall=0.14,0.28,0.3",
                where="planning",
            )
        found[measure.strip()] = dict(zip(PARTS_OF_PLAN, (outputs, judgements, correlation), strict=True))
    return found


@dataclass(frozen=True, slots=True)
class InputRecord:
    """An input as it is submitted.

    Attributes
    ----------
    doc_id : str
        Its `input_id`.
    text : str
        The question and the passages, with blank lines between; empty where there is neither.
    question : Span or None
    passages : tuple of Span
        In the text.
    references : tuple of str
    """

    doc_id: str
    text: str
    question: Span | None
    passages: tuple[Span, ...]
    references: tuple[str, ...]

    @classmethod
    def of(
        cls, doc_id: str, question: str, passages: Sequence[str], references: Sequence[str]
    ) -> "InputRecord":
        """Put its text together."""
        spans, start = [], 0
        pieces = [*([question] if question else []), *passages]
        for piece in pieces:
            spans.append(Span(start, start + len(piece)))
            start += len(piece) + len(BREAK)
        asked = spans.pop(0) if question else None
        return cls(doc_id, BREAK.join(pieces), asked, tuple(spans), tuple(references))

    @property
    def document(self) -> DocumentRecord:
        """Return the document that it is stored as."""
        return DocumentRecord(self.doc_id, "", None, self.text)

    @property
    def digest(self) -> str:
        """Return the SHA-256 of all that it says, in hexadecimal."""
        said = [self.doc_id, self.text, self.question, self.passages, self.references]
        return hashlib.sha256(json.dumps(said, ensure_ascii=False).encode()).hexdigest()


def read_input(value: Mapping[str, Any], *, where: str, prompt: str) -> InputRecord:
    """Read a line of a file of inputs.

    Parameters
    ----------
    value : mapping
        `input_id`; `question`, `passages` (a list of texts, or of objects with `text`) and `references` (a
        list of texts), each of which may be missing or null. For answers there is a question, and 1 to 10
        passages. Other keys are left alone.
    where : str
        The place of the line, for errors.
    prompt : {"quality", "answer"}
        What is asked of the outputs.

    Raises
    ------
    InvalidInput
        If one of them is missing, of the wrong type, or cannot be stored.
    """
    doc_id = read_id(value, where, "input_id")
    where_in = f"input {doc_id}: "
    question = read_text(value, "question", where, where_in)
    passages = _texts(value, "passages", where, where_in, of_objects=True)
    references = _texts(value, "references", where, where_in)
    if prompt == ANSWER and not question.strip():
        _refuse(where, f"{where_in}the question is empty or missing")
    if prompt == ANSWER and not 1 <= len(passages) <= MOST_PASSAGES:
        _refuse(where, f"{where_in}it has {len(passages)} passages; 1 to {MOST_PASSAGES} are needed")
    return InputRecord.of(doc_id, question if question.strip() else "", passages, references)


def _texts(
    value: Mapping[str, Any], key: str, where: str, where_in: str, *, of_objects: bool = False
) -> list[str]:
    items = value.get(key)
    if items is None:
        return []
    what = "a list of texts, or of objects with text" if of_objects else "a list of texts"
    if not isinstance(items, list):
        _refuse(where, f"{where_in}{key} is {shown(items)}; it must be {what}")
    found = []
    for number, item in enumerate(items, 1):
        if of_objects and isinstance(item, dict):
            item = item.get("text")
        if not isinstance(item, str):
            _refuse(where, f"{where_in}number {number} of {key} is {shown(item)}; it must be a text")
        text = read_text({key: item}, key, where, where_in)
        if not text.strip():
            _refuse(where, f"{where_in}number {number} of {key} is empty")
        found.append(text)
    return found


def _refuse(where: str, message: str) -> NoReturn:
    raise InvalidInput(message, where=where)
