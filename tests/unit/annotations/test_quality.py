"""The kind of question for how good a text is."""

import pytest

from annotations.kinds.quality import KIND, RATINGS, QualityQuestion
from kbpo.core.errors import InvalidInput

TEXT = "The mayor opened the bridge on monday on monday."
BETTER = "The mayor opened the bridge on Monday."
BEST = dict.fromkeys(RATINGS, 1)
POOR = {"fluency": 0, "redundancy": -1, "overall": 0}

asked = QualityQuestion(TEXT)


def test_a_question_is_read_back_from_its_payload() -> None:
    assert KIND.read(asked.payload()) == asked
    assert asked.key != QualityQuestion(BETTER).key
    assert len(asked.key.removeprefix("quality|1|")) == 32


def test_an_answer_says_its_ratings_and_the_rate_of_edits() -> None:
    answer = asked.read_answer({**POOR, "edit": BETTER})
    assert answer["edit"] == BETTER
    assert asked.values(answer) == {
        "fluency": 0.0,
        "redundancy": -1.0,
        "overall": 0.0,
        "edit": pytest.approx(3 / 8),
        "edit_capped": pytest.approx(3 / 8),
    }


def test_nothing_is_edited_where_all_is_best() -> None:
    answer = asked.read_answer({**BEST, "edit": f"  {TEXT}\r\n"})
    assert answer["edit"] is None
    assert asked.values(answer)["edit"] == 0


def test_what_was_answered_is_read_again_as_the_same() -> None:
    answer = asked.read_answer({**POOR, "edit": BETTER})
    assert asked.read_answer({**answer, "hter": 0}) == answer


def test_a_rate_of_edits_above_one_is_kept_and_capped() -> None:
    values = asked.values(asked.read_answer({**POOR, "edit": "Nothing."}))
    assert (values["edit"], values["edit_capped"]) == (4.5, 1.0)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("good", "a JSON object"),
        (POOR, "the edit is missing"),
        ({**POOR, "edit": None}, "the edit is missing"),
        ({**POOR, "edit": TEXT}, "changes nothing"),
        ({**POOR, "edit": TEXT.replace(" ", "\n\n")}, "changes nothing"),
        ({**POOR, "edit": TEXT + "\u200b\u202e"}, "changes nothing"),
        ({**POOR, "edit": " \n"}, "the edit is empty"),
        ({**POOR, "edit": TEXT * 100}, "4,800 characters; 296 are the most"),
        ({**POOR, "edit": 7}, "the edit is 7; it must be a text"),
        ({**BEST, "edit": BETTER}, "all ratings are the best, but the text was changed"),
        ({**POOR, "fluency": 2, "edit": BETTER}, "fluency is 2; it must be 1, 0 or -1"),
        ({**POOR, "fluency": True, "edit": BETTER}, "fluency is True"),
        ({**POOR, "fluency": "1", "edit": BETTER}, "fluency is '1'"),
        ({**POOR, "overall": 0.5, "edit": BETTER}, "overall is 0.5"),
        ({"fluency": 1, "redundancy": 1, "edit": None}, "overall is None"),
        ({**POOR, "edit": BETTER, "grammar": 1}, "no field 'grammar'"),
        ({**POOR, "edit": BETTER, "version": 2}, "of version 2"),
    ],
)
def test_what_is_wrong_with_an_answer_is_said(answer: object, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        asked.read_answer(answer)


def test_an_edit_is_kept_without_characters_that_nobody_sees() -> None:
    assert asked.read_answer({**POOR, "edit": f"\ufeff{BETTER}\0\ud800\u202e"})["edit"] == BETTER


def test_an_edit_may_have_the_odd_characters_that_the_text_has() -> None:
    odd = QualityQuestion("One \u202etwo\u200b.")
    assert odd.read_answer({**POOR, "edit": "Two \u202eone\u200b."})["edit"] == "Two \u202eone\u200b."


def test_an_empty_text_needs_no_edit_and_lacks_everything() -> None:
    empty = QualityQuestion("")
    assert empty.values(empty.read_answer({**POOR, "edit": None}))["edit"] == 1
    assert empty.values(empty.read_answer({**BEST, "edit": None}))["edit"] == 0


def test_a_judgement_recorded_elsewhere_keeps_its_score_without_an_edit() -> None:
    recorded = asked.judgement(POOR, None, hter=1.25)
    assert asked.values(recorded)["edit"] == 1.25


def test_labels_are_the_means_of_the_votes() -> None:
    votes = [asked.read_answer({**POOR, "edit": BETTER}), asked.read_answer({**BEST, "edit": None})]
    settled = asked.settle(votes)
    assert settled is not None
    assert {claim: one.value for claim, one in settled.items()} == pytest.approx(
        {"fluency": 0.5, "redundancy": 0.0, "overall": 0.5, "edit": 3 / 16, "edit_capped": 3 / 16}
    )
    assert asked.settle([]) is None
    assert not asked.agree(votes)


def test_a_stored_question_of_another_form_is_refused() -> None:
    with pytest.raises(InvalidInput, match="not of the known form"):
        KIND.read({"version": 1, "text": 7})
