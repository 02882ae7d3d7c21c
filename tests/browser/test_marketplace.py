"""A worker's day in the marketplace: find, preview, accept, answer, send, be approved, see the money."""

import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from kbpo.accounts.models import User
from marketplace import ledger, lifecycle, requesters
from marketplace.models import Assignment, Hit, Requester, RequesterKey
from marketplace.workers import worker_for
from tests import boto
from tests.browser.conftest import OpenPage
from tests.browser.looks import fit_fingers, is_broken, looks, picture
from tests.external_questions import external_question
from tests.factories import UserFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

#: A requester's page as MTurk's documentation has it: the parameters in, a form out.
TASK = b"""<!DOCTYPE html>
<html lang="en"><head><title>Task</title></head><body>
<form method="post">
  <input type="hidden" name="assignmentId">
  <label>Relation <input name="relation"></label>
  <button>Send</button>
</form>
<script>
  const given = new URLSearchParams(location.search);
  const form = document.forms[0];
  form.assignmentId.value = given.get("assignmentId");
  form.action = given.get("turkSubmitTo") + "/mturk/externalSubmit";
  const preview = given.get("assignmentId") === "ASSIGNMENT_ID_NOT_AVAILABLE";
  form.querySelector("button").disabled = preview;
</script>
</body></html>"""


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(TASK)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def hits() -> Iterator[str]:
    """A requester's own site, of another origin."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def key() -> RequesterKey:
    requester = requesters.create_requester(name="The lab")
    ledger.deposit(requester=requester, cents=10_00, now=timezone.now())
    return requesters.create_key(requester=requester, now=timezone.now())


@pytest.fixture
def mturk(live_server, key: RequesterKey):
    client = boto.mturk(live_server.url + reverse("requester_api"), (key.access_key_id, key.secret))
    yield client
    client.close()


@pytest.fixture
def worker() -> User:
    return UserFactory.create(annotator=True)


def post(mturk, hits: str, **more: object) -> str:
    hit = {
        "Title": "Judge a claim",
        "Description": "Say which relation a document bears out.",
        "Reward": "0.15",
        "AssignmentDurationInSeconds": 300,
        "LifetimeInSeconds": 3600,
        "Question": external_question(f"{hits}/task?question=7", 400),
    }
    return mturk.create_hit(**hit | more)["HIT"]["HITId"]


def preview(page: Page) -> None:
    page.get_by_role("link", name="Judge a claim").click()
    expect(page.get_by_role("heading", name="Preview")).to_be_visible()


def answer(page: Page, relation: str) -> None:
    frame = page.frame_locator("[data-frame]")
    frame.get_by_label("Relation").fill(relation)
    frame.get_by_role("button", name="Send").click()


@pytest.mark.slow
def test_from_finding_work_to_the_money(open_page: OpenPage, mturk, hits: str, worker: User) -> None:
    hit_id = post(mturk, hits)
    page = open_page("/", user=worker)
    page.get_by_role("link", name="Work", exact=True).click()
    preview(page)
    expect(page.frame_locator("[data-frame]").get_by_role("button", name="Send")).to_be_disabled()

    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_role("timer")).to_contain_text("4:5")
    answer(page, "per:spouse")
    expect(page.get_by_role("status").filter(has_text="Your answer is in")).to_be_visible()
    expect(page.get_by_text("Nothing more of this is waiting for you")).to_be_visible()

    page.get_by_role("link", name="My work").click()
    expect(page.get_by_role("row").filter(has_text="Judge a claim")).to_contain_text("Waiting for review")
    page.get_by_role("link", name="My earnings").click()
    expect(page.get_by_text("$0.00 so far; $0.15 more waits for review")).to_be_visible()

    [sent] = mturk.list_assignments_for_hit(HITId=hit_id)["Assignments"]
    assert "<FreeText>per:spouse</FreeText>" in sent["Answer"]
    mturk.approve_assignment(AssignmentId=sent["AssignmentId"], RequesterFeedback="Well seen.")
    page.reload()
    expect(page.get_by_text("$0.15 so far.")).to_be_visible()
    page.get_by_role("link", name="My work").click()
    expect(page.get_by_role("row").filter(has_text="Judge a claim")).to_contain_text("Well seen.")


@pytest.mark.slow
def test_a_rejected_worker_reads_why_and_answers(open_page: OpenPage, mturk, hits: str, worker: User) -> None:
    hit_id = post(mturk, hits)
    page = open_page(reverse("work"), user=worker)
    preview(page)
    page.get_by_role("button", name="Accept").click()
    answer(page, "no idea")
    expect(page.get_by_role("status").filter(has_text="Your answer is in")).to_be_visible()
    [sent] = mturk.list_assignments_for_hit(HITId=hit_id)["Assignments"]
    mturk.reject_assignment(AssignmentId=sent["AssignmentId"], RequesterFeedback="This is no relation.")
    page.goto(reverse("work_mine"))
    row = page.get_by_role("row").filter(has_text="This is no relation.")
    row.get_by_text("Reply to the requester").click()
    row.get_by_label("Why it should be paid").fill("The text names none.")
    row.get_by_role("button", name="Send the reply").click()
    expect(page.get_by_text("You replied: “The text names none.”")).to_be_visible()


@pytest.mark.slow
def test_one_task_leads_straight_to_the_next_by_keyboard_alone(
    open_page: OpenPage, mturk, hits: str, worker: User
) -> None:
    for _ in range(2):
        post(mturk, hits)
    page = open_page(reverse("work"), user=worker)
    press_until_focused(page, page.get_by_role("link", name="Judge a claim"))
    page.keyboard.press("Enter")
    press_until_focused(page, page.get_by_role("button", name="Accept"))
    page.keyboard.press("Enter")
    press_until_focused(page, page.get_by_label("Go straight on"))
    page.keyboard.press("Space")
    first = page.url
    answer(page, "per:spouse")
    page.wait_for_url(lambda url: "/tasks/" in url and url != first)
    expect(page.get_by_label("Go straight on")).to_be_checked()
    answer(page, "per:parents")
    expect(page.get_by_text("Nothing more of this is waiting for you")).to_be_visible()
    assert Assignment.objects.filter(state="submitted").count() == 2


def press_until_focused(page: Page, target) -> None:
    for _ in range(40):
        page.keyboard.press("Tab")
        if target.evaluate("target => target === document.activeElement"):
            return
    pytest.fail("cannot be reached by the Tab key")


@pytest.mark.slow
def test_a_task_goes_back_at_the_press_of_a_button(
    open_page: OpenPage, mturk, hits: str, worker: User
) -> None:
    post(mturk, hits)
    page = open_page(reverse("work"), user=worker)
    preview(page)
    page.get_by_role("button", name="Accept").click()
    page.get_by_role("button", name="Return it").click()
    expect(page.get_by_text("nothing is counted against you")).to_be_visible()
    expect(page.get_by_role("link", name="Judge a claim")).to_be_visible()


def test_all_can_be_done_without_our_scripts(
    open_page: OpenPage, mturk, hits: str, worker: User, browser
) -> None:
    post(mturk, hits)
    page = open_page(reverse("work"), user=worker)
    page.route("**/static/js/*", lambda route: route.abort())
    preview(page)
    page.get_by_role("button", name="Accept").click()
    answer(page, "per:spouse")
    expect(page.frame_locator("[data-frame]").get_by_text("Your answer is in")).to_be_visible()
    page.get_by_role("link", name="Go on").click()
    expect(page.get_by_text("Nothing more of this is waiting for you")).to_be_visible()


@looks(360, 1280)
def test_no_page_scrolls_sideways_and_targets_fit_a_finger(
    open_page: OpenPage, mturk, hits: str, worker: User, width: int, scheme: str
) -> None:
    have_worked(mturk, hits, worker)
    post(mturk, hits, MaxAssignments=2)
    page = open_page(reverse("work"), user=worker, width=width, scheme=scheme)
    check(page, width, f"find-{width}-{scheme}")
    preview(page)
    expect(page.frame_locator("[data-frame]").get_by_label("Relation")).to_be_visible()
    check(page, width, f"group-{width}-{scheme}")
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_role("timer")).to_be_visible()
    check(page, width, f"task-{width}-{scheme}")
    for name in ("work_mine", "work_earnings"):
        page.goto(reverse(name))
        if name == "work_mine":
            page.get_by_text("Reply to the requester").click()
        check(page, width, f"{name}-{width}-{scheme}")


@pytest.mark.slow
def test_a_requesters_name_is_not_broken_on_a_tablet(
    open_page: OpenPage, mturk, hits: str, worker: User
) -> None:
    Requester.objects.update(name="Laboratory")
    post(mturk, hits, Title="Judge a claim that a system makes of people, places and organizations")
    page = open_page(reverse("work"), user=worker, width=768)
    assert not is_broken(page.get_by_role("columnheader", name="Requester"), "Requester")
    assert not is_broken(page.get_by_role("cell", name="Laboratory"), "Laboratory")
    assert page.evaluate("document.documentElement.scrollWidth") == 768


def have_worked(mturk, hits: str, worker: User) -> None:
    """Give a worker a past: approved, rejected and waiting answers, a bonus, a qualification."""
    now = timezone.now()
    sent = []
    for number in range(5):
        hit = Hit.objects.get(hit_id=post(mturk, hits, Keywords="x" if number > 2 else ""))
        begun = now - timedelta(seconds=20 + number)
        assignment = lifecycle.accept(worker=worker_for(worker), hit=hit, now=begun)
        sent.append(lifecycle.submit(assignment=assignment, answer="<a/>", now=now))
    ids = [assignment.assignment_id for assignment in sent]
    worker_id = sent[0].worker.worker_id
    mturk.approve_assignment(AssignmentId=ids[0])
    mturk.approve_assignment(AssignmentId=ids[1], RequesterFeedback="Well seen.")
    mturk.reject_assignment(AssignmentId=ids[2], RequesterFeedback="Every box is ticked, in each question.")
    mturk.send_bonus(WorkerId=worker_id, AssignmentId=ids[0], BonusAmount="0.75", Reason="For the tutorial.")
    made = mturk.create_qualification_type(
        Name="Relation tutorial", Description="Passed it.", QualificationTypeStatus="Active"
    )
    type_id = made["QualificationType"]["QualificationTypeId"]
    mturk.associate_qualification_with_worker(
        QualificationTypeId=type_id, WorkerId=worker_id, IntegerValue=90
    )


def check(page: Page, width: int, name: str) -> None:
    picture(page, name)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    if width == 360:
        assert fit_fingers(page, "main button, main .choices a, main a.task")
