"""The workers' pages, without a browser."""

import re
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from crowd.providers.arrival_signatures import is_signed
from marketplace import browse, ledger, lifecycle, requesters
from marketplace.models import Assignment, Hit, QualificationType, Requester, Worker, WorkerBlock
from marketplace.qualifying import HITS_APPROVED
from tests.factories import UserFactory
from tests.integration.marketplace.conftest import new_worker
from tests.integration.marketplace.test_lifecycle import create as create_hit

pytestmark = pytest.mark.django_db

SECOND = timedelta(seconds=1)


@pytest.fixture
def page(client: Client, worker: Worker) -> Client:
    client.force_login(worker.user)
    return client


@pytest.fixture
def hit(requester: Requester) -> Hit:
    return create(requester)


def create(requester: Requester, **more: Any) -> Hit:
    return create_hit(requester, timezone.now(), **more)


def accept(page: Client, hit: Hit) -> Assignment:
    page.post(reverse("work_accept", args=[hit.hit_type.group_id]))
    return Assignment.objects.get(state="accepted")


def frame(page: Client, path: str) -> dict[str, str]:
    text = page.get(path).content.decode()
    found = re.search(r"<iframe[^>]*>", text)
    assert found is not None
    return {name: value.replace("&amp;", "&") for name, value in re.findall(r'([a-z]+)="([^"]*)"', found[0])}


def parameters(url: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


def task_url(assignment: Assignment) -> str:
    return reverse("work_task", args=[assignment.assignment_id])


def submit_url(page: Client, assignment: Assignment) -> str:
    return (
        urlsplit(parameters(frame(page, task_url(assignment))["src"])["turkSubmitTo"]).path
        + "/mturk/externalSubmit"
    )


def finish(hit: Hit, seconds: int, worker: Worker | None = None) -> Assignment:
    now = timezone.now()
    assignment = lifecycle.accept(worker=worker or new_worker(), hit=hit, now=now - seconds * SECOND)
    return lifecycle.submit(assignment=assignment, answer="<a/>", now=now)


@pytest.mark.parametrize("name", ["work", "work_mine", "work_earnings"])
def test_the_pages_are_for_annotators(client: Client, name: str) -> None:
    assert client.get(reverse(name)).status_code == 302
    client.force_login(UserFactory.create())
    assert client.get(reverse(name)).status_code == 403


def test_work_is_found_with_its_reward_time_and_requester(page: Client, hit: Hit) -> None:
    text = page.get(reverse("work")).content.decode()
    for word in ("Judge a claim", "The lab", "0.15", "5 minutes", "not measured yet"):
        assert word in text


def test_nothing_to_do_says_so(page: Client) -> None:
    assert "Nothing is waiting for you" in page.get(reverse("work")).content.decode()


def test_an_hours_pay_follows_from_the_measured_median(requester: Requester, worker: Worker) -> None:
    hit = create(requester, MaxAssignments=9)
    for seconds in (10, 20, 60, 100):
        finish(hit, seconds)
    Assignment.objects.update(state="approved", approved_at=timezone.now())
    [group] = browse.find_groups(worker, timezone.now())
    assert (group.median, group.hourly_cents) == (None, None)
    finish(hit, 290)
    Assignment.objects.update(state="approved", approved_at=timezone.now())
    [group] = browse.find_groups(worker, timezone.now())
    assert (group.median, group.measured, group.is_estimate) == (60 * SECOND, 5, True)
    assert group.hourly_cents == 9_00  # 60 times $0.15


def test_work_that_nobody_has_approved_makes_no_pay_look_high(requester: Requester, worker: Worker) -> None:
    hit = create(requester, MaxAssignments=9)
    for _ in range(5):
        finish(hit, 60)
    Assignment.objects.update(state="approved", approved_at=timezone.now())
    finish(hit, 1)  # waits for the requester
    finish(hit, 1)
    Assignment.objects.filter(pk=Assignment.objects.latest("pk").pk).update(
        state="rejected", rejected_at=timezone.now(), feedback="It is empty."
    )
    [group] = browse.find_groups(worker, timezone.now())
    assert (group.median, group.measured) == (60 * SECOND, 5)


def test_finding_work_takes_the_same_few_queries_for_any_number_of_types(
    page: Client, requester: Requester, django_assert_num_queries: Any
) -> None:
    approved = {"QualificationTypeId": HITS_APPROVED, "Comparator": "LessThan", "IntegerValues": [9]}
    for number in range(5):
        create(requester, Title=f"Type {number}", QualificationRequirements=[approved])
    with django_assert_num_queries(11):
        page.get(reverse("work"))


def test_a_preview_shows_the_task_without_worker_or_answer(page: Client, hit: Hit) -> None:
    shown = frame(page, reverse("work_group", args=[hit.hit_type.group_id]))
    assert shown["src"].startswith("https://hits.example.org/relation?question=7&")
    assert parameters(shown["src"]) == {
        "question": "7",
        "assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE",
        "hitId": hit.hit_id,
    }


def test_a_task_gets_mturks_parameters(page: Client, hit: Hit, worker: Worker) -> None:
    assignment = accept(page, hit)
    found = parameters(frame(page, task_url(assignment))["src"])
    assert found.pop("turkSubmitTo").startswith("http://testserver/work/submit/")
    assert abs(int(found.pop("signedAt")) - timezone.now().timestamp()) < 60
    assert found == {
        "question": "7",
        "assignmentId": assignment.assignment_id,
        "hitId": hit.hit_id,
        "workerId": worker.worker_id,
    }


def test_a_task_is_signed_with_each_key_of_its_requester(
    page: Client, hit: Hit, requester: Requester
) -> None:
    """What the requester's side checks it with is made apart from what signs it: this is their contract."""
    now = timezone.now()
    old, new = (requesters.create_key(requester=requester, now=now) for _ in range(2))
    requesters.create_key(requester=requesters.create_requester(name="Another lab"), now=now)
    assignment = accept(page, hit)

    def given() -> tuple[dict[str, str], str]:
        found = parameters(frame(page, task_url(assignment))["src"])
        del found["question"]
        return found, found.pop("signature")

    said, signature = given()
    assert [is_signed(said, signature, secret=key.secret) for key in (old, new)] == [True, True]
    assert not is_signed({**said, "workerId": "A2"}, signature, secret=new.secret)
    requesters.revoke_key(name=requester.name, access_key_id=old.access_key_id)
    said, signature = given()
    assert [is_signed(said, signature, secret=key.secret) for key in (old, new)] == [False, True]


def test_a_preview_is_not_signed(page: Client, hit: Hit, requester: Requester) -> None:
    requesters.create_key(requester=requester, now=timezone.now())
    shown = frame(page, reverse("work_group", args=[hit.hit_type.group_id]))
    assert "signature" not in shown["src"]


@pytest.mark.parametrize(
    ("host", "own_origin"), [("https://hits.example.org", True), ("https://testserver", False)]
)
def test_a_task_keeps_its_origin_unless_it_is_ours(
    page: Client, requester: Requester, host: str, own_origin: bool
) -> None:
    hit = create(requester)
    Hit.objects.update(external_url=f"{host}/relation")  # as it may be there from before such were refused
    assignment = accept(page, hit)
    allowed = frame(page, task_url(assignment))["sandbox"].split()
    assert ("allow-same-origin" in allowed) is own_origin
    assert not {"allow-top-navigation", "allow-top-navigation-by-user-activation"} & set(allowed)


def test_a_task_page_frames_its_task_alone_and_is_framed_by_nobody(page: Client, hit: Hit) -> None:
    response = page.get(task_url(accept(page, hit)))
    policy = response.headers["Content-Security-Policy"].split("; ")
    assert "frame-src 'self' https://hits.example.org" in policy
    assert "frame-ancestors 'none'" in policy
    assert response.headers["X-Frame-Options"] == "DENY"


def test_an_answer_is_taken_without_cookies_and_twice_is_once(page: Client, hit: Hit) -> None:
    assignment = accept(page, hit)
    url = submit_url(page, assignment)
    stranger = Client(enforce_csrf_checks=True)
    for relation in ("per:spouse", "per:parents"):
        sent = {"assignmentId": assignment.assignment_id, "relation": relation, "tick": ["a", "b"]}
        response = stranger.post(url, sent)
        assert "Your answer is in" in response.content.decode()
    assignment.refresh_from_db()
    assert assignment.state == "submitted"
    assert re.findall("<FreeText>([^<]*)</FreeText>", assignment.answer) == ["per:spouse", "a|b"]


def test_the_page_after_an_answer_is_framed_by_us_alone(page: Client, hit: Hit) -> None:
    response = page.post(submit_url(page, accept(page, hit)), {"answer": "yes"})
    assert "frame-ancestors 'self'" in response.headers["Content-Security-Policy"]
    assert response.headers["X-Frame-Options"] == "SAMEORIGIN"


@pytest.mark.parametrize("token", ["made-up", "MQ:1t:x"])
def test_an_address_that_was_not_given_takes_no_answer(page: Client, hit: Hit, token: str) -> None:
    accept(page, hit)
    assert page.post(reverse("work_submit", args=[token]), {"answer": "yes"}).status_code == 404
    assert Assignment.objects.get().state == "accepted"


def test_an_answer_for_another_assignment_is_refused(page: Client, hit: Hit) -> None:
    response = page.post(submit_url(page, accept(page, hit)), {"assignmentId": "3OTHER", "answer": "yes"})
    assert response.status_code == 409
    assert Assignment.objects.get().state == "accepted"


def test_the_worker_before_cannot_answer_with_the_id_that_they_had(
    page: Client, requester: Requester
) -> None:
    hit = create(requester, MaxAssignments=1)
    mine = accept(page, hit)
    url = submit_url(page, mine)
    page.post(reverse("work_return", args=[mine.assignment_id]))
    theirs = lifecycle.accept(worker=new_worker(), hit=hit, now=timezone.now())
    assert theirs.assignment_id == mine.assignment_id
    response = page.post(url, {"assignmentId": mine.assignment_id, "answer": "spam"})
    assert response.status_code == 409
    theirs.refresh_from_db()
    assert (theirs.state, theirs.answer) == ("accepted", "")


@pytest.mark.parametrize("fields", [{"answer": "x" * 1_000_001}, {f"field{n}": "" for n in range(1_001)}])
def test_an_answer_that_is_too_long_is_refused_and_the_task_stays(
    page: Client, hit: Hit, fields: dict[str, str]
) -> None:
    response = page.post(submit_url(page, accept(page, hit)), fields)
    assert response.status_code == 400
    assert "too long" in response.content.decode()
    assert Assignment.objects.get().state == "accepted"


def test_hostile_text_is_stored_inert(page: Client, hit: Hit) -> None:
    assignment = accept(page, hit)
    page.post(submit_url(page, assignment), {"comment": "</FreeText><script>alert(1)</script>\x00"})
    assignment.refresh_from_db()
    assert "<script>" not in assignment.answer
    assert "&lt;script&gt;" in assignment.answer


def test_a_task_that_is_sent_leads_to_the_next(page: Client, hit: Hit) -> None:
    assignment = accept(page, hit)
    page.post(submit_url(page, assignment), {"answer": "yes"})
    response = page.get(task_url(assignment))
    assert response.headers["Location"] == reverse("work_group", args=[hit.hit_type.group_id])


def test_after_the_last_task_none_is_announced(page: Client, requester: Requester) -> None:
    assignment = accept(page, create(requester, MaxAssignments=1))
    page.post(submit_url(page, assignment), {"answer": "yes"})
    text = page.get(task_url(assignment), follow=True).content.decode()
    assert "Your answer is in. Thank you." in text
    assert "Nothing more of this" in text
    assert "next" not in text


def test_a_task_of_somebody_elses_is_not_there(client: Client, page: Client, hit: Hit) -> None:
    assignment = accept(page, hit)
    client.force_login(new_worker().user)
    assert client.get(task_url(assignment)).status_code == 404
    assert client.post(reverse("work_return", args=[assignment.assignment_id])).status_code == 404


def test_returning_gives_the_place_back(page: Client, hit: Hit) -> None:
    assignment = accept(page, hit)
    page.post(reverse("work_return", args=[assignment.assignment_id]))
    hit.refresh_from_db()
    assert (hit.taken, hit.pending) == (0, 0)


def test_accepting_when_all_is_gone_says_so(page: Client, requester: Requester) -> None:
    hit = create(requester, MaxAssignments=1)
    lifecycle.accept(worker=new_worker(), hit=hit, now=timezone.now())
    response = page.post(reverse("work_accept", args=[hit.hit_type.group_id]), follow=True)
    assert "Nothing more of this" in response.content.decode()


def test_a_page_that_was_left_open_runs_out(page: Client, hit: Hit) -> None:
    assignment = accept(page, hit)
    Assignment.objects.update(deadline=timezone.now() - timedelta(hours=1))
    state = page.get(reverse("work_state", args=[assignment.assignment_id])).json()
    assert state == {"state": "abandoned"}
    response = page.get(task_url(assignment), follow=True)
    assert "ran out" in response.content.decode()


@pytest.mark.parametrize(
    ("guarded", "found", "previewed"),
    [
        ("Accept", True, True),
        ("PreviewAndAccept", True, False),
        ("DiscoverPreviewAndAccept", False, False),
    ],
)
def test_a_requirement_guards_what_it_says(
    page: Client, requester: Requester, guarded: str, found: bool, previewed: bool
) -> None:
    requirement = {
        "QualificationTypeId": "00000000000000000040",
        "Comparator": "GreaterThan",
        "IntegerValues": [10],
        "ActionsGuarded": guarded,
    }
    hit = create(requester, QualificationRequirements=[requirement])
    assert ("Judge a claim" in page.get(reverse("work")).content.decode()) is found
    response = page.get(reverse("work_group", args=[hit.hit_type.group_id]))
    assert response.status_code == (200 if found else 404)
    assert (b"<iframe" in response.content) is previewed
    assert page.post(reverse("work_accept", args=[hit.hit_type.group_id])).status_code == 403


def test_a_qualification_that_is_for_the_asking_is_given(page: Client, requester: Requester) -> None:
    QualificationType.objects.create(
        requester=requester,
        type_id="3ADULT",
        name="Of age",
        description="",
        auto_granted_value=1,
        created_at=timezone.now(),
    )
    hit = create(
        requester, QualificationRequirements=[{"QualificationTypeId": "3ADULT", "Comparator": "Exists"}]
    )
    response = page.post(
        reverse("work_qualification", args=["3ADULT"]), {"group": hit.hit_type.group_id}, follow=True
    )
    assert "Accept" in response.content.decode()
    assert accept(page, hit).hit == hit


def test_a_blocked_worker_finds_nothing(page: Client, hit: Hit, worker: Worker, requester: Requester) -> None:
    WorkerBlock.objects.create(
        requester=requester, worker=worker, reason="Random.", created_at=timezone.now()
    )
    text = page.get(reverse("work")).content.decode()
    assert "Judge a claim" not in text
    assert "Random" not in text


def test_own_work_shows_each_state_and_a_rejections_reason(
    page: Client, requester: Requester, worker: Worker
) -> None:
    sent = [finish(create(requester), 20, worker) for _ in range(3)]
    now = timezone.now()
    lifecycle.approve(requester=requester, assignment_id=sent[0].assignment_id, now=now)
    lifecycle.reject(
        requester=requester, assignment_id=sent[1].assignment_id, feedback="You ticked all.", now=now
    )
    text = page.get(reverse("work_mine")).content.decode()
    for words in ("Waiting for review", "Approved", "Rejected", "You ticked all.", "Reply to the requester"):
        assert words in text
    assert "You ticked all." not in page.get(reverse("work_mine"), {"show": "approved"}).content.decode()


def test_a_rejection_can_be_answered_and_the_requester_hears_of_it(
    page: Client, requester: Requester, worker: Worker, django_capture_on_commit_callbacks: Any
) -> None:
    sent = finish(create(requester), 20, worker)
    lifecycle.reject(
        requester=requester, assignment_id=sent.assignment_id, feedback="Too fast.", now=timezone.now()
    )
    with django_capture_on_commit_callbacks(execute=True):
        response = page.post(
            reverse("work_reply", args=[sent.assignment_id]), {"text": "I know the text."}, follow=True
        )
    assert "I know the text." in response.content.decode()
    [message] = mail.outbox
    assert message.to == ["lab@example.org"]
    assert all(words in message.body for words in ("Too fast.", "I know the text.", sent.assignment_id))


def test_earnings_are_summed_by_month_with_what_waits(
    page: Client, requester: Requester, worker: Worker
) -> None:
    sent = [finish(create(requester), 20, worker) for _ in range(3)]
    january, march = (timezone.now().replace(month=month, day=5) for month in (1, 3))
    for assignment, when in zip(sent, (january, march), strict=False):
        lifecycle.approve(requester=requester, assignment_id=assignment.assignment_id, now=when)
    ledger.pay_bonus(ledger.lock_requester(requester.pk), sent[0], 50, reason="Good eye.", now=march)
    months = browse.earnings(worker)
    assert [(month.month.month, month.rewards, month.bonuses) for month in months] == [
        (3, 15, 50),
        (1, 15, 0),
    ]
    text = page.get(reverse("work_earnings")).content.decode()
    for words in ("$0.80 so far", "$0.15 more waits", "Good eye."):
        assert words in text
