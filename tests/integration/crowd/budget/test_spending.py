"""Money: reserved before anything is asked, never more than a cap, and every cent in the ledger."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from threading import Barrier

import pytest
from django.db import IntegrityError, connection, transaction

from crowd import budget
from crowd.models import Bonus, Budget, Hit, HitBatch, LedgerEntry
from crowd.providers.base import Provider
from kbpo.core.errors import OverBudget
from tests import crowd
from tests.factories import CorpusFactory
from tests.integration.crowd.budget.books import (
    DECEMBER,
    NOVEMBER,
    budgets,
    new_hit,
    promise,
    submitted,
    sums,
)
from tests.integration.crowd.conftest import Open

pytestmark = pytest.mark.django_db


def test_a_reservation_counts_against_every_budget_that_matches(batch: HitBatch) -> None:
    budgets(batch.corpus, corpus=100, submission=100, month=100)
    Budget.objects.create(scope="corpus", key="another", cap_cents=100)
    Budget.objects.create(scope="month", key="2026-12", cap_cents=100)
    budget.reserve(promises=[promise(new_hit(batch))], batch=batch, now=NOVEMBER)
    reserved = dict(Budget.objects.values_list("key", "reserved_cents"))
    assert reserved == {batch.corpus.tag: 36, "7": 36, "2026-11": 36, "another": 0, "2026-12": 0}
    crowd.check_books()


def test_without_a_budget_nothing_is_spent(batch: HitBatch) -> None:
    with pytest.raises(OverBudget, match="No budget matches"):
        budget.reserve(promises=[promise(new_hit(batch))], batch=batch, now=NOVEMBER)


@pytest.mark.parametrize("tight", ["corpus", "submission", "month"])
def test_every_matching_budget_must_have_room(batch: HitBatch, tight: str) -> None:
    budgets(batch.corpus, **{"corpus": 100, "submission": 100, "month": 100, tight: 35})
    with pytest.raises(OverBudget, match=r"\$0.36 are needed.*\$0.35"):
        budget.reserve(promises=[promise(new_hit(batch))], batch=batch, now=NOVEMBER)
    assert not LedgerEntry.objects.exists()


def test_reservations_are_made_together_or_not_at_all(batch: HitBatch) -> None:
    budgets(batch.corpus, corpus=71)
    with pytest.raises(OverBudget):
        budget.reserve(promises=[promise(new_hit(batch)), promise(new_hit(batch))], batch=batch, now=NOVEMBER)
    assert sums("corpus") == (0, 0)


def test_a_cap_may_be_reached_to_the_cent(batch: HitBatch) -> None:
    budgets(batch.corpus, corpus=36)
    assert budget.reserve(promises=[promise(new_hit(batch))], batch=batch, now=NOVEMBER) == 36


def test_the_same_reservation_twice_is_one(batch: HitBatch) -> None:
    budgets(batch.corpus, corpus=36)
    hit = new_hit(batch)
    budget.reserve(promises=[promise(hit)], batch=batch, now=NOVEMBER)
    assert budget.reserve(promises=[promise(hit)], batch=batch, now=NOVEMBER) == 0
    assert sums("corpus") == (36, 0)


def test_paying_moves_money_from_promised_to_paid_once(batch: HitBatch) -> None:
    budgets(batch.corpus, corpus=100, month=100)
    hit = new_hit(batch)
    budget.reserve(promises=[promise(hit)], batch=batch, now=NOVEMBER)
    assignment = submitted(hit)
    for _ in range(2):
        budget.pay(assignment=assignment, now=NOVEMBER)
    assert sums("corpus") == sums("month") == (24, 12)
    assert dict(LedgerEntry.objects.values_list("key", "paid_change_cents")) == {
        f"reserve|hit {hit.pk}": 0,
        f"reward|assignment {assignment.pk}": 10,
        f"fee|assignment {assignment.pk}": 2,
    }


def test_what_was_promised_in_november_is_settled_in_novembers_budget(batch: HitBatch) -> None:
    budgets(batch.corpus, month=100)
    Budget.objects.create(scope="month", key="2026-12", cap_cents=100)
    hit = new_hit(batch)
    budget.reserve(promises=[promise(hit)], batch=batch, now=NOVEMBER)
    budget.pay(assignment=submitted(hit), now=DECEMBER)
    budget.release(key="release", hit=hit, cents=24, now=DECEMBER)
    by_month = {one.key: (one.reserved_cents, one.paid_cents) for one in Budget.objects.all()}
    assert by_month == {"2026-11": (0, 12), "2026-12": (0, 0)}


def test_places_that_were_added_in_december_are_settled_after_those_of_november(batch: HitBatch) -> None:
    budgets(batch.corpus, month=100)
    Budget.objects.create(scope="month", key="2026-12", cap_cents=100)
    hit = new_hit(batch, places=2)
    budget.reserve(promises=[promise(hit, 12)], batch=batch, now=NOVEMBER)
    more = budget.Promise(key=budget.next_key("reserve", hit), cents=12, hit=hit)
    budget.reserve(promises=[more], batch=batch, now=DECEMBER)
    for _ in range(2):
        budget.pay(assignment=submitted(hit), now=DECEMBER)
    by_month = {one.key: (one.reserved_cents, one.paid_cents) for one in Budget.objects.all()}
    assert by_month == {"2026-11": (0, 12), "2026-12": (0, 12)}


def test_one_release_may_give_back_to_two_months(batch: HitBatch) -> None:
    budgets(batch.corpus, month=100)
    Budget.objects.create(scope="month", key="2026-12", cap_cents=100)
    hit = new_hit(batch, places=2)
    budget.reserve(promises=[promise(hit, 12)], batch=batch, now=NOVEMBER)
    more = budget.Promise(key=budget.next_key("reserve", hit), cents=12, hit=hit)
    budget.reserve(promises=[more], batch=batch, now=DECEMBER)
    for _ in range(2):
        budget.release(key="release", hit=hit, cents=24, now=DECEMBER)
    assert list(Budget.objects.values_list("reserved_cents", flat=True)) == [0, 0]


def test_the_database_itself_keeps_the_cap(batch: HitBatch) -> None:
    budgets(batch.corpus, corpus=100)
    with pytest.raises(IntegrityError), transaction.atomic():
        Budget.objects.update(reserved_cents=60, paid_cents=41)


def test_a_bonus_is_set_aside_and_paid_once(batch: HitBatch) -> None:
    budgets(batch.corpus, corpus=100)
    hit = new_hit(batch)
    budget.reserve(promises=[promise(hit)], batch=batch, now=NOVEMBER)
    assignment = submitted(hit)
    bonus = Bonus.objects.create(
        worker=assignment.worker,
        corpus=batch.corpus,
        assignment=assignment,
        reason="tutorial relation",
        message="Thank you",
        cents=25,
        fee_cents=5,
        request_token="token",
    )
    for _ in range(2):
        budget.reserve_bonus(bonus=bonus, now=NOVEMBER)
    assert sums("corpus") == (66, 0)
    for _ in range(2):
        budget.pay_bonus(bonus=bonus, now=NOVEMBER)
    assert sums("corpus") == (36, 30)
    Bonus.objects.update(paid_at=NOVEMBER)
    crowd.check_books()


# At once


@pytest.mark.django_db(transaction=True)
def test_four_at_once_never_promise_more_than_the_cap(
    open_batch: Open, account: Provider, now: datetime
) -> None:
    """Eight batches of three assignments at 18 cents: a cap of 200 has room for three of them."""
    corpora = CorpusFactory.create_batch(8)
    month = Budget.objects.create(scope="month", key=budget.month(now), cap_cents=200)
    for corpus in corpora:
        crowd.ask(corpus, 1)
    together = Barrier(4)

    def open_two(number: int) -> int:
        opened = 0
        try:
            together.wait(30)
            for corpus in corpora[number::4]:
                try:
                    open_batch(corpus=corpus)
                    opened += 1
                except OverBudget:
                    pass
        finally:
            connection.close()
        return opened

    with ThreadPoolExecutor(4) as pool:
        opened = sum(pool.map(open_two, range(4)))
    month.refresh_from_db()
    assert (opened, month.reserved_cents) == (3, 3 * 54)
    assert Hit.objects.count() == 3
    crowd.check_books()
