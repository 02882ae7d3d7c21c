"""The audit finds what is wrong."""

import pytest

from crowd import budget
from crowd.models import Assignment, Budget, HitBatch
from tests.integration.crowd.budget.books import NOVEMBER, budgets, new_hit, promise, submitted

pytestmark = pytest.mark.django_db


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
