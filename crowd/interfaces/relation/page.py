"""The page of the relation interface: a text with questions about its mentions and their full names. Pure."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import Formatter

from annotations.kinds.canonical import CanonicalQuestion
from annotations.kinds.relation import Offer, RelationQuestion
from crowd.interfaces.relation.form import NONE, RIGHT, WRONG, Asked, link_field, links_asked, offer_value
from crowd.interfaces.steps import Choice, Guideline, Page, Part, Step, field_name
from kbpo.core.marking import Mark, Segment, cut
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.spans import Span

# b is back; y and n answer the questions of right and wrong; 0 is none
_KEYS = "123456789acdefghijklmopqrstuvwxz"
_IN_VIEW = "in-view"
_GAP = "gap"


@dataclass(frozen=True, slots=True)
class _Letters:
    """The letters by which the page speaks of spans: A, B, … in the order in which they come up."""

    text: str
    by_span: Mapping[Span, str]

    def part(self, span: Span) -> Part:
        return Part(" ".join(self.text[span.start : span.end].split()), self.by_span[span])


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
    ontology: Ontology,
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
    ontology : Ontology
        In whose words it asks, with guidelines of the corpus' own if there are some.
    linked : iterable of int
        The relation questions whose mentions are to be linked, each mention once.
    longest : int, optional
        About how many characters of the text to show: those around what is marked.
    """
    spans = spans_of(questions.values())
    letters = _Letters(text, dict(zip(spans, _letters(len(spans)), strict=True)))
    marks = [Mark(sentence, _IN_VIEW, "") for sentence in sentences]
    marks += [
        Mark(
            span, f"mention-{letter.lower()}", f"{letter} {_description(span, questions.values(), ontology)}"
        )
        for span, letter in letters.by_span.items()
    ]
    steps = []
    to_link = links_asked(questions, linked)
    for question_id, question in questions.items():
        name = field_name(question_id)
        chosen = posted.get(name, ())
        counts = votes.get(question_id)
        if isinstance(question, RelationQuestion):
            steps.append(_relation_step(name, question, letters, chosen, counts, ontology))
            steps += [
                _link_step(question_id, index, question, letters, posted)
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


def _letters(number: int) -> list[str]:
    return [chr(ord("A") + index) if index < 26 else f"A{index}" for index in range(number)]


def _description(span: Span, questions: Iterable[Asked], ontology: Ontology) -> str:
    for question in questions:
        if isinstance(question, RelationQuestion):
            for mention in question.mentions:
                if mention.span == span:
                    return ontology.find_type(mention.type).word
        elif question.mention == span:
            return "mention"
    return "full name?"


def _relation_step(
    name: str,
    question: RelationQuestion,
    letters: _Letters,
    chosen: Sequence[str],
    counts: Mapping[str, int] | None,
    ontology: Ontology,
) -> Step:
    choices = [
        Choice(
            offer_value(offer),
            _KEYS[number : number + 1],
            _statement(offer, question, letters, ontology),
            offer_value(offer) in chosen,
            None if counts is None else counts.get(offer_value(offer), 0),
        )
        for number, offer in enumerate(question.offered)
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
    relations = (ontology.find_relation(offer.predicate) for offer in question.offered)
    guidelines = tuple(dict.fromkeys(Guideline(one.label, one.guideline) for one in relations))
    return Step(name, True, heading, hint, missing, (*choices, none), guidelines=guidelines)


def _link_step(
    question_id: int,
    index: int,
    question: RelationQuestion,
    letters: _Letters,
    posted: Mapping[str, Sequence[str]],
) -> Step:
    shown = letters.part(question.spans[index])
    field = link_field(question_id, index, question, shown.text, posted)
    if field.kind == "date":
        heading: tuple[Part, ...] = (Part("Which date is "), shown, Part("?"))
        hint = "By what the document tells: the year, and the month and day where they are clear."
        missing = "Give the year, or tick “no date” (0)."
    else:
        heading = (Part("Which page of Wikipedia is about "), shown, Part("?"))
        hint = "Whom or what the document means, not just somebody of that name."
        missing = "Choose a page, type its title, or tick “no page” (0)."
    return Step(field.name, False, heading, hint, missing, (), field)


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
        hint = "Right if both mean the same person or thing in this document."
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


def _statement(
    offer: Offer, question: RelationQuestion, letters: _Letters, ontology: Ontology
) -> tuple[Part, ...]:
    spans = {
        "subject": question.mentions[offer.subject].span,
        "object": question.mentions[1 - offer.subject].span,
    }
    parts = []
    for words, field, _, _ in Formatter().parse(ontology.find_relation(offer.predicate).statement):
        if words:
            parts.append(Part(words))
        if field:
            parts.append(letters.part(spans[field]))
    return tuple(parts)
