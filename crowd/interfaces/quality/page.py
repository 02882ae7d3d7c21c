"""The page of the quality interface, a text with its ratings and its edit, and what its form says. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotations.kinds.quality import RATINGS, QualityQuestion, is_best
from crowd.interfaces.steps import EditField, Page, Part, Step, StepOpen, choices, field_name
from kbpo.core.errors import InvalidInput
from kbpo.core.marking import Mark, cut
from kbpo.core.showable import restored, visible
from kbpo_formats.spans import Span

UNKNOWN_WORD = "▃"
UNKNOWN = f"{UNKNOWN_WORD} stands for a word that the system did not know; it is no mistake."
BEST = "1"  # the form's value

_IN_VIEW = "in-view"
_EDIT = "edit"


@dataclass(frozen=True, slots=True)
class Rating:
    """A rating: what is asked, a hint, and what each level means, by the form's value."""

    asks: str
    hint: str
    levels: Mapping[str, str]


ASKED: Mapping[str, Rating] = {
    "fluency": Rating(
        "How does it read?",
        "Leave capitals out of account.",
        {
            BEST: "Well: as in a newspaper",
            "0": "With mistakes, but one understands it",
            "-1": "Badly: one hardly understands it",
        },
    ),
    "redundancy": Rating(
        "Does it say things more than once?",
        "In the same words or in others.",
        {BEST: "No, or hardly", "0": "Yes, some of it", "-1": "Yes, much of it"},
    ),
    "overall": Rating(
        "Which mark does it get?",
        "As a teacher would mark a summary that a pupil wrote.",
        {BEST: "An A: good as it is", "0": "A B or a C: of use, with faults", "-1": "A fail: of no use"},
    ),
}
_EDIT_ASKS = "Make it as good as you can"
_EDIT_HINT = (
    "Correct mistakes, take out what is said twice, and put in order what is not. Change as little as that"
    " takes, and add nothing that the text does not say. Something must be changed."
)


def build_page(
    question_id: int,
    asked: QualityQuestion,
    posted: Mapping[str, Sequence[str]],
    votes: Mapping[str, Mapping[str, int]] | None = None,
    *,
    only: Sequence[str] = (*RATINGS, _EDIT),
) -> Page:
    """Make the page of a question.

    Parameters
    ----------
    question_id : int
        What the page calls it.
    asked : QualityQuestion
    posted : mapping of str to sequence of str
        What has been chosen and typed, by form field.
    votes : mapping of str to mapping of str to int, optional
        For an expert: of each rating, how many chose each value.
    only : sequence of str
        The steps that are asked, where not all are.
    """
    shown = visible(asked.text)
    explained = _explained(shown)
    steps = [
        _rating(
            f"{field_name(question_id)}-{name}",
            replace(ASKED[name], hint=ASKED[name].hint + explained),
            posted,
            None if votes is None else votes[name],
        )
        for name in RATINGS
        if name in only
    ]
    if _EDIT in only and shown.strip():
        steps.append(_edit(f"{field_name(question_id)}-{_EDIT}", asked, shown, steps, posted))
    whole = Span(0, len(shown))
    text = shown or "(The text is empty.)"
    marks = [Mark(whole, _IN_VIEW, "")] if shown else []
    return Page(tuple(cut(text, marks, Span(0, len(text)))), tuple(steps))


def read_answer(
    question_id: int,
    asked: QualityQuestion,
    posted: Mapping[str, Sequence[str]],
) -> dict[str, Any]:
    """Turn a form into an answer in its normal form.

    Raises
    ------
    StepOpen
        If something is missing or wrong; names the step.
    """
    prefix = field_name(question_id)
    return _read(prefix, asked, {name: read_rating(f"{prefix}-{name}", posted) for name in RATINGS}, posted)


def read_edit(question_id: int, asked: QualityQuestion, posted: Mapping[str, Sequence[str]]) -> str:
    """Return the edit that a form has; `StepOpen` if it has none."""
    return str(_read(field_name(question_id), asked, dict.fromkeys(RATINGS, 0), posted)[_EDIT])


def _read(
    prefix: str, asked: QualityQuestion, ratings: Mapping[str, int], posted: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    field = f"{prefix}-{_EDIT}"
    edit = _typed(field, asked, posted)
    try:
        return asked.read_answer({**ratings, "edit": edit})
    except InvalidInput as error:
        raise StepOpen(_said(asked, ratings, edit, error), step=field) from None


def read_rating(field: str, posted: Mapping[str, Sequence[str]]) -> int:
    """Return the level that a form field has; `StepOpen` if it has none."""
    values = posted.get(field, ())
    if len(values) != 1 or values[0] not in ASKED["overall"].levels:
        raise StepOpen("Choose one of the three.", step=field)
    return int(values[0])


def filled(question_id: int, answer: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return a form that says a stored answer."""
    prefix = field_name(question_id)
    form = {f"{prefix}-{name}": [str(answer[name])] for name in RATINGS if name in answer}
    return form if answer.get(_EDIT) is None else {**form, f"{prefix}-{_EDIT}": [visible(answer[_EDIT])]}


def _rating(
    name: str, rating: Rating, posted: Mapping[str, Sequence[str]], votes: Mapping[str, int] | None
) -> Step:
    offered = choices(rating.levels, "123", posted.get(name, ()), votes)
    return Step(name, False, (Part(rating.asks),), rating.hint, "Choose one of the three.", offered)


def _edit(
    name: str,
    asked: QualityQuestion,
    shown: str,
    ratings: Sequence[Step],
    posted: Mapping[str, Sequence[str]],
) -> Step:
    typed = next(iter(posted.get(name, ())), shown)
    longest = asked.longest_edit + len(shown) - len(asked.text)
    return Step(
        name,
        False,
        (Part(_EDIT_ASKS),),
        _EDIT_HINT + _explained(shown),
        "Nothing is changed yet: improve something in the text.",
        (),
        edit=EditField(name, shown, typed, longest),
        unless="\n".join(f"{step.name} {BEST}" for step in ratings),
    )


def _explained(shown: str) -> str:
    return f" {UNKNOWN}" if UNKNOWN_WORD in shown else ""


def _typed(field: str, asked: QualityQuestion, posted: Mapping[str, Sequence[str]]) -> str | None:
    typed = next(iter(posted.get(field, ())), None)
    return None if typed is None else restored(typed, of=asked.text)


def _said(asked: QualityQuestion, ratings: Mapping[str, int], edit: str | None, error: InvalidInput) -> str:
    """Say what is wrong with an edit, as who makes it may read it."""
    if is_best(ratings):
        return "You rated all as the best, but changed the text: put it back, or rate what was wrong lower."
    if edit is None or asked.is_unchanged(edit):
        return "Nothing is changed yet: improve something in the text."
    if not edit.strip():
        return "The text is empty: improve it instead of taking it away."
    if len(edit) > asked.longest_edit:
        return f"The text has {len(edit):,} characters now: {asked.longest_edit:,} are the most. Shorten it."
    return str(error)
