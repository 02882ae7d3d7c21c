import pytest

from kbpo.core.showable import restored, unshowable, visible, without_unseen


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


def test_what_nobody_sees_is_written_in_its_place_and_comes_back() -> None:
    text = "Paid \u202e00.1$\n pass\u200bword \u00ad\ufeff"
    shown = visible(text)
    assert shown == "Paid ⟨U+202E⟩00.1$\n pass⟨U+200B⟩word ⟨U+00AD⟩⟨U+FEFF⟩"
    assert restored(shown, of=text) == text


@pytest.mark.parametrize("filler", ["\u034f", "\u3164", "\u2800", "\ufe0f", "\U000e0100"])
def test_fillers_and_forms_of_nothing_are_written_out(filler: str) -> None:
    assert visible(f"pass{filler}word") == f"pass⟨U+{ord(filler):04X}⟩word"


@pytest.mark.parametrize("text", ["❤\ufe0f", "1\ufe0f\u20e3", "©\ufe0f", "葛\U000e0100"])
def test_forms_of_signs_stay_as_they_are(text: str) -> None:
    assert visible(text) == text


def test_a_code_that_was_typed_stays_as_it_was_typed() -> None:
    assert restored("⟨U+202E⟩ ⟨U+FFFFFF⟩", of="plain") == "⟨U+202E⟩ ⟨U+FFFFFF⟩"


@pytest.mark.parametrize(
    "text", ["می\u200cخواهم", "क्\u200dष", "\U0001f469\u200d\U0001f4bb", "\u0600\u06f1", "a\tb\nc"]
)
def test_what_belongs_to_a_script_stays(text: str) -> None:
    assert visible(text) == text
    assert without_unseen(text) == text
