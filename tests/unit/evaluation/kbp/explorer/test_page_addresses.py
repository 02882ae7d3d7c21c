"""Which addresses mean the same page, and which of them is shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.kbp.explorer.page_addresses import page_key, shown_address

ADA = "https://en.wikipedia.org/wiki/Ada_Quill"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (ADA, "http://en.wikipedia.org/wiki/Ada_Quill"),
        (ADA, "https://EN.Wikipedia.ORG/wiki/Ada_Quill"),
        (ADA, f"{ADA}/"),
        (ADA, f"{ADA}#Life"),
        (ADA, f" {ADA} "),
        (ADA, "https://en.m.wikipedia.org/wiki/Ada_Quill"),
        (ADA, "https://en.wikipedia.org/wiki/Ada Quill"),
        (ADA, "https://en.wikipedia.org/wiki/Ada%20Quill"),
        (ADA, "https://en.wikipedia.org/wiki/ada__Quill_"),
        (ADA, f"{ADA}?oldid=7"),
        (ADA, "https://en.wikipedia.org/w/index.php?title=Ada_Quill&oldid=7"),
        (f"{ADA}_(painter)", f"{ADA}_%28painter%29"),
        ("https://es.wikipedia.org/wiki/José", "https://es.wikipedia.org/wiki/Jos%c3%a9"),
        ("https://es.wikipedia.org/wiki/José", "https://es.wikipedia.org/wiki/Jose%CC%81"),
        ("https://example.org", "http://example.org:80/"),
        ("https://example.org/a%7Eb", "https://example.org/a~b"),
        ("https://www.wikidata.org/wiki/Q42", "https://m.wikidata.org/wiki/Q42"),
    ],
)
def test_these_are_one_page(one, other):
    assert page_key(one) == page_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (ADA, f"{ADA}_(painter)"),
        (ADA, "https://de.wikipedia.org/wiki/Ada_Quill"),
        (ADA, "https://en.wikipedia.org/wiki/Ada_quill"),
        ("https://example.org/a", "https://example.org/A"),
        ("https://example.org/a_b", "https://example.org/a%20b"),
        ("https://example.org/a%2Fb", "https://example.org/a/b"),
        ("https://example.org/a?x=1", "https://example.org/a?x=2"),
        ("https://example.org:8080/a", "https://example.org/a"),
        ("https://m.example.org/a", "https://example.org/a"),
        ("https://[a", "https://[b"),
    ],
)
def test_these_are_two(one, other):
    assert page_key(one) != page_key(other)


@given(
    st.text().map("https://en.wikipedia.org/wiki/".__add__) | st.text().map("https://example.org/".__add__)
)
def test_a_key_is_its_own_key(address):
    assert page_key(page_key(address)) == page_key(address)


def test_the_address_that_people_gave_most_often_is_shown():
    given = {"http://example.org/a/": 2, "https://example.org/a": 1}
    assert shown_address("https://example.org/a", given) == "http://example.org/a/"


def test_of_wikipedia_the_plain_address_is_shown():
    assert shown_address(ADA, {"http://en.m.wikipedia.org/wiki/Ada_Quill": 3}) == ADA
