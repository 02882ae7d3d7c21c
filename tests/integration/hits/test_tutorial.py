"""The tutorial: as a HIT that qualifies and pays once, and as a lesson for annotators on the site."""

import html
import json
import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from crowd import budget, qualifying
from crowd.budget import create_budget
from crowd.interfaces.registry import find_tutorial
from crowd.interfaces.relation.form import ticked_values
from crowd.models import Assignment, Bonus, Hit, TutorialAttempt, WorkerQualification
from crowd.providers import registry
from crowd.providers.base import NewHit, NoAnswer, Provider
from tests.crowd import collect, fund
from tests.factories import (
    AssignmentFactory,
    HitFactory,
    UserFactory,
    WorkerIdentityFactory,
)
from tests.fake_provider import FakeProvider
from tests.integration.hits.conftest import SUBMIT_TO, address, html_of, token_of
from tests.ontologies import TAC

pytestmark = pytest.mark.django_db

LESSON = find_tutorial("relation", TAC)


@pytest.fixture
def tutorial_hit() -> Hit:
    return HitFactory.create(batch__is_tutorial=True, batch__title="Learn it")


class Granter:
    """A provider that is told of qualifications, and may not answer."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str]] = []
        self.is_down = False

    def grant(self, worker_id: str, *, kind: str) -> None:
        if self.is_down:
            raise NoAnswer("It is down.")
        self.told.append((worker_id, kind))

    def bonus_fee_cents(self, *, cents: int) -> int:
        return cents // 5


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Granter:
    granter = Granter()

    def known(name: str) -> Provider:
        return granter  # type: ignore[return-value]

    monkeypatch.setattr(registry, "provider", known)
    monkeypatch.setattr(registry, "configured", lambda: ["marketplace"])
    return granter


def fields_of(answer: Mapping[str, Any], index: int) -> dict[str, Any]:
    asked = LESSON.practice[index].asked  # type: ignore[attr-defined]
    return {"practice": str(index), "q0": ticked_values(asked, answer)}


def right(index: int) -> dict[str, Any]:
    return fields_of(LESSON.practice[index].right_answer, index)


def wrong(index: int) -> dict[str, Any]:
    answer = LESSON.practice[index].right_answer
    if "right" in answer:
        return fields_of({"right": not answer["right"]}, index)
    return {"practice": str(index), "q0": ["none"] if answer["relations"] else [FIRST[index]]}


FIRST = [
    one.page({}).steps[0].choices[0].value  # a relation; it does not hold where none does
    for one in LESSON.practice
]


def take(browser: Client, hit: Hit, mistakes: int = 0) -> HttpResponse:
    """Go through the tutorial, with so many mistakes at its start; return the page at the end."""
    token = token_of(browser.get(address(hit)))
    browser.post(address(hit), {"token": token, "begin": "1"})
    for index in range(len(LESSON.practice)):
        given = wrong(index) if index < mistakes else right(index)
        response = browser.post(address(hit), given | {"token": token})
        assert response.status_code == 200, html_of(response)
    return browser.get(address(hit))


def test_a_preview_shows_the_instructions_and_cannot_begin(browser: Client, tutorial_hit: Hit) -> None:
    page = html_of(browser.get(address(tutorial_hit, assignmentId="")))
    assert "How to judge" in page
    assert "Begin" not in page


def test_every_answer_is_explained_at_once(browser: Client, tutorial_hit: Hit) -> None:
    token = token_of(browser.get(address(tutorial_hit)))
    page = html_of(browser.post(address(tutorial_hit), {"token": token, "begin": "1"}))
    assert "Question 1 of 10" in page
    page = html_of(browser.post(address(tutorial_hit), wrong(0) | {"token": token}))
    assert "Not quite" in page
    assert "That she also worked there is likely" in page
    assert "Question 2 of 10" in html_of(browser.get(address(tutorial_hit)))


def test_the_first_answer_to_a_question_stays(browser: Client, tutorial_hit: Hit) -> None:
    token = token_of(browser.get(address(tutorial_hit)))
    browser.post(address(tutorial_hit), {"token": token, "begin": "1"})
    browser.post(address(tutorial_hit), wrong(0) | {"token": token})
    page = html_of(browser.post(address(tutorial_hit), right(0) | {"token": token}))
    assert "Not quite" in page
    assert TutorialAttempt.objects.get().right == 0


def test_no_question_can_be_skipped(browser: Client, tutorial_hit: Hit) -> None:
    token = token_of(browser.get(address(tutorial_hit)))
    browser.post(address(tutorial_hit), {"token": token, "begin": "1"})
    assert browser.post(address(tutorial_hit), right(3) | {"token": token}).status_code == 409


def test_an_empty_answer_comes_back(browser: Client, tutorial_hit: Hit) -> None:
    token = token_of(browser.get(address(tutorial_hit)))
    browser.post(address(tutorial_hit), {"token": token, "begin": "1"})
    response = browser.post(address(tutorial_hit), {"token": token, "practice": "0"})
    assert response.status_code == 400
    assert "Tick what holds" in html_of(response)


@pytest.mark.parametrize(("mistakes", "passes"), [(0, True), (2, True), (3, False)])
def test_eight_of_ten_pass(browser: Client, tutorial_hit: Hit, mistakes: int, passes: bool) -> None:
    page = html_of(take(browser, tutorial_hit, mistakes))
    attempt = TutorialAttempt.objects.get()
    assert (attempt.right, attempt.has_passed) == (10 - mistakes, passes)
    assert f'action="{SUBMIT_TO}/mturk/externalSubmit"' in page
    answer = Assignment.objects.get().answer
    assert answer == {
        "version": 1,
        "tutorial": "relation",
        "attempt": 1,
        "right": 10 - mistakes,
        "passed": passes,
    }
    posted = re.search(r'name="answer" value="([^"]+)"', page)
    assert posted is not None
    assert json.loads(html.unescape(posted[1])) == answer


def test_three_tries_and_no_more(browser: Client, tutorial_hit: Hit) -> None:
    assert "2 more tries" in html_of(take(browser, tutorial_hit, 10))
    token = token_of(browser.get(address(tutorial_hit)))
    for left in ("1 more try", "that was your last try"):
        browser.post(address(tutorial_hit), {"token": token, "begin": "1"})
        for index in range(10):
            browser.post(address(tutorial_hit), wrong(index) | {"token": token})
        assert left in html_of(browser.get(address(tutorial_hit)))
    assert browser.post(address(tutorial_hit), {"token": token, "begin": "1"}).status_code == 409
    other = browser.get(address(HitFactory.create(batch=tutorial_hit.batch), assignmentId="3B"))
    assert other.status_code == 409
    assert "used all your tries" in html_of(other)


def test_who_failed_in_an_earlier_assignment_begins_anew(browser: Client, tutorial_hit: Hit) -> None:
    take(browser, tutorial_hit, 10)
    page = html_of(browser.get(address(HitFactory.create(batch=tutorial_hit.batch), assignmentId="3B")))
    assert "You have 2 tries" in page


def test_passing_counts_when_the_provider_lists_the_assignment(
    browser: Client, tutorial_hit: Hit, provider: Granter
) -> None:
    operator = UserFactory.create(operator=True)
    create_budget(scope="corpus", key=tutorial_hit.batch.corpus.tag, cap_cents=10_00, by=operator)
    identity = WorkerIdentityFactory.create(worker_id="W1")
    take(browser, tutorial_hit)
    assert not WorkerQualification.objects.exists()
    assignment = Assignment.objects.get()
    assert assignment.worker == identity
    for _ in range(2):
        qualifying.settle_attempt(assignment=assignment, now=timezone.now())
    assert WorkerQualification.objects.get().provider_worker_id == "W1"
    bonus = Bonus.objects.get()
    assert (bonus.reason, bonus.cents, bonus.fee_cents) == ("tutorial relation tac-kbp@1", 75, 15)

    assert qualifying.grant_next(now=timezone.now(), rng=Random(0))
    assert not qualifying.grant_next(now=timezone.now(), rng=Random(0))
    assert provider.told == [("W1", "relation tac-kbp@1")]
    again = browser.get(address(HitFactory.create(batch=tutorial_hit.batch), assignmentId="3B"))
    assert "You have passed this tutorial before" in html_of(again)


def test_failing_grants_nothing(browser: Client, tutorial_hit: Hit, provider: Granter) -> None:
    WorkerIdentityFactory.create(worker_id="W1")
    take(browser, tutorial_hit, 10)
    qualifying.settle_attempt(assignment=Assignment.objects.get(), now=timezone.now())
    assert not WorkerQualification.objects.exists()
    assert not Bonus.objects.exists()


def test_what_a_browser_sends_grants_nothing(tutorial_hit: Hit, provider: Granter) -> None:
    forged = AssignmentFactory.create(
        hit=tutorial_hit, sent=True, answer={"version": 1, "tutorial": "relation", "passed": True}
    )
    qualifying.settle_attempt(assignment=forged, now=timezone.now())
    assert not WorkerQualification.objects.exists()


@pytest.fixture
def lists_it(monkeypatch: pytest.MonkeyPatch, db: None) -> Callable[[Hit], Assignment]:
    """Have worker W1's work on a tutorial listed by the provider and collected; return it."""
    fake = FakeProvider(timezone.now)
    monkeypatch.setattr(registry, "provider", lambda name: fake)
    monkeypatch.setattr(registry, "configured", lambda: ["marketplace"])

    def act(hit: Hit) -> Assignment:
        fund(hit.batch.corpus)
        new = NewHit(
            token="t",
            annotation=hit.annotation,
            title="",
            description="",
            keywords="",
            url="",
            reward_cents=hit.reward_cents,
            places=hit.places,
            duration_seconds=3600,
            lifetime_seconds=3600,
            auto_approval_seconds=3600,
        )
        Hit.objects.filter(pk=hit.pk).update(provider_id=fake.publish(new).provider_id)
        fake.send("HIT1", "3A", "W1", {"answer": "{}"})
        collect(timezone.now())
        return Assignment.objects.get()

    return act


@pytest.mark.parametrize("mistakes", [0, 10])
def test_who_went_through_it_is_not_suspected(
    browser: Client, tutorial_hit: Hit, lists_it: Callable[[Hit], Assignment], mistakes: int
) -> None:
    take(browser, tutorial_hit, mistakes)
    assert lists_it(tutorial_hit).flag == ""


def test_a_tutorial_that_was_sent_unread_waits_for_a_person(
    tutorial_hit: Hit, lists_it: Callable[[Hit], Assignment]
) -> None:
    assert "without the tutorial" in lists_it(tutorial_hit).flag


def test_a_tutorial_that_was_left_halfway_waits_for_a_person(
    browser: Client, tutorial_hit: Hit, lists_it: Callable[[Hit], Assignment]
) -> None:
    token = token_of(browser.get(address(tutorial_hit)))
    browser.post(address(tutorial_hit), {"token": token, "begin": "1"})
    browser.post(address(tutorial_hit), right(0) | {"token": token})
    assert "without the tutorial" in lists_it(tutorial_hit).flag


def test_without_money_for_the_bonus_the_qualification_is_granted_and_the_bonus_owed(
    browser: Client, tutorial_hit: Hit, provider: Granter
) -> None:
    WorkerIdentityFactory.create(worker_id="W1")
    take(browser, tutorial_hit)
    assignment = Assignment.objects.get()
    qualifying.settle_attempt(assignment=assignment, now=timezone.now())
    assert WorkerQualification.objects.exists()
    assert "No budget matches" in Bonus.objects.get().error
    assert budget.owed().bonuses == 1


def test_a_provider_that_is_down_is_told_later(provider: Granter) -> None:
    now = timezone.now()
    WorkerQualification.objects.create(
        provider="marketplace",
        provider_worker_id="W1",
        kind="relation",
        ontology_id=TAC.reference,
        granted_at=now,
    )
    provider.is_down = True
    assert qualifying.grant_next(now=now, rng=Random(0))
    assert not qualifying.grant_next(now=now, rng=Random(0))
    provider.is_down = False
    assert qualifying.grant_next(now=now + timedelta(minutes=20), rng=Random(0))
    assert provider.told == [("W1", "relation tac-kbp@1")]
    assert WorkerQualification.objects.get().error == ""


def test_annotators_take_it_on_the_site_as_often_as_they_like(client: Client) -> None:
    client.force_login(UserFactory.create(annotator=True))
    page = reverse("annotate_tutorial")
    assert "Take the tutorial" in html_of(client.get(reverse("annotate")))
    assert "Nothing depends on it" in html_of(client.get(page))
    for expected in ("10 of 10 right", "0 of 10 right"):
        client.post(page, {"begin": "1"})
        for index in range(10):
            given = right(index) if expected.startswith("10") else wrong(index)
            assert "Question" in html_of(client.post(page, given))
        assert expected in html_of(client.get(page))
    assert not TutorialAttempt.objects.exists()


def test_it_is_for_annotators_alone(client: Client) -> None:
    client.force_login(UserFactory.create())
    assert client.get(reverse("annotate_tutorial")).status_code == 403


def test_no_tutorial_of_another_kind_is_made_up(client: Client) -> None:
    client.force_login(UserFactory.create(annotator=True))
    assert client.get(reverse("annotate_tutorial_of", args=["pottery"])).status_code == 404


MARKING = find_tutorial("entities", TAC)


def take_marking(browser: Client, hit: Hit, mistakes: int = 0) -> HttpResponse:
    """Go through the tutorial of whole documents, with so many mistakes at its start."""
    token = token_of(browser.get(address(hit)))
    browser.post(address(hit), {"token": token, "begin": "1"})
    for index, one in enumerate(MARKING.practice):
        options = [choice.value for choice in one.page({}).steps[0].choices]
        best = one.right_answer["choice"]
        chosen = next(value for value in options if (value != best) == (index < mistakes))
        response = browser.post(address(hit), {"token": token, "practice": str(index), "q0": chosen})
        assert one.explanation in html.unescape(html_of(response))
    return browser.get(address(hit))


@pytest.fixture
def marking_hit() -> Hit:
    return HitFactory.create(batch__is_tutorial=True, batch__kind="entities", batch__title="Learn to mark")


@pytest.mark.parametrize(("mistakes", "passes"), [(2, True), (3, False)])
def test_whole_documents_have_a_tutorial_of_their_own(
    browser: Client, marking_hit: Hit, provider: Granter, mistakes: int, passes: bool
) -> None:
    operator = UserFactory.create(operator=True)
    create_budget(scope="corpus", key=marking_hit.batch.corpus.tag, cap_cents=10_00, by=operator)
    WorkerIdentityFactory.create(worker_id="W1")
    assert "Words that stand for a name" in html_of(browser.get(address(marking_hit, assignmentId="")))
    assert f"{10 - mistakes} of 10 right" in html_of(take_marking(browser, marking_hit, mistakes))
    for _ in range(2):
        qualifying.settle_attempt(assignment=Assignment.objects.get(), now=timezone.now())
    kinds = list(WorkerQualification.objects.values_list("provider_worker_id", "kind"))
    assert kinds == ([("W1", "entities")] if passes else [])
    paid = list(Bonus.objects.values_list("reason", "cents"))
    assert paid == ([("tutorial entities tac-kbp@1", 75)] if passes else [])


def test_who_has_learned_relations_has_not_learned_to_mark(browser: Client, marking_hit: Hit) -> None:
    WorkerQualification.objects.create(
        provider="marketplace",
        provider_worker_id="W1",
        kind="relation",
        ontology_id=TAC.reference,
        granted_at=timezone.now(),
    )
    assert browser.get(address(marking_hit)).status_code == 200


def test_annotators_take_the_one_about_documents_on_the_site(client: Client) -> None:
    client.force_login(UserFactory.create(annotator=True))
    page = reverse("annotate_tutorial_of", args=["entities"])
    assert page in html_of(client.get(reverse("annotate")))
    client.post(page, {"begin": "1"})
    for index, one in enumerate(MARKING.practice):
        client.post(page, {"practice": str(index), "q0": one.right_answer["choice"]})
    assert "10 of 10 right" in html_of(client.get(page))
