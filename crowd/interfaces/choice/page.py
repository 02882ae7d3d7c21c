"""The page of the choice interface, a text and its possible classes, and what its form says. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotations.kinds.choice import ChoiceQuestion
from crowd.interfaces.steps import Page, Part, Step, choices, field_name
from kbpo.core.errors import InvalidInput
from kbpo.core.marking import Mark, cut
from kbpo_formats.spans import Span

CANNOT_TELL = "0"  # the form's value, and the key; classes are numbered from 1
_KEYS = "123456789acdefghijklmopqrstuvwxz"  # b is back
_MISSING = "Choose a class."
_IN_VIEW = "in-view"


def build_page(
    text: str,
    question_id: int,
    asked: ChoiceQuestion,
    posted: Mapping[str, Sequence[str]],
    votes: Mapping[str, int] | None = None,
) -> Page:
    """Make the page of a question.

    Parameters
    ----------
    text : str
    question_id : int
        What the page calls it.
    asked : ChoiceQuestion
    posted : mapping of str to sequence of str
        What has been chosen, by form field, where a refused form comes back.
    votes : mapping of str to int, optional
        For an expert: how many chose each value.
    """
    name, number = field_name(question_id), len(asked.classes)
    words = {str(place): f"{one.name}: {one.guideline}" for place, one in enumerate(asked.classes, 1)}
    keys = [*_KEYS[:number], *[""] * (number - len(_KEYS))]
    if asked.cannot_tell:
        words[CANNOT_TELL] = "I cannot tell"
        keys.append(CANNOT_TELL)
    offered = choices(words, keys, posted.get(name, ()), votes)
    hint = "Take the one that fits the whole text best."
    step = Step(name, False, (Part("Which class is the text of?"),), hint, _MISSING, offered)
    whole = Span(0, len(text))
    return Page(tuple(cut(text, [Mark(whole, _IN_VIEW, "")], whole)), (step,))


def read_answer(asked: ChoiceQuestion, values: Sequence[str]) -> dict[str, Any]:
    """Turn a form field's values into an answer in its normal form.

    Raises
    ------
    InvalidInput
        If nothing was chosen, or what cannot be.
    """
    if not values:
        raise InvalidInput(_MISSING)
    numbers = [str(number) for number in range(1, len(asked.classes) + 1)]
    if len(values) > 1 or values[0] not in (CANNOT_TELL, *numbers):
        raise InvalidInput("Choose one of the classes that the page shows; reload it.")
    name = None if values[0] == CANNOT_TELL else asked.classes[int(values[0]) - 1].name
    return asked.read_answer({"class": name})


def ticked_value(asked: ChoiceQuestion, answer: Mapping[str, Any]) -> str:
    """Return the form's value of a stored answer."""
    return CANNOT_TELL if answer["class"] is None else str(1 + asked.claims.index(answer["class"]))
