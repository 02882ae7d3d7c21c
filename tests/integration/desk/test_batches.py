"""Batches at the desk: how they stand, what does not get on, and what may be done with them."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotations.models import Corpus, Question
from crowd.models import Assignment, BatchMeasure, Hit, HitBatch
from kbpo.pages import batches, hits
from tests.factories import HitBatchFactory, UserFactory
from tests.integration.desk.conftest import hours, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("account")]


def standing(batch: HitBatch, now: datetime) -> batches.Standing:
    [found] = batches.standings([batch], now=now)
    return found


PAGES = [
    "desk",
    "desk_open",
    "desk_tutorial",
    "desk_questions",
    "desk_answers",
    "desk_workers",
    "desk_budgets",
    "desk_ledger",
    "desk_ledger_csv",
]


@pytest.mark.parametrize("name", PAGES)
def test_only_operators_see_the_desk(client: Client, name: str) -> None:
    assert client.get(reverse(name)).status_code == 302  # to sign in
    client.force_login(UserFactory.create(annotator=True, is_staff=True))
    response = client.get(reverse(name))
    assert response.status_code == 403
    assert "The desk is for operators" in text_of(response)


@pytest.mark.parametrize("name", PAGES)
def test_every_page_shows_something_where_there_is_nothing(desk: Client, name: str) -> None:
    assert desk.get(reverse(name)).status_code == 200


def test_without_an_account_the_desk_says_so(desk: Client, settings: Any) -> None:
    settings.MTURK_KEYS = None
    assert "no account with a provider" in text_of(desk.get(reverse("desk")))


def test_a_batch_is_counted(
    batch: HitBatch, post: Any, send: Any, approve: Any, reject: Any, now: Any
) -> None:
    first, second, _ = post(), post(), post()
    for assignment in [send(first), send(first), send(first)]:
        approve(assignment)
    Question.objects.filter(hits=first).update(state="settled", settled_at=now)
    send(second, flag="Far too fast.")
    reject(send(second))
    found = standing(batch, now)
    assert (found.questions, found.settled) == (3, 1)
    assert (found.places, found.sent, found.open) == (9, 5, 4)
    assert (found.approved, found.rejected, found.waiting, found.flagged) == (3, 1, 1, 1)
    assert found.hits == {"posted": 3}


def test_money_is_what_was_paid_and_what_is_promised(
    batch: HitBatch, post: Any, send: Any, approve: Any, now: Any
) -> None:
    approve(send(post()))
    found = standing(batch, now).money
    assert (found.rewards, found.fees, found.bonuses, found.paid) == (15, 3, 0, 18)
    assert found.reserved == 2 * 18


def test_what_is_cancelled_or_refused_promises_no_places(
    desk: Client, batch: HitBatch, post: Any, now: datetime
) -> None:
    post(state="cancelled")
    post(state="failed", error="no")
    assert standing(batch, now).places == 0
    assert "0 of 0" not in text_of(desk.get(reverse("desk_batch", args=[batch.pk])))


def test_places_that_ran_out_empty_are_not_waited_for(
    batch: HitBatch, post: Any, send: Any, now: datetime
) -> None:
    expired = post()
    send(expired)
    Hit.objects.filter(pk=expired.pk).update(ended_at=now)
    post()
    found = standing(batch, now)
    assert (found.places, found.sent, found.open) == (1 + 3, 1, 3)


def test_a_place_on_a_workers_screen_is_held_until_its_time_is_over(
    batch: HitBatch, post: Any, now: datetime
) -> None:
    hit = post()
    for minutes, name in ((1, "A"), (6, "B")):  # they have five
        Assignment.objects.create(
            hit=hit,
            provider_id=name,
            provider_worker_id=name,
            begun_at=now - timedelta(minutes=minutes),
        )
    found = standing(batch, now)
    assert (found.held, found.open) == (1, 2)


def test_what_is_left_follows_from_the_last_days_pace(
    batch: HitBatch, post: Any, send: Any, now: datetime
) -> None:
    for number in range(2):
        hit = post()
        for place in range(3):
            send(hit, submitted_at=now - timedelta(minutes=60 - 10 * (3 * number + place)))
    post()
    # six in the last hour, three to come
    assert standing(batch, now).left == timedelta(minutes=30)


def test_with_few_answers_nothing_is_said_of_what_is_left(
    batch: HitBatch, post: Any, send: Any, now: datetime
) -> None:
    send(post(), submitted_at=now - hours(1))
    assert standing(batch, now).left is None


def test_batches_cost_as_many_queries_for_many_as_for_one(
    batch: HitBatch, post: Any, send: Any, approve: Any, now: datetime, django_assert_num_queries: Any
) -> None:
    approve(send(post()))
    others = HitBatchFactory.create_batch(5, corpus=batch.corpus)
    with django_assert_num_queries(9):
        batches.standings([batch], now=now)
    with django_assert_num_queries(9):
        batches.standings([batch, *others], now=now)


def test_the_desk_lists_batches_with_their_progress(
    desk: Client, batch: HitBatch, post: Any, send: Any, approve: Any, now: Any
) -> None:
    approve(send(post()))
    BatchMeasure.objects.create(
        batch=batch, questions=4, kappa=0.61, kappa_low=0.55, kappa_high=0.66, measured_at=now
    )
    text = text_of(desk.get(reverse("desk")))
    assert f"Relations {batch.pk}" in text
    assert "0 of 1" in text
    assert "1 of 3" in text
    assert "$0.18 $0.36 0.61 0.55 to 0.66" in text


def test_the_desk_is_paged_and_costs_few_queries(
    desk: Client, corpus: Corpus, django_assert_max_num_queries: Any
) -> None:
    HitBatchFactory.create_batch(45, corpus=corpus)
    with django_assert_max_num_queries(19):
        first = desk.get(reverse("desk"))
    assert "1–20 of 45" in text_of(first)
    assert "41–45 of 45" in text_of(desk.get(reverse("desk"), {"page": 3}))
    assert "41–45 of 45" in text_of(desk.get(reverse("desk"), {"page": "99"}))
    assert desk.get(reverse("desk"), {"page": "x"}).status_code == 200


def test_finished_batches_are_listed_if_asked_for(desk: Client, corpus: Corpus) -> None:
    done = HitBatchFactory.create(corpus=corpus, state="finished")
    assert f"Relations {done.pk}" not in text_of(desk.get(reverse("desk")))
    assert f"Relations {done.pk}" in text_of(desk.get(reverse("desk"), {"show": "all"}))


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("desk", {"show": "none"}),
        ("desk_answers", {"show": "none"}),
        ("desk_workers", {"kind": "none"}),
        ("desk_workers", {"order": "none"}),
        ("desk_ledger", {"by": "none"}),
        ("desk_ledger_csv", {"by": "none"}),
    ],
)
def test_what_is_not_there_to_choose_is_refused(desk: Client, name: str, query: dict[str, str]) -> None:
    response = desk.get(reverse(name), query)
    assert response.status_code == 400
    assert "'none' is none of" in text_of(response).replace("&#x27;", "'")


@pytest.mark.parametrize("name", ["desk_batch", "desk_answer", "desk_worker"])
def test_what_does_not_exist_is_not_found(desk: Client, name: str) -> None:
    assert desk.get(reverse(name, args=[987654])).status_code == 404


# HITs that do not get on


def why(batch: HitBatch, now: datetime) -> dict[int, str]:
    found = list(hits.stuck(batch, now=now))
    return {one.hit.pk: one.reason for one in hits.explain(found, batch, now=now)}


def test_work_that_gets_on_is_not_listed(batch: HitBatch, post: Any, send: Any, now: datetime) -> None:
    post(posted_at=now - hours(1))
    send(post(posted_at=now - hours(30)), submitted_at=now - hours(1))
    post(state="closed")
    post(state="planned")
    assert why(batch, now) == {}


def test_the_reason_is_said_the_worst_first(batch: HitBatch, post: Any, send: Any, now: datetime) -> None:
    flagged = post()
    send(flagged, flag="Far too fast.", submitted_at=now - hours(3))
    silent = post(posted_at=now - hours(30))
    slow = post(posted_at=now - hours(60))
    send(slow, submitted_at=now - hours(40))
    waiting = post(state="planned")
    Hit.objects.filter(pk=waiting.pk).update(created_at=now - hours(2))
    unheard = post()
    send(unheard, decision="approve", error="No answer within 30 s.")
    unreached = post(state="planned", error="Too many requests.", tries=3)
    refused = post(state="failed", error="The URL is not reachable.")
    assert list(why(batch, now).items()) == [
        (refused.pk, "The provider refused it: The URL is not reachable."),
        (unreached.pk, "The provider has not taken it yet, at try 3: Too many requests."),
        (unheard.pk, "A decision on its work has not come through: No answer within 30 s."),
        (
            waiting.pk,
            "It waits to be posted for 2 hours: the pipeline does not run, or has much to post.",
        ),
        (silent.pk, "Nobody has sent anything since it was posted, 30 hours ago."),
        (slow.pk, "Nobody has sent anything for 2 days; 1 of 3 are in."),
        (flagged.pk, "Its work waits for a person for 3 hours."),
    ]


def test_a_short_lived_hit_is_slow_sooner(batch: HitBatch, post: Any, now: datetime) -> None:
    HitBatch.objects.update(lifetime_seconds=4 * 3600)
    batch.refresh_from_db()
    hit = post(posted_at=now - hours(1.1))
    assert why(batch, now)[hit.pk].startswith("Nobody has sent anything since")


@pytest.mark.parametrize(
    ("state", "keys", "words"),
    [("paused", ("a", "b"), "its batch is paused"), ("open", None, "there are no keys for the built-in")],
)
def test_why_it_is_not_posted_is_said(
    batch: HitBatch, post: Any, now: datetime, settings: Any, state: str, keys: Any, words: str
) -> None:
    hit = post(state="planned")
    Hit.objects.update(created_at=now - hours(1))
    settings.MTURK_KEYS = keys
    batch.state = HitBatch.State(state)
    assert words in why(batch, now)[hit.pk]


def test_a_batchs_page_costs_as_many_queries_for_many_hits(
    desk: Client, batch: HitBatch, post: Any, now: datetime, django_assert_max_num_queries: Any
) -> None:
    for _ in range(30):
        post(posted_at=now - hours(30))
    with django_assert_max_num_queries(18):
        text = text_of(desk.get(reverse("desk_batch", args=[batch.pk])))
    assert "1–25 of 30" in text


# What may be done


def act(desk: Client, batch: HitBatch, action: str, **data: str) -> Any:
    return desk.post(reverse("desk_batch_act", args=[batch.pk, action]), data)


def state_of(batch: HitBatch) -> str:
    batch.refresh_from_db()
    return batch.state


def test_a_batch_is_paused_with_a_reason_and_goes_on(desk: Client, batch: HitBatch) -> None:
    act(desk, batch, "pause", reason="The names are in another script.")
    assert state_of(batch) == "paused"
    page = text_of(desk.get(reverse("desk_batch", args=[batch.pk])))
    assert "The names are in another script. (Olga Operator" in page
    act(desk, batch, "resume")
    assert state_of(batch) == "open"


def test_a_pause_without_a_reason_is_refused_on_the_page(desk: Client, batch: HitBatch) -> None:
    response = act(desk, batch, "pause", reason=" ")
    assert response.status_code == 400
    assert "say why it is paused" in text_of(response)
    assert state_of(batch) == "open"


def test_what_is_out_is_taken_back(desk: Client, batch: HitBatch, post: Any) -> None:
    hit = post()
    act(desk, batch, "expire")
    hit.refresh_from_db()
    assert (state_of(batch), hit.wanted_until is not None) == ("paused", True)


def test_the_time_of_what_is_out_is_changed(desk: Client, batch: HitBatch, post: Any, now: datetime) -> None:
    hit = post()
    until = (now + timedelta(days=3)).replace(second=0, microsecond=0)
    response = act(desk, batch, "extend", until=f"{until:%Y-%m-%dT%H:%M}")
    hit.refresh_from_db()
    assert (response.status_code, hit.wanted_until) == (302, until)


@pytest.mark.parametrize("until", ["", "soon", "2020-01-01T00:00"])
def test_a_time_that_is_none_or_past_is_refused_on_the_page(
    desk: Client, batch: HitBatch, post: Any, until: str
) -> None:
    post()
    assert act(desk, batch, "extend", until=until).status_code == 400


def test_a_batch_is_cancelled_and_its_money_is_free(
    desk: Client, batch: HitBatch, post: Any, purse: Any
) -> None:
    post(state="planned")
    act(desk, batch, "cancel")
    purse.refresh_from_db()
    assert (state_of(batch), purse.reserved_cents) == ("cancelled", 0)
    assert act(desk, batch, "resume").status_code == 409


def test_what_nobody_may_do_does_not_exist(desk: Client, batch: HitBatch) -> None:
    assert act(desk, batch, "delete").status_code == 404
    assert desk.get(reverse("desk_batch_act", args=[batch.pk, "cancel"])).status_code == 405


def test_only_operators_act(client: Client, batch: HitBatch) -> None:
    client.force_login(UserFactory.create(annotator=True))
    assert act(client, batch, "cancel").status_code == 403
    assert state_of(batch) == "open"
