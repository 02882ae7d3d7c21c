"""A page of Wikipedia, as people type it."""

import pytest

from crowd.interfaces.links import title_of
from kbpo.core.errors import InvalidInput


@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ("Port Hallow", "Port Hallow"),
        ("https://en.wikipedia.org/wiki/Port_Hallow#History", "Port_Hallow"),
        ("https://zh-min-nan.wikipedia.org/wiki/Port_Hallow", "Port_Hallow"),
        ("http://wikipedia.org/wiki/K%C3%B6ln", "K\u00f6ln"),
    ],
)
def test_a_page_is_given_by_its_title_or_its_address(typed: str, title: str) -> None:
    assert title_of(typed) == title


@pytest.mark.parametrize(
    "address",
    [
        "https://notwikipedia.org/wiki/Ash",
        "https://wikipedia.org.example.com/wiki/Ash",
        "https://wikipedia.org/w/Ash",
    ],
)
def test_another_address_is_refused(address: str) -> None:
    with pytest.raises(InvalidInput, match="no address of a page of Wikipedia"):
        title_of(address)
