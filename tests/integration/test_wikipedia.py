"""The search of Wikipedia, against a wiki of the tests' own."""

from collections.abc import Iterator

import pytest
from django.conf import LazySettings
from django.core.cache import cache

from annotations.texts.languages import read_language
from crowd import wikipedia
from crowd.wikipedia import FoundPage, find_pages
from kbpo.core.errors import Unavailable
from tests.mediawiki import Wiki, serve_wiki


@pytest.fixture
def wiki(settings: LazySettings) -> Iterator[Wiki]:
    with serve_wiki() as wiki:
        settings.WIKIPEDIA_API_URL = wiki.url
        cache.clear()
        yield wiki
        cache.clear()


def test_pages_are_found_by_how_their_titles_begin_the_likeliest_first(wiki: Wiki) -> None:
    assert find_pages("port hal") == [
        FoundPage("Port Hallow", "Town on the Ellery coast"),
        FoundPage("Port Hallow F.C.", "Football club"),
    ]


def test_nothing_found_is_an_empty_list(wiki: Wiki) -> None:
    assert find_pages("Xyzzy") == []


@pytest.mark.parametrize("text", ["", "  \n"])
def test_nothing_is_asked_for_nothing(wiki: Wiki, text: str) -> None:
    assert find_pages(text) == []
    assert wiki.asked == []


def test_the_same_is_asked_once_whatever_its_case_and_blanks(wiki: Wiki) -> None:
    for text in ("Port Hallow", " port  HALLOW", "port hallow"):
        assert len(find_pages(text)) == 2
    assert wiki.asked == ["Port Hallow"]


def test_a_long_text_is_cut(wiki: Wiki) -> None:
    find_pages("x" * 5000 + "\ud800")
    assert [len(text) for text in wiki.asked] == [wikipedia.LONGEST]


def test_each_language_has_a_wikipedia_of_its_own(wiki: Wiki, settings: LazySettings) -> None:
    settings.WIKIPEDIA_API_URL = wiki.url.replace("/w/", "/{language}/w/")
    for tag in ("nb", "zh-Hant", "nb"):
        find_pages("Quill", read_language(tag))
    assert wiki.languages == ["no", "zh"]


def test_one_that_is_down_leaves_the_others_alone(wiki: Wiki, settings: LazySettings) -> None:
    settings.WIKIPEDIA_API_URL = wiki.url.replace("/w/", "/{language}/w/")
    wiki.behaviour = "500"
    with pytest.raises(Unavailable):
        find_pages("Quill", read_language("ar"))
    wiki.behaviour = ""
    assert find_pages("Quill", read_language("es"))


def test_the_caller_says_who_it_is(wiki: Wiki, settings: LazySettings) -> None:
    find_pages("Quill")
    assert settings.SITE_URL in wiki.agents[0]


@pytest.mark.parametrize("behaviour", ["500", "garbage", "error", "list", "moved", "endless"])
def test_a_wiki_that_is_unwell_is_said_to_be_down(wiki: Wiki, behaviour: str) -> None:
    wiki.behaviour = behaviour
    with pytest.raises(Unavailable, match="type the page’s title"):
        find_pages("Quill")


def test_a_wiki_that_drips_is_not_waited_for(wiki: Wiki, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wikipedia, "PATIENCE", 0.3)
    wiki.behaviour = "slow"
    with pytest.raises(Unavailable):
        find_pages("Quill")


def test_a_wiki_that_is_not_there_is_down(settings: LazySettings) -> None:
    cache.clear()
    settings.WIKIPEDIA_API_URL = "http://127.0.0.1:9/w/api.php"
    with pytest.raises(Unavailable):
        find_pages("Quill")
    cache.clear()


@pytest.mark.slow
def test_one_that_is_down_is_left_alone_for_a_while_and_what_is_known_is_still_told(wiki: Wiki) -> None:
    find_pages("Quill")
    wiki.behaviour = "500"
    for _ in range(3):
        with pytest.raises(Unavailable):
            find_pages("Ada")
    assert wiki.asked == ["Quill", "Ada"]
    assert find_pages("Quill") == [FoundPage("Quill", "Feather used as a pen")]
