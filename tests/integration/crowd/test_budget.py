"""Money: reserved before anything is asked, never more than a cap, and every cent in the ledger."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from threading import Barrier

import pytest
from django.db import IntegrityError, connection, transaction

from annotations.models import Corpus
from crowd import budget
from crowd.collecting import identify
from crowd.models import Assignment, Bonus, Budget, Hit, HitBatch, LedgerEntry
from crowd.providers.base import Provider
from kbpo.accounts.models import User
from kbpo.core.errors import Conflict, InvalidInput, NotAllowed, OverBudget
from tests import crowd
from tests.factories import CorpusFactory, UserFactory
from tests.integration.crowd.conftest import Open

pytestmark = pytest.mark.django_db

NOVEMBER = datetime(2026, 11, 20, 12, tzinfo=UTC)
DECEMBER = datetime(2026, 12, 1, tzinfo=UTC)


def new_batch(corpus: Corpus, submission_id: int | None = None) -> HitBatch:
    return HitBatch.objects.create(
        corpus=corpus,
        submission_id=submission_id,
        kind="relation",
        provider="marketplace",
        title="T",
        description="D",
        reward_cents=10,
        duration_seconds=300,
        lifetime_seconds=3600,
    )


def new_hit(batch: HitBatch, places: int = 3) -> Hit:
    number = Hit.objects.count()
    return Hit.objects.create(
        batch=batch,
        request_token=f"token {number}",
        annotation=f"kbpo-{number}",
        places=places,
        reward_cents=10,
        fee_cents=2,
    )


def promise(hit: Hit, cents: int = 36) -> budget.Promise:
    return budget.Promise(key=f"reserve|hit {hit.pk}", cents=cents, hit=hit)


def sums(scope: str) -> tuple[int, int]:
    one = Budget.objects.get(scope=scope)
    return one.reserved_cents, one.paid_cents


@pytest.fixture
def batch(corpus: Corpus) -> HitBatch:
    return new_batch(corpus, submission_id=7)


def budgets(corpus: Corpus, /, **caps: int) -> None:
    keys = {"corpus": corpus.tag, "submission": "7", "month": "2026-11"}
    for scope, cap in caps.items():
        Budget.objects.create(scope=scope, key=keys[scope], cap_cents=cap)


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


def submitted(hit: Hit) -> Assignment:
    user = UserFactory.create(annotator=True)
    return Assignment.objects.create(
        hit=hit,
        provider_id=f"A{Assignment.objects.count()}",
        provider_worker_id=f"W{user.pk}",
        worker=identify(provider="marketplace", worker_id=f"W{user.pk}"),
        state="submitted",
        submitted_at=NOVEMBER,
        counted_at=NOVEMBER,
    )


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


# Operators


def test_a_budget_is_made_and_its_cap_changed(operator: User, corpus: Corpus) -> None:
    made = budget.create_budget(scope="corpus", key=corpus.tag, cap_cents=500, by=operator)
    assert budget.change_cap(budget=made, cap_cents=700, by=operator).cap_cents == 700


def test_a_cap_cannot_go_below_what_is_spent(operator: User, batch: HitBatch) -> None:
    budgets(batch.corpus, corpus=100)
    budget.reserve(promises=[promise(new_hit(batch))], batch=batch, now=NOVEMBER)
    with pytest.raises(InvalidInput, match=r"\$0.35 is too low: \$0.36"):
        budget.change_cap(budget=Budget.objects.get(), cap_cents=35, by=operator)


@pytest.mark.parametrize(
    ("scope", "key", "words"),
    [
        ("corpus", "nowhere", "no corpus"),
        ("submission", "x", "its id"),
        ("month", "2026-13", "written like 2026-11"),
        ("month", "2026-1", "written like 2026-11"),
        ("year", "2026", "it must be corpus"),
    ],
)
def test_a_budget_for_nothing_is_refused(operator: User, scope: str, key: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        budget.create_budget(scope=scope, key=key, cap_cents=1, by=operator)


def test_there_is_one_budget_for_one_thing(operator: User) -> None:
    budget.create_budget(scope="month", key="2026-11", cap_cents=1, by=operator)
    with pytest.raises(Conflict):
        budget.create_budget(scope="month", key="2026-11", cap_cents=2, by=operator)


def test_only_operators_make_budgets() -> None:
    with pytest.raises(NotAllowed):
        budget.create_budget(scope="month", key="2026-11", cap_cents=1, by=UserFactory.create())


# The audit finds what is wrong


def test_the_audit_finds_a_sum_that_is_not_its_entries(batch: HitBatch) -> None:
    budgets(batch.corpus, corpus=100)
    Budget.objects.update(reserved_cents=1)
    assert "says that $0.01 are promised; its entries say $0.00" in budget.audit().problems[0]


def test_the_audit_finds_a_hit_without_money(batch: HitBatch) -> None:
    new_hit(batch)
    assert "3 assignments may still be paid, which cost $0.36" in budget.audit().problems[0]


def test_the_audit_finds_an_approval_that_was_not_paid(batch: HitBatch) -> None:
    budgets(batch.corpus, corpus=100)
    hit = new_hit(batch)
    budget.reserve(promises=[promise(hit)], batch=batch, now=NOVEMBER)
    assignment = submitted(hit)
    Assignment.objects.update(state="approved")
    assert any(f"For assignment {assignment.pk}" in problem for problem in budget.audit().problems)


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
