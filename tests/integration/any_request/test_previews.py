"""What pages say of themselves: to whom they are linked, and in words that are explained."""

import re
from collections import defaultdict
from html import unescape

import pytest
from django.test import Client

from tests.integration.any_request.asking import routes
from tests.integration.any_request.site import Site
from tests.integration.any_request.test_validators import OF_ONE_VISITOR, client_of, get

pytestmark = pytest.mark.django_db
DESCRIPTION = re.compile(r'<meta name="description"\s+property="og:description"\s+content="([^"]*)">')
#: Not to be linked: of one visitor, or of an address that is in a mail.
NOT_LINKED = OF_ONE_VISITOR - {"check"}
FOR_ALL = {
    "TAC": "text analysis conference",
    "KBP": "knowledge base population",
    "HIT": "human intelligence task",
}
AT_THE_DESK = {"HIT": FOR_ALL["HIT"]}  # operators know the corpora by the names of their formats


def pages(site: Site, client: Client, wanted: str = "") -> dict[str, str]:
    """Return the pages that somebody gets, by the names of their addresses."""
    found = {}
    for name, _ in routes():
        if name.startswith("admin:") or not name.startswith(wanted):
            continue
        answer = get(site, client, name)
        is_html = answer.headers.get("Content-Type", "").startswith("text/html")
        if answer.status_code == 200 and is_html and not answer.streaming:
            found[name] = answer.content.decode()
    return found


@pytest.fixture(scope="module")
def public(site: Site) -> dict[str, str]:
    # The example of the first page's address names a corpus, and so is its leaderboard.
    return {**pages(site, Client()), "home": Client().get("/").content.decode()}


@pytest.fixture(scope="module")
def desk(site: Site) -> dict[str, str]:
    return pages(site, client_of(site.people["operator"]), "desk")


@pytest.fixture(scope="module")
def said(public: dict[str, str]) -> dict[str, str]:
    """What every page that is for everybody says of itself, as it stands in the page."""
    linked = {name: page for name, page in public.items() if name not in NOT_LINKED and "og:site" in page}
    return {name: " ".join(DESCRIPTION.findall(page)) for name, page in linked.items()}


@pytest.mark.slow
def test_every_public_page_says_what_it_is_in_a_sentence(said):
    assert {"home", "corpus", "documents", "document", "submission", "help", "about", "check"} <= said.keys()
    assert {name: words for name, words in said.items() if not 40 <= len(unescape(words)) <= 300} == {}
    assert [name for name, words in said.items() if not unescape(words).endswith(".")] == []


def test_no_two_public_pages_say_the_same(said):
    names = defaultdict(list)
    for name, words in said.items():
        names[words].append(name)
    assert [same for same in names.values() if len(same) > 1] == []


def test_what_is_said_is_plain_text(said):
    odd = re.compile(r"[<>*`\n{}]|&lt;|  |None")
    assert {name: words for name, words in said.items() if odd.search(words)} == {}


def text_of(page: str) -> str:
    """Return the words of a page's main part, without the name of the site and what is code."""
    main = page[page.index("<main") : page.index("</main>")]
    main = re.sub(r"<(script|style|code|pre)\b.*?</\1>", " ", main, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", main)).split()).replace("KBP Online", "")


def unexplained(page: str, spelled_out: dict[str, str]) -> list[str]:
    """Return the abbreviations of a page that are not spelled out where they first stand."""
    words, found = text_of(page), []
    for short, long in spelled_out.items():
        first = re.search(rf"\b{short}s?\b", words)
        if first and long not in words[max(0, first.start() - 120) : first.end() + 120].lower():
            found.append(words[max(0, first.start() - 40) : first.end() + 40])
    return found


def test_tac_kbp_and_hit_are_spelled_out_where_they_first_stand(public, desk):
    assert {"home", "help", "desk_batch", "desk_open"} <= {*public, *desk}
    found = {name: unexplained(page, FOR_ALL) for name, page in public.items() if "<main" in page}
    found |= {name: unexplained(page, AT_THE_DESK) for name, page in desk.items()}
    assert {name: where for name, where in found.items() if where} == {}
    assert any(re.search(r"\bTAC\b", text_of(page)) for page in public.values())
    assert any(re.search(r"\bHITs?\b", text_of(page)) for page in desk.values())
