"""What a HIT's page sends, validated: the one reader of it, for the page and for what is collected later."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from annotations.kinds.registry import read_asked
from annotations.models import Corpus, CorpusGuidelines, Question
from kbpo.core.errors import InvalidInput
from kbpo.core.json_text import read_json
from kbpo.core.plain_text import replace_faults
from kbpo_formats.ontologies.ontology import Ontology

VERSION = 1
FIELD = "answer"  # of the form that goes to the provider: JSON
LONGEST_COMMENT = 2000  # characters
LONGEST_TIME = 1e7  # seconds: longer than any assignment lasts
DEEPEST = 20  # objects and lists in each other


@dataclass(frozen=True, slots=True, kw_only=True)
class HitAnswers:
    """A worker's answers to all questions of an assignment.

    Attributes
    ----------
    answers : mapping of int to dict
        By the question's id, in the normal form of its kind (`annotations.kinds`).
    seconds : mapping of int to float
        That each took on the page, where it says so.
    comment : str
    """

    answers: Mapping[int, dict[str, Any]]
    seconds: Mapping[int, float]
    comment: str


def parse(text: str) -> object:
    """Read the JSON of an answer.

    Raises
    ------
    InvalidInput
        If it is none.
    """
    try:
        return read_json(text)
    except ValueError:
        raise InvalidInput("the answer is not JSON") from None


def read_answers(
    data: object, questions: Collection[Question], ontology: Ontology | None = None
) -> HitAnswers:
    """Validate what a page sends.

    Parameters
    ----------
    data : object
        ``{"version": 1, "answers": [{"question", "answer", "seconds"}, …], "comment"}``, in which ``seconds``
        and ``comment`` may be missing.
    questions : collection of Question
        Those that were asked: each must be answered once, and nothing else.
    ontology : Ontology, optional
        As `read_asked` takes it.

    Raises
    ------
    InvalidInput
        Saying what the worker can do about it.
    """
    if _is_deeper(data, DEEPEST):  # to print it in a refusal would end in another error
        raise InvalidInput(f"the answer is nested more than {DEEPEST} deep")
    if not isinstance(data, Mapping) or data.get("version") != VERSION:
        raise InvalidInput(f"the answer must be a JSON object of version {VERSION}")
    listed, comment = data.get("answers"), data.get("comment", "")
    if not isinstance(listed, list):
        raise InvalidInput("the answer has no list of answers")
    if not isinstance(comment, str) or len(comment) > LONGEST_COMMENT:
        raise InvalidInput(f"a comment is a text of at most {LONGEST_COMMENT:,} characters")
    asked = read_asked(questions, ontology)
    answers: dict[int, dict[str, Any]] = {}
    seconds: dict[int, float] = {}
    for item in listed:
        pk = item.get("question") if isinstance(item, Mapping) else None
        if not isinstance(pk, int) or isinstance(pk, bool) or pk not in asked:
            raise InvalidInput("an answer is to a question that was not asked here; reload the page")
        if pk in answers:
            raise InvalidInput("a question is answered twice; reload the page")
        answers[pk] = asked[pk].read_answer(item.get("answer"))
        if (taken := item.get("seconds")) is not None:
            seconds[pk] = _seconds(taken)
    if missing := len(asked) - len(answers):
        raise InvalidInput(f"{missing} of the {len(asked)} questions {'is' if missing == 1 else 'are'} open")
    return HitAnswers(answers=answers, seconds=seconds, comment=replace_faults(comment).strip())


def to_data(answers: HitAnswers) -> dict[str, Any]:
    """Return what `read_answers` reads back as the same."""
    return {
        "version": VERSION,
        "answers": [
            {"question": pk, "answer": answer}
            | ({"seconds": answers.seconds[pk]} if pk in answers.seconds else {})
            for pk, answer in answers.answers.items()
        ],
        "comment": answers.comment,
    }


def under(guidelines: CorpusGuidelines | None) -> dict[str, int]:
    """Return what an answer says of the guidelines of its corpus' own that its page showed."""
    return {} if guidelines is None else {"guidelines": guidelines.version}


def read_under(data: object, corpus: Corpus) -> int | None:
    """Return the row id of the guidelines that an answer says its page showed; None: the ontology's.

    Raises
    ------
    InvalidInput
        If the corpus has none of that version.
    """
    version = data.get("guidelines") if isinstance(data, Mapping) else None
    if version is None:
        return None
    found = None
    if isinstance(version, int) and not isinstance(version, bool) and 0 < version < 2**31:
        found = (
            CorpusGuidelines.objects.filter(corpus=corpus, version=version)
            .values_list("pk", flat=True)
            .first()
        )
    if found is None:
        raise InvalidInput(
            f"it was given under version {version!r:.20} of the guidelines of {corpus}, which is not there"
        )
    return found


def write(data: object) -> str:
    """Write an answer as the provider is given it: compact JSON, in ASCII."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False)


def _is_deeper(data: object, depth: int) -> bool:
    """Say whether JSON has more than so many objects and lists in each other."""
    if not isinstance(data, Mapping | list):
        return False
    inner = data.values() if isinstance(data, Mapping) else data
    return depth == 0 or any(_is_deeper(one, depth - 1) for one in inner)


def _seconds(value: object) -> float:
    # compared before it is made a float: JSON's whole numbers may be larger than any of those
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < LONGEST_TIME:
        raise InvalidInput("seconds must be a number from 0 on, and less than any assignment lasts")
    return float(value)
