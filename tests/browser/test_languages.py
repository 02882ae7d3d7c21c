"""Marking documents that are written from right to left, or without spaces; and how their pages look."""

from collections.abc import Callable
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotations import questions
from annotations.models import Document, Question, Response
from tests.browser.conftest import OpenPage
from tests.browser.looks import picture
from tests.browser.test_entity_interface import drag, give, press, saved, send, tags, word
from tests.factories import CorpusFactory, DocumentFactory, UserFactory
from tests.languages import ARABIC, CHINESE, Sample

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Start = Callable[..., Page]


def load(sample: Sample) -> Document:
    corpus = CorpusFactory.create(language=sample.language)
    title = sample.title.format(**sample.named(0))
    return DocumentFactory.create(corpus=corpus, title=title, text=sample.text(0), segmented=True)


@pytest.fixture
def start(open_page: OpenPage) -> Start:
    def start(sample: Sample, **options: Any) -> Page:
        document = load(sample)
        question = questions.ask_entities([document.pk])[document.pk]
        page = open_page(reverse("annotate"), user=UserFactory.create(annotator=True), **options)
        page.get_by_role("button", name="Start").click()
        page.wait_for_url(f"**{reverse('annotate_question', args=[question.pk])}")
        expect(page.locator(".w").first).to_be_visible()
        return page

    return start


def marked() -> list[str]:
    """The words of the one answer's mentions."""
    text = Question.objects.get().document.text
    return [text[one["start"] : one["end"]] for one in Response.objects.get().answer["mentions"]]


def test_arabic_words_are_marked_whole_by_mouse_and_the_next_is_to_the_left(start: Start) -> None:
    page = start(ARABIC)
    letter = (
        page.get_by_role("option", name="ل", exact=True).and_(page.locator(".w")).nth(1)
    )  # that may be "to"
    drag(page, letter, word(page, "الحداد"))
    give(page, "Person")
    assert tags(page) == [["ل", "P1"]]
    first, second = letter.bounding_box(), word(page, "الحداد").bounding_box()
    assert first is not None
    assert second is not None
    assert second["x"] < first["x"]
    picture(page, "arabic-1280")
    press(page, "n")
    page.locator("[data-text]").focus()
    press(page, "ArrowLeft", "ArrowLeft", "g", "n")
    assert tags(page) == [["ل", "P1"], ["دمشق", "G2"]]
    press(page, *["ArrowRight"] * 7)
    expect(word(page, "وُ")).to_have_class("w cursor")
    saved(page)
    send(page)
    page.wait_for_url(f"**{reverse('annotate')}")
    assert marked() == ["ليلى الحداد", "دمشق"]


@pytest.mark.slow
def test_chinese_is_marked_character_by_character(start: Start) -> None:
    page = start(CHINESE)
    page.locator("[data-text]").focus()
    press(page, "Control+Home", "Shift+ArrowRight", "p", "n")
    assert tags(page) == [["林", "P1"]]
    drag(page, word(page, "苏"), word(page, "州"))
    give(page, "Place")
    picture(page, "chinese-1280")
    press(page, "n")
    saved(page)
    send(page)
    page.wait_for_url(f"**{reverse('annotate')}")
    assert marked() == ["林华", "苏州"]


@pytest.mark.slow
@pytest.mark.parametrize("sample", [ARABIC, CHINESE], ids=lambda sample: sample.language)
def test_a_document_fits_a_phone(start: Start, sample: Sample) -> None:
    page = start(sample, width=360)
    page.locator(".w").first.click()
    give(page, "Person")
    picture(page, f"{sample.language}-360")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    expect(page.locator("[data-text]")).to_have_css("direction", sample.direction)
