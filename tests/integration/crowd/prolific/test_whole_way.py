"""Questions to Prolific and back, through the requester: posted, answered, collected, reviewed, paid."""

import json
from collections.abc import Callable
from datetime import datetime

import pytest

from annotations import labels
from annotations.models import Corpus, Response
from crowd import budget, posting, review
from crowd.models import Assignment, Hit, HitBatch
from crowd.providers import prolific
from kbpo import pipeline
from kbpo.core.errors import InvalidInput
from tests import crowd
from tests.integration.crowd.prolific.conftest import see_page
from tests.prolific import Clock, FakeProlific

REASON = (
    "Low effort: " + "Every answer is the first choice of its list, within a second of the one before. " * 2
)
UNIT = 70 + 24  # a reward and its fee


pytestmark = pytest.mark.usefixtures("account")


def begin(fake: FakeProlific, worker: str) -> Assignment:
    """Have a worker take whatever Prolific hands out, and open its page."""
    (study,) = fake.published()
    qualify(fake, worker)
    _, url = fake.arrive(study["id"], worker)
    return see_page(url)


def finish(fake: FakeProlific, assignment: Assignment) -> None:
    """Have them answer it on its page, and go back."""
    text = crowd.answer_json(assignment.hit.questions.order_by("pk"))
    Assignment.objects.filter(pk=assignment.pk).update(answer=json.loads(text))
    fake.complete(assignment.provider_id, fake.published()[0]["completion_codes"][0]["code"])


def answer(fake: FakeProlific, worker: str) -> Assignment:
    assignment = begin(fake, worker)
    finish(fake, assignment)
    return assignment


def qualify(fake: FakeProlific, worker: str) -> None:
    next(row for row in fake.groups.values() if "qualified" in row["name"])["members"].add(worker)


def look(clock: Clock) -> int:
    clock.forward(minutes=1)
    return crowd.collect(clock())


def test_questions_go_to_prolific_and_come_back_as_labels(
    opened: Callable[..., HitBatch], fake: FakeProlific, clock: Clock, corpus: Corpus
) -> None:
    batch = opened(12)
    assert sorted(hit.hit_questions.count() for hit in batch.hits.all()) == [2, 10]
    (study,) = fake.published()
    assert (study["reward"], study["estimated_completion_time"]) == (70, 2)  # 12 of 20 s, in two HITs
    for number in range(6):
        answer(fake, f"w{number}")
    look(clock)
    assert Response.objects.count() == 36
    crowd.check_books()
    assert crowd.approve_all(clock()) == 6
    crowd.check_books()
    assert fake.paid == 6 * UNIT
    assert labels.settle_questions() == 12
    posting.plan_batches(now=clock())
    batch.refresh_from_db()
    assert batch.state == HitBatch.State.FINISHED
    assert pipeline.end_studies() == 2
    assert pipeline.end_studies() == 0
    assert (fake.balance, fake.locked) == (100_000 - 6 * UNIT, 0)


def test_a_reason_that_prolific_would_not_take_is_refused_at_once(
    opened: Callable[..., HitBatch], fake: FakeProlific, clock: Clock
) -> None:
    opened(1)
    assignment = answer(fake, "w1")
    look(clock)
    with pytest.raises(InvalidInput, match="at least 100 characters"):
        review.reject(assignment=assignment, by=crowd.operator(), reason="Low effort: no.", now=clock())
    review.reject(assignment=assignment, by=crowd.operator(), reason=REASON, now=clock())
    crowd.tell(clock())
    assert fake.submissions[assignment.provider_id]["rejection"]["rejection_category"] == "LOW_EFFORT"


@pytest.mark.parametrize("before", [1, 3], ids=["while places are open", "when all are taken"])
def test_the_place_of_rejected_work_opens_again_and_is_paid_for(
    opened: Callable[..., HitBatch], fake: FakeProlific, clock: Clock, before: int
) -> None:
    batch = opened(1)
    done = [answer(fake, f"w{number}") for number in range(before)]
    look(clock)
    review.reject(assignment=done[0], by=crowd.operator(), reason=REASON, now=clock())
    crowd.tell(clock())
    crowd.check_books()
    posting.plan_batches(now=clock())
    crowd.post(clock())
    (study,) = fake.published()
    free = sum(row["total_allocation"] - row["allocated"] for row in study["addresses"])
    assert free == 4 - before
    for number in range(free):
        answer(fake, f"x{number}")
    look(clock)
    crowd.check_books()
    crowd.approve_all(clock())
    crowd.check_books()
    assert fake.paid == 3 * UNIT
    assert Response.objects.filter(is_valid=True).count() == 3
    assert labels.settle_questions() == 1
    posting.plan_batches(now=clock())
    batch.refresh_from_db()
    assert (batch.hits.count(), batch.state) == (1, HitBatch.State.FINISHED)
    assert budget.audit().balances


def test_work_that_its_worker_takes_back_is_not_paid_and_asked_again(
    opened: Callable[..., HitBatch], fake: FakeProlific, clock: Clock
) -> None:
    opened(1)
    back = answer(fake, "w1")
    look(clock)
    fake.give_back(back.provider_id)
    look(clock)
    back.refresh_from_db()
    assert back.state == Assignment.State.REJECTED
    for number in range(3):
        answer(fake, f"x{number}")
    look(clock)
    crowd.approve_all(clock())
    crowd.check_books()
    assert (fake.paid, Response.objects.filter(is_valid=True).count()) == (3 * UNIT, 3)


def test_work_without_a_page_is_shown_to_a_person(
    opened: Callable[..., HitBatch], fake: FakeProlific, clock: Clock
) -> None:
    opened(1)
    qualify(fake, "w1")
    submission, _ = fake.arrive(fake.published()[0]["id"], "w1")
    fake.complete(submission, None)
    clock.forward(minutes=11)
    look(clock)
    assignment = Assignment.objects.get()
    assert assignment.flag.startswith("An answer could not be counted")
    crowd.check_books()


def test_a_batch_that_is_taken_back_pauses_its_study_and_gives_the_money_back(
    opened: Callable[..., HitBatch], fake: FakeProlific, clock: Clock
) -> None:
    batch = opened(30)
    begun = begin(fake, "w1")
    posting.cancel_batch(batch=batch, by=crowd.operator(), now=clock())
    crowd.post(clock())
    assert fake.published()[0]["status"] == "PAUSED"
    look(clock)
    assert Hit.objects.filter(ended_at=None).get() == begun.hit  # its worker may finish
    finish(fake, begun)
    look(clock)
    crowd.approve_all(clock())
    crowd.check_books()
    assert pipeline.end_studies() == 3
    assert (fake.locked, fake.paid) == (0, UNIT)


def test_a_tutorial_is_offered_to_those_who_have_not_passed_it(
    corpus: Corpus, fake: FakeProlific, clock: Clock
) -> None:
    crowd.open_tutorial(
        corpus=corpus,
        kind="relation",
        provider="prolific",
        reward_cents=100,
        places=50,
        by=crowd.operator(),
        now=clock(),
    )
    crowd.post(clock())
    (study,) = fake.published()
    assert study["addresses"][0]["total_allocation"] == 50
    (kept_out,) = [row for row in study["filters"] if row["filter_id"] == "participant_group_blocklist"]
    names = {fake.groups[pk]["name"] for pk in kept_out["selected_values"]}
    assert names == {"kbpo blocked", "kbpo qualified: relation tac-kbp@1"}


def test_hits_of_a_batch_are_few_requests_to_look_at(
    opened: Callable[..., HitBatch], fake: FakeProlific, clock: Clock
) -> None:
    opened(200)
    assert Hit.objects.filter(state=Hit.State.POSTED).count() == 20
    fake.log.clear()
    look(clock)
    assert len(fake.log) <= 5


def test_nothing_is_posted_without_money_and_the_batch_says_so(
    opened: Callable[..., HitBatch], fake: FakeProlific, clock: Clock, corpus: Corpus
) -> None:
    fake.balance = 2 * 3 * UNIT
    batch = opened(30)
    batch.refresh_from_db()
    assert batch.state == HitBatch.State.PAUSED
    assert "short of money: $2.82 are needed at Prolific; $0.00 are there" in batch.paused_because
    assert len(fake.addresses()) == 2
    fake.balance = 10_000
    posting.resume_batch(batch=batch, by=crowd.operator(), now=clock())
    crowd.post(clock())
    assert len(fake.addresses()) == 3


def test_a_reward_below_the_minimum_is_refused_with_its_reason(
    opened: Callable[..., HitBatch], fake: FakeProlific
) -> None:
    with pytest.raises(InvalidInput, match=r"Prolific asks for at least \$8\.00"):
        opened(10, reward_cents=20)
    assert not HitBatch.objects.exists()
    assert not fake.studies
    crowd.check_books()


def test_the_pages_next_step_is_known_as_soon_as_a_worker_can_come(
    opened: Callable[..., HitBatch], fake: FakeProlific
) -> None:
    opened(1)
    assignment = begin(fake, "w1")
    code = fake.published()[0]["completion_codes"][0]["code"]
    assert prolific.completion_url(assignment.hit).endswith(f"?cc={code}")


def test_times_are_prolifics_own(opened: Callable[..., HitBatch], fake: FakeProlific, clock: Clock) -> None:
    opened(1)
    begun: datetime = clock()
    assignment = answer(fake, "w1")
    look(clock)
    assignment.refresh_from_db()
    assert (assignment.accepted_at, assignment.submitted_at) == (begun, begun)
