"""HITs of what systems wrote: rated and improved, judged by passages. By keyboard, by touch, and offline."""

import gzip
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, Response, expect

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
    "the harbour of ▃ was closed on Monday after a crane fell into the water. the harbour was closed on"
    " Monday after a crane fell. Nobody was hurt, <b>said</b> the port\u200b, and ships go to Weir for now."
)
ASKS = "Who built the mill at Weir?"
PASSAGES = (
    "The mill at Weir was built by Ada Quill in 1802. It ground corn for three villages until the war.",
    "Weir lies on the Lune. Its mill is of red stone, and has two wheels; it has been a museum since 1991.",
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
        if options.get("scripts", True):
            expect(page.get_by_role("button", name="Undo")).to_be_visible()
        return page

    return act


def make_hit(kind: str, passages: Sequence[str] = PASSAGES) -> Hit:
    corpus, text = CorpusFactory.create(), "\n\n".join((ASKS, *passages))
    document = DocumentFactory.create(corpus=corpus, doc_id="mill", title="", text=text, sentences=True)
    spans = [Span(text.index(one), text.index(one) + len(one)) for one in passages]
    asked = {
        "quality": QualityQuestion(WRITTEN),
        "correctness": CorrectnessQuestion("Ada Quill", span(ASKS), tuple(spans)),
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
    expect(page.get_by_text("▃ stands for a word").last).to_be_visible()
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


@pytest.mark.slow
def test_where_all_is_best_nothing_is_to_be_improved(begin: Begin) -> None:
    page = begin("quality")
    press(page, "2", "Enter", "1", "Enter", "1", "Enter")
    page.get_by_role("textbox", name="The text, to be improved").fill("Something else.")
    page.get_by_role("button", name="Back", exact=True).click()
    page.get_by_role("button", name="Back", exact=True).click()
    page.get_by_role("button", name="Back", exact=True).click()
    press(page, "1", "Enter", "Enter")
    expect(page.get_by_text("3 of 3")).to_be_visible()
    press(page, "Enter")
    expect(page.get_by_text("sent", exact=True)).to_be_visible()
    assert answer()["edit"] is None


@looks(375, 1280)
def test_an_answer_is_judged_by_keyboard_alone(begin: Begin, width: int, scheme: str) -> None:
    page = begin("correctness", width=width, scheme=scheme)
    expect(page.get_by_text("Could this be an answer to the question?")).to_be_visible()
    expect(page.get_by_text("1 of 4")).to_be_visible()
    assert violations(page) == []
    picture(page, f"correctness-plausible-{width}-{scheme}")
    press(page, "y", "Enter")
    expect(page.get_by_text("Passage 1 of 3: what does it show?")).to_be_visible()
    press(page, "Enter")
    expect(page.get_by_role("alert")).to_contain_text("Say what the passage shows.")
    press(page, "1")
    words = page.get_by_role("listbox").first
    expect(words).to_be_focused()
    press(page, "Enter")
    expect(page.get_by_role("alert")).to_contain_text("Highlight the words")
    assert violations(page) == []
    press(page, *["ArrowRight"] * 5, *["Shift+ArrowRight"] * 3)
    statement = page.get_by_role(
        "checkbox", name="“built by Ada Quill”: this shows that “Ada Quill” is a right"
    )
    expect(statement).to_be_visible()
    picture(page, f"correctness-evidence-{width}-{scheme}")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    press(page, "Enter")
    expect(statement).to_be_focused()
    press(page, "Enter")
    expect(page.get_by_role("alert")).to_contain_text("confirm it")
    press(page, "y", "Enter")
    expect(page.get_by_text("Passage 2 of 3: what does it show?")).to_be_visible()
    press(page, "3", "Enter", "2", "End", "Home", "Shift+End")
    expect(page.get_by_role("checkbox", name="Some say that Ben Roe built")).to_be_visible()
    is_saved(page)
    press(page, "y", "Enter")
    expect(page.get_by_text("sent", exact=True)).to_be_visible()
    given = answer()
    assert given["plausible"] is True
    assert [one["verdict"] for one in given["passages"]] == [1, 0, -1]
    assert given["passages"][0]["span"] == list(span("built by Ada Quill"))
    assert given["passages"][2]["span"] == list(span(PASSAGES[2]))


def test_another_verdict_clears_the_evidence_and_undo_brings_it_back(begin: Begin) -> None:
    page = begin("correctness")
    press(page, "y", "Enter", "1", "End", "Shift+ArrowLeft", "y")
    expect(page.get_by_role("checkbox", name="the war")).to_be_checked()
    page.get_by_role("radio", name="It shows that the answer is wrong").click()
    expect(page.get_by_role("checkbox")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("checkbox", name="the war")).to_be_checked()
    expect(page.get_by_role("radio", name="It shows that the answer is right")).to_be_checked()
    press(page, "Control+y")
    expect(page.get_by_role("checkbox")).to_have_count(0)


def test_no_ends_the_task(begin: Begin) -> None:
    page = begin("correctness")
    press(page, "n")
    expect(page.get_by_role("button", name="Send")).to_be_visible()
    press(page, "Enter")
    expect(page.get_by_text("sent", exact=True)).to_be_visible()
    assert answer() == {"version": 1, "plausible": False, "passages": []}


@pytest.mark.slow
def test_words_are_highlighted_by_touch_on_a_phone(begin: Begin) -> None:
    page = begin("correctness", width=375, has_touch=True)
    page.get_by_text("Yes: it answers what was asked").tap()
    page.get_by_role("button", name="Next").tap()
    page.get_by_text("It shows that the answer is right").first.tap()
    words = page.get_by_role("option")
    words.nth(5).tap()
    words.nth(8).tap()
    expect(page.get_by_role("checkbox", name="“built by Ada Quill”")).to_be_visible()
    assert fit_fingers(page, ".option", at_least=4)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["quality", "correctness"])
def test_a_reload_in_the_middle_loses_nothing(begin: Begin, kind: str) -> None:
    page = begin(kind)
    if kind == "quality":
        press(page, "2", "Enter", "1", "Enter", "1", "Enter")
        page.get_by_role("textbox", name="The text, to be improved").fill("Better words.")
    else:
        press(page, "y", "Enter", "1", "End", "Shift+ArrowLeft", "y")
    is_saved(page)
    page.reload()
    if kind == "quality":
        expect(page.get_by_role("textbox", name="The text, to be improved")).to_have_value("Better words.")
        expect(page.locator("ins")).to_contain_text("Better")
        expect(page.get_by_text("4 of 4")).to_be_visible()
    else:
        expect(page.get_by_role("checkbox", name="the war")).to_be_checked()
        expect(page.get_by_text("2 of 4")).to_be_visible()


@pytest.mark.parametrize("kind", ["quality", "correctness"])
def test_nothing_is_lost_while_the_server_is_away(begin: Begin, kind: str) -> None:
    page = begin(kind)
    if kind == "quality":
        press(page, "2", "Enter", "1", "Enter", "1", "Enter")
        page.get_by_role("textbox", name="The text, to be improved").fill("Better words.")
    else:
        press(page, "n")
    page.route("**/hits/**", lambda route: route.abort())
    press(page, "Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("Not sent: no connection.")
    page.unroute("**/hits/**")
    press(page, "Control+Enter")
    expect(page.get_by_text("sent", exact=True)).to_be_visible()
    given = answer()
    assert given["edit"] == "Better words." if kind == "quality" else given["plausible"] is False


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["quality", "correctness"])
def test_it_is_a_plain_form_without_scripts(begin: Begin, kind: str) -> None:
    page = begin(kind, scripts=False)
    if kind == "quality":
        for words in ("With mistakes", "No, or hardly", "A B or a C"):
            page.get_by_label(words).check()
        page.get_by_role("textbox", name="The text, to be improved").fill("Better words.")
    else:
        page.get_by_label("Yes: it answers").check()
        page.get_by_label("It shows that the answer is right").first.check()
        page.get_by_label("The words of the passage that show it, copied").first.fill("by ada  quill")
        page.get_by_label("I have read it again").first.check()
        page.get_by_label("It does not help").nth(1).check()
        page.get_by_label("It does not help").nth(2).check()
    page.get_by_role("button", name="Send").click()
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("sent", exact=True)).to_be_visible()
    given = answer()
    if kind == "quality":
        assert given["edit"] == "Better words."
    else:
        assert given["passages"][0] == {"verdict": 1, "span": list(span("by Ada Quill"))}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["quality", "correctness"])
def test_a_page_weighs_less_than_sixty_kilobytes(browser, live_server, settings, kind: str) -> None:
    """All that a first visit fetches, static files compressed, as they are where the service runs.

    Ten passages, 680 words: people who judged answers elsewhere had 648 to read, by the median.
    """
    settings.MTURK_KEYS = KEYS
    hit = make_hit(kind, passages=[f"Passage {number}." + f" {PASSAGES[1]}" * 3 for number in range(10)])
    context = browser.new_context()
    page = context.new_page()
    weights: dict[str, int] = {}

    def weigh(response: Response) -> None:
        body = response.body()
        weights[response.url] = len(gzip.compress(body) if "/static/" in response.url else body)

    page.on("response", weigh)
    page.goto(f"{hit_url(hit)}?{arrival(hit, f'{live_server.url}/x')}")
    expect(page.get_by_text("1 of 4" if kind == "quality" else "1 of 11")).to_be_visible()
    page.wait_for_load_state("networkidle")
    context.close()
    print(f"{sum(weights.values()):,} bytes in {len(weights)} answers: {sorted(weights.values())}")
    assert len(weights) >= 10
    assert sum(weights.values()) < 60_000
