"""Tutorials are looked at before they are paid: their questions are fixed, so that a pass can be repeated."""

from datetime import timedelta
from random import Random
from typing import Any

import pytest

from crowd import review
from crowd.models import Assignment, Bonus, Hit, TutorialAttempt, WorkerQualification
from crowd.posting import publishing
from tests import crowd
from tests.integration.crowd.services.conftest import Desk
from tests.integration.crowd.services.review.acts import reject

REWARD, BONUS = 90, 90  # with their fees


@pytest.fixture(autouse=True)
def _as_people_read(settings: Any) -> None:
    settings.CROWD_FASTEST_READING = 8.0


@pytest.fixture
def lesson(desk: Desk) -> Hit:
    batch = crowd.open_tutorial(
        corpus=desk.corpus,
        kind="relation",
        provider="marketplace",
        reward_cents=75,
        places=9,
        held_answers=10,
        by=desk.operator,
        now=desk.now,
    )
    desk.post()
    return batch.hits.get()


def learn(desk: Desk, lesson: Hit, worker: str, seconds: float = 300, *, passed: bool = True) -> Assignment:
    """Have a worker go through the tutorial and send it."""
    TutorialAttempt.objects.create(
        provider="marketplace",
        provider_worker_id=worker,
        kind="relation",
        ontology_id=lesson.batch.corpus.ontology_id,
        number=1,
        begun_at=desk.now,
        ended_at=desk.now + timedelta(seconds=seconds),
        has_passed=passed,
        answers=[{}] * 10,
        right=9 if passed else 3,
    )
    desk.wait(seconds=seconds)
    ident = desk.send(lesson, worker, text="{}", took=timedelta(seconds=seconds))
    go_on(desk)
    return desk.assignment(ident)


def go_on(desk: Desk) -> None:
    desk.collect()
    desk.decide()
    while review.pay_next_bonus(now=desk.now, rng=Random(0)):
        pass


def paid(desk: Desk) -> int:
    crowd.check_books()
    return desk.money()[1]


def look_at(desk: Desk, one: Assignment) -> None:
    review.approve(assignment=one, by=desk.operator, now=desk.now)
    go_on(desk)


def test_a_script_earns_nothing_by_tutorials_before_a_person_has_seen_it(desk: Desk, lesson: Hit) -> None:
    for number in range(4):
        found = learn(desk, lesson, f"SYBIL{number}", 0.3)
        assert found.flag.startswith("Sent 0.3 s after it was begun")
    desk.wait(days=29)
    go_on(desk)
    assert paid(desk) == 0
    assert {one.state for one in Assignment.objects.all()} == {"submitted"}


def test_the_first_tutorial_of_a_worker_waits_for_a_person_who_then_pays_it_with_its_bonus(
    desk: Desk, lesson: Hit
) -> None:
    found = learn(desk, lesson, "HONEST")
    assert (found.flag, found.hold) == ("", "New here: a person has approved no work of this worker yet.")
    assert WorkerQualification.objects.filter(provider_worker_id="HONEST").exists()  # they may work meanwhile
    assert paid(desk) == 0
    assert found in review.waits()
    look_at(desk, found)
    assert paid(desk) == REWARD + BONUS
    assert desk.now < review.due_by(found)


def test_a_tutorial_is_paid_by_rule_once_a_person_has_approved_other_work_of_its_worker(
    desk: Desk, lesson: Hit
) -> None:
    learn(desk, lesson, "HONEST")
    [hit] = desk.posted(held_answers=10)
    ident = desk.send(hit, "HONEST")
    desk.collect()
    look_at(desk, desk.assignment(ident))
    assert set(Assignment.objects.values_list("state", flat=True)) == {"approved"}
    assert Bonus.objects.get().paid_at is not None


def test_what_a_person_has_seen_of_one_worker_pays_no_tutorial_of_another(desk: Desk, lesson: Hit) -> None:
    look_at(desk, learn(desk, lesson, "HONEST"))
    assert learn(desk, lesson, "OTHER").hold


def test_the_bonus_of_a_rejected_tutorial_is_given_back_and_paid_if_that_is_taken_back(
    desk: Desk, lesson: Hit
) -> None:
    before = desk.money()[0]
    found = learn(desk, lesson, "WORKER", 0.3)
    reject(desk, found.provider_id)
    go_on(desk)
    assert desk.money() == (before - REWARD, 0)  # its place is free as well
    assert paid(desk) == 0
    found.refresh_from_db()
    review.override(assignment=found, by=desk.operator, reason="It was no script.", now=desk.now)
    go_on(desk)
    assert paid(desk) == REWARD + BONUS


def test_workers_are_told_before_they_accept_and_the_provider_pays_none_unseen(
    desk: Desk, lesson: Hit
) -> None:
    offer = publishing._offer(lesson)
    assert offer.description.endswith(
        "A person looks at it first if none has approved work of yours yet; all work is decided and paid"
        " within 3 days."
    )
    assert offer.auto_approval_seconds == timedelta(days=30).total_seconds()
