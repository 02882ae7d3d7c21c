"""Lists of classes, and the kind of question that asks for one."""

import pytest

from annotations.kinds.choice import KIND, ChoiceQuestion
from annotations.texts.classes import ClassListRecord, read_classes
from kbpo.core.errors import InvalidInput

TOML = """
name = "letters"
version = 2
cannot_tell = true
[[class]]
name = "good"
guideline = "All is well."
[[class]]
name = "bad"
guideline = "Something is not."
"""


def asked(cannot_tell: bool = True) -> ChoiceQuestion:
    record = read_classes(TOML, where="file")
    return ChoiceQuestion("letters", 2, cannot_tell, record.classes)


def test_a_list_of_classes_is_read_with_its_order_and_a_digest() -> None:
    record = read_classes(TOML, where="file")
    assert isinstance(record, ClassListRecord)
    assert [one.name for one in record.classes] == ["good", "bad"]
    assert record.digest == read_classes(TOML.replace("\n[[", "\n\n[["), where="file").digest
    assert record.digest != read_classes(TOML.replace("well", "fine"), where="file").digest


def test_names_of_classes_are_the_same_however_their_accents_are_written() -> None:
    composed, apart = (read_classes(TOML.replace("good", one), where="file") for one in ("\xe9", "e\u0301"))
    assert composed == apart


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ('name = "letters"', "name = ", "is no TOML"),
        ("version = 2", "version = 0", "whole number from 1"),
        ("version = 2", "versoin = 2", "no field 'versoin'"),
        ("cannot_tell = true", 'cannot_tell = "yes"', "true or false"),
        ('name = "bad"', 'name = "Good"', "class 2 is named 'Good', as class 1 is"),
        ('guideline = "All is well."', "", "guideline of class 1"),
        ('[[class]]\nname = "bad"\nguideline = "Something is not."\n', "", "2 to 50 classes"),
        ('name = "bad"', 'name = "bad"\ncolour = 1', "class 2 has no field 'colour'"),
        pytest.param("version = 2", "version = " + "[\n" * 5_000, "nested too deep", id="nested"),
        pytest.param("version = 2", "version = 0x" + "f" * 3_900, "the version is a int", id="huge"),
        pytest.param("version = 2", "version = " + "9" * 5_000, "line 3 has more than", id="long"),
    ],
)
def test_what_is_wrong_with_a_list_is_said(before: str, after: str, words: str) -> None:
    assert before in TOML
    with pytest.raises(InvalidInput, match=words):
        read_classes(TOML.replace(before, after), where="file")


def test_a_question_is_read_back_from_its_payload() -> None:
    question = asked()
    assert KIND.read(question.payload()) == question
    assert question.key != asked(cannot_tell=False).key
    assert len(question.key) <= 64


@pytest.mark.parametrize(
    ("answers", "labels"),
    [
        (["good", "good"], {"good": 1, "bad": 0}),
        (["good", "bad"], None),
        (["good", "bad", "good"], {"good": 1, "bad": 0}),
        ([None, None], {"good": 0, "bad": 0}),
        (["good", None, "bad"], None),
    ],
)
def test_more_than_half_of_the_votes_settle(answers: list[str | None], labels: dict[str, int] | None) -> None:
    question = asked()
    settled = question.settle([question.answer(answer) for answer in answers])
    assert (None if settled is None else {name: one.value for name, one in settled.items()}) == labels


@pytest.mark.parametrize(
    "answer", [{}, {"class": "ugly"}, {"class": 1}, {"class": "good", "more": 1}, "good"]
)
def test_an_answer_of_another_form_is_refused(answer: object) -> None:
    with pytest.raises(InvalidInput):
        asked().read_answer(answer)


def test_who_must_choose_cannot_say_that_they_cannot_tell() -> None:
    assert asked().read_answer({"class": None}) == {"version": 1, "class": None}
    with pytest.raises(InvalidInput, match="one must be chosen"):
        asked(cannot_tell=False).read_answer({"class": None})
