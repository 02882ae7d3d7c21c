"""A HIT of relation questions as a page: each document once, with all that is asked about it beside it."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from annotations import payloads
from annotations.models import Document, Question, Sentence
from annotations.payloads import RelationQuestion
from crowd.hits.hit_answers import VERSION
from crowd.interfaces import relation
from crowd.interfaces.relation import Asked, Page
from crowd.models import Assignment, Hit
from kbpo.core.errors import InvalidInput
from kbpo.core.spans import Span

MOST_TEXT = 60_000  # characters of all documents on a page: packed, it then weighs less than 100 kB
COMMENT = "comment"  # the form's field
MOST_STEPS = 200
LONGEST_STEP = 1e6  # seconds
_SECONDS = "seconds-"  # and the step's name: the form's field


class NotAnswered(InvalidInput):
    """Something in the form is missing or wrong.

    Attributes
    ----------
    field : str
        The name of the step at which it is to be put right.
    """

    def __init__(self, message: str, *, field: str, where: str = "") -> None:
        super().__init__(message, where=where)
        self.field = field


@dataclass(frozen=True, slots=True)
class Group:
    """Questions about one passage.

    Attributes
    ----------
    number : int
        From 1.
    document : Document
    page : Page
    """

    number: int
    document: Document
    page: Page

    @property
    def title(self) -> str:
        """Return what stands over the passage."""
        return self.document.title or self.document.doc_id


def questions_of(hit: Hit, assignment: Assignment | None = None) -> list[Question]:
    """List what is asked, in order; of an assignment its gold question too, at a place that tells nothing."""
    questions = list(
        Question.objects.filter(hit_questions__hit=hit)
        .select_related("document__corpus")
        .order_by("hit_questions__position")
    )
    if assignment is not None and assignment.gold is not None:
        mixed = hashlib.sha256(f"gold {assignment.pk} {hit.annotation}".encode()).digest()
        groups = _group(questions)
        groups.insert(int.from_bytes(mixed[:8], "big") % (len(groups) + 1), [assignment.gold])
        questions = [question for group in groups for question in group]
    return questions


def build_groups(
    questions: Sequence[Question],
    *,
    asks_links: bool,
    posted: Mapping[str, Sequence[str]],
    whole: int | None = None,
) -> list[Group]:
    """Make what the page shows.

    Parameters
    ----------
    questions : sequence of Question
        With their documents.
    asks_links : bool
    posted : mapping of str to sequence of str
        What has been ticked and typed, by form field.
    whole : int, optional
        The number of the one group that is wanted, with all of its document.
    """
    groups = _group(questions)
    longest = MOST_TEXT // max(1, len(groups))
    asked = _read(questions)
    found = []
    for number, group in enumerate(groups, start=1):
        if whole not in (None, number):
            continue
        document = group[0].document
        about = {question.pk: asked[question.pk] for question in group}
        page = relation.build_page(
            document.text,
            _sentences(document, relation.spans_of(about.values())),
            about,
            posted,
            {},
            linked=about if asks_links else (),
            longest=longest if whole is None else None,
        )
        found.append(Group(number, document, page))
    return found


def read_form(
    questions: Sequence[Question], posted: Mapping[str, Sequence[str]], *, asks_links: bool
) -> dict[str, Any]:
    """Turn the page's form into what `crowd.hits.hit_answers.read_answers` reads.

    Raises
    ------
    NotAnswered
        At the first step that has no answer, or a wrong one.
    """
    asked = _read(questions)
    groups = _group(questions)
    answers: list[dict[str, Any]] = []
    for group in groups:
        about = {question.pk: asked[question.pk] for question in group}
        for question in group:
            pk = question.pk
            name = relation.field_name(pk)
            where = f"Question {len(answers) + 1} of {len(questions)}" if len(questions) > 1 else ""
            try:
                answer = relation.read_answer(asked[pk], posted.get(name, ()))
                answer = asked[pk].read_answer(answer)
            except InvalidInput as error:
                raise NotAnswered(str(error), field=name, where=where) from None
            if asks_links:
                answer |= _links(pk, about, posted, where)
            answers.append({"question": pk, "answer": answer, **_seconds(name, posted)})
    return {"version": VERSION, "answers": answers, "comment": next(iter(posted.get(COMMENT, ())), "")}


def _links(
    pk: int, about: Mapping[int, Asked], posted: Mapping[str, Sequence[str]], where: str
) -> dict[str, Any]:
    try:
        found = relation.read_links(pk, about, about, posted)
    except relation.LinkMissing as error:
        raise NotAnswered(str(error), field=error.field, where=where) from None
    return {"links": found} if found else {}


def seconds_of_steps(posted: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    """List how long each step was looked at, where the page says so."""
    found = []
    for name, values in posted.items():
        seconds = _number(next(iter(values), "")) if name.startswith(_SECONDS) else None
        if seconds is not None:
            found.append({"step": name.removeprefix(_SECONDS)[:60], "seconds": seconds})
    return found[:MOST_STEPS]


def _seconds(name: str, posted: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Return how long a question took with its links; a page without scripts does not say."""
    own = (name, f"{name}-link-0", f"{name}-link-1")
    found = [_number(next(iter(posted.get(f"{_SECONDS}{step}", ())), "")) for step in own]
    known = [seconds for seconds in found if seconds is not None]
    return {"seconds": round(sum(known), 1)} if known else {}


def _number(text: str) -> float | None:
    try:
        seconds = float(text)
    except ValueError:
        return None
    return seconds if 0 <= seconds < LONGEST_STEP else None


def _read(questions: Iterable[Question]) -> dict[int, Asked]:
    return {
        question.pk: payloads.read_claim_question(question.kind, question.payload) for question in questions
    }


def _group(questions: Sequence[Question]) -> list[list[Question]]:
    """Put each canonical question with the first relation question about its mention; others stand alone."""
    asked = _read(questions)
    groups: list[list[Question]] = []
    homes: dict[tuple[int, Span], list[Question]] = {}
    for question in sorted(questions, key=lambda one: one.kind != Question.Kind.RELATION):
        one = asked[question.pk]
        mentions = one.spans if isinstance(one, RelationQuestion) else one.spans[:1]
        home = None
        if not isinstance(one, RelationQuestion):
            home = homes.get((question.document_id, mentions[0]))
        if home is None:
            home = []
            groups.append(home)
        home.append(question)
        for span in mentions:
            homes.setdefault((question.document_id, span), home)
    position = {question.pk: index for index, question in enumerate(questions)}
    return sorted(groups, key=lambda group: min(position[question.pk] for question in group))


def _sentences(document: Document, spans: Iterable[Span]) -> list[Span]:
    touching = Q()
    for span in spans:
        touching |= Q(start__lt=span.end, end__gt=span.start)
    rows = Sentence.objects.filter(touching, document=document).order_by("index")
    return [Span(start, end) for start, end in rows.values_list("start", "end")]
