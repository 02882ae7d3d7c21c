"""HITs of what systems wrote: texts rated and improved, answers judged by passages. By keyboard, touch, and offline."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotations.kinds.correctness import CorrectnessQuestion
from annotations.kinds.quality import QualityQuestion
from annotations.models import Question
from crowd.interfaces.addresses import hit_url
from crowd.models import Assignment, Hit
from kbpo_formats.spans import Span
from tests.arrivals import KEYS, arrival
from tests.browser.axe import violations
from tests.browser.conftest import OpenPage
from tests.browser.looks import fit_fingers, looks, picture
from tests.browser.test_hit_pages import two_hosts  # noqa: F401  (a fixture)
from tests.factories import CorpusFactory, DocumentFactory, HitFactory, QuestionFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WRITTEN = (
    "the harbour of ▃ was closed on Monday after a crane fell into the water. the harbour was closed on Monday"
    " after a crane fell. Nobody was hurt, <b>said</b> the port\u200b, and ships go to Weir for now."
)
ASKS = "Who built the mill at Weir?"
PASSAGES = (
    "The mill at Weir was built by Ada Quill in 1802. It ground corn for three villages until the war.",
    "Weir lies on the Lune. Its mill is of red stone, and has two wheels; a museum has been in it since 1991.",
    "Some say that Ben Roe built the mill, but he was born in 1810.",
)
TEXT = "\n\n".join((ASKS, *PASSAGES))

Begin = Callable[..., Page]


def span(words: str) -> Span:
    return Span(TEXT.index(words), TEXT.index(words) + len(words))




@pytest.fixture
def begin(open_page: OpenPage, live_server, settings) -> Begin:
    """Accept a HIT of one question and open its page."""
    settings.MTURK_KEYS = KEYS

    def act(kind: str, **options: Any) -> Page:
        hit = Hit.objects.first() or make_hit(kind)
        query = arrival(hit, f"{live_server.url}/work/submit/abc", now=timezone.now())
        page = open_page(f"{hit_url(hit)}?{query}", **options)
        page.route("**/work/submit/**", lambda route: route.fulfill(body="sent"))
        return page

    return act


def make_hit(kind: str) -> Hit:
    corpus = CorpusFactory.create()
    document = DocumentFactory.create(corpus=corpus, doc_id="mill", title="", text=TEXT, sentences=True)
    asked = {
        "quality": QualityQuestion(WRITTEN),
        "correctness": CorrectnessQuestion("Ada Quill", span(ASKS), tuple(span(one) for one in PASSAGES)),
    }[kind]
    question = QuestionFactory.create(document=document, asked=asked)
    return HitFactory.create(batch__corpus=corpus, batch__kind=kind, questions=[question])


def answer() -> dict[str, Any]:
    (one,) = Assignment.objects.get().answer["answers"]
    assert one["question"] == Question.objects.get().pk
    given: dict[str, Any] = one["answer"]
    return given


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def is_saved(page: Page) -> None:
    expect(page.get_by_text("Saved", exact=True)).to_be_visible()


@looks(375, 1280)
def test_a_text_is_rated_and_improved_by_keyboard_alone(begin: Begin, width: int, scheme: str) -> None:
    page = begin("quality", width=width, scheme=scheme)
    expect(page.get_by_text("How does it read?")).to_be_visible()
    expect(page.get_by_text("<b>said</b> the port⟨U+200B⟩").first).to_be_visible()
    assert fit_fingers(page, ".option", at_least=3)
    assert violations(page) == []
    picture(page, f"quality-rating-{width}-{scheme}")
    press(page, "Enter")
    expect(page.get_by_role("alert")).to_contain_text("Choose one of the three.")
    press(page, "2", "Enter", "3", "Enter", "2", "Enter")
    field = page.get_by_role("textbox", name="The text, to be improved")
    expect(field).to_be_focused()
    expect(page.get_by_text("▃ stands for a word")).to_be_visible()
    press(page, "Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("Nothing is changed yet")
    press(page, "Control+Home", "Delete")
    page.keyboard.type("T")
    expect(page.get_by_text("1 character changed")).to_be_visible()
    expect(page.locator("del")).to_have_text("removed: the")
    expect(page.locator("ins")).to_have_text("added: The")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    picture(page, f"quality-edit-{width}-{scheme}")
    is_saved(page)
    press(page, "Control+Enter")
    expect(page.get_by_text("sent", exact=True)).to_be_visible()
    given = answer()
    assert [given[name] for name in ("fluency", "redundancy", "overall")] == [0, -1, 0]
    assert given["edit"] == "T" + WRITTEN[1:]


def test_where_all_is_best_nothing_is_to_be_improved(begin: Begin) -> None:
    page = begin("quality")
    press(page, "2", "Enter", "1", "Enter", "1", "Enter")
    page.get_by_role("textbox", name="The text, to be improved").fill("Something else.")
    press(page, "Control+Enter")
    page.get_by_role("button", name="Back").click()
    page.get_by_role("button", name="Back").click()
    page.get_by_role("button", name="Back").click()
    press(page, "1", "Enter", "Enter")
    expect(page.get_by_text("3 of 3")).to_be_visible()
    press(page, "Enter")
    expect(page.get_by_text("sent", exact=True)).to_be_visible()
    assert answer()["edit"] is None
