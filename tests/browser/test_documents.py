"""A document's page in a browser: relations and mentions light each other up, or lead to each other."""

import pytest
from playwright.sync_api import expect

from evaluation.kbp.explorer.statements import Relation
from kbpo_formats.spans import Span
from tests.factories import (
    ADA,
    HALLOW,
    PRESS,
    SHE,
    TEXT,
    AnnotationFactory,
    DocumentFactory,
    InstanceFactory,
    PredictionFactory,
    SubmissionFactory,
    retire,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]
BORN = Relation("per:place_of_birth", ADA, HALLOW)
FOUNDED = Relation("per:organizations_founded", SHE, PRESS)


@pytest.fixture
def address(live_server) -> str:
    """A document that is open to explore, in which people found one relation and a system claims another."""
    document = DocumentFactory(corpus__tag="news", doc_id="QUILL")
    AnnotationFactory(document=document)
    retire(document)
    instance = InstanceFactory(document=document, predicate=FOUNDED.predicate, subject=SHE, object=PRESS)
    submission = SubmissionFactory(corpus=document.corpus, state="scored")
    PredictionFactory(submission=submission, instance=instance, object_type="ORG")
    return "/corpora/news/documents/QUILL/"


def item(page, relation, kind):
    return page.locator(f'[id="{kind}-{relation}"]')


def lit(page) -> list[str]:
    return page.locator("mark.lit").evaluate_all("all => all.map(one => one.lastChild.textContent.trim())")


def test_pointing_at_a_relation_lights_up_its_mentions(open_page, address):
    page = open_page(address)
    item(page, BORN, "true").hover()
    assert lit(page) == ["Ada Quill", "Port Hallow"]
    item(page, FOUNDED, "claim").hover()
    assert lit(page) == ["She", "Quill Press"]


def test_pointing_at_a_mention_lights_up_its_relations(open_page, address):
    page = open_page(address)
    page.locator("mark", has_text="Hallow").hover()
    expect(item(page, BORN, "true")).to_have_class("lit")
    expect(item(page, FOUNDED, "claim")).not_to_have_class("lit")
    page.locator("h1").hover()
    assert lit(page) == []


def test_the_keyboard_does_the_same(open_page, address):
    page = open_page(address)
    item(page, FOUNDED, "claim").get_by_role("link", name="Quill Press").focus()
    assert lit(page) == ["She", "Quill Press"]
    page.locator("mark", has_text="Hallow").get_by_role("link").focus()
    expect(item(page, BORN, "true")).to_have_class("lit")


@pytest.mark.parametrize("scripts", [True, False])
def test_mentions_and_relations_lead_to_each_other(open_page, address, scripts):
    page = open_page(address, scripts=scripts)
    page.locator("mark", has_text="Hallow").get_by_role("link").click()
    assert page.url.endswith(f"#true-{BORN}")
    item(page, FOUNDED, "claim").get_by_role("link", name="Quill Press").click()
    assert page.url.endswith(f"#m{PRESS}")


def test_a_text_is_shown_without_anything_around_it(open_page, address):
    page = open_page(address)
    page.locator(".tag").evaluate_all("all => all.forEach(one => one.remove())")
    assert page.locator("article.text").text_content() == TEXT


INNER_SCROLLS = """() => [...document.querySelectorAll("main *")]
    .filter((one) => ["auto", "scroll"].includes(getComputedStyle(one).overflowY))
    .map((one) => one.className)"""


@pytest.fixture
def long_address(live_server) -> str:
    """A document whose text and list are both longer than the window."""
    text = " ".join(
        f"Name{number} met Port Hallow and went on to see what there was." for number in range(80)
    )
    document = DocumentFactory(corpus__tag="news", doc_id="LONG", text=text)
    submission = SubmissionFactory(corpus=document.corpus, state="scored")
    for number in range(0, 80, 2):
        start = text.index(f"Name{number} ")
        subject = Span(start, start + len(f"Name{number}"))
        place = text.index("Port", start)
        instance = InstanceFactory(document=document, subject=subject, object=Span(place, place + 11))
        PredictionFactory(submission=submission, instance=instance)
    return "/corpora/news/documents/LONG/"


def test_nothing_on_a_page_scrolls_by_itself_and_a_link_leads_to_what_is_in_view(open_page, long_address):
    page = open_page(long_address)
    assert page.evaluate(INNER_SCROLLS) == []
    for name in ("Name78", "Name0"):
        page.get_by_role("listitem").get_by_role("link", name=name, exact=True).click()
        page.wait_for_function("() => new Promise((done) => requestAnimationFrame(() => done(true)))")
        box = page.locator("mark", has_text=name).first.bounding_box()
        assert 0 <= box["y"] <= page.viewport_size["height"] - box["height"]


@pytest.mark.parametrize("width", [360, pytest.param(1280, marks=pytest.mark.slow)])
def test_a_document_fits_its_page(open_page, address, width):
    page = open_page(address, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
