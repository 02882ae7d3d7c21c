"""Annotating a whole document in a browser: by mouse, by keyboard alone, by touch, and when things break."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.cache import cache
from django.urls import reverse
from playwright.sync_api import Locator, Page, Route, expect

from annotations import questions, responses
from annotations.models import Question, Response
from crowd.models import Reservation
from kbpo.accounts.models import User
from tests.browser.conftest import OpenPage
from tests.browser.looks import fit_fingers
from tests.factories import DocumentFactory, UserFactory
from tests.mediawiki import Wiki, serve_wiki

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TEXT = (
    "Ada Quill founded Quill Press in Port Hallow on 3 May 1961. She was its president.\n\n"
    "The University of Corvel gave Quill a prize. Ben Ash did not come."
)
SUGGESTIONS = [
    {"start": 0, "end": 9, "type": "PER", "canonical": [0, 9], "link": ""},
    {"start": 33, "end": 44, "type": "GPE", "canonical": [33, 44], "link": ""},
]


@pytest.fixture
def worker() -> User:
    return UserFactory.create(annotator=True)


@pytest.fixture
def question() -> Question:
    document = DocumentFactory.create(text=TEXT, segmented=True)
    return questions.ask_entities([document.pk])[document.pk]


@pytest.fixture
def wiki(settings: LazySettings) -> Iterator[Wiki]:
    with serve_wiki() as wiki:
        settings.WIKIPEDIA_API_URL = wiki.url
        cache.clear()
        yield wiki
        cache.clear()


@pytest.fixture
def start(open_page: OpenPage, worker: User, question: Question) -> Callable[..., Page]:
    def start(**options: Any) -> Page:
        page = open_page(reverse("annotate"), user=worker, **options)
        page.get_by_role("button", name="Start").click()
        page.wait_for_url(f"**{reverse('annotate_question', args=[question.pk])}")
        expect(word(page, "Ada")).to_be_visible()
        return page

    return start


def word(page: Page, text: str, nth: int = 0) -> Locator:
    return page.get_by_role("option", name=text, exact=True).and_(page.locator(".w")).nth(nth)


def tags(page: Page) -> list[list[str]]:
    """The words that begin mentions, with their tags."""
    return page.locator(".w[data-tag]").evaluate_all(
        "found => found.map(w => [w.textContent, w.dataset.tag])"
    )


def drag(page: Page, first: Locator, last: Locator) -> None:
    one, other = first.bounding_box(), last.bounding_box()
    assert one is not None
    assert other is not None
    page.mouse.move(one["x"] + one["width"] / 2, one["y"] + one["height"] / 2)
    page.mouse.down()
    page.mouse.move(other["x"] + other["width"] / 2, other["y"] + other["height"] / 2, steps=5)
    page.mouse.up()


def give(page: Page, name: str) -> None:
    page.get_by_role("group", name="Type").get_by_role("button", name=name).click()


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def marked() -> list[tuple[str, str, int]]:
    """The mentions of the one answer: words, type and entity."""
    answer = Response.objects.get().answer
    return [(TEXT[one["start"] : one["end"]], one["type"], one["entity"]) for one in answer["mentions"]]


def links() -> list[dict[str, object]]:
    return [one["link"] for one in Response.objects.get().answer["entities"]]


def aloud(page: Page) -> Locator:
    return page.locator("[data-aloud]")


def send(page: Page) -> None:
    page.get_by_role("button", name="Check and send").click()
    page.get_by_role("dialog").get_by_role("button", name="Send").click()


def saved(page: Page) -> None:
    expect(page.get_by_text("Saved", exact=True)).to_be_visible()


def mark_two(page: Page) -> None:
    """Mark two names with the keyboard, each of an entity without a page."""
    page.locator("[data-text]").focus()
    press(page, "Control+Home", "Shift+ArrowRight", "p", "n")
    press(page, *["ArrowRight"] * 5, "Shift+ArrowRight", "g", "n")
    expect(aloud(page)).to_contain_text("no page")
    assert tags(page) == [["Ada", "P1"], ["Port", "G2"]]


def test_a_document_is_annotated_with_the_mouse(start: Callable[..., Page]) -> None:
    page = start()
    drag(page, word(page, "Ada"), word(page, "Quill"))
    give(page, "Person")
    page.get_by_label("Title of its Wikipedia page").fill("https://en.wikipedia.org/wiki/Ada_Quill")
    page.get_by_label("Title of its Wikipedia page").press("Enter")
    drag(page, word(page, "Quill", 1), word(page, "Press"))
    give(page, "Organization")
    page.get_by_label("It has no page").check()
    drag(page, word(page, "3"), word(page, "1961"))
    give(page, "Date")
    expect(page.get_by_label("Date: 2016-11-03")).to_have_value("1961-05-03")
    word(page, "She").click()
    give(page, "Person")
    page.get_by_role("group", name="Who or what is it?").get_by_role("button", name="Ada Quill").click()
    word(page, "president").click()
    give(page, "Title")
    assert tags(page) == [["Ada", "P1"], ["Quill", "O2"], ["3", "D3"], ["She", "P1"], ["president", "T4"]]
    send(page)
    expect(page.get_by_text("Nothing more is waiting")).to_be_visible()
    assert marked() == [
        ("Ada Quill", "PER", 1),
        ("Quill Press", "ORG", 2),
        ("3 May 1961", "DATE", 3),
        ("She", "PER", 1),
        ("president", "TITLE", 4),
    ]
    assert links() == [{"page": "Ada Quill"}, {"none": True}, {"date": "1961-05-03"}, {"none": True}]
    assert Response.objects.get().seconds is not None


@pytest.mark.slow
def test_a_document_is_annotated_with_the_keyboard_alone(
    open_page: OpenPage, worker: User, question: Question
) -> None:
    page = open_page(reverse("annotate"), user=worker)
    tab_to(page, page.get_by_role("button", name="Start"))
    press(page, "Enter")
    page.wait_for_url(f"**{reverse('annotate_question', args=[question.pk])}")
    tab_to(page, page.locator("[data-text]"))
    press(page, "Shift+ArrowRight", "p")
    press(page, "l")
    page.keyboard.type("ada quill")
    press(page, "Enter")
    press(page, "ArrowRight", "ArrowRight", "Shift+ArrowRight", "o", "n")
    press(page, "PageDown", "p", "1")
    press(page, "PageDown", "ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "o", "n")
    press(page, "Space", "g", "n")  # Corvel, inside it
    press(page, "ArrowRight", "ArrowRight", "p", "1")
    press(page, "Control+Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("6 mentions of 4 things")
    expect(dialog).to_contain_text("“Port Hallow”, “May”")
    expect(dialog).to_contain_text("“Ben Ash”")
    tab_to(page, dialog.get_by_role("button", name="Send"))
    press(page, "Enter")
    expect(page.get_by_text("Nothing more is waiting")).to_be_visible()
    assert marked() == [
        ("Ada Quill", "PER", 1),
        ("Quill Press", "ORG", 2),
        ("She", "PER", 1),
        ("University of Corvel", "ORG", 3),
        ("Corvel", "GPE", 4),
        ("Quill", "PER", 1),
    ]
    assert links() == [{"page": "Ada quill"}, {"none": True}, {"none": True}, {"none": True}]


def tab_to(page: Page, target: Locator) -> None:
    for _ in range(60):
        page.keyboard.press("Tab")
        if target.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError("the Tab key does not get there")


def test_a_document_is_annotated_on_a_touch_screen(start: Callable[..., Page]) -> None:
    page = start(width=768, has_touch=True)
    word(page, "Port").tap()
    page.get_by_role("button", name="End a word later").tap()
    page.get_by_role("group", name="Type").get_by_role("button", name="Place").tap()
    expect(page.locator("[data-chosen]")).to_have_text("“Port Hallow” G1")
    page.get_by_label("It has no page").tap()
    swipe(page, word(page, "Ada"), word(page, "Quill"))
    expect(page.locator("[data-chosen]")).to_have_text("“Ada Quill”")
    page.get_by_role("group", name="Type").get_by_role("button", name="Person").tap()
    page.get_by_label("It has no page").tap()
    word(page, "She").tap()
    page.get_by_role("group", name="Type").get_by_role("button", name="Person").tap()
    page.get_by_role("group", name="Who or what is it?").get_by_role("button", name="Ada Quill").tap()
    page.get_by_role("button", name="Check and send").tap()
    page.get_by_role("dialog").get_by_role("button", name="Send").tap()
    expect(page.get_by_text("Nothing more is waiting")).to_be_visible()
    assert marked() == [("Ada Quill", "PER", 1), ("Port Hallow", "GPE", 2), ("She", "PER", 1)]


def swipe(page: Page, first: Locator, last: Locator) -> None:
    """Draw a finger over words, slowly: what is flung takes no tap until it rests."""
    first.scroll_into_view_if_needed()
    one, other = first.bounding_box(), last.bounding_box()
    assert one is not None
    assert other is not None
    y = one["y"] + one["height"] / 2
    start, end = one["x"] + one["width"] / 2, other["x"] + other["width"] / 2
    touch(page, [(start + (end - start) * part / 5, y) for part in range(6)])


def touch(page: Page, places: list[tuple[float, float]]) -> None:
    """Put a finger down, move it from place to place, and lift it."""
    session = page.context.new_cdp_session(page)
    now = time.time()
    for number, place in enumerate([*places, None]):
        kind = "touchEnd" if place is None else "touchMove" if number else "touchStart"
        points = [] if place is None else [{"x": place[0], "y": place[1]}]
        moment = now + number / 5  # seconds
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points, "timestamp": moment})


@pytest.mark.slow
def test_a_finger_that_moves_down_scrolls_and_selects_nothing(open_page: OpenPage, worker: User) -> None:
    document = DocumentFactory.create(text=(TEXT + "\n\n") * 30, segmented=True)
    questions.ask_entities([document.pk])
    page = open_page(reverse("annotate"), user=worker, width=768, has_touch=True)
    page.get_by_role("button", name="Start").tap()
    place = word(page, "She").bounding_box()
    assert place is not None
    touch(page, [(place["x"] + 5, place["y"] + 5 - 30 * part) for part in range(8)])
    page.wait_for_function("() => window.scrollY > 50")
    assert page.locator(".w.selected").count() == 0


@pytest.mark.slow
def test_the_page_stays_where_it_is_under_a_pointer(open_page: OpenPage, worker: User) -> None:
    document = DocumentFactory.create(text=(TEXT + "\n\n") * 30, segmented=True)
    questions.ask_entities([document.pk])
    page = open_page(reverse("annotate"), user=worker)
    page.get_by_role("button", name="Start").click()
    expect(word(page, "Ada")).to_be_visible()
    page.evaluate("window.scrollTo(0, 600)")
    page.wait_for_function("() => window.scrollY > 500")
    before = page.evaluate("window.scrollY")
    lowest = page.evaluate(
        "() => [...document.querySelectorAll('.w')].findLast(w => w.getBoundingClientRect().bottom < 790).id"
    )
    drag(page, page.locator(f"#{lowest}"), page.locator(f"#{lowest}"))
    assert page.locator(f"#{lowest}.cursor").count() == 1
    assert page.evaluate("window.scrollY") == before


@pytest.mark.slow
def test_a_reload_in_the_middle_loses_nothing(start: Callable[..., Page]) -> None:
    page = start()
    mark_two(page)
    saved(page)
    page.evaluate("localStorage.clear()")  # so that it is the server that knows
    page.reload()
    expect(word(page, "Ada")).to_have_attribute("data-tag", "P1")
    assert tags(page) == [["Ada", "P1"], ["Port", "G2"]]
    send(page)
    expect(page.get_by_text("Nothing more is waiting")).to_be_visible()
    assert marked() == [("Ada Quill", "PER", 1), ("Port Hallow", "GPE", 2)]


@pytest.mark.slow
def test_a_reload_right_after_a_step_loses_nothing(start: Callable[..., Page]) -> None:
    page = start()
    mark_two(page)
    page.reload()
    expect(word(page, "Port")).to_have_attribute("data-tag", "G2")


@pytest.mark.slow
def test_without_a_connection_work_is_kept_in_the_browser_and_saved_later(
    start: Callable[..., Page],
) -> None:
    page = start()
    page.context.route("**/draft/", lambda route: route.abort())
    mark_two(page)
    expect(page.locator("[data-saved]")).to_contain_text("kept in this browser")
    assert Reservation.objects.get().draft is None
    page.evaluate(
        "() => { window.fetch = () => new Promise(() => {}); }"
    )  # no more comes from it, as in a crash
    other = page.context.new_page()
    other.goto(page.url)
    assert tags(other) == [["Ada", "P1"], ["Port", "G2"]]
    page.context.unroute("**/draft/")
    saved(other)
    assert [one["first"] for one in Reservation.objects.get().draft["mentions"]] == [0, 6]


def test_with_the_server_down_during_sending_nothing_is_lost(start: Callable[..., Page]) -> None:
    page = start()
    mark_two(page)

    def refuse(route: Route) -> None:
        if route.request.method == "POST":
            route.abort("connectionrefused")
        else:
            route.fallback()

    page.route("**/questions/**", refuse)
    send(page)
    alert = page.get_by_role("dialog").get_by_role("alert")
    expect(alert).to_contain_text("the server cannot be reached. What you did is kept")
    assert not Response.objects.exists()
    page.unroute("**/questions/**")
    page.route("**/questions/**", lambda route: answer_503(route))
    page.get_by_role("dialog").get_by_role("button", name="Send").click()
    expect(alert).to_contain_text("the server cannot be reached")
    page.unroute("**/questions/**")
    page.reload()
    expect(word(page, "Port")).to_have_attribute("data-tag", "G2")
    send(page)
    expect(page.get_by_text("Nothing more is waiting")).to_be_visible()
    assert marked() == [("Ada Quill", "PER", 1), ("Port Hallow", "GPE", 2)]


def answer_503(route: Route) -> None:
    if route.request.method == "POST":
        route.fulfill(status=503, body="Bad gateway", content_type="text/html")
    else:
        route.fallback()


@pytest.mark.slow
def test_a_refused_answer_says_why_and_loses_nothing(start: Callable[..., Page]) -> None:
    page = start()
    mark_two(page)
    saved(page)

    def spoil(route: Route) -> None:
        answer = route.request.post_data_json["answer"]
        answer["mentions"][0]["end"] -= 1
        route.continue_(post_data={"answer": answer})

    address = f"**{reverse('annotate_question', args=[Question.objects.get().pk])}"
    page.route(address, spoil)
    send(page)
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text(
        "Not sent: the mention “Ada Quil” (sentence 1, characters 0-8) does not begin and end with words"
    )
    page.unroute(address)
    page.get_by_role("dialog").get_by_role("button", name="Send").click()
    expect(page.get_by_text("Nothing more is waiting")).to_be_visible()
    assert len(marked()) == 2


@pytest.mark.slow
def test_who_is_signed_out_meanwhile_is_told_and_loses_nothing(start: Callable[..., Page]) -> None:
    page = start()
    mark_two(page)
    saved(page)
    cookies = page.context.cookies()
    page.context.clear_cookies()
    page.context.add_cookies([one for one in cookies if one["name"] == "csrftoken"])
    send(page)
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("You are signed out")
    page.context.add_cookies(cookies)
    page.get_by_role("dialog").get_by_role("button", name="Send").click()
    expect(page.get_by_text("Nothing more is waiting")).to_be_visible()


@pytest.mark.slow
def test_an_older_window_does_not_write_over_a_later_save(start: Callable[..., Page]) -> None:
    page = start()
    other = page.context.new_page()
    other.goto(page.url)
    mark_two(other)
    saved(other)
    number = Reservation.objects.get().draft_number
    page.evaluate("localStorage.clear()")
    page.locator("[data-text]").focus()
    press(page, "p")
    expect(page.locator("[data-saved]")).to_contain_text("open in another window")
    assert Reservation.objects.get().draft_number == number


@pytest.mark.slow
def test_every_step_is_undone_and_done_again(start: Callable[..., Page]) -> None:
    page = start()
    mark_two(page)
    for _ in range(4):
        press(page, "Control+z")
    assert tags(page) == []
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    for _ in range(3):
        page.get_by_role("button", name="Redo").click()
    assert tags(page) == [["Ada", "P1"], ["Port", "G2"]]
    expect(aloud(page)).to_contain_text("Done again: “Port Hallow” marked as place")
    press(page, "Control+Shift+Z")
    expect(page.get_by_role("button", name="Redo")).to_be_disabled()


def test_suggestions_are_marked_as_such_and_accepted_with_one_key(open_page: OpenPage, worker: User) -> None:
    document = DocumentFactory.create(text=TEXT, segmented=True, suggestions=SUGGESTIONS)
    questions.ask_entities([document.pk])
    page = open_page(reverse("annotate"), user=worker)
    page.get_by_role("button", name="Start").click()
    expect(word(page, "Ada")).to_be_visible()
    page.locator("[data-text]").focus()
    assert tags(page) == [["Ada", "P ?"], ["Port", "G ?"]]
    expect(page.get_by_text("Suggested: “Ada Quill”, person")).to_be_visible()
    press(page, "Enter")
    assert tags(page) == [["Ada", "P1"], ["Port", "G ?"]]
    expect(aloud(page)).to_contain_text("Accepted: “Ada Quill”, person")
    expect(aloud(page)).to_contain_text("Suggested: Port Hallow, place")
    press(page, "Delete")
    assert tags(page) == [["Ada", "P1"]]
    press(page, "Control+z")
    assert tags(page) == [["Ada", "P1"], ["Port", "G ?"]]


@pytest.mark.slow
def test_a_mention_that_would_cut_through_another_is_refused_in_words(start: Callable[..., Page]) -> None:
    page = start()
    drag(page, word(page, "University"), word(page, "Corvel"))
    give(page, "Organization")
    drag(page, word(page, "Corvel"), word(page, "gave"))
    give(page, "Place")
    expect(aloud(page)).to_contain_text("would cut through “University of Corvel”, an organization")
    word(page, "Corvel").dblclick()
    give(page, "Place")
    assert tags(page) == [["University", "O1"], ["Corvel", "G2"]]


@pytest.mark.slow
def test_the_ends_of_a_mention_can_be_moved(start: Callable[..., Page]) -> None:
    page = start()
    word(page, "Quill").click()
    give(page, "Person")
    page.get_by_role("button", name="Begin a word earlier").click()
    assert tags(page) == [["Ada", "P1"]]
    expect(page.locator("[data-chosen]")).to_have_text("“Ada Quill” P1")


@pytest.mark.slow
def test_what_is_missing_must_be_said_before_sending(start: Callable[..., Page]) -> None:
    page = start()
    word(page, "She").click()
    give(page, "Person")
    page.get_by_role("button", name="Check and send").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Send")).to_be_disabled()
    dialog.get_by_role("button", name="“She”: who or what is it?").click()
    expect(page.locator("[data-chosen]")).to_have_text("“She” P?")
    expect(page.locator("[data-text]")).to_be_focused()
    press(page, "0", "Control+Enter")
    dialog.get_by_role("button", name="“She”: which page has it, if any?").click()
    press(page, "n", "Control+Enter")
    expect(dialog.get_by_role("button", name="Send")).to_be_enabled()


@pytest.mark.slow
def test_a_sentence_without_mentions_can_be_ticked_off(start: Callable[..., Page]) -> None:
    page = start()
    page.get_by_role("button", name="Check and send").click()
    row = page.get_by_role("dialog").get_by_role("listitem").filter(has_text="Ben Ash")
    row.get_by_label("nothing there").check()
    saved(page)
    page.reload()
    page.get_by_role("button", name="Check and send").click()
    expect(row.get_by_label("nothing there")).to_be_checked()


@pytest.mark.slow
def test_two_entities_can_be_made_one(start: Callable[..., Page]) -> None:
    page = start()
    mark_two(page)
    drag(page, word(page, "Ben"), word(page, "Ash"))
    give(page, "Person")
    page.get_by_label("It is the same as").select_option(label="P1 Ada Quill")
    assert tags(page) == [["Ada", "P1"], ["Port", "G2"], ["Ben", "P1"]]


@pytest.mark.slow
def test_an_entity_in_the_list_lights_up_its_mentions(start: Callable[..., Page]) -> None:
    page = start()
    mark_two(page)
    page.get_by_role("list", name="Found").get_by_role("button", name="Ada Quill").click()
    expect(page.locator(".w.current")).to_have_text(["Ada", "Quill"])


@pytest.mark.slow
def test_an_impossible_date_or_title_is_refused_at_its_field(start: Callable[..., Page]) -> None:
    page = start()
    word(page, "1961").click()
    give(page, "Date")
    field = page.get_by_label("Date: 2016-11-03")
    field.fill("1961-02-30")
    field.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="Write a date like")).to_be_visible()
    field.fill("1961-02")
    field.press("Enter")
    expect(page.get_by_role("list", name="Found")).to_contain_text("1961-02")


def test_those_who_hear_the_page_are_told_what_happens(start: Callable[..., Page]) -> None:
    page = start()
    text = page.get_by_role("listbox", name="The document, word by word")
    text.focus()
    press(page, "Control+Home")
    active = (
        "document.getElementById(document.activeElement.getAttribute('aria-activedescendant')).textContent"
    )
    assert page.evaluate(active) == "Ada"
    press(page, "Shift+ArrowRight")
    expect(aloud(page)).to_have_text("Selected: Ada Quill")
    assert page.locator("[aria-selected=true]").all_text_contents() == ["Ada", "Quill"]
    press(page, "p")
    expect(aloud(page)).to_have_text("“Ada Quill” marked as person; P1, new")
    expect(word(page, "Ada")).to_have_attribute("aria-description", "PER 1")
    expect(page.get_by_role("group", name="Type").get_by_role("button", name="Person")).to_have_attribute(
        "aria-pressed", "true"
    )
    press(page, "ArrowRight", "r")
    expect(aloud(page)).to_have_text("Ada Quill founded Quill Press in Port Hallow on 3 May 1961.")
    expect(page.get_by_role("group", name="Sentence 2")).to_contain_text("She was its president.")


@pytest.mark.slow
def test_letters_typed_into_a_field_are_no_commands(start: Callable[..., Page]) -> None:
    page = start()
    press(page, "Tab")
    word(page, "Ada").click()
    press(page, "p")
    page.get_by_label("Title of its Wikipedia page").fill("")
    page.get_by_label("Title of its Wikipedia page").press_sequentially("pogdtx")
    expect(word(page, "Ada")).to_have_attribute("data-tag", "P1")
    assert len(tags(page)) == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_has_room_for_fingers_and_no_sideways_scrolling(
    start: Callable[..., Page], scheme: str
) -> None:
    page = start(width=360, has_touch=True, scheme=scheme)
    word(page, "Ada").tap()
    page.get_by_role("group", name="Type").get_by_role("button", name="Person").tap()
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert fit_fingers(page, ".workbench button, .workbench input[type=text]")
    expect(page.get_by_role("list", name="Found")).to_be_attached()


def test_it_is_not_shown_to_those_who_were_not_given_it(open_page: OpenPage, question: Question) -> None:
    page = open_page(
        reverse("annotate_question", args=[question.pk]), user=UserFactory.create(annotator=True)
    )
    expect(page.get_by_text("There is no such")).to_be_visible()


@pytest.mark.slow
def test_what_was_sent_stays(start: Callable[..., Page], worker: User, question: Question) -> None:
    page = start()
    mark_two(page)
    answer = {"mentions": [], "entities": []}
    responses.record(question=question, worker=worker, answer=answer)
    send(page)
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("your first answer stays")


@pytest.mark.slow
def test_a_key_that_ends_a_composed_word_leaves_the_field_as_it_is(start: Callable[..., Page]) -> None:
    page = start()
    page.locator("[data-text]").focus()
    press(page, "Control+Home", *["ArrowRight"] * 6, "Shift+ArrowRight", "g", "l")
    title = page.get_by_label("Title of its Wikipedia page")
    expect(title).to_be_focused()
    title.dispatch_event("keydown", {"key": "Enter", "code": "Enter", "isComposing": True})
    expect(title).to_be_focused()
    title.dispatch_event("keydown", {"key": "Enter", "code": "Enter"})
    expect(page.locator("[data-text]")).to_be_focused()


@pytest.mark.slow
def test_pages_are_found_while_one_types(start: Callable[..., Page], wiki: Wiki) -> None:
    page = start()
    page.locator("[data-text]").focus()
    press(page, "Control+Home", *["ArrowRight"] * 6, "Shift+ArrowRight", "g", "l")
    option = page.get_by_role("listbox", name="Pages found").get_by_role("option").first
    expect(option).to_contain_text("Port Hallow")  # by its name alone: nothing was typed
    press(page, "ArrowDown", "Enter")
    expect(page.get_by_label("Title of its Wikipedia page")).to_have_value("Port Hallow")
    expect(page.get_by_role("list", name="Found")).to_contain_text("Port Hallow")
    press(page, "Enter")
    expect(page.locator("[data-text]")).to_be_focused()
    send(page)
    expect(page.get_by_text("Nothing more is waiting")).to_be_visible()
    assert links() == [{"page": "Port Hallow"}]


@pytest.mark.slow
def test_with_the_search_down_titles_are_typed(start: Callable[..., Page], wiki: Wiki) -> None:
    wiki.behaviour = "500"
    page = start()
    page.locator("[data-text]").focus()
    press(page, "Control+Home", "p", "l")
    expect(page.get_by_text("The search of Wikipedia is down: type the page’s title.")).to_be_visible()
    page.keyboard.type("Ada")
    press(page, "Enter")
    expect(page.get_by_role("list", name="Found").locator(".to")).to_have_text("Ada")
