import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.texts.languages import NAMES
from annotations.texts.segmentation import SegmentedSentence, segment
from tests.marks import some_quick

SPACES = [" ", "  ", "\n", "\n\n", "\r\n\r\n", "\t", "\xa0", "\u2003", "\u2029"]
WORDS = [
    "He",
    "left",
    "U.S.",
    "Inc.",
    ".",
    "!",
    '"',
    "don't",
    "(",
    "“",
    ":-)",
    "-",
    "é",
    "\u200b",
    "👩\u200d🚀",
    "a.b",
    "王小明",
    "。",
    "「",
    "」",
    "3.5",
    "دمشق",
    "وُلدت",
    "؟",
    "۔",
    "।",
    "¿",
    "Qué",
    "が\u3099",
    "\u0301",
]
# One of each way of cutting: as spaCy does, by characters, with other suffixes, with exceptions of its own.
languages = st.sampled_from(["en", "ar", "de", "el", "es", "fa", "fr", "hi", "ja", "ml", "tr", "ur", "zh"])
texts = st.lists(st.sampled_from(SPACES + WORDS) | st.text(max_size=4), max_size=40).map("".join)


def tokens(sentences: list[SegmentedSentence]) -> Iterator[tuple[int, int]]:
    for sentence in sentences:
        yield from zip(sentence.token_starts, sentence.token_ends, strict=True)


def cut(text: str, language: str = "en") -> list[list[str]]:
    [sentences] = segment([text], language)
    return [[text[start:end] for start, end in tokens([sentence])] for sentence in sentences]


@pytest.mark.slow
@settings(deadline=None)  # the first of a language makes its pipeline
@given(texts, languages)
def test_every_character_that_is_no_white_space_is_in_exactly_one_token(text: str, language: str) -> None:
    [sentences] = segment([text], language)
    covered = [offset for start, end in tokens(sentences) for offset in range(start, end)]
    assert covered == [offset for offset, character in enumerate(text) if not character.isspace()]


@settings(deadline=None)
@given(texts, languages)
def test_sentences_follow_each_other_and_none_is_empty(text: str, language: str) -> None:
    [sentences] = segment([text], language)
    assert all(sentence.token_starts for sentence in sentences)
    ends = [0, *(sentence.end for sentence in sentences)]
    starts = [sentence.start for sentence in sentences]
    assert all(end <= start for end, start in zip(ends, starts, strict=False))


@settings(deadline=None)
@given(st.lists(texts, max_size=4), languages)
def test_a_text_is_cut_the_same_alone_and_in_a_batch(batch: list[str], language: str) -> None:
    alone = [sentences for text in batch for sentences in segment([text], language)]
    assert list(segment(batch, language)) == alone


def test_a_full_stop_ends_a_sentence_and_an_abbreviation_does_not() -> None:
    assert cut("He runs U.S. Steel Inc. well. She left.") == [
        ["He", "runs", "U.S.", "Steel", "Inc.", "well", "."],
        ["She", "left", "."],
    ]


def test_what_opens_a_sentence_belongs_to_it() -> None:
    assert cut('He left. ("So what?" she said.) Ann stayed."') == [
        ["He", "left", "."],
        ["(", '"', "So", "what", "?", '"'],
        ["she", "said", ".", ")"],
        ["Ann", "stayed", ".", '"'],
    ]


def test_a_blank_line_ends_a_sentence_and_a_line_break_does_not() -> None:
    assert cut("A title\n \nIt began\nthere") == [["A", "title"], ["It", "began", "there"]]


def test_a_sentence_that_begins_with_white_space_begins_with_its_first_word() -> None:
    [sentences] = segment(["One.\n  Two."])
    assert [sentence.start for sentence in sentences] == [0, 7]


def test_a_text_of_white_space_has_no_sentence() -> None:
    assert cut(" \n\n\t ") == []


@pytest.mark.parametrize("language", some_quick(sorted(NAMES), 12))
def test_every_language_that_is_offered_can_be_cut(language: str) -> None:
    assert [len(sentence) for sentence in cut("Ada. Ada!\n\nAda", language)][-1] == 1


def test_chinese_is_cut_by_characters_but_for_latin_words_and_numbers() -> None:
    assert cut("林华1970年在IBM。", "zh") == [["林", "华", "1970", "年", "在", "IBM", "。"]]


def test_a_number_with_a_point_ends_no_sentence_in_chinese() -> None:
    assert cut("约3.5亿。他说：「好！」「走。」", "zh") == [
        ["约", "3.5", "亿", "。"],
        ["他", "说", "：", "「", "好", "！", "」"],
        ["「", "走", "。", "」"],
    ]


def test_japanese_is_cut_as_chinese_is() -> None:
    assert cut("東京です。はい！", "ja") == [["東", "京", "で", "す", "。"], ["は", "い", "！"]]


def test_an_arabic_sentence_ends_with_its_own_question_mark_and_after_a_year() -> None:
    assert cut("وُلدت في دمشق سنة 1970. هل تعمل؟ نعم.", "ar") == [
        ["وُ", "ل", "دت", "في", "دمشق", "سنة", "1970", "."],
        ["هل", "تعمل", "؟"],
        ["نعم", "."],
    ]


@pytest.mark.parametrize(
    ("language", "text", "names"),
    [
        ("ar", "سافرت ليلى ومريم إلى بيروت وبدمشق. عادت لمريم رسالة، ولِدمشق.", ["مريم", "دمشق"]),
        ("he", "דנה ומרים נסעו לחיפה, ושבחיפה מרים.", ["מרים", "חיפה"]),
    ],
)
def test_a_name_that_a_letter_is_written_on_to_begins_and_ends_with_a_word(
    language: str, text: str, names: list[str]
) -> None:
    [sentences] = segment([text], language)
    cuts = list(tokens(sentences))
    starts, ends = {start for start, _ in cuts}, {end for _, end in cuts}
    for name in names:
        found = [one.span() for one in re.finditer(name, text)]
        assert len(found) == 2
        assert all(start in starts and end in ends for start, end in found)


def test_letters_that_words_begin_with_are_cut_off_while_two_are_left() -> None:
    assert cut("بيروت في به وبها 2016", "ar") == [["ب", "يروت", "في", "به", "و", "ب", "ها", "2016"]]


@pytest.mark.parametrize(
    ("language", "text"),
    [("ur", "وہ آئے۔ وہ گئے۔"), ("hi", "वह आया। वह गया।"), ("hy", "Նա եկավ։ Նա գնաց։"), ("am", "መጣ። ሄደ።")],
)
def test_sentences_end_with_the_full_stops_of_their_script(language: str, text: str) -> None:
    assert [sentence[-1] for sentence in cut(text, language)] == [text[-1]] * 2


def test_a_spanish_sentence_begins_with_its_inverted_mark() -> None:
    assert cut("Nació en Sevilla. ¿Dónde? ¡Aquí!", "es") == [
        ["Nació", "en", "Sevilla", "."],
        ["¿", "Dónde", "?"],
        ["¡", "Aquí", "!"],
    ]


def test_a_region_or_a_script_changes_no_token() -> None:
    assert cut("林华。", "zh-Hant-TW") == cut("林华。", "zh")
