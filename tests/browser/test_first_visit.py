"""What somebody without an account does: look, try, check. By keyboard, and on a phone."""

import re

import pytest
from playwright.sync_api import Page, expect

from annotations.models import Corpus
from tests.browser.axe import violations
from tests.factories import CorpusFactory, SubmissionFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PAGES = ("/", "/try/", "/try/relation/", "/try/entities/", "/check/", "/about/", "/help/")


def follow_by_keyboard(page: Page, name: str) -> None:
    """Go to a link with the tabulator, and follow it."""
    link = page.get_by_role("link", name=name).first
    for _ in range(60):
        page.keyboard.press("Tab")
        if link.evaluate("one => one === document.activeElement"):
            page.keyboard.press("Enter")
            return
    raise AssertionError(f"{name} is not reached")


@pytest.fixture(autouse=True)
def corpus(settings, tmp_path) -> Corpus:
    settings.KBPO_HOME = tmp_path
    return CorpusFactory.create(tag="news", name="News", texts=Corpus.Texts.PUBLIC)


@pytest.mark.slow
def test_pages_for_visitors_fit_a_phone_and_are_read_by_everybody(open_page, corpus: Corpus) -> None:
    team = SubmissionFactory.create(corpus=corpus, state="scored", name="Finder").team
    page = open_page("/", width=360)
    found = {}
    for address in (*PAGES, f"/teams/{team.pk}/public/"):
        page.goto(address)
        found[address] = violations(page)
        if page.evaluate("document.documentElement.scrollWidth") > 360:
            found[address].append("scrolls sideways")
    assert {address: faults for address, faults in found.items() if faults} == {}


def test_a_document_is_marked_for_a_trial_by_keyboard_alone(open_page) -> None:
    page = open_page("/")
    follow_by_keyboard(page, "Judge an example yourself")
    page.wait_for_url(re.compile("/try/$"))
    follow_by_keyboard(page, "Documents")
    if not page.url.endswith("/try/entities/"):  # of the menu, which has one of that name
        page.goto("/try/entities/")
    words = page.get_by_role("listbox", name=re.compile("The document, word by word"))
    words.focus()
    page.keyboard.press("Shift+ArrowRight")  # Mara Quist
    page.keyboard.press("p")
    page.keyboard.press("0")
    page.keyboard.press("n")
    page.keyboard.press("Control+Enter")
    page.get_by_role("button", name="Send", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="1 of 11 mentions as in the example")).to_be_visible()


def test_a_relation_is_judged_for_a_trial_by_keyboard_alone(open_page) -> None:
    page = open_page("/try/relation/")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="As in the example", exact=True)).to_be_visible()


def test_the_sites_own_fonts_are_loaded_and_nothing_is_asked_of_another_host(open_page, live_server) -> None:
    page = open_page("/about/")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for address in ("/", "/help/", "/corpora/news/", "/try/relation/"):
        page.goto(address)
        page.evaluate("document.fonts.ready.then(() => 0)")
        loaded = page.evaluate(
            "[...document.fonts].filter(one => one.status == 'loaded').map(one => one.family)"
        )
        assert {name.strip('"') for name in loaded} >= {"Source Sans 3", "Source Serif 4"}, address
        assert drawn_in(page, "h1") == {("Source Serif 4", True)}, address
        assert drawn_in(page, "main p") == {("Source Sans 3", True)}, address
    assert [url for url in asked if url.endswith(".woff2")] != []
    assert [url for url in asked if not url.startswith((live_server.url, "data:"))] == []


def drawn_in(page: Page, selector: str) -> set[tuple[str, bool]]:
    """Return the fonts that the letters of an element are drawn in, and whether the page brought each."""
    browser = page.context.new_cdp_session(page)
    for domain in ("DOM", "CSS"):
        browser.send(f"{domain}.enable")
    root = browser.send("DOM.getDocument")["root"]["nodeId"]
    node = browser.send("DOM.querySelector", {"nodeId": root, "selector": selector})["nodeId"]
    fonts = browser.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
    browser.detach()
    return {
        (re.sub(r" (SemiBold|Semibold|ExtraLight|Regular)$", "", one["familyName"]), one["isCustomFont"])
        for one in fonts
    }
