"""MTurk's XML: written as the marketplace reads it, read as the marketplace writes it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.providers.xml import read_answers, write_question
from marketplace.protocol.answers import write_answers
from marketplace.protocol.questions import read_question

printable = st.text(st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="\ufffe\uffff"))


def test_a_page_is_named_as_an_external_question() -> None:
    question = read_question(write_question("https://tasks.example.org/hits/kbpo-1/?a=1&b=2"))
    assert (question.url, question.frame_height) == ("https://tasks.example.org/hits/kbpo-1/?a=1&b=2", 0)


@given(st.dictionaries(st.text("abcdefgh", min_size=1), printable))
def test_what_a_page_sends_is_read_as_it_was_sent(fields: dict[str, str]) -> None:
    assert read_answers(write_answers({name: [value] for name, value in fields.items()})) == fields


@pytest.mark.parametrize(
    "xml",
    [
        "",
        "no xml",
        "<a><b></a>",
        '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
        "<QuestionFormAnswers><Answer/></QuestionFormAnswers>",
    ],
)
def test_what_cannot_be_read_has_no_fields(xml: str) -> None:
    assert read_answers(xml) == {}
