"""The provider that speaks MTurk's API: the real boto3 client against the built-in marketplace."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.utils import timezone

from crowd.providers import mturk
from crowd.providers.base import NewHit, NoAnswer, NotEnoughMoney, NotFound, Provider, Refused
from kbpo.core.errors import NotAllowed
from marketplace import ledger, lifecycle
from marketplace.models import Assignment as MarketAssignment
from marketplace.models import Hit as MarketHit
from marketplace.models import (
    HitType,
    LedgerEntry,
    QualificationType,
    Requester,
    RequesterKey,
    RequestToken,
    Worker,
    WorkerBlock,
)
from marketplace.protocol.answers import write_answers
from marketplace.workers import worker_for
from tests.factories import UserFactory
from tests.proxy import Proxy

pytestmark = pytest.mark.django_db(transaction=True)

NEW = NewHit(
    token="token-1",
    annotation="kbpo-1",
    title="Judge a claim",
    description="Say whether a text bears it out.",
    keywords="text",
    url="http://127.0.0.1:9/hits/kbpo-1/",
    reward_cents=15,
    places=2,
    duration_seconds=300,
    lifetime_seconds=3600,
    auto_approval_seconds=7200,
)
Fail = Callable[..., Proxy]


@pytest.fixture
def failing(
    account: Provider, live_server: Any, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Fail]:
    """Put a proxy before the marketplace: ``failing(operation, fault, …)`` befalls its next calls."""
    proxies: list[Proxy] = []

    def act(operation: str, *faults: str, attempts: int = 1) -> tuple[Proxy, Provider]:
        waiting = list(faults)

        def choose(name: str) -> str:
            return waiting.pop(0) if name == operation and waiting else ""

        proxy = Proxy(live_server.url, choose=choose)
        proxies.append(proxy)
        monkeypatch.setattr(mturk, "ATTEMPTS", attempts)
        endpoint = settings.MTURK_ENDPOINT_URL.replace(live_server.url, proxy.url)
        return proxy, mturk.connect(
            "marketplace", endpoint, settings.MTURK_KEYS, settings.MTURK_SERVICE_MODELS
        )

    yield act
    for proxy in proxies:
        proxy.close()


def accept_and_send(provider_id: str, worker: Worker | None = None) -> MarketAssignment:
    now = timezone.now()
    hit = MarketHit.objects.get(hit_id=provider_id)
    worker = worker or worker_for(UserFactory.create(annotator=True))
    accepted = lifecycle.accept(worker=worker, hit=hit, now=now)
    return lifecycle.submit(
        assignment=accepted, answer=write_answers({"answer": ["yes"], "more": ["a & b"]}), now=now
    )


# Publishing


def test_a_hit_is_published_as_it_was_offered(account: Provider) -> None:
    before = timezone.now() - timedelta(seconds=1)
    made = account.publish(NEW)
    hit = MarketHit.objects.get()
    assert (made.provider_id, made.annotation, made.places, made.open, made.held) == (
        hit.hit_id,
        "kbpo-1",
        2,
        2,
        0,
    )
    assert before <= made.created_at <= timezone.now()
    assert made.expires_at - made.created_at == timedelta(hours=1)
    assert (hit.external_url, hit.hit_type.reward_cents) == (NEW.url, 15)
    offered = HitType.objects.get()
    assert (offered.title, offered.description, offered.keywords) == (NEW.title, NEW.description, "text")
    assert (offered.duration_seconds, offered.auto_approval_seconds) == (300, 7200)
    assert hit.fee_cents == account.fee_cents(reward_cents=15, places=2)


def test_the_same_token_is_the_same_hit(account: Provider) -> None:
    assert account.publish(NEW) == account.publish(NEW)
    assert MarketHit.objects.count() == 1


def test_a_hit_whose_id_is_not_told_is_found_by_its_annotation(
    account: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = account.publish(NEW)
    account.publish(replace(NEW, token="token-2", annotation="kbpo-2"))
    monkeypatch.setattr(mturk, "_HIT_ID", re.compile("nothing like it"))
    assert account.publish(NEW) == made


@pytest.mark.parametrize("fault", ["answer dropped", "answer cut off", "500 after", "dropped on the way"])
def test_an_answer_that_is_lost_is_no_answer_and_the_next_try_finds_the_hit(
    failing: Fail, fault: str
) -> None:
    _, account = failing("CreateHIT", fault)
    with pytest.raises(NoAnswer):
        account.publish(NEW)
    made = account.publish(NEW)
    assert MarketHit.objects.get().hit_id == made.provider_id


@pytest.mark.slow
def test_a_request_that_comes_late_does_not_publish_twice(failing: Fail) -> None:
    proxy, account = failing("CreateHIT", "comes late")
    with pytest.raises(NoAnswer):
        account.publish(NEW)
    account.publish(NEW)
    proxy.settle()
    assert MarketHit.objects.count() == 1


def test_boto3_itself_tries_again_first(failing: Fail) -> None:
    proxy, account = failing("CreateHIT", "500 before", "throttled", attempts=mturk.ATTEMPTS)
    account.publish(NEW)
    assert proxy.happened["throttled"] == 1
    assert MarketHit.objects.count() == 1


def test_too_many_requests_are_no_answer(failing: Fail) -> None:
    _, account = failing("GetHIT", "throttled")
    with pytest.raises(NoAnswer, match="Rate exceeded"):
        account.get("X")


def test_a_refusal_that_is_cut_off_is_no_refusal(failing: Fail) -> None:
    _, account = failing("GetHIT", "answer cut off")
    with pytest.raises(NoAnswer):
        account.get("X")


def test_a_server_that_is_not_there_is_no_answer(settings: LazySettings, account: Provider) -> None:
    nobody = mturk.MTurk(
        name="mturk",
        endpoint_url="http://127.0.0.1:9/",
        keys=settings.MTURK_KEYS,
        models=settings.MTURK_SERVICE_MODELS,
        attempts=1,
    )
    with pytest.raises(NoAnswer):
        nobody.balance_cents()


def test_an_account_that_is_short_of_money_says_so(account: Provider, requester: Requester) -> None:
    Requester.objects.update(available_cents=35)
    with pytest.raises(NotEnoughMoney, match=r"0\.36 is needed"):
        account.publish(NEW)


def test_what_the_marketplace_declines_is_refused_in_its_words(account: Provider) -> None:
    with pytest.raises(Refused, match="https://"):
        account.publish(replace(NEW, url="http://example.org/"))


def test_wrong_keys_are_refused(settings: LazySettings, account: Provider) -> None:
    key = settings.MTURK_KEYS[0]
    stranger = mturk.MTurk(
        name="mturk",
        endpoint_url=settings.MTURK_ENDPOINT_URL,
        keys=(key, "wrong"),
        models=settings.MTURK_SERVICE_MODELS,
        attempts=1,
    )
    with pytest.raises(Refused, match="signature"):
        stranger.balance_cents()


def test_what_was_published_since_a_time_is_listed_over_pages(
    account: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mturk, "PAGE", 2)
    names = [f"kbpo-{number}" for number in range(5)]
    for name in names:
        account.publish(replace(NEW, token=name, annotation=name))
    MarketHit.objects.filter(annotation="kbpo-0").update(created_at=datetime(2026, 1, 1, tzinfo=UTC))
    found = account.published_since(timezone.now() - timedelta(hours=1))
    assert sorted(hit.annotation for hit in found) == names[1:]


# A HIT's life


def test_places_are_added_once_for_a_token(account: Provider) -> None:
    made = account.publish(NEW)
    for _ in range(2):
        account.extend(made.provider_id, places=3, token="more")
    assert account.get(made.provider_id).places == 5


def test_nine_places_are_not_extended_to_ten(account: Provider) -> None:
    made = account.publish(NEW)
    with pytest.raises(Refused, match="fewer than 10"):
        account.extend(made.provider_id, places=8, token="more")


@pytest.mark.slow
def test_an_expired_hit_is_not_open_and_can_be_opened_again(account: Provider) -> None:
    made = account.publish(NEW)
    account.expire(made.provider_id)
    assert account.get(made.provider_id).open == 0
    account.prolong(made.provider_id, until=timezone.now() + timedelta(hours=5))
    assert account.get(made.provider_id).open == 2


def test_a_place_that_a_worker_is_at_is_held(account: Provider) -> None:
    made = account.publish(NEW)
    worker = worker_for(UserFactory.create(annotator=True))
    hit = MarketHit.objects.get()
    lifecycle.accept(worker=worker, hit=hit, now=timezone.now())
    stands = account.get(made.provider_id)
    assert (stands.open, stands.held) == (1, 1)


def test_a_removed_hit_is_gone(account: Provider) -> None:
    made = account.publish(NEW)
    account.expire(made.provider_id)
    account.remove(made.provider_id)
    with pytest.raises(NotFound):
        account.get(made.provider_id)
    with pytest.raises(NotFound):
        account.get("3" * 30)


# Work


def test_work_is_collected_over_pages_with_its_fields(
    account: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mturk, "PAGE", 1)
    made = account.publish(NEW)
    sent = [accept_and_send(made.provider_id) for _ in range(2)]
    found = list(account.collect(made.provider_id))
    assert [(one.assignment_id, one.worker_id) for one in found] == [
        (one.assignment_id, one.worker.worker_id) for one in sent
    ]
    assert {one.state for one in found} == {"submitted"}
    assert found[0].fields == {"answer": "yes", "more": "a & b"}
    assert "QuestionFormAnswers" in found[0].raw
    assert found[0].accepted_at <= found[0].submitted_at


def test_approving_twice_pays_once(account: Provider) -> None:
    made = account.publish(NEW)
    sent = accept_and_send(made.provider_id)
    for _ in range(2):
        account.approve(sent.assignment_id, feedback="Thanks")
    assert LedgerEntry.objects.filter(kind="reward").count() == 1
    assert [one.state for one in account.collect(made.provider_id)] == ["approved"]


def test_rejecting_twice_and_taking_it_back_twice(account: Provider) -> None:
    made = account.publish(NEW)
    sent = accept_and_send(made.provider_id)
    for _ in range(2):
        account.reject(sent.assignment_id, feedback="It is random")
    with pytest.raises(Refused):
        account.approve(sent.assignment_id, feedback="")
    for _ in range(2):
        account.approve(sent.assignment_id, feedback="We were wrong", override=True)
    sent.refresh_from_db()
    assert (sent.state, sent.feedback) == ("approved", "We were wrong")


def test_what_is_approved_cannot_be_rejected(account: Provider) -> None:
    sent = accept_and_send(account.publish(NEW).provider_id)
    account.approve(sent.assignment_id, feedback="")
    with pytest.raises(Refused):
        account.reject(sent.assignment_id, feedback="It is random")


def pay(account: Provider, sent: MarketAssignment, token: str = "bonus-1") -> None:
    account.pay_bonus(
        worker_id=sent.worker.worker_id,
        assignment_id=sent.assignment_id,
        cents=75,
        message="Well done",
        token=token,
    )


def test_a_bonus_is_paid_once_also_when_its_token_is_forgotten(account: Provider) -> None:
    sent = accept_and_send(account.publish(NEW).provider_id)
    for _ in range(2):
        pay(account, sent)
    RequestToken.objects.all().delete()
    pay(account, sent)
    assert LedgerEntry.objects.filter(kind="bonus").count() == 1


def test_a_bonus_whose_answer_is_lost_is_paid_once(failing: Fail) -> None:
    proxy, account = failing("SendBonus", "comes late")
    sent = accept_and_send(account.publish(NEW).provider_id)
    with pytest.raises(NoAnswer):
        pay(account, sent)
    pay(account, sent)
    proxy.settle()
    assert LedgerEntry.objects.filter(kind="bonus").count() == 1


# Workers


def accept(account: Provider, new: NewHit, worker: Worker) -> MarketAssignment:
    made = account.publish(new)
    hit = MarketHit.objects.get(hit_id=made.provider_id)
    return lifecycle.accept(worker=worker, hit=hit, now=timezone.now())


def test_only_who_was_granted_a_kind_of_work_may_accept_it(account: Provider) -> None:
    worker = worker_for(UserFactory.create(annotator=True))
    gated = replace(NEW, qualified_for="relation")
    with pytest.raises(NotAllowed, match="qualify"):
        accept(account, gated, worker)
    for _ in range(2):
        account.grant(worker.worker_id, kind="relation")
    assert accept(account, gated, worker)
    assert QualificationType.objects.count() == 1


def test_a_tutorial_is_for_those_who_have_not_passed_it(account: Provider) -> None:
    old_hand = worker_for(UserFactory.create(annotator=True))
    account.grant(old_hand.worker_id, kind="relation")
    tutorial = replace(NEW, unqualified_for="relation")
    with pytest.raises(NotAllowed):
        accept(account, tutorial, old_hand)
    assert accept(account, tutorial, worker_for(UserFactory.create(annotator=True)))


def test_another_process_finds_the_qualification_type_that_there_is(
    account: Provider, settings: LazySettings
) -> None:
    worker = worker_for(UserFactory.create(annotator=True))
    account.grant(worker.worker_id, kind="relation")
    other = mturk.MTurk(
        name="marketplace",
        endpoint_url=settings.MTURK_ENDPOINT_URL,
        keys=settings.MTURK_KEYS,
        models=settings.MTURK_SERVICE_MODELS,
    )
    other.grant(worker.worker_id, kind="relation")
    other.close()
    assert QualificationType.objects.count() == 1


def test_a_blocked_worker_gets_no_work_until_let_in_again(account: Provider) -> None:
    worker = worker_for(UserFactory.create(annotator=True))
    account.block(worker.worker_id, reason="Random answers")
    with pytest.raises(NotAllowed):
        accept(account, NEW, worker)
    for _ in range(2):
        account.unblock(worker.worker_id, reason="A misunderstanding")
    assert not WorkerBlock.objects.exists()
    assert accept(account, NEW, worker)


def test_the_balance_is_what_can_be_spent(account: Provider, requester: Requester) -> None:
    assert account.balance_cents() == 1_000_00
    account.publish(NEW)
    assert account.balance_cents() == 1_000_00 - 2 * 18
    ledger.deposit(requester=requester, cents=5, now=timezone.now())
    assert account.balance_cents() == 1_000_00 - 2 * 18 + 5


@pytest.mark.slow
def test_a_throttled_key_is_no_refusal(account: Provider, requester_and_key: Any) -> None:
    RequesterKey.objects.update(rate=0.001, burst=1)
    account.balance_cents()
    with pytest.raises(NoAnswer):
        account.balance_cents()
