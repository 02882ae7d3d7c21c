import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo.build import CORPUS
from demo.markup import read_folder
from demo.systems.reading import Mention, read
from tests.unit.demo.systems.texts import document


def mentions(text: str, *, guess: bool = False) -> list[Mention]:
    return [mention for sentence in read(document(text), guess=guess) for mention in sentence.mentions]


def found(text: str, *, guess: bool = False) -> list[tuple[str, str]]:
    return [(mention.words, mention.type) for mention in mentions(text, guess=guess)]


def test_sentences_end_at_full_stops_and_paragraphs() -> None:
    sentences = read(document("One came. Two left!\n\nThree stayed"))

    assert [sentence.text for sentence in sentences] == ["One came.", "Two left!", "Three stayed"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ruth Ash spoke.", [("Ruth Ash", "PER")]),
        ("They met in Hollin Bay.", [("Hollin Bay", "GPE")]),
        ("The Museum of the Lowmarch opened.", [("Museum of the Lowmarch", "ORG")]),
        ("The Orrin Group of Corvel grew.", [("Orrin Group", "ORG"), ("Corvel", "GPE")]),
        ("It belongs to Finch & Ash today.", [("Finch & Ash", "ORG")]),
        ("Born on 4 May 1979 or in June 1980.", [("4 May 1979", "DATE"), ("June 1980", "DATE")]),
        ("A club captain and a pilot.", [("club captain", "TITLE"), ("pilot", "TITLE")]),
        ("Nobody came on Sunday.", []),
    ],
)
def test_mentions_are_found_and_typed_by_their_words(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


def test_an_unknown_name_is_left_out_unless_guessed() -> None:
    text = "They met Xerxa Qualm."

    assert found(text) == []
    assert found(text, guess=True) == [("Xerxa Qualm", "PER")]


def test_a_surname_goes_to_the_person_who_was_named_last() -> None:
    names = [mention.name for mention in mentions("Ruth Ash met Ada Ash. Then Ash left.")]

    assert names == ["Ruth Ash", "Ada Ash", "Ada Ash"]


def test_a_pronoun_goes_to_the_first_person_of_its_sentence() -> None:
    assert mentions("Ruth Ash met Ada Elm when she was young.")[-1].name == "Ruth Ash"


def test_a_pronoun_that_opens_a_sentence_goes_to_the_first_person_of_the_one_before() -> None:
    assert mentions("Ruth Ash met Ada Elm. She spoke.")[-1].name == "Ruth Ash"


def test_a_noun_goes_to_the_organization_that_has_it_in_its_name() -> None:
    text = "Vantry Bank owns Ash Company. Today the bank is closed."

    assert mentions(text)[-1].name == "Vantry Bank"


def test_a_pronoun_before_any_person_is_no_mention() -> None:
    assert found("She spoke in Corvel.") == [("Corvel", "GPE")]


@pytest.mark.parametrize("guess", [False, True])
def test_mentions_are_the_words_at_their_spans_and_do_not_overlap(guess: bool) -> None:
    for one, _ in read_folder(CORPUS):
        last = 0
        for sentence in read(one, guess=guess):
            for mention in sentence.mentions:
                assert one["text"][slice(*mention.span)] == mention.words
                assert one["text"][slice(*mention.canonical)] == mention.name
                assert mention.span.start >= last
                last = mention.span.end


@given(st.text(st.sampled_from("Ab cd.'&-\n’") | st.characters(), max_size=60), st.booleans())
def test_any_text_is_read(text: str, guess: bool) -> None:
    for sentence in read(document(text), guess=guess):
        assert text[slice(*sentence.span)] == sentence.text
