"""The tutorials of judging what systems write: by keyboard alone, on a phone too, with a reload."""

import gzip
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from django.conf import settings
from django.urls import reverse
from playwright.sync_api import Page, Response, expect

from crowd.interfaces.correctness.page import word_spans
from crowd.interfaces.correctness.tutorial import EvidencePractice, PlausiblePractice
from crowd.interfaces.quality.tutorial import EditPractice
from crowd.interfaces.registry import find_tutorial
from crowd.tutorials.lesson import Practice
from tests.browser.axe import violations
from tests.browser.conftest import OpenPage
from tests.browser.looks import fit_fingers, looks, picture
from tests.factories import UserFactory
from tests.ontologies import TAC

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

VERDICTS = {1: "1", -1: "2", 0: "3"}
LEVELS = {1: "1", 0: "2", -1: "3"}
HARD = {"quality": EditPractice, "correctness": EvidencePractice}


def answer(page: Page, practice: Practice) -> None:
    """Answer a practice question rightly, with keys alone."""
    right = practice.right_answer
    expect(page.locator("[data-keys]")).to_be_visible()  # the scripts are there
    if isinstance(practice, PlausiblePractice):
        page.keyboard.press("y" if right["plausible"] else "n")
    elif isinstance(practice, EvidencePractice):
        (one,) = right["passages"]
        page.keyboard.press(VERDICTS[one["verdict"]])
        if one["span"] is not None:
            start, end = one["span"]
            words = word_spans(practice.asked, practice.asked.passages[0])
            inside = [number for number, word in enumerate(words) if start <= word.start and word.end <= end]
            for _ in range(inside[0]):
                page.keyboard.press("ArrowRight")
            for _ in inside[1:]:
                page.keyboard.press("Shift+ArrowRight")
            page.keyboard.press("y")
    elif "edit" in right:
        expect(page.get_by_role("textbox", name="The text, to be improved")).to_be_focused()
        page.keyboard.press("Control+a")
        page.keyboard.insert_text(right["edit"])
    else:
        (level,) = right.values()
        page.keyboard.press(LEVELS[level])
    page.keyboard.press("Control+Enter")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["quality", "correctness"])
@looks(375, 1280)
def test_it_is_passed_by_keyboard_alone(open_page: OpenPage, kind: str, width: int, scheme: str) -> None:
    lesson = find_tutorial(kind, TAC)
    page = open_page(
        reverse("annotate_tutorial_of", args=[kind]),
        user=UserFactory.create(annotator=True),
        width=width,
        scheme=scheme,
    )
    assert violations(page) == []
    picture(page, f"tutorial-{kind}-start-{width}-{scheme}")
    page.get_by_role("button", name="Begin").press("Enter")
    for number, practice in enumerate(lesson.practice, 1):
        expect(
            page.get_by_role("heading", name=f"Question {number} of {len(lesson.practice)}")
        ).to_be_visible()
        if number == 1:
            expect(page.locator("[data-keys]")).to_be_visible()
            page.keyboard.press("n" if isinstance(practice, PlausiblePractice) else "3")  # wrong
            page.keyboard.press("Enter")
            expect(page.get_by_role("heading", name="Not quite")).to_be_visible()
            expect(page.locator("[data-next]")).to_be_focused()
            page.keyboard.press("Enter")
            expect(page.get_by_role("button", name="Check")).to_be_visible()
            page.reload()
        answer(page, practice)
        expect(page.get_by_role("heading", name="Right", exact=True)).to_be_visible()
        if number in (1, len(lesson.practice) - 2):
            assert violations(page) == []
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
            picture(page, f"tutorial-{kind}-{number}-{width}-{scheme}")
        expect(page.locator("[data-next]")).to_be_focused()
        page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=f"{number} of {number} right")).to_be_visible()
    expect(page.get_by_text("You are ready.")).to_be_visible()


@pytest.fixture
def begin(open_page: OpenPage) -> Callable[..., tuple[Page, Practice]]:
    """Open a tutorial at its first question of the kind that takes most: an edit, evidence."""

    def act(kind: str, **options: Any) -> tuple[Page, Practice]:
        practice, address = find_tutorial(kind, TAC).practice, reverse("annotate_tutorial_of", args=[kind])
        place = next(number for number, one in enumerate(practice) if isinstance(one, HARD[kind]))
        page = open_page(address, user=UserFactory.create(annotator=True), **options)
        cookies = {cookie["name"]: cookie["value"] for cookie in page.context.cookies()}
        session = import_module(settings.SESSION_ENGINE).SessionStore(cookies[settings.SESSION_COOKIE_NAME])
        session[f"tutorial-{kind}"] = [one.right_answer for one in practice[:place]]
        session.save()
        page.reload()
        expect(page.get_by_role("button", name="Undo")).to_be_visible()  # the scripts are there
        return page, practice[place]

    return act


def fill_in(page: Page, kind: str) -> None:
    """Begin to answer: words of an edit, or a highlight."""
    if kind == "quality":
        page.get_by_role("textbox", name="The text, to be improved").fill("Other words.")
        expect(page.locator("ins")).to_contain_text("Other")
    else:
        page.keyboard.press("1")
        page.keyboard.press("Shift+ArrowRight")
        expect(page.get_by_role("checkbox")).to_be_visible()


def is_filled_in(page: Page, kind: str) -> None:
    if kind == "quality":
        field = page.get_by_role("textbox", name="The text, to be improved")
        expect(field).to_have_value("Other words.")
        expect(page.locator("ins")).to_contain_text("Other")
    else:
        expect(page.get_by_role("radio", name="It shows that the answer is right")).to_be_checked()
        expect(page.get_by_role("checkbox")).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["quality", "correctness"])
def test_nothing_is_lost_by_a_reload_or_by_undo_or_while_the_server_is_away(begin: Any, kind: str) -> None:
    page, practice = begin(kind)
    fill_in(page, kind)
    page.reload()
    is_filled_in(page, kind)
    page.get_by_role("button", name="Undo").focus()
    page.keyboard.press("Control+z")
    is_filled_in(page, kind)  # what came back is where undo begins
    if kind == "correctness":
        page.get_by_role("listbox").press("Delete")
    page.route("**/annotate/**", lambda route: route.abort())
    answer(page, practice)
    expect(page.get_by_role("alert")).to_contain_text("Not sent: no connection.")
    page.unroute("**/annotate/**")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", name="Right", exact=True)).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["quality", "correctness"])
def test_a_question_is_answered_by_touch_on_a_phone(begin: Any, kind: str) -> None:
    page, practice = begin(kind, width=375, has_touch=True)
    if kind == "quality":
        page.get_by_role("textbox", name="The text, to be improved").fill(practice.right_answer["edit"])
    else:
        (one,) = practice.right_answer["passages"]
        page.locator(f"label.option:nth-of-type({VERDICTS[one['verdict']]})").first.tap()
        start, end = one["span"]
        words = word_spans(practice.asked, practice.asked.passages[0])
        inside = [number for number, word in enumerate(words) if start <= word.start and word.end <= end]
        page.get_by_role("option").nth(inside[0]).tap()
        page.get_by_role("option").nth(inside[-1]).tap()
        page.get_by_role("checkbox").tap()
    assert fit_fingers(page, ".actions button, .option", at_least=1)
    page.get_by_role("button", name="Check").tap()
    expect(page.get_by_role("heading", name="Right", exact=True)).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["quality", "correctness"])
def test_a_page_weighs_less_than_sixty_kilobytes(begin: Any, kind: str) -> None:
    page, _ = begin(kind)
    weights: dict[str, int] = {}

    def weigh(response: Response) -> None:
        body = response.body()
        weights[response.url] = len(gzip.compress(body) if "/static/" in response.url else body)

    fresh = page.context.new_page()  # nothing is kept of what the other has fetched
    fresh.context.new_cdp_session(fresh).send("Network.setCacheDisabled", {"cacheDisabled": True})
    fresh.on("response", weigh)
    fresh.goto(page.url)
    expect(fresh.get_by_role("button", name="Undo")).to_be_visible()
    fresh.wait_for_load_state("networkidle")
    print(f"{sum(weights.values()):,} bytes in {len(weights)} answers: {sorted(weights.values())}")
    assert len(weights) >= 10
    assert sum(weights.values()) < 60_000
