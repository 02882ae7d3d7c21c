from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from annotations.segmentation import SegmentedSentence, segment

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
]
texts = st.lists(st.sampled_from(SPACES + WORDS) | st.text(max_size=4), max_size=40).map("".join)


def tokens(sentences: list[SegmentedSentence]) -> Iterator[tuple[int, int]]:
    for sentence in sentences:
        yield from zip(sentence.token_starts, sentence.token_ends, strict=True)


def cut(text: str) -> list[list[str]]:
    [sentences] = segment([text])
    return [[text[start:end] for start, end in tokens([sentence])] for sentence in sentences]


@given(texts)
def test_every_character_that_is_no_white_space_is_in_exactly_one_token(text: str) -> None:
    [sentences] = segment([text])
    covered = [offset for start, end in tokens(sentences) for offset in range(start, end)]
    assert covered == [offset for offset, character in enumerate(text) if not character.isspace()]


@given(texts)
def test_sentences_follow_each_other_and_none_is_empty(text: str) -> None:
    [sentences] = segment([text])
    ends = [0, *(sentence.end for sentence in sentences)]
    starts = [sentence.start for sentence in sentences]
    assert all(end <= start for end, start in zip(ends, starts, strict=False))


@given(st.lists(texts, max_size=4))
def test_a_text_is_cut_the_same_alone_and_in_a_batch(batch: list[str]) -> None:
    assert list(segment(batch)) == [sentences for text in batch for sentences in segment([text])]


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
