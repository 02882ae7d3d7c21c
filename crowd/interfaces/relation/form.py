"""The form of the relation interface: what is ticked and typed as answers, and the other way round. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotations.kinds.canonical import CanonicalQuestion
from annotations.kinds.relation import Offer, RelationQuestion
from crowd.interfaces import links
from crowd.interfaces.links import LinkField
from crowd.interfaces.steps import field_name
from kbpo.core.errors import InvalidInput
from kbpo_formats.spans import Span

NONE = "none"
RIGHT = "right"
WRONG = "wrong"

Asked = RelationQuestion | CanonicalQuestion


class LinkMissing(InvalidInput):
    """A link is missing or wrong; `field` names its step."""

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field


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
    for index in links_asked(questions, linked).get(question_id, ()):
        field = link_field(question_id, index, question, "", posted)
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


def link_field(
    question_id: int,
    index: int,
    question: RelationQuestion,
    suggestion: str,
    posted: Mapping[str, Sequence[str]],
) -> LinkField:
    """Return the field that links a mention, with what has been typed into it."""
    kind = question.types[index].link
    assert kind is not None, "mentions that are linked to nothing are not asked about"
    return links.build_field(link_name(question_id, index), kind, suggestion, posted)


def links_asked(questions: Mapping[int, Asked], linked: Iterable[int]) -> dict[int, list[int]]:
    """Return, for each question, the indices of the mentions that it is the first to link."""
    seen: set[Span] = set()
    found: dict[int, list[int]] = {}
    for question_id in linked:
        question = questions[question_id]
        if isinstance(question, RelationQuestion):
            for index, span in enumerate(question.spans):
                if question.types[index].link is not None and span not in seen:
                    seen.add(span)
                    found.setdefault(question_id, []).append(index)
    return found


def _read_offer(value: str) -> dict[str, object]:
    predicate, _, subject = value.rpartition("|")
    return {"predicate": predicate, "subject": int(subject) if subject in {"0", "1"} else subject}
