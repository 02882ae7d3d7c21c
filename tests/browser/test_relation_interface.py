"""Answering questions in a browser: with the keyboard alone, on a phone, and without scripts."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotations.kinds.canonical import CanonicalQuestion
from annotations.kinds.relation import Mention, RelationQuestion
from annotations.models import Question, Response
from kbpo.accounts.models import User
from kbpo_formats.spans import Span
from tests.browser.conftest import OpenPage
from tests.browser.looks import fit_fingers
from tests.factories import ADA, PRESS, SHE, TEXT, YEAR, DocumentFactory, QuestionFactory, UserFactory
from tests.ontologies import TAC

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

BEFORE = "Nothing of note happened here. " * 200


@pytest.fixture
def worker() -> User:
    return UserFactory.create(annotator=True)


@pytest.fixture
def founded() -> Question:
    """Who founded what, far down in a long document, with a question about her full name."""
    document = DocumentFactory.create(text=BEFORE + TEXT + " " + BEFORE.strip(), sentences=True)
    asked = RelationQuestion.about(Mention(moved(SHE), "PER"), Mention(moved(PRESS), "ORG"), TAC)
    question = QuestionFactory.create(document=document, asked=asked)
    QuestionFactory.create(document=document, asked=CanonicalQuestion(moved(SHE), moved(ADA)))
    return question


@pytest.fixture
def married(founded: Question) -> Question:
    """A second question, without companions."""
    asked = RelationQuestion.about(Mention(moved(ADA), "PER"), Mention(moved(PRESS), "PER"), TAC)
    return QuestionFactory.create(
        document__corpus=founded.document.corpus, document__text=BEFORE + TEXT, asked=asked
    )


def moved(span: Span) -> Span:
    return Span(span.start + len(BEFORE), span.end + len(BEFORE))


def start(open_page: OpenPage, worker: User, **options: object) -> Page:
    page = open_page(reverse("annotate"), user=worker, **options)
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/questions/*/")
    return page


def answers() -> list[dict[str, object]]:
    return [response.answer for response in Response.objects.order_by("question")]


def test_a_worker_answers_with_the_keyboard_alone(
    open_page: OpenPage, worker: User, founded: Question, married: Question
) -> None:
    page = open_page(reverse("annotate"), user=worker)
    button = page.get_by_role("button", name="Start")
    for _ in range(20):
        page.keyboard.press("Tab")
        if button.evaluate("button => button === document.activeElement"):
            break
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{reverse('annotate_question', args=[founded.pk])}")

    page.keyboard.press("3")
    expect(page.get_by_label("founded")).to_be_checked()
    page.keyboard.press("Enter")
    expect(page.get_by_role("group", name="right full name")).to_be_visible()
    page.keyboard.press("y")
    page.keyboard.press("Enter")

    page.wait_for_url(f"**{reverse('annotate_question', args=[married.pk])}")
    page.keyboard.press("0")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing more is waiting")).to_be_visible()
    assert answers() == [
        {
            "version": 1,
            "none": False,
            "relations": [{"predicate": "per:organizations_founded", "subject": 0}],
        },
        {"version": 1, "right": True},
        {"version": 1, "none": True, "relations": []},
    ]


PRESS_KEY = """([key, code]) => document.activeElement.dispatchEvent(
  new KeyboardEvent("keydown", { key, code, bubbles: true, cancelable: true }))"""


@pytest.mark.parametrize("key", ['"', "٣", "３", "š"], ids=["French", "Arabic", "wide", "Czech"])
def test_the_row_of_digits_answers_on_any_keyboard(
    open_page: OpenPage, worker: User, founded: Question, key: str
) -> None:
    page = start(open_page, worker)
    page.evaluate(PRESS_KEY, [key, "Digit3"])
    expect(page.get_by_label("founded")).to_be_checked()


def test_only_what_is_asked_about_is_set_apart_in_the_text(
    open_page: OpenPage, worker: User, founded: Question
) -> None:
    page = start(open_page, worker)
    text = page.locator(".passage .text")
    shown = text.inner_text()
    assert "person\xa0She founded" in shown
    assert "here. Ada Quill was born" in shown


@pytest.mark.slow
@pytest.mark.parametrize("key", ["Backspace", "b"])
def test_back_goes_to_the_question_before_and_its_answer_can_be_changed(
    open_page: OpenPage, worker: User, founded: Question, key: str
) -> None:
    page = start(open_page, worker)
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    page.keyboard.press(key)
    expect(page.get_by_label("works or worked for")).to_be_checked()
    page.keyboard.press("0")
    expect(page.get_by_label("works or worked for")).not_to_be_checked()
    page.keyboard.press("Enter")
    page.keyboard.press("n")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing more is waiting")).to_be_visible()
    assert [answer.get("none", answer.get("right")) for answer in answers()] == [True, False]


@pytest.mark.slow
def test_the_first_question_has_nothing_before_it(
    open_page: OpenPage, worker: User, founded: Question
) -> None:
    page = start(open_page, worker)
    expect(page.get_by_role("button", name="Back")).to_be_hidden()
    page.keyboard.press("Backspace")
    expect(page.get_by_role("alert")).to_contain_text("This is the first question")


@pytest.mark.slow
def test_none_of_these_and_the_relations_exclude_each_other(
    open_page: OpenPage, worker: User, founded: Question
) -> None:
    page = start(open_page, worker)
    for key, ticked in (("0", ["none"]), ("2", ["schools"]), ("3", ["schools", "founded"]), ("0", ["none"])):
        page.keyboard.press(key)
        values = page.locator("[data-step] input:checked").evaluate_all("found => found.map(i => i.value)")
        assert len(values) == len(ticked)
        assert all(word in value for word, value in zip(ticked, values, strict=True))
    page.keyboard.press("0")
    expect(page.get_by_label("None of these")).not_to_be_checked()


@pytest.mark.slow
def test_going_on_without_an_answer_says_what_is_missing(
    open_page: OpenPage, worker: User, founded: Question
) -> None:
    page = start(open_page, worker)
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("none of these (0)")
    page.keyboard.press("0")
    expect(page.get_by_role("alert")).to_be_hidden()
    assert not Response.objects.exists()


def test_the_question_mark_shows_and_hides_the_keys(
    open_page: OpenPage, worker: User, founded: Question
) -> None:
    page = start(open_page, worker)
    expect(page.get_by_text("show or hide these keys")).to_be_hidden()
    page.keyboard.press("?")
    expect(page.get_by_text("show or hide these keys")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_text("show or hide these keys")).to_be_hidden()


def test_only_the_mentions_of_the_question_at_hand_are_marked(
    open_page: OpenPage, worker: User, founded: Question
) -> None:
    page = start(open_page, worker)
    tags = page.get_by_role("region", name="The document").locator(".tag:visible")
    expect(tags).to_have_text(["A person", "B organization"])
    page.keyboard.press("0")
    page.keyboard.press("Enter")
    expect(tags).to_have_text(["C full name?", "A person"])


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, pytest.param(1280, marks=pytest.mark.slow)])
def test_the_mentions_are_in_view_and_the_rest_can_be_read(
    open_page: OpenPage, worker: User, founded: Question, width: int
) -> None:
    page = start(open_page, worker, width=width)
    box = page.get_by_role("region", name="The document")
    seen = box.evaluate(
        """box => [...box.querySelectorAll(".mention-a, .mention-b")].every((mention) => {
          const [outer, inner] = [box.getBoundingClientRect(), mention.getBoundingClientRect()];
          return outer.top <= inner.top && inner.bottom <= outer.bottom;
        })"""
    )
    assert seen
    assert box.evaluate("box => box.scrollHeight > box.clientHeight")


def test_a_phone_has_room_for_fingers_and_no_sideways_scrolling(
    open_page: OpenPage, worker: User, founded: Question
) -> None:
    page = start(open_page, worker, width=360)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert fit_fingers(page, "label.option, .questions button, .questions a")


def test_it_is_a_plain_form_without_scripts(open_page: OpenPage, worker: User, founded: Question) -> None:
    page = start(open_page, worker, scripts=False)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("alert")).to_contain_text("Tick what holds")
    page.get_by_label("founded").check()
    page.get_by_label("No, it is wrong").check()
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Nothing more is waiting")).to_be_visible()
    assert [answer.get("right") for answer in answers()] == [None, False]


def test_every_choice_has_a_name_for_those_who_hear_it(
    open_page: OpenPage, worker: User, founded: Question
) -> None:
    page = start(open_page, worker)
    group = page.get_by_role("group", name="What does the document say of A She and B Quill Press?")
    expect(group.get_by_role("checkbox", name="A She founded B Quill Press", exact=True)).to_be_visible()


def test_the_pairs_of_a_sentence_are_asked_on_one_page(
    open_page: OpenPage, worker: User, founded: Question
) -> None:
    asked = RelationQuestion.about(Mention(moved(PRESS), "ORG"), Mention(moved(YEAR), "DATE"), TAC)
    QuestionFactory.create(document=founded.document, asked=asked)
    page = start(open_page, worker)
    expect(
        page.get_by_role("group", name="What does the document say of A She and B Quill Press?")
    ).to_be_visible()
    page.keyboard.press("0")
    page.keyboard.press("Enter")
    expect(page.get_by_text("2 of 3")).to_be_visible()
    page.keyboard.press("1")
    expect(page.get_by_label("was founded on")).to_be_checked()
    page.keyboard.press("Enter")
    page.keyboard.press("y")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing more is waiting")).to_be_visible()
    assert len(answers()) == 3
