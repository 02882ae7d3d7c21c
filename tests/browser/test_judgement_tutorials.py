"""The tutorials of judging what systems write: by keyboard alone, on a phone too, with a reload."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from crowd.interfaces.correctness.page import word_spans
from crowd.interfaces.correctness.tutorial import EvidencePractice, PlausiblePractice
from crowd.interfaces.registry import find_tutorial
from crowd.tutorials.lesson import Practice
from tests.browser.axe import violations
from tests.browser.conftest import OpenPage
from tests.browser.looks import looks, picture
from tests.factories import UserFactory
from tests.ontologies import TAC

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

VERDICTS = {1: "1", -1: "2", 0: "3"}
LEVELS = {1: "1", 0: "2", -1: "3"}


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
            page.keyboard.press("Enter")
            expect(page.get_by_role("button", name="Check")).to_be_visible()
            page.reload()
        answer(page, practice)
        expect(page.get_by_role("heading", name="Right", exact=True)).to_be_visible()
        if number in (1, len(lesson.practice) - 2):
            assert violations(page) == []
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
            picture(page, f"tutorial-{kind}-{number}-{width}-{scheme}")
        page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=f"{number} of {number} right")).to_be_visible()
    expect(page.get_by_text("You are ready.")).to_be_visible()
