import pytest

from kbpo.core.showable import unshowable


@pytest.mark.parametrize(
    "text", ["", "Judge a claim", "Ελληνικά, العربية, 中文", "naïve: 1 < 2 & 3", "क्‍ष", "👩‍🔬"]
)
def test_words_of_any_script_can_be_shown(text: str) -> None:
    assert unshowable(text) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a\0", "U+0000"),
        ("\x1b[31m", "U+001B"),
        ("a\u202eb", "U+202E"),
        ("\u2066a", "U+2066"),
        ("a\u2028", "U+2028"),
    ],
)
def test_what_changes_how_others_are_read_is_named(text: str, found: str) -> None:
    assert unshowable(text) == found


def test_lines_are_for_descriptions() -> None:
    assert unshowable("one\r\n\ttwo") == "U+000D"
    assert unshowable("one\r\n\ttwo", lines=True) is None
    assert unshowable("one\vtwo", lines=True) == "U+000B"
