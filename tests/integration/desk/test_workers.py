"""Workers at the desk: how they work, with intervals, and who gets no more of it."""

from datetime import datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from crowd.models import WorkerBlock, WorkerMeasure
from kbpo.accounts.models import User, WorkerIdentity
from kbpo.pages import workers
from tests.factories import ResponseFactory, UserFactory, WorkerIdentityFactory
from tests.integration.desk.conftest import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("account")]


@pytest.fixture
def measure(now: datetime) -> Any:
    """Measure a new worker: agreed of compared, gold right of asked, median seconds."""

    def measure(agreed: int, compared: int, right: int, asked: int, seconds: float, **fields: Any) -> User:
        identity = WorkerIdentityFactory.create()
        WorkerMeasure.objects.create(
            worker=identity.user,
            kind="relation",
            votes=compared,
            compared=compared,
            agreed=agreed,
            gold_asked=asked,
            gold_right=right,
            timed=compared,
            seconds=seconds,
            measured_at=now,
            **fields,
        )
        user: User = identity.user
        return user

    return measure


def order(by: str) -> list[User]:
    return list(workers.workers(kind="relation", order=by))


def test_workers_are_ordered_as_asked(measure: Any) -> None:
    good, hasty, new = measure(38, 40, 9, 10, 20.0), measure(12, 30, 2, 8, 3.0), measure(2, 2, 0, 0, 30.0)
    silent = WorkerIdentityFactory.create().user
    UserFactory.create(annotator=True)  # has done nothing
    assert order("votes") == [good, hasty, new, silent]
    assert order("agreement") == [hasty, good, new]
    assert order("gold") == [hasty, good]
    assert order("seconds") == [hasty, good, new]


def test_who_has_most_to_look_at_comes_first(measure: Any, post: Any, send: Any) -> None:
    good = measure(38, 40, 9, 10, 20.0)
    hasty = send(post(), flag="Far too fast.").worker.user
    assert order("flagged") == [hasty, good]


def test_annotators_in_house_are_listed_too(desk: Client) -> None:
    person = ResponseFactory.create().worker
    assert order("votes") == [person]
    assert "in house" in text_of(desk.get(reverse("desk_workers")))


def test_shares_stand_with_their_intervals(desk: Client, measure: Any) -> None:
    measure(38, 40, 9, 10, 20.0, seconds_low=17.0, seconds_high=24.0)
    text = text_of(desk.get(reverse("desk_workers")))
    # Wilson's intervals of 38 of 40 and of 9 of 10, by hand
    assert "40 20.0 17.0–24.0 95.0 , between 83.5 – and 98.6" in text
    assert "90.0 , between 59.6 – and 98.2" in text


def test_the_list_is_paged_and_costs_as_many_queries_for_many(
    desk: Client, measure: Any, django_assert_max_num_queries: Any
) -> None:
    for number in range(55):
        measure(number, 60, 1, 2, 9.0)
    with django_assert_max_num_queries(14):
        assert "1–50 of 55" in text_of(desk.get(reverse("desk_workers")))


def test_a_workers_page_tells_of_all_their_work(
    desk: Client, post: Any, send: Any, approve: Any, reject: Any
) -> None:
    worker = WorkerIdentityFactory.create(worker_id="AWORKER", user__name="Wanda Worker")
    approve(send(post(), worker=worker))
    reject(send(post(), worker=worker))
    send(post(), worker=worker, flag="Far too fast.")
    text = text_of(desk.get(reverse("desk_worker", args=[worker.user_id])))
    assert "3 pieces of work, 1 to look at, 1 rejected; paid $0.15" in text
    assert "AWORKER at the built-in marketplace" in text


def block(desk: Client, worker: WorkerIdentity, action: str, reason: str) -> Any:
    address = reverse("desk_block", args=[worker.user_id, worker.pk])
    return desk.post(address, {"action": action, "reason": reason})


def test_a_worker_is_blocked_with_a_reason_and_let_in_again(desk: Client, operator: User) -> None:
    worker = WorkerIdentityFactory.create()
    block(desk, worker, "block", "Answers without reading.")
    found = WorkerBlock.objects.get(worker=worker)
    assert (found.is_blocked, found.reason, found.decided_by) == (True, "Answers without reading.", operator)
    text = text_of(desk.get(reverse("desk_worker", args=[worker.user_id])))
    assert "is blocked by Olga Operator" in text
    assert "· blocked" in text_of(desk.get(reverse("desk_workers")))
    block(desk, worker, "unblock", "It was somebody else.")
    found.refresh_from_db()
    assert not found.is_blocked


def test_a_block_without_a_reason_is_refused_on_the_page(desk: Client) -> None:
    worker = WorkerIdentityFactory.create()
    response = block(desk, worker, "block", "")
    assert response.status_code == 400
    assert "give a reason" in text_of(response)
    assert not WorkerBlock.objects.exists()


def test_a_name_of_somebody_else_is_not_found(desk: Client) -> None:
    one, other = WorkerIdentityFactory.create_batch(2)
    address = reverse("desk_block", args=[one.user_id, other.pk])
    assert desk.post(address, {"action": "block", "reason": "x"}).status_code == 404
