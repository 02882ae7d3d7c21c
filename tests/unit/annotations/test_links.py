from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.links import link_text, read_link
from kbpo.core.errors import InvalidInput


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("Ada Lovelace", "Ada Lovelace"),
        ("  ada_Lovelace ", "Ada Lovelace"),
        ("https://en.wikipedia.org/wiki/Ada_Lovelace", "Ada Lovelace"),
        ("https://en.m.wikipedia.org/wiki/K%C3%B6ln#Name", None),
        ("https://en.wikipedia.org/wiki/K%C3%B6ln", "Köln"),
        ("AC/DC", "AC/DC"),
    ],
)
def test_a_page_is_named_by_its_title_or_address(written: str, title: str | None) -> None:
    if title is None:
        with pytest.raises(InvalidInput, match="no Wikipedia page is called"):
            read_link({"page": written})
    else:
        assert read_link({"page": written}) == {"page": title}


@pytest.mark.parametrize("written", ["2016-11-03", "2016-11", "2016", "2016-02-29"])
def test_a_date_is_as_exact_as_it_is_known(written: str) -> None:
    assert read_link({"date": written}) == {"date": written}


@pytest.mark.parametrize(
    ("link", "says"),
    [
        ({"page": " "}, "is empty"),
        ({"page": "a|b"}, "no Wikipedia page is called “a|b”"),
        ({"page": "a\ud800"}, "no Wikipedia page is called"),
        ({"page": "é" * 128}, "longer than 255 bytes"),
        ({"date": "2015-02-29"}, "“2015-02-29” is no date"),
        ({"date": "0000"}, "is no date"),
        ({"date": "３-11"}, "is no date"),
        ({"date": "2016-1"}, "is no date"),
        ({"none": False}, "a link is"),
        ({"none": True, "page": "A"}, "a link is"),
        ({"page": 3}, "a link is"),
        ("Ada", "a link is"),
    ],
)
def test_other_links_are_refused(link: Any, says: str) -> None:
    with pytest.raises(InvalidInput, match=says.replace("|", r"\|")):
        read_link(link)


@given(st.text(min_size=1, max_size=40))
def test_a_link_read_again_is_the_same(title: str) -> None:
    try:
        link = read_link({"page": title})
    except InvalidInput:
        return
    assert read_link(link) == link
    assert read_link({"page": link_text(link)}) == link


def test_a_link_as_text() -> None:
    assert link_text({"page": "AC/DC (band)"}) == "https://en.wikipedia.org/wiki/AC/DC_(band)"
    assert link_text({"date": "2016"}) == "2016"
    assert link_text({"none": True}) == ""
