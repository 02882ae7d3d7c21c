from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.kinds.links import read_date, read_link, read_links, read_title
from annotations.kinds.relation import Mention, RelationQuestion
from kbpo.core.errors import InvalidInput
from kbpo_formats.spans import Span
from tests.ontologies import TAC

PAIR = RelationQuestion.about(Mention(Span(0, 3), "PER"), Mention(Span(5, 9), "DATE"), TAC)


@pytest.mark.parametrize(
    ("text", "title"),
    [("Port Hallow", "Port Hallow"), (" port_hallow\t", "Port hallow"), ("élan", "Élan"), ("iPod", "IPod")],
)
def test_titles_are_written_as_mediawiki_writes_them(text: str, title: str) -> None:
    assert read_title(text) == title


@pytest.mark.parametrize(
    "text", ["", " _ ", "a#b", "a|b", "[[a]]", "{a}", "a<b>", "a\0b", "\ud800", "é" * 128]
)
def test_what_can_be_no_title_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        read_title(text)


@given(st.text())
def test_a_title_read_again_is_the_same(text: str) -> None:
    try:
        title = read_title(text)
    except InvalidInput:
        return
    assert read_title(title) == title


@pytest.mark.parametrize("text", ["2016", "2016-11", "2016-11-03", "2016-02-29", "0001"])
def test_dates_may_be_as_coarse_as_the_document_tells(text: str) -> None:
    assert read_date(text) == text


@pytest.mark.parametrize("text", ["", "16", "2016-1", "2016-13", "2015-02-29", "2016-11-3", "0000", "٢٠١٦"])
def test_days_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        read_date(text)


@pytest.mark.parametrize(
    ("link", "kind"),
    [({"page": "X"}, "PER"), ({"none": True}, "GPE"), ({"date": "1961"}, "DATE"), ({"none": True}, "DATE")],
)
def test_links_fit_their_mentions(link: dict[str, Any], kind: str) -> None:
    assert read_link(link, TAC.find_type(kind)) == link


@pytest.mark.parametrize(
    ("link", "kind"),
    [
        ({"page": "X"}, "DATE"),
        ({"date": "1961"}, "ORG"),
        ({"none": False}, "PER"),
        ({"none": 1.5}, "PER"),
        ({"page": "X", "none": True}, "PER"),
        ({"page": 7}, "PER"),
        ({}, "PER"),
        ([], "PER"),
        (None, "PER"),
        ({"none": True}, "TITLE"),
    ],
)
def test_links_that_do_not_fit_are_refused(link: object, kind: str) -> None:
    with pytest.raises(InvalidInput, match=kind):
        read_link(link, TAC.find_type(kind))


def test_links_stand_beside_an_answers_relations() -> None:
    answer = PAIR.read_answer({"none": True, "links": {"1": {"date": "1961"}, "0": {"page": "ada quill"}}})
    assert answer == {
        "version": 1,
        "relations": [],
        "none": True,
        "links": {"0": {"page": "Ada quill"}, "1": {"date": "1961"}},
    }
    assert PAIR.ticked(answer) == ()
    assert PAIR.read_answer(answer) == answer


@pytest.mark.parametrize(
    "links", [[], "0", {"2": {"none": True}}, {0: {"none": True}}, {"0": {"date": "1961"}}]
)
def test_links_of_other_mentions_are_refused(links: object) -> None:
    with pytest.raises(InvalidInput):
        PAIR.read_answer({"none": True, "links": links})


def test_no_mention_need_be_linked() -> None:
    assert read_links({}, {0: "PER"}) == {}
