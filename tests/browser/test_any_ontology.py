"""Both interfaces under an ontology of another shape than TAC's, by keyboard."""

from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotations import questions
from annotations.kinds.relation import Mention, RelationQuestion
from annotations.models import Document, Response
from tests.boats import BOATS, GULL, GULL_AGAIN, KETCH, TERN, load_boats
from tests.browser.conftest import OpenPage
from tests.browser.looks import picture
from tests.factories import UserFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def document(tmp_path: Path) -> Document:
    return load_boats(tmp_path).documents.get()


def test_a_document_is_marked_with_the_keys_of_its_ontology(open_page: OpenPage, document: Document) -> None:
    questions.ask_entities([document.pk])
    page = open_page(reverse("annotate"), user=UserFactory.create(annotator=True), width=360)
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("option").first).to_be_visible()
    page.locator("[data-text]").focus()
    for key in ("Control+Home", "Shift+ArrowRight", "k", "n", *["ArrowRight"] * 3, "b", "n"):
        page.keyboard.press(key)
    for key in (*["ArrowRight"] * 3, "i"):
        page.keyboard.press(key)
    tags = page.locator(".w[data-tag]:not(.suggested)").evaluate_all("all => all.map(w => w.dataset.tag)")
    assert tags == ["K1", "B2", "I3"]
    expect(page.locator("[data-aloud]")).to_contain_text("“ketch” marked as rig")
    colours = page.locator(".w.outer").evaluate_all(
        "all => all.map(w => getComputedStyle(w).borderBottomColor)"
    )
    assert len(set(colours)) == 3
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    picture(page, "boats-document")
    page.get_by_role("button", name="Check and send").click()
    page.get_by_role("dialog").get_by_role("button", name="Send").click()
    expect(page.get_by_text("Nothing more is waiting")).to_be_visible()
    answer = Response.objects.get().answer
    assert [one["type"] for one in answer["mentions"]] == ["CREW", "BOAT_2", "RIG"]


@pytest.mark.slow
def test_a_relation_is_answered_in_the_words_of_its_ontology(open_page: OpenPage, document: Document) -> None:
    pairs = [(GULL, "BOAT_2", KETCH, "RIG"), (GULL_AGAIN, "BOAT_2", TERN, "BOAT_2")]
    for one, of_one, other, of_other in pairs:
        asked = RelationQuestion.about(Mention(one, of_one), Mention(other, of_other), BOATS)
        questions.ask([(document.pk, asked)])
    page = open_page(reverse("annotate"), user=UserFactory.create(annotator=True), width=360)
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("is rigged as")).to_be_visible()
    page.wait_for_load_state("networkidle")
    page.keyboard.press("1")
    page.get_by_text("When each of them holds").first.click()
    expect(page.get_by_text("As the text says that she sails now.")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    picture(page, "boats-relation")
    page.get_by_role("button", name="Send").press("Enter")
    expect(page.get_by_text("were built alike")).to_be_visible()
    page.wait_for_load_state("networkidle")
    page.keyboard.press("0")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing more is waiting")).to_be_visible()
    said = [response.answer["relations"] for response in Response.objects.order_by("question")]
    assert said == [[{"predicate": "X__rigged-as", "subject": 0}], []]
