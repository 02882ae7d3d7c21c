import pytest
from rest_framework.exceptions import ValidationError

from kbpo.api.fields import FlagField, WordsField


@pytest.mark.parametrize("value", [0, 1.5, True, None, ["a"], {"a": 1}, "a" * 5, "a    "])
def test_what_is_no_text_or_too_long_is_refused(value) -> None:
    with pytest.raises(ValidationError):
        WordsField(max_length=4).run_validation(value)


def test_text_is_taken_without_the_spaces_at_its_ends() -> None:
    assert WordsField(max_length=4).run_validation(" ab ") == "ab"


@pytest.mark.parametrize("value", [0, 1, "true", "on", None])
def test_what_is_neither_true_nor_false_is_refused(value) -> None:
    with pytest.raises(ValidationError):
        FlagField().run_validation(value)


def test_true_and_false_are_taken() -> None:
    assert [FlagField().run_validation(value) for value in (True, False)] == [True, False]
