"""Budgets: made and changed by operators, one for one thing."""

import pytest

from annotations.models import Corpus
from crowd import budget
from crowd.models import Budget, HitBatch
from kbpo.accounts.models import User
from kbpo.core.errors import Conflict, InvalidInput, NotAllowed
from tests.factories import UserFactory
from tests.integration.crowd.budget.books import NOVEMBER, budgets, new_hit, promise

pytestmark = pytest.mark.django_db


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
        ("submission", "042", "its id"),
        ("submission", "0", "its id"),
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
