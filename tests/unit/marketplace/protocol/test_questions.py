import pytest
from hypothesis import given
from hypothesis import strategies as st

from marketplace.protocol.errors import RequestError
from marketplace.protocol.questions import (
    LONGEST,
    NAMESPACE,
    ExternalQuestion,
    read_question,
    with_parameters,
)
from tests.external_questions import external_question


def xml(url: str = "https://hits.example.org/", height: str = "600") -> str:
    return external_question(url, height)


def test_a_question_is_read() -> None:
    question = read_question(xml("\n https://hits.example.org:8443/a?b=1&c=2 \n", " 0 "))
    assert question == ExternalQuestion("https://hits.example.org:8443/a?b=1&c=2", 0)
    assert question.origin == "https://hits.example.org:8443"


@given(st.text("abcXYZ019/?&=%-._~:@", max_size=50), st.integers(0, 10_000))
def test_any_address_and_height_is_read(path: str, height: int) -> None:
    question = ExternalQuestion(f"https://hits.example.org/{path}", height)
    assert read_question(xml(question.url, str(height))) == question


@pytest.mark.parametrize("url", ["http://localhost:8001/", "http://127.0.0.1/", "http://[::1]:9/"])
def test_this_machine_needs_no_https(url: str) -> None:
    assert read_question(xml(url)).url == url


@pytest.mark.parametrize(
    "url",
    [
        "http://hits.example.org/",
        "http://localhost.example.org/",
        "ftp://hits.example.org/",
        "javascript:alert(1)",
        "//hits.example.org/",
        "https://",
        "https://user@hits.example.org/",
        "https://hits.example.org:99999/",
        "https://hits.example.org/; script-src *",
        "https://hits.example.org;script-src/",
        "https://hits.example.org,default-src/",
        "https://ex\u00e4mple.org/",
        "https://hits.example.org/a b",
        "",
    ],
)
def test_a_page_that_cannot_be_shown_safely_is_refused(url: str) -> None:
    with pytest.raises(RequestError) as error:
        read_question(xml(url))
    assert error.value.code == "AWS.MechanicalTurk.InvalidParameterValue"


@pytest.mark.parametrize("height", ["", "-1", "10001", "6.5", "tall", "٣"])
def test_a_height_that_is_none_is_refused(height: str) -> None:
    with pytest.raises(RequestError, match="FrameHeight"):
        read_question(xml(height=height))


@pytest.mark.parametrize(
    "wrong",
    [
        "what?",
        "<ExternalQuestion/>",
        xml().replace("ExternalQuestion", "HTMLQuestion"),
        xml().replace(NAMESPACE, "http://example.org/"),
        xml().replace("<FrameHeight>600</FrameHeight>", ""),
        xml().replace("</ExternalQuestion>", "<More/></ExternalQuestion>"),
        '<!DOCTYPE x [<!ENTITY a "aaaa">]>' + xml(),
    ],
)
def test_what_is_no_external_question_is_refused(wrong: str) -> None:
    with pytest.raises(RequestError) as error:
        read_question(wrong)
    assert error.value.code == "AWS.MechanicalTurk.XMLParseError"


HTML_QUESTION = """<?xml version="1.0" encoding="UTF-8"?>
<HTMLQuestion xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2011-11-11/HTMLQuestion.xsd">
<HTMLContent><![CDATA[<!DOCTYPE html><html><body><p>Is this right?</p></body></html>]]></HTMLContent>
<FrameHeight>450</FrameHeight>
</HTMLQuestion>"""
QUESTION_FORM = """<QuestionForm
  xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2017-11-06/QuestionForm.xsd">
<Overview><Text>Is this right?</Text></Overview></QuestionForm>"""


@pytest.mark.parametrize(
    ("question", "kind"), [(HTML_QUESTION, "HTMLQuestion"), (QUESTION_FORM, "QuestionForm")]
)
def test_another_kind_of_question_is_refused_with_what_to_do(question: str, kind: str) -> None:
    with pytest.raises(RequestError, match=f"kind {kind}; .* put the page on a server of your own"):
        read_question(question)


def test_a_question_has_65535_bytes_at_most() -> None:
    fitting = xml() + " " * (LONGEST - len(xml()))
    assert read_question(fitting).frame_height == 600
    with pytest.raises(RequestError, match="65,535 at most"):
        read_question(fitting + " ")


def test_parameters_join_those_of_the_page_and_replace_their_own_names() -> None:
    url = with_parameters("https://h.example.org/a?x=1&hitId=old&y=#top", hitId="3A", workerId="A&B")
    assert url == "https://h.example.org/a?x=1&y=&hitId=3A&workerId=A%26B#top"
