import xml.etree.ElementTree as ElementTree

from hypothesis import given
from hypothesis import strategies as st

from marketplace.protocol.answers import NAMESPACE, write_answers


def read(xml: str) -> list[tuple[str, str]]:
    answers = ElementTree.fromstring(xml).iter(f"{{{NAMESPACE}}}Answer")
    return [
        (
            answer.findtext(f"{{{NAMESPACE}}}QuestionIdentifier", ""),
            answer.findtext(f"{{{NAMESPACE}}}FreeText", ""),
        )
        for answer in answers
    ]


def test_answers_are_written_as_mturk_does() -> None:
    assert write_answers({"relation": ["per:spouse"], "why": ["a & b"]}) == (
        f'<QuestionFormAnswers xmlns="{NAMESPACE}">'
        "<Answer><QuestionIdentifier>relation</QuestionIdentifier><FreeText>per:spouse</FreeText></Answer>"
        "<Answer><QuestionIdentifier>why</QuestionIdentifier><FreeText>a &amp; b</FreeText></Answer>"
        "</QuestionFormAnswers>"
    )


def test_several_values_are_joined_by_a_bar() -> None:
    assert read(write_answers({"tick": ["a", "b"], "none": []})) == [("tick", "a|b"), ("none", "")]


def test_characters_that_xml_does_not_know_are_replaced() -> None:
    assert read(write_answers({"a": ["x\x00\x1b\ud800y"]})) == [("a", "x\ufffd\ufffd\ufffdy")]


@given(st.dictionaries(st.text(), st.lists(st.text(), max_size=3), max_size=5))
def test_any_text_makes_xml_that_can_be_read(fields: dict[str, list[str]]) -> None:
    assert len(read(write_answers(fields))) == len(fields)


@given(st.text(st.characters(min_codepoint=32, max_codepoint=0xD7FF)))
def test_ordinary_text_comes_back_as_it_was(text: str) -> None:
    assert read(write_answers({"a": [text]})) == [("a", text)]
