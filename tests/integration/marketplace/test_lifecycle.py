"""Places in HITs: taken, given back, run out, filled; and what time decides."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import Sum

from kbpo.core.errors import Conflict, InvalidInput, NotAllowed
from marketplace import ledger, lifecycle, requesters
from marketplace.models import Assignment, Hit, LedgerEntry, Requester, Worker
from marketplace.operations import OPERATIONS, Call
from tests.integration.marketplace.conftest import HIT, new_worker
from tests.processes import wait_until

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
DURATION = 300 * SECOND
AUTO_APPROVAL = 3600 * SECOND


def create(requester: Requester, now: datetime = NOW, **more: Any) -> Hit:
    made = OPERATIONS["CreateHIT"](Call(requester, HIT | more, "request", now))
    return Hit.objects.get(hit_id=made["HIT"]["HITId"])


@pytest.fixture
def hit(requester: Requester) -> Hit:
    return create(requester, MaxAssignments=1)


def places(hit: Hit) -> tuple[int, int]:
    hit.refresh_from_db()
    return hit.taken, hit.pending


def check_books(requester: Requester) -> None:
    requester.refresh_from_db()
    sums = LedgerEntry.objects.aggregate(available=Sum("available_cents"), held=Sum("held_cents"))
    assert (sums["available"], sums["held"]) == (requester.available_cents, requester.held_cents)


def test_accepting_takes_a_place_until_the_deadline(hit: Hit, worker: Worker) -> None:
    assignment = lifecycle.accept(worker=worker, hit=hit, now=NOW)
    assert assignment.deadline == NOW + DURATION
    assert places(hit) == (1, 1)
    assert hit.status(NOW) == "Unassignable"


def test_accepting_twice_is_accepting_once(hit: Hit, worker: Worker) -> None:
    first = lifecycle.accept(worker=worker, hit=hit, now=NOW)
    assert lifecycle.accept(worker=worker, hit=hit, now=NOW + SECOND) == first
    assert places(hit) == (1, 1)


def test_a_full_hit_is_refused(hit: Hit, worker: Worker) -> None:
    lifecycle.accept(worker=new_worker(), hit=hit, now=NOW)
    with pytest.raises(Conflict, match="gone"):
        lifecycle.accept(worker=worker, hit=hit, now=NOW)


def test_an_expired_hit_takes_no_new_worker_but_the_answers_of_those_who_have_it(
    requester: Requester, worker: Worker
) -> None:
    hit = create(requester, LifetimeInSeconds=60)
    assignment = lifecycle.accept(worker=worker, hit=hit, now=NOW)
    later = NOW + 60 * SECOND
    with pytest.raises(Conflict):
        lifecycle.accept(worker=new_worker(), hit=hit, now=later)
    assert lifecycle.submit(assignment=assignment, answer="<a/>", now=later).state == "submitted"


def test_a_returned_place_goes_to_the_next_worker_with_its_id(hit: Hit, worker: Worker) -> None:
    first = lifecycle.accept(worker=worker, hit=hit, now=NOW)
    lifecycle.give_back(assignment=first, now=NOW)
    assert places(hit) == (0, 0)
    other = new_worker()
    second = lifecycle.accept(worker=other, hit=hit, now=NOW)
    assert (second.assignment_id, second.worker) == (first.assignment_id, other)
    assert second.pk != first.pk


def test_a_worker_may_take_what_they_returned(hit: Hit, worker: Worker) -> None:
    first = lifecycle.accept(worker=worker, hit=hit, now=NOW)
    lifecycle.give_back(assignment=first, now=NOW)
    again = lifecycle.accept(worker=worker, hit=hit, now=NOW + DURATION)
    assert (again.pk, again.deadline) == (first.pk, NOW + 2 * DURATION)


def test_a_worker_does_a_hit_once(requester: Requester, worker: Worker) -> None:
    hit = create(requester)
    lifecycle.submit(
        assignment=lifecycle.accept(worker=worker, hit=hit, now=NOW), answer="<a/>", now=NOW + SECOND
    )
    with pytest.raises(Conflict, match="done this one"):
        lifecycle.accept(worker=worker, hit=hit, now=NOW + 2 * SECOND)
    assert lifecycle.accept_next(worker=worker, hit_type=hit.hit_type, now=NOW + 2 * SECOND) is None


def test_the_next_hit_is_the_oldest_that_the_worker_has_no_part_in(
    requester: Requester, worker: Worker
) -> None:
    hits = [create(requester) for _ in range(3)]
    taken = [lifecycle.accept_next(worker=worker, hit_type=hits[0].hit_type, now=NOW) for _ in range(4)]
    assert [assignment and assignment.hit for assignment in taken] == [*hits, None]


def test_a_worker_holds_25_hits_at_most(requester: Requester, worker: Worker) -> None:
    hits = [create(requester) for _ in range(26)]
    for hit in hits[:25]:
        lifecycle.accept(worker=worker, hit=hit, now=NOW)
    with pytest.raises(Conflict, match="hold 25"):
        lifecycle.accept(worker=worker, hit=hits[25], now=NOW)


def test_the_first_answer_stays(hit: Hit, worker: Worker) -> None:
    assignment = lifecycle.accept(worker=worker, hit=hit, now=NOW)
    for answer in ("<first/>", "<second/>"):
        lifecycle.submit(assignment=assignment, answer=answer, now=NOW + SECOND)
    assignment.refresh_from_db()
    assert assignment.answer == "<first/>"
    assert places(hit) == (1, 0)


def test_what_was_returned_cannot_be_answered(hit: Hit, worker: Worker) -> None:
    assignment = lifecycle.accept(worker=worker, hit=hit, now=NOW)
    lifecycle.give_back(assignment=assignment, now=NOW)
    lifecycle.accept(worker=new_worker(), hit=hit, now=NOW)
    with pytest.raises(Conflict, match="returned"):
        lifecycle.submit(assignment=assignment, answer="<a/>", now=NOW)
    assert places(hit) == (1, 1)


def test_what_was_answered_cannot_be_returned(hit: Hit, worker: Worker) -> None:
    assignment = lifecycle.accept(worker=worker, hit=hit, now=NOW)
    lifecycle.submit(assignment=assignment, answer="<a/>", now=NOW)
    with pytest.raises(Conflict):
        lifecycle.give_back(assignment=assignment, now=NOW)
    assert places(hit) == (1, 0)


@pytest.mark.parametrize("swept", [True, False])
def test_an_answer_comes_too_late_when_the_time_and_its_grace_are_over(
    hit: Hit, worker: Worker, swept: bool
) -> None:
    assignment = lifecycle.accept(worker=worker, hit=hit, now=NOW)
    late = NOW + DURATION + lifecycle.GRACE
    if swept:
        lifecycle.expire_assignments(late)
    with pytest.raises(Conflict, match="ran out"):
        lifecycle.submit(assignment=assignment, answer="<a/>", now=late)


def test_an_answer_within_the_grace_is_taken(hit: Hit, worker: Worker) -> None:
    assignment = lifecycle.accept(worker=worker, hit=hit, now=NOW)
    late = NOW + DURATION + lifecycle.GRACE - SECOND
    lifecycle.sweep(late)
    assert lifecycle.submit(assignment=assignment, answer="<a/>", now=late).state == "submitted"


def test_an_assignment_that_runs_out_goes_back_once(hit: Hit, worker: Worker) -> None:
    lifecycle.accept(worker=worker, hit=hit, now=NOW)
    late = NOW + DURATION + lifecycle.GRACE
    assert [lifecycle.expire_assignments(when) for when in (late - SECOND, late, late)] == [0, 1, 0]
    assert places(hit) == (0, 0)
    assert lifecycle.accept(worker=new_worker(), hit=hit, now=late).state == "accepted"


def test_what_nobody_decides_is_approved_and_paid_once(
    requester: Requester, hit: Hit, worker: Worker
) -> None:
    assignment = lifecycle.accept(worker=worker, hit=hit, now=NOW)
    lifecycle.submit(assignment=assignment, answer="<a/>", now=NOW)
    due = NOW + AUTO_APPROVAL
    assert [lifecycle.approve_due(when) for when in (due - SECOND, due, due)] == [0, 1, 0]
    assignment.refresh_from_db()
    assert (assignment.state, assignment.approved_at) == ("approved", due)
    assert [entry.paid_cents for entry in worker.entries.filter(kind="reward")] == [15]
    check_books(requester)


def test_the_money_of_an_expired_hits_free_places_comes_back_once(
    requester: Requester, worker: Worker
) -> None:
    hit = create(requester, LifetimeInSeconds=60)  # three places at $0.18
    lifecycle.accept(worker=worker, hit=hit, now=NOW)
    expiry = NOW + 60 * SECOND
    assert [lifecycle.release_expired(when) for when in (expiry - SECOND, expiry, expiry)] == [0, 1, 0]
    hit.refresh_from_db()
    assert hit.held_cents == 18
    lifecycle.sweep(NOW + DURATION + lifecycle.GRACE)
    hit.refresh_from_db()
    assert hit.held_cents == 0
    check_books(requester)
    assert requester.available_cents == 100_00


def test_a_reply_to_a_rejection_is_kept(requester: Requester, hit: Hit, worker: Worker) -> None:
    assignment = lifecycle.accept(worker=worker, hit=hit, now=NOW)
    lifecycle.submit(assignment=assignment, answer="<a/>", now=NOW)
    with pytest.raises(Conflict):
        lifecycle.reply(assignment=assignment, text="But why?")
    lifecycle.reject(requester=requester, assignment_id=assignment.assignment_id, feedback="Empty.", now=NOW)
    assert lifecycle.reply(assignment=assignment, text=" But why? ").reply == "But why?"
    for text in (" ", "x" * 1025):
        with pytest.raises(InvalidInput):
            lifecycle.reply(assignment=assignment, text=text)


def test_an_account_without_money_posts_nothing() -> None:
    poor = requesters.create_requester(name="Poor")
    with pytest.raises(ledger.RequestError, match="insufficient funds"):
        create(poor)
    assert not LedgerEntry.objects.exists()


def test_whoever_is_no_annotator_is_no_worker() -> None:
    from marketplace.workers import worker_for
    from tests.factories import UserFactory

    with pytest.raises(NotAllowed):
        worker_for(UserFactory.create())


@pytest.mark.django_db(transaction=True)
def test_workers_who_rush_at_once_get_a_place_each_and_no_more_than_there_are(requester: Requester) -> None:
    hits = [create(requester, MaxAssignments=2) for _ in range(2)]
    workers = [new_worker() for _ in range(8)]

    def rush(worker: Worker) -> int:
        try:
            got = 0
            while lifecycle.accept_next(worker=worker, hit_type=hits[0].hit_type, now=NOW) is not None:
                got += 1
            return got
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        got = list(pool.map(rush, workers))
    assert sum(got) == 4
    assert [places(hit) for hit in hits] == [(2, 2), (2, 2)]
    ids = Assignment.objects.values_list("assignment_id", flat=True)
    assert len(set(ids)) == 4


@pytest.mark.django_db(transaction=True)
def test_who_comes_while_another_takes_a_place_of_the_only_hit_gets_the_next(requester: Requester) -> None:
    hit, late = create(requester, MaxAssignments=2), new_worker()

    def take() -> Assignment | None:
        try:
            return lifecycle.accept_next(worker=late, hit_type=hit.hit_type, now=NOW)
        finally:
            connection.close()

    def waits() -> bool:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            return bool(cursor.fetchone()[0])

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            lifecycle.accept(worker=new_worker(), hit=hit, now=NOW)
            taken = pool.submit(take)
            assert wait_until(lambda: taken.done() or waits())
        found = taken.result(timeout=30)
    assert found is not None
    assert places(hit) == (2, 2)
