"""The tutorial of whole documents: with the interface's own keys, on every screen."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from crowd.interfaces.registry import find_tutorial
from tests.browser.conftest import OpenPage
from tests.browser.looks import picture
from tests.factories import UserFactory
from tests.ontologies import TAC

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize(
    "width", [360, *(pytest.param(width, marks=pytest.mark.slow) for width in (768, 1280))]
)
def test_it_is_taken_with_the_keys_of_the_interface(open_page: OpenPage, width: int) -> None:
    address = reverse("annotate_tutorial_of", args=["entities"])
    page = open_page(address, user=UserFactory.create(annotator=True), width=width)
    picture(page, f"marking-tutorial-start-{width}")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.get_by_role("button", name="Begin").click()
    practice = find_tutorial("entities", TAC).practice
    for index, one in enumerate(practice):
        expect(page.get_by_role("heading", name=f"Question {index + 1} of 10")).to_be_visible()
        expect(page.get_by_text("Keys ?")).to_be_visible()  # the script is there
        best = one.right_answer["choice"]
        [key] = [choice.key for choice in one.page({}).steps[0].choices if choice.value == best]
        if index == 0:
            key = "p"
            picture(page, f"marking-tutorial-question-{width}")
        page.keyboard.press(key)
        page.keyboard.press("Enter")
        verdict = "Not quite" if index == 0 else "Right"
        expect(page.get_by_role("heading", name=verdict, exact=True)).to_be_visible()
        if index in (0, 6):
            picture(page, f"marking-tutorial-explained-{index}-{width}")
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        expect(page.locator("[data-next]")).to_be_focused()
        page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="9 of 10 right")).to_be_visible()
