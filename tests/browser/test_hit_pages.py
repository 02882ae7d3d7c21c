"""A HIT's page in the marketplace's frame, from another origin: answered, kept, sent, paid."""

import json
import os
import re
from urllib.parse import urlsplit

import boto3
import pytest
from django.conf import LazySettings
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Frame, FrameLocator, Page, Route, expect

from annotations.payloads import CanonicalQuestion, Mention, RelationQuestion
from crowd.interfaces.addresses import hit_url
from crowd.marketplace import money, requesters
from crowd.marketplace.questions import ExternalQuestion, write_question
from crowd.models import Assignment, Hit
from kbpo.accounts.models import User
from kbpo.core.spans import Span
from tests.browser.conftest import OpenPage
from tests.factories import ADA, PRESS, SHE, TEXT, DocumentFactory, HitFactory, QuestionFactory, UserFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

BEFORE = "Nothing of note happened here. " * 40


@pytest.fixture(autouse=True)
def two_hosts(settings: LazySettings, live_server) -> None:
    """The site by one name of this machine, the HIT pages by the other."""
    settings.SITE_URL = live_server.url
    settings.HIT_BASE_URL = f"http://127.0.0.1:{urlsplit(live_server.url).port}"


@pytest.fixture
def mturk(live_server):
    requester = requesters.create_requester(name="The lab")
    money.deposit(requester=requester, cents=10_00, now=timezone.now())
    key = requesters.create_key(requester=requester, now=timezone.now())
    client = boto3.client(
        "mturk",
        endpoint_url=live_server.url + reverse("requester_api"),
        region_name="us-east-1",
        aws_access_key_id=key.access_key_id,
        aws_secret_access_key=key.secret,
    )
    yield client
    client.close()


@pytest.fixture
def worker() -> User:
    return UserFactory.create(annotator=True)


@pytest.fixture
def hit() -> Hit:
    """Who founded what, far down in a document, and her full name."""
    document = DocumentFactory.create(text=f"{BEFORE}{TEXT} {BEFORE}".strip(), sentences=True)
    asked = RelationQuestion.about(Mention(moved(SHE), "PER"), Mention(moved(PRESS), "ORG"))
    questions = [
        QuestionFactory.create(document=document, asked=asked),
        QuestionFactory.create(document=document, asked=CanonicalQuestion(moved(SHE), moved(ADA))),
    ]
    return HitFactory.create(batch__corpus=document.corpus, questions=questions)


def moved(span: Span) -> Span:
    return Span(span.start + len(BEFORE), span.end + len(BEFORE))


def post(mturk, hit: Hit, **more: object) -> str:
    given = {
        "Title": hit.batch.title,
        "Description": hit.batch.description,
        "Reward": "0.15",
        "AssignmentDurationInSeconds": 600,
        "LifetimeInSeconds": 3600,
        "RequesterAnnotation": hit.annotation,
        "Question": write_question(ExternalQuestion(hit_url(hit), 0)),
    }
    return mturk.create_hit(**given | more)["HIT"]["HITId"]


def preview(open_page: OpenPage, worker: User, **options: object) -> Page:
    page = open_page(reverse("work"), user=worker, **options)
    page.get_by_role("link", name="Judge a claim").click()
    expect(page.get_by_role("heading", name="Preview")).to_be_visible()
    return page


def accept(open_page: OpenPage, worker: User, **options: object) -> tuple[Page, FrameLocator]:
    page = preview(open_page, worker, **options)
    page.get_by_role("button", name="Accept").click()
    frame = page.frame_locator("[data-frame]")
    expect(frame.get_by_role("button", name=re.compile("Next|Send"))).to_be_enabled()
    return page, frame


def picture(page: Page, name: str) -> None:
    if folder := os.environ.get("PICTURES"):
        page.screenshot(path=f"{folder}/{name}.png", full_page=True)


def frame_of(page: Page) -> Frame:
    return next(frame for frame in page.frames if "/hits/" in frame.url)


def test_from_the_preview_to_the_money(open_page: OpenPage, mturk, hit: Hit, worker: User) -> None:
    hit_id = post(mturk, hit)
    page = preview(open_page, worker)
    frame = page.frame_locator("[data-frame]")
    expect(frame.get_by_text("accept the task to answer")).to_be_visible()
    expect(frame.get_by_label("founded")).to_be_disabled()
    frame.get_by_role("button", name="Next").click()
    expect(frame.get_by_role("button", name="Send")).to_be_disabled()

    page.get_by_role("button", name="Accept").press("Enter")
    frame.get_by_label("founded").check()
    expect(frame.get_by_text("Saved", exact=True)).to_be_visible()
    frame.get_by_role("button", name="Next").click()
    frame.get_by_label("Yes, it is right").check()
    frame.get_by_text("Comment").click()
    frame.get_by_label("Anything that we should know").fill("Clear.")
    frame.get_by_role("button", name="Send").click()
    expect(page.get_by_role("status").filter(has_text="Your answer is in")).to_be_visible()

    [sent] = mturk.list_assignments_for_hit(HITId=hit_id)["Assignments"]
    assignment = Assignment.objects.get()
    assert (assignment.provider_id, assignment.provider_worker_id) == (sent["AssignmentId"], sent["WorkerId"])
    assert assignment.worker is not None
    assert assignment.worker.user == worker
    posted = json.loads(re.search(r"<FreeText>(.*)</FreeText>", sent["Answer"])[1])  # type: ignore[index]
    assert posted == assignment.answer
    assert posted["comment"] == "Clear."
    assert all(one["seconds"] > 0 for one in posted["answers"])

    mturk.approve_assignment(AssignmentId=sent["AssignmentId"])
    page.get_by_role("link", name="My earnings").click()
    expect(page.get_by_text("$0.15 so far.")).to_be_visible()


def test_a_reload_in_the_middle_loses_nothing(open_page: OpenPage, mturk, hit: Hit, worker: User) -> None:
    post(mturk, hit)
    page, frame = accept(open_page, worker)
    frame.get_by_label("founded").check()
    frame.get_by_role("button", name="Next").click()
    frame.get_by_label("No, it is wrong").check()
    frame.get_by_text("Comment").click()
    frame.get_by_label("Anything that we should know").press_sequentially("Half a tho")
    expect(frame.get_by_text("Saved", exact=True)).to_be_visible()
    page.reload()
    expect(frame.get_by_text("2 of 2")).to_be_visible()
    expect(frame.get_by_label("No, it is wrong")).to_be_checked()
    expect(frame.get_by_label("Anything that we should know")).to_have_value("Half a tho")
    frame.get_by_role("button", name="Back").click()
    expect(frame.get_by_label("founded")).to_be_checked()


def test_a_cut_connection_is_said_and_saved_when_it_is_back(
    open_page: OpenPage, mturk, hit: Hit, worker: User
) -> None:
    post(mturk, hit)
    page, frame = accept(open_page, worker)

    def cut(route: Route) -> None:
        route.abort()

    page.context.route("**/hits/**", cut)
    frame.get_by_label("founded").check()
    expect(frame.locator("[data-saved]")).to_have_text("Not saved yet: no connection. Trying again…")
    frame.get_by_role("button", name="Next").click()
    frame.get_by_label("Yes, it is right").check()
    frame.get_by_role("button", name="Send").click()
    expect(frame.get_by_role("alert")).to_contain_text("Not sent: no connection")
    page.context.unroute("**/hits/**", cut)
    expect(frame.get_by_text("Saved", exact=True)).to_be_visible()
    draft = Assignment.objects.get().draft
    assert [values for name, values in draft["fields"].items() if name.startswith("q")] == [
        ["per:organizations_founded|0"],
        ["right"],
    ]
    frame.get_by_role("button", name="Send").click()
    expect(page.get_by_role("status").filter(has_text="Your answer is in")).to_be_visible()


def test_it_is_done_with_the_keyboard_alone(open_page: OpenPage, mturk, hit: Hit, worker: User) -> None:
    post(mturk, hit)
    page = preview(open_page, worker)
    press_until_focused(page, page.get_by_role("button", name="Accept"))
    page.keyboard.press("Enter")
    frame = page.frame_locator("[data-frame]")
    expect(frame.get_by_role("button", name="Next")).to_be_enabled()
    first = frame.get_by_role("group", name="What does the document say")
    for _ in range(40):
        if first.evaluate("group => document.activeElement && group.contains(document.activeElement)"):
            break
        page.keyboard.press("Tab")
    for key in ("3", "Enter", "y", "Enter"):
        page.keyboard.press(key)
    expect(page.get_by_role("status").filter(has_text="Your answer is in")).to_be_visible()
    assert len(Assignment.objects.get().answer["answers"]) == 2


def press_until_focused(page: Page, target) -> None:
    for _ in range(40):
        page.keyboard.press("Tab")
        if target.evaluate("target => target === document.activeElement"):
            return
    pytest.fail("cannot be reached by the Tab key")


def test_it_is_a_plain_form_without_scripts(open_page: OpenPage, mturk, hit: Hit, worker: User) -> None:
    hit_id = post(mturk, hit)
    page = open_page(reverse("work"), user=worker, scripts=False)
    page.get_by_role("link", name="Judge a claim").click()
    page.get_by_role("button", name="Accept").click()
    frame = page.frame_locator("[data-frame]")
    frame.get_by_label("founded").check()
    frame.get_by_role("button", name="Send").click()
    expect(frame.get_by_role("alert").filter(has_text="Question 2 of 2")).to_be_visible()
    expect(frame.get_by_label("founded")).to_be_checked()
    frame.get_by_label("Yes, it is right").check()
    frame.get_by_role("button", name="Send").click()
    expect(frame.get_by_role("heading", name="One more step")).to_be_visible()
    frame.get_by_role("button", name="Send").click()
    expect(frame.get_by_text("Your answer is in")).to_be_visible()
    assert len(mturk.list_assignments_for_hit(HITId=hit_id)["Assignments"]) == 1


@pytest.mark.parametrize(
    ("width", "scheme"), [(360, "light"), (360, "dark"), (1280, "light"), (1280, "dark")]
)
def test_no_page_scrolls_sideways_and_targets_fit_a_finger(
    open_page: OpenPage, mturk, hit: Hit, worker: User, width: int, scheme: str
) -> None:
    post(mturk, hit)
    page = preview(open_page, worker, width=width, scheme=scheme)
    expect(page.frame_locator("[data-frame]").get_by_text("This is a preview")).to_be_visible()
    check(page, f"preview-{width}-{scheme}")
    page.get_by_role("button", name="Accept").click()
    frame = page.frame_locator("[data-frame]")
    expect(frame.get_by_label("founded")).to_be_enabled()
    check(page, f"task-{width}-{scheme}")
    frame.get_by_label("founded").check()
    frame.get_by_role("button", name="Next").click()
    check(page, f"second-{width}-{scheme}")


def check(page: Page, name: str) -> None:
    picture(page, name)
    frame = frame_of(page)
    assert frame.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    if "360" in name:
        targets = frame.locator("label.option:visible, button:visible, summary:visible")
        heights = targets.evaluate_all("found => found.map(one => one.getBoundingClientRect().height)")
        assert min(heights) >= 44
