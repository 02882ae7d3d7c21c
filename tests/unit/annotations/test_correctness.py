"""The kind of question for whether an answer is right."""

from typing import Any

import pytest

from annotations.kinds.correctness import KIND, CorrectnessQuestion
from annotations.texts.passages import Passage
from kbpo.core.errors import InvalidInput
from kbpo_formats.spans import Span

TEXT = "Who built the mill?\n\nAda Quill built it in 1802.\n\nThe mill is of stone.\n\nBen Roe built it."
QUESTION = Span(0, 19)
PASSAGES = tuple(Span(TEXT.index(words), TEXT.index(words) + len(words)) for words in TEXT.split("\n\n")[1:])

asked = CorrectnessQuestion("Ada Quill", QUESTION, PASSAGES, Passage(TEXT, ()))


def evidence(words: str) -> list[int]:
    return [TEXT.index(words), TEXT.index(words) + len(words)]


NEUTRAL = {"verdict": 0, "span": None}
SHOWS = {"verdict": 1, "span": evidence("Ada Quill built it")}
DENIES = {"verdict": -1, "span": evidence("Ben Roe built it")}


def given(*passages: Any, plausible: object = True) -> dict[str, object]:
    return {"plausible": plausible, "passages": list(passages)}


def test_a_question_is_read_back_from_its_payload() -> None:
    assert KIND.read(asked.payload()) == asked
    assert asked.key != CorrectnessQuestion("Ben Roe", QUESTION, PASSAGES).key
    assert len(asked.key.removeprefix("correctness|1|")) == 32
    assert asked.spans == (QUESTION, *PASSAGES)


@pytest.mark.parametrize(
    ("answer", "values"),
    [
        (given(SHOWS, NEUTRAL, DENIES), (1.0, 0.5, 0.0)),
        (given(SHOWS, NEUTRAL, NEUTRAL), (1.0, 1.0, 0.0)),
        (given(NEUTRAL, NEUTRAL, DENIES), (0.0, 0.0, 0.0)),
        (given(NEUTRAL, NEUTRAL, NEUTRAL), (0.0, 0.0, 1.0)),
        (given(plausible=False), (0.0, 0.0, 0.0)),
        ({"plausible": False}, (0.0, 0.0, 0.0)),
    ],
)
def test_scores_are_those_of_the_verdicts(
    answer: dict[str, object], values: tuple[float, float, float]
) -> None:
    said = asked.values(asked.read_answer(answer))
    assert said == dict(zip(("any", "average", "undecided"), values, strict=True))


def test_a_span_is_taken_without_white_space_at_its_ends() -> None:
    wide = {"verdict": 1, "span": [evidence("Ada")[0], evidence("Quill ")[1]]}
    read = asked.read_answer(given(wide, NEUTRAL, NEUTRAL))
    assert read["passages"][0]["span"] == evidence("Ada Quill")
    assert asked.read_answer(read) == read


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ([], "a JSON object"),
        (given(SHOWS, NEUTRAL, DENIES, plausible=None), "plausible is None"),
        (given(SHOWS, NEUTRAL, DENIES, plausible=1), "plausible is 1; it must be true or false"),
        (given(SHOWS, plausible=False), "not plausible, so passages must be an empty list"),
        ({"plausible": True}, "0 passages have a verdict; each of the 3 needs one"),
        (given(SHOWS, NEUTRAL), "2 passages have a verdict"),
        (given(SHOWS, NEUTRAL, NEUTRAL, NEUTRAL), "4 passages have a verdict"),
        ({"plausible": True, "passages": "all"}, "it must be a list"),
        (given(1, NEUTRAL, NEUTRAL), "passage 1 has 1"),
        (given({**SHOWS, "note": ""}, NEUTRAL, NEUTRAL), "it must have a verdict and a span"),
        (given(NEUTRAL, {"span": None}, NEUTRAL), "the verdict on passage 2 is None"),
        (given({**SHOWS, "verdict": 2}, NEUTRAL, NEUTRAL), "is 2; it must be 1, -1 or 0"),
        (given({**SHOWS, "verdict": True}, NEUTRAL, NEUTRAL), "is True"),
        (
            given({**SHOWS, "span": None}, NEUTRAL, NEUTRAL),
            "passage 1 shows the answer to be right; highlight",
        ),
        (given(NEUTRAL, NEUTRAL, {"verdict": -1}), "passage 3 shows the answer to be wrong; highlight"),
        (given({**NEUTRAL, "span": SHOWS["span"]}, NEUTRAL, NEUTRAL), "its span must be null"),
        (given({**SHOWS, "span": DENIES["span"]}, NEUTRAL, NEUTRAL), "does not lie within passage 1"),
        (given({**SHOWS, "span": [20, 25]}, NEUTRAL, NEUTRAL), "does not lie within passage 1"),
        (given({**SHOWS, "span": [30, 30]}, NEUTRAL, NEUTRAL), "does not lie within passage 1"),
        (given({**SHOWS, "span": [30]}, NEUTRAL, NEUTRAL), "it must be two offsets"),
        (given({**SHOWS, "span": [True, 30]}, NEUTRAL, NEUTRAL), "it must be two offsets"),
        (given({**SHOWS, "span": [24, 25]}, NEUTRAL, NEUTRAL), "white space alone"),
        ({**given(SHOWS, NEUTRAL, NEUTRAL), "sure": True}, "no field 'sure'"),
    ],
)
def test_what_is_wrong_with_an_answer_is_said(answer: object, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        asked.read_answer(answer)


def test_labels_are_the_means_of_the_votes() -> None:
    votes = [
        asked.read_answer(one)
        for one in (given(SHOWS, NEUTRAL, DENIES), given(NEUTRAL, NEUTRAL, NEUTRAL), given(plausible=False))
    ]
    settled = asked.settle(votes)
    assert settled is not None
    assert {claim: one.value for claim, one in settled.items()} == pytest.approx(
        {"any": 1 / 3, "average": 1 / 6, "undecided": 1 / 3}
    )
    assert asked.settle([]) is None


def test_verdicts_recorded_elsewhere_count_without_their_evidence() -> None:
    recorded = asked.judgement(True, [(1, None), (0, None), (-1, None)])
    assert asked.values(recorded) == {"any": 1.0, "average": 0.5, "undecided": 0.0}


@pytest.mark.parametrize(
    "change",
    [{"answer": None}, {"question": [1]}, {"passages": [[1, 2, 3]]}, {"passages": 7}, {"version": 2}],
)
def test_a_stored_question_of_another_form_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        KIND.read({**asked.payload(), **change})
