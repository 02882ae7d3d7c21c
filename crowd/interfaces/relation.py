"""The relation interface: a question and its companions as a page, and the page's form as answers.

Pure: it turns payloads, text and posted strings into what a template shows and what a service records.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import Formatter
from typing import Any

from annotations.kinds.canonical import CanonicalQuestion
from annotations.kinds.links import kind_of
from annotations.kinds.relation import Mention, Offer, RelationQuestion
from crowd.interfaces import links
from crowd.interfaces.links import LinkField
from kbpo.core.errors import InvalidInput
from kbpo.core.marking import Mark, Segment, cut
from kbpo.core.ontology import RELATIONS, TYPE_NAMES
from kbpo.core.spans import Span

NONE = "none"
RIGHT = "right"
WRONG = "wrong"

# b is back; y and n answer the questions of right and wrong; 0 is none
_KEYS = "123456789acdefghijklmopqrstuvwxz"
_IN_VIEW = "in-view"
_GAP = "gap"

Asked = RelationQuestion | CanonicalQuestion


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a sentence on the page; with a letter it is a marked mention's text."""

    text: str
    letter: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """Something to tick: its value in the form, the key that ticks it, and its words."""

    value: str
    key: str
    parts: tuple[Part, ...]
    checked: bool
    votes: int | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One question of the page.

    Attributes
    ----------
    name : str
        Of the form's field.
    many : bool
        Whether several choices may be ticked.
    heading : tuple of Part
    hint : str
    missing : str
        What to say to somebody who goes on without an answer.
    choices : tuple of Choice
        Empty where `link` is what it asks for.
    link : LinkField or None
    """

    name: str
    many: bool
    heading: tuple[Part, ...]
    hint: str
    missing: str
    choices: tuple[Choice, ...]
    link: LinkField | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """A relation question with the canonical questions about its mentions, or a canonical one alone.

    Attributes
    ----------
    segments : tuple of Segment
    steps : tuple of Step
    is_whole : bool
        Whether the segments are the whole text.
    """

    segments: tuple[Segment, ...]
    steps: tuple[Step, ...]
    is_whole: bool = True


class LinkMissing(InvalidInput):
    """A link is missing or wrong; `field` names its step."""

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True)
class _Letters:
    """The letters by which the page speaks of spans: A, B, … in the order in which they come up."""

    text: str
    by_span: Mapping[Span, str]

    def part(self, span: Span) -> Part:
        return Part(" ".join(self.text[span.start : span.end].split()), self.by_span[span])


def field_name(question_id: int) -> str:
    """Return the form field that answers a question."""
    return f"q{question_id}"


def spans_of(asked: Iterable[Asked]) -> list[Span]:
    """List the spans that a page marks: the first question's first, each once."""
    return list(dict.fromkeys(span for question in asked for span in question.spans))


def build_page(
    text: str,
    sentences: Iterable[Span],
    questions: Mapping[int, Asked],
    posted: Mapping[str, Sequence[str]],
    votes: Mapping[int, Mapping[str, int]],
    *,
    linked: Iterable[int] = (),
    longest: int | None = None,
) -> Page:
    """Make the page of some questions about one document.

    Parameters
    ----------
    text : str
        The document's text.
    sentences : iterable of Span
        Those to be emphasised.
    questions : mapping of int to question
        By id, in the order in which they are asked.
    posted : mapping of str to sequence of str
        What has been ticked, by form field, where a refused form comes back.
    votes : mapping of int to mapping of str to int
        For an expert: how many ticked each value of a question. Empty for everybody else.
    linked : iterable of int
        The relation questions whose mentions are to be linked, each mention once.
    longest : int, optional
        About how many characters of the text to show: those around what is marked.
    """
    spans = spans_of(questions.values())
    letters = _Letters(text, dict(zip(spans, _letters(len(spans)), strict=True)))
    marks = [Mark(sentence, _IN_VIEW, "") for sentence in sentences]
    marks += [
        Mark(span, f"mention-{letter.lower()}", f"{letter} {_description(span, questions.values())}")
        for span, letter in letters.by_span.items()
    ]
    steps = []
    to_link = _to_link(questions, linked)
    for question_id, question in questions.items():
        name = field_name(question_id)
        chosen = posted.get(name, ())
        counts = votes.get(question_id)
        if isinstance(question, RelationQuestion):
            steps.append(_relation_step(name, question, letters, chosen, counts))
            steps += [
                _link_step(question_id, index, question.mentions[index], letters, posted)
                for index in to_link.get(question_id, ())
            ]
        else:
            steps.append(_canonical_step(name, question, letters, chosen, counts))
    shown = excerpt(text, spans, longest)
    segments: list[Segment] = []
    for window in shown:
        if window.start > 0:
            segments.append(_gap(before=bool(segments)))
        segments += cut(text, marks, window)
    if shown[-1].end < len(text):
        segments.append(_gap(before=True))
    return Page(tuple(segments), tuple(steps), is_whole=shown == [Span(0, len(text))])


def excerpt(text: str, spans: Iterable[Span], longest: int | None) -> list[Span]:
    """Choose the parts of a text to show: all of it, or as much around some spans as fits, equally wide.

    Parameters
    ----------
    text : str
    spans : iterable of Span
        At least one; they are shown in any case.
    longest : int or None
        Characters; None: no limit.

    Returns
    -------
    list of Span
        In order, apart from each other, each from the start of a word to the end of one.
    """
    if longest is None or len(text) <= longest:
        return [Span(0, len(text))]
    wanted = sorted(spans)
    widths = range(len(text))
    around = bisect_right(widths, longest, key=lambda width: _size(_widen(wanted, width, len(text))))
    found = _widen(wanted, max(0, around - 1), len(text))
    return [_whole_words(text, span, wanted) for span in found]


def link_name(question_id: int, index: int) -> str:
    """Return the prefix of the form fields that link a mention of a question."""
    return f"{field_name(question_id)}-link-{index}"


def read_links(
    question_id: int,
    questions: Mapping[int, Asked],
    linked: Iterable[int],
    posted: Mapping[str, Sequence[str]],
) -> dict[str, Any]:
    """Return the links that a form gives to a question's mentions, by index; empty where it asks for none.

    Raises
    ------
    LinkMissing
        If one is missing or wrong.
    """
    question = questions[question_id]
    if not isinstance(question, RelationQuestion):
        return {}
    found = {}
    for index in _to_link(questions, linked).get(question_id, ()):
        field = _link_field(question_id, index, question.mentions[index], "", posted)
        try:
            found[str(index)] = links.read_field(field)
        except InvalidInput as error:
            raise LinkMissing(str(error), field=field.name) from None
    return found


def read_answer(question: Asked, values: Sequence[str]) -> object:
    """Turn a form field's values into an answer, which the service that records it validates.

    Raises
    ------
    InvalidInput
        If nothing was ticked.
    """
    if isinstance(question, RelationQuestion):
        if not values:
            raise InvalidInput("Tick what holds between the two mentions, or “none of these”.")
        offers = [_read_offer(value) for value in values if value != NONE]
        return {"relations": offers, "none": NONE in values}
    if not values:
        raise InvalidInput("Say for each full name whether it is right or wrong.")
    return {"right": {RIGHT: True, WRONG: False}.get(values[0]) if len(values) == 1 else list(values)}


def offer_value(offer: Offer) -> str:
    """Return the form's value for an offer."""
    return f"{offer.predicate}|{offer.subject}"


def ticked_values(question: Asked, answer: Mapping[str, Any]) -> list[str]:
    """List the form values that a stored answer ticks."""
    if isinstance(question, RelationQuestion):
        return [offer_value(offer) for offer in question.ticked(answer)] or [NONE]
    return [RIGHT if answer["right"] else WRONG]


def _read_offer(value: str) -> dict[str, object]:
    predicate, _, subject = value.rpartition("|")
    return {"predicate": predicate, "subject": int(subject) if subject in {"0", "1"} else subject}


def _letters(number: int) -> list[str]:
    return [chr(ord("A") + index) if index < 26 else f"A{index}" for index in range(number)]


def _description(span: Span, questions: Iterable[Asked]) -> str:
    for question in questions:
        if isinstance(question, RelationQuestion):
            for mention in question.mentions:
                if mention.span == span:
                    return TYPE_NAMES[mention.type]
        elif question.mention == span:
            return "mention"
    return "full name?"


def _relation_step(
    name: str,
    question: RelationQuestion,
    letters: _Letters,
    chosen: Sequence[str],
    counts: Mapping[str, int] | None,
) -> Step:
    choices = [
        Choice(
            offer_value(offer),
            key,
            _statement(offer, question, letters),
            offer_value(offer) in chosen,
            None if counts is None else counts.get(offer_value(offer), 0),
        )
        for offer, key in zip(question.offered, _KEYS, strict=False)
    ]
    none = Choice(
        NONE,
        "0",
        (Part("None of these"),),
        NONE in chosen,
        None if counts is None else counts.get(NONE, 0),
    )
    first, second = (letters.part(mention.span) for mention in question.mentions)
    heading = (Part("What does the document say of "), first, Part(" and "), second, Part("?"))
    hint = "Tick everything that the document says or clearly implies, whether or not you know it to be true."
    missing = "Tick what holds, or none of these (0)."
    return Step(name, True, heading, hint, missing, (*choices, none))


def _link_step(
    question_id: int, index: int, mention: Mention, letters: _Letters, posted: Mapping[str, Sequence[str]]
) -> Step:
    shown = letters.part(mention.span)
    field = _link_field(question_id, index, mention, shown.text, posted)
    if field.kind == "date":
        heading: tuple[Part, ...] = (Part("Which date is "), shown, Part("?"))
        hint = "By what the document tells: the year, and the month and day where they are clear."
        missing = "Give the year, or tick “no date” (0)."
    else:
        heading = (Part("Which page of Wikipedia is about "), shown, Part("?"))
        hint = "Whom or what the document means, not just somebody of that name."
        missing = "Choose a page, type its title, or tick “no page” (0)."
    return Step(field.name, False, heading, hint, missing, (), field)


def _link_field(
    question_id: int, index: int, mention: Mention, suggestion: str, posted: Mapping[str, Sequence[str]]
) -> LinkField:
    kind = kind_of(mention.type)
    assert kind is not None, "mentions that are linked to nothing are not asked about"
    return links.build_field(link_name(question_id, index), kind, suggestion, posted)


def _to_link(questions: Mapping[int, Asked], linked: Iterable[int]) -> dict[int, list[int]]:
    """Return, for each question, the indices of the mentions that it is the first to link."""
    seen: set[Span] = set()
    found: dict[int, list[int]] = {}
    for question_id in linked:
        question = questions[question_id]
        if isinstance(question, RelationQuestion):
            for index, mention in enumerate(question.mentions):
                if kind_of(mention.type) is not None and mention.span not in seen:
                    seen.add(mention.span)
                    found.setdefault(question_id, []).append(index)
    return found


def _widen(spans: Sequence[Span], by: int, length: int) -> list[Span]:
    """Widen spans to both sides, and join those that meet."""
    joined: list[Span] = []
    for span in spans:
        start, end = max(0, span.start - by), min(length, span.end + by)
        if joined and start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(end, joined[-1].end))
        else:
            joined.append(Span(start, end))
    return joined


def _size(spans: Iterable[Span]) -> int:
    return sum(span.end - span.start for span in spans)


def _whole_words(text: str, span: Span, keep: Sequence[Span]) -> Span:
    """Take half words off both ends, but nothing of what is to be kept."""
    first = min(one.start for one in keep if span.start <= one.start < span.end)
    last = max(one.end for one in keep if span.start < one.end <= span.end)
    start, end = span
    if start > 0:
        while start < first and not text[start - 1].isspace():
            start += 1
    if end < len(text):
        while end > last and not text[end].isspace():
            end -= 1
    return Span(start, end)


def _gap(*, before: bool) -> Segment:
    mark = Mark(Span(0, 0), _GAP, "")
    return Segment("\n[…]\n" if before else "[…]\n", (mark,), ())


def _canonical_step(
    name: str,
    question: CanonicalQuestion,
    letters: _Letters,
    chosen: Sequence[str],
    counts: Mapping[str, int] | None,
) -> Step:
    mention, canonical = letters.part(question.mention), letters.part(question.canonical)
    heading: tuple[Part, ...]
    if question.mention == question.canonical:
        heading = (Part("Is "), mention, Part(" itself the right full name?"))
        hint = "Right if it is a name, and does not stand for a fuller name in the document."
    else:
        heading = (Part("Is "), canonical, Part(" the right full name of "), mention, Part("?"))
        hint = "Right if both mean the same person, organization or place in this document."
    choices = tuple(
        Choice(
            value,
            key,
            (Part(words),),
            value in chosen,
            None if counts is None else counts.get(value, 0),
        )
        for value, key, words in ((RIGHT, "y", "Yes, it is right"), (WRONG, "n", "No, it is wrong"))
    )
    return Step(name, False, heading, hint, "Say whether it is right (y) or wrong (n).", choices)


def _statement(offer: Offer, question: RelationQuestion, letters: _Letters) -> tuple[Part, ...]:
    spans = {
        "subject": question.mentions[offer.subject].span,
        "object": question.mentions[1 - offer.subject].span,
    }
    parts = []
    for words, field, _, _ in Formatter().parse(RELATIONS[offer.predicate].statement):
        if words:
            parts.append(Part(words))
        if field:
            parts.append(letters.part(spans[field]))
    return tuple(parts)
