"""The operators' desk in a browser: with a mouse, by keyboard alone, on a phone."""

from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotations import responses
from annotations.kinds.entities import EntitiesQuestion
from crowd.models import Assignment, HitBatch
from kbpo.accounts.models import User
from tests import crowd
from tests.browser.axe import violations
from tests.browser.conftest import OpenPage
from tests.browser.looks import is_broken, looks, picture
from tests.browser.test_judgement_hits import make_hit, span
from tests.factories import (
    ADA,
    AssignmentFactory,
    CorpusFactory,
    DocumentFactory,
    HitBatchFactory,
    HitFactory,
    QuestionFactory,
    ResponseFactory,
    UserFactory,
    WorkerIdentityFactory,
)

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def account(settings: LazySettings) -> None:
    settings.HIT_BASE_URL = "http://127.0.0.1:9"
    settings.MTURK_IS_BUILT_IN = True
    settings.MTURK_KEYS = ("a key", "its secret")


@pytest.fixture
def operator() -> User:
    return UserFactory.create(operator=True, name="Olga Operator")


@pytest.fixture
def batch() -> HitBatch:
    corpus = CorpusFactory.create(name="Lowmarch news")
    crowd.fund(corpus)
    return HitBatchFactory.create(corpus=corpus)


@pytest.fixture
def flagged(batch: HitBatch) -> Assignment:
    document = DocumentFactory.create(corpus=batch.corpus, sentences=True, title="Ada Quill, founder")
    question = QuestionFactory.create(document=document)
    hit = HitFactory.create(batch=batch, questions=[question])
    made = []
    for said in (crowd.NONE, crowd.BORN, crowd.BORN):
        worker = WorkerIdentityFactory.create()
        assignment = AssignmentFactory.create(
            hit=hit, worker=worker, sent=True, submitted_at=timezone.now() - timedelta(hours=1)
        )
        assignment.responses.set(
            [responses.record(question=question, worker=worker.user, answer=said, seconds=9.0)]
        )
        made.append(assignment)
    first: Assignment = made[0]
    first.flag = "Done in 1.2 s; for the like of it workers take 20 s, by the median."
    first.save()
    return first


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))


@pytest.mark.slow
def test_a_batch_is_paused_with_a_reason_and_goes_on(
    open_page: OpenPage, operator: User, batch: HitBatch
) -> None:
    page = open_page(reverse("desk"), user=operator)
    page.get_by_role("link", name=f"Relations {batch.pk}").click()
    page.get_by_role("button", name="Pause").click()  # the browser asks for the reason
    expect(page.get_by_label("Why it is paused")).to_be_focused()
    page.get_by_label("Why it is paused").fill("The names are in another script.")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("heading", name="Paused")).to_be_visible()
    expect(page.get_by_text("The names are in another script. (Olga Operator")).to_be_visible()
    batch.refresh_from_db()
    assert batch.state == HitBatch.State.PAUSED
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("heading", name="Open", exact=True)).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize("scripts", [True, False])
def test_an_answer_is_rejected_with_a_reason(
    open_page: OpenPage, operator: User, flagged: Assignment, scripts: bool
) -> None:
    page = open_page(reverse("desk"), user=operator, scripts=scripts)
    page.get_by_role("link", name="1 answer to look at").click()
    expect(page.get_by_text("Done in 1.2 s")).to_be_visible()
    page.get_by_role("row").nth(1).get_by_role("link").click()
    expect(page.get_by_text("She founded Quill Press there in 1961.")).to_be_visible()
    page.locator("[data-open]").click()
    expect(page.get_by_text("2 others")).to_be_visible()
    page.get_by_text("Reject it").click()
    page.get_by_role("button", name="Reject").click()
    expect(page.get_by_label("The reason")).to_be_focused()
    page.get_by_label("The reason").fill("“None” is ticked, though the first sentence says it.")
    picture(page, "reject")
    page.get_by_role("button", name="Reject").click()
    expect(page.get_by_text("the worker is told your reason")).to_be_visible()
    expect(page.get_by_role("button", name="Approve and pay")).to_have_count(0)
    flagged.refresh_from_db()
    assert (flagged.decision, flagged.decided_by) == ("reject", operator)
    assert flagged.feedback == "“None” is ticked, though the first sentence says it."


def test_an_answer_is_approved_with_the_keyboard_alone(
    open_page: OpenPage, operator: User, flagged: Assignment
) -> None:
    page = open_page(reverse("desk_answer", args=[flagged.pk]), user=operator)
    button = page.get_by_role("button", name="Approve and pay")
    for _ in range(40):
        page.keyboard.press("Tab")
        if button.evaluate("button => button === document.activeElement"):
            break
    page.keyboard.press("Enter")
    expect(page.get_by_text("It is approved")).to_be_visible()
    flagged.refresh_from_db()
    assert flagged.decision == "approve"


def test_what_waits_is_gone_through_ticked_and_approved_with_the_keyboard_alone(
    open_page: OpenPage, operator: User, flagged: Assignment
) -> None:
    assert flagged.worker is not None
    address = reverse("desk_look_at", args=[flagged.worker.user_id, "relation"])
    page = open_page(address, user=operator)
    tick = page.get_by_role("checkbox", name="Approve it")
    expect(tick).not_to_be_checked()  # something speaks against it
    page.keyboard.press("j")
    expect(page.locator("[data-piece]").first).to_be_focused()
    page.keyboard.press("x")
    expect(tick).to_be_checked()
    picture(page, "look_at")
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 approved; it is paid in a moment.")).to_be_visible()
    flagged.refresh_from_db()
    assert flagged.decision == "approve"


def test_work_that_waits_stands_beside_its_document_across_the_page(
    open_page: OpenPage, operator: User, flagged: Assignment
) -> None:
    assert flagged.worker is not None
    page = open_page(
        reverse("desk_look_at", args=[flagged.worker.user_id, "relation"]), user=operator, width=1280
    )
    sheet, form = page.locator("main"), page.locator("form[data-review]")
    inner = sheet.evaluate("one => one.clientWidth - parseFloat(getComputedStyle(one).paddingLeft) * 2")
    assert form.evaluate("one => one.clientWidth") == pytest.approx(inner, abs=1)


def test_no_word_of_a_heading_is_broken_on_a_tablet(
    open_page: OpenPage, operator: User, flagged: Assignment
) -> None:
    page = open_page(reverse("desk"), user=operator, width=768)
    heading = page.get_by_role("columnheader", name="Assignments in")
    assert not is_broken(heading, "Assignments")
    assert fits(page)


def test_what_was_marked_in_a_document_can_be_read(
    open_page: OpenPage, operator: User, batch: HitBatch
) -> None:
    document = DocumentFactory.create(corpus=batch.corpus)
    question = QuestionFactory.create(document=document, asked=EntitiesQuestion())
    ada = {"start": ADA.start, "end": ADA.end}
    said = {
        "version": 1,
        "mentions": [{**ada, "type": "PER", "entity": 1}],
        "entities": [{"id": 1, "canonical": ada, "link": {"none": True}}],
    }
    assignment = AssignmentFactory.create(hit=HitFactory.create(batch=batch, questions=[question]), sent=True)
    own = ResponseFactory.create(question=question, worker=assignment.worker.user, answer=said)
    assignment.responses.set([own])
    page = open_page(reverse("desk_answer", args=[assignment.pk]), user=operator)
    text = page.get_by_role("region", name="The document")
    tag = text.locator(".tag")
    assert tag.inner_text() == "person"
    assert tag.evaluate("tag => getComputedStyle(tag).backgroundColor") == "rgba(0, 0, 0, 0)"
    tag.evaluate("tag => tag.remove()")
    assert text.text_content() == document.text


def test_a_batch_is_opened_after_its_price_was_seen(
    open_page: OpenPage, operator: User, batch: HitBatch
) -> None:
    crowd.ask(batch.corpus, 3)
    page = open_page(reverse("desk"), user=operator)
    page.get_by_role("link", name="Open a batch").click()
    page.get_by_label("Reward, $").fill("0.15")
    page.get_by_role("button", name="Show what that means").click()
    expect(page.get_by_text("3 questions of Lowmarch news")).to_be_visible()
    picture(page, "open")
    page.get_by_role("button", name="Post it for $1.62").click()
    expect(page.get_by_text("The batch is open")).to_be_visible()
    assert HitBatch.objects.latest("pk").hits.count() == 3


@looks(360, 1280)
def test_every_page_fits_its_screen(
    open_page: OpenPage, operator: User, flagged: Assignment, width: int, scheme: str
) -> None:
    assert flagged.worker is not None
    page = open_page(reverse("desk"), user=operator, width=width, scheme=scheme)
    for name, args in (
        ("desk", []),
        ("desk_open", []),
        ("desk_batch", [flagged.hit.batch_id]),
        ("desk_look", []),
        ("desk_look_at", [flagged.worker.user_id, "relation"]),
        ("desk_answers", []),
        ("desk_answer", [flagged.pk]),
        ("desk_workers", []),
        ("desk_worker", [flagged.worker.user_id]),
        ("desk_budgets", []),
        ("desk_ledger", []),
    ):
        page.goto(reverse(name, args=args))
        assert fits(page), f"{name} is wider than {width} px"
        picture(page, f"{name}-{width}-{scheme}")


EDIT = "The harbour was closed on Monday after a crane fell into the water. Nobody was hurt, said the port."
SAID: dict[str, dict[str, object]] = {
    "quality": {"fluency": 0, "redundancy": -1, "overall": 0, "edit": EDIT},
    "correctness": {
        "plausible": True,
        "passages": [
            {"verdict": 1, "span": list(span("built by Ada Quill"))},
            {"verdict": 0, "span": None},
            {"verdict": -1, "span": list(span("Ben Roe built the mill"))},
        ],
    },
}


@pytest.mark.slow
@looks(360, 1280)
def test_what_was_said_of_what_systems_wrote_fits_and_is_accessible(
    open_page: OpenPage, operator: User, width: int, scheme: str
) -> None:
    page = open_page(reverse("desk"), user=operator, width=width, scheme=scheme)
    for kind, said in SAID.items():
        hit = make_hit(kind)
        worker, question = WorkerIdentityFactory.create(), hit.questions.get()
        sent = AssignmentFactory.create(hit=hit, worker=worker, sent=True, submitted_at=timezone.now())
        own = responses.record(question=question, worker=worker.user, answer=said, seconds=9.0)
        sent.responses.set([own])
        for name, args in (("desk_answer", [sent.pk]), ("desk_look_at", [worker.user_id, kind])):
            page.goto(reverse(name, args=args))
            assert fits(page), f"{name} of {kind} is wider than {width} px"
            assert violations(page) == [], (name, kind)
            picture(page, f"{name}-{kind}-{width}-{scheme}")
