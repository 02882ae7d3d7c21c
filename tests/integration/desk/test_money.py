"""Budgets and the ledger at the desk."""

import csv
import io
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from annotations.models import Corpus
from crowd.models import Assignment, Budget, HitBatch, LedgerEntry
from kbpo.pages.money import ledger
from tests.factories import SubmissionFactory, WorkerIdentityFactory
from tests.integration.desk.conftest import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("account")]


def rows(response: Any) -> list[list[str]]:
    return list(csv.reader(io.StringIO(b"".join(response.streaming_content).decode())))


@pytest.fixture
def paid(post: Any, send: Any, approve: Any, reject: Any) -> None:
    """Two assignments paid, one rejected, and six places promised beside them."""
    first, second = (
        WorkerIdentityFactory.create(worker_id="AONE"),
        WorkerIdentityFactory.create(worker_id="=TWO"),
    )
    hit = post()
    approve(send(hit, worker=first))
    approve(send(hit, worker=second))
    reject(send(hit))
    post()


def test_a_budget_is_made_in_dollars(desk: Client, corpus: Corpus) -> None:
    desk.post(reverse("desk_budgets"), {"scope": "corpus", "key": corpus.tag, "cap_cents": "120.50"})
    assert Budget.objects.get().cap_cents == 12050
    assert f"Corpus {corpus.tag} $0.00 $0.00 $120.50" in text_of(desk.get(reverse("desk_budgets")))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"scope": "corpus", "key": "nowhere", "cap_cents": "1"}, "There is no corpus"),
        ({"scope": "submission", "key": "999999999", "cap_cents": "1"}, "There is no submission 999999999"),
        ({"scope": "month", "key": "November", "cap_cents": "1"}, "a month is written like 2026-11"),
        ({"scope": "month", "key": "2026-11", "cap_cents": "-1"}, "greater than or equal to 0"),
        ({"scope": "month", "key": "2026-11", "cap_cents": "1.234"}, "2 decimal places"),
        *(
            ({"scope": "month", "key": "2026-11", "cap_cents": amount}, "Write dollars in digits")
            for amount in ("much", "1e3", "1E+3", "٣", "1,5", "0x10", "NaN", "Infinity", "1_000", ".")
        ),
        ({"scope": "year", "key": "2026", "cap_cents": "1"}, "not one of the available choices"),
        ({"scope": "month", "key": "", "cap_cents": ""}, "This field is required"),
    ],
)
def test_a_wrong_budget_is_refused_on_the_page(desk: Client, given: dict[str, str], words: str) -> None:
    response = desk.post(reverse("desk_budgets"), given)
    assert response.status_code == 400
    assert words in text_of(response)
    assert not Budget.objects.exists()


def test_budgets_are_called_by_names(desk: Client, corpus: Corpus) -> None:
    submission = SubmissionFactory.create(corpus=corpus, name="northlight")
    Budget.objects.create(scope="submission", key=str(submission.pk), cap_cents=100)
    Budget.objects.create(scope="submission", key="999999999", cap_cents=100)
    Budget.objects.create(scope="month", key="2026-11", cap_cents=100)
    text = text_of(desk.get(reverse("desk_budgets")))
    assert f"Submission {submission.pk} · northlight $0.00" in text
    assert "Submission 999999999 $0.00" in text
    assert "November 2026 $0.00" in text


def test_what_is_owed_is_said_where_operators_look(desk: Client, post: Any, send: Any) -> None:
    assignment = send(post())
    Assignment.objects.filter(pk=assignment.pk).update(is_covered=False)
    for name in ("desk", "desk_ledger"):
        assert "1 answer came beyond what any budget has room for: $0.18 is owed" in text_of(
            desk.get(reverse(name))
        )


def test_there_is_one_budget_for_one_thing(desk: Client, purse: Budget) -> None:
    response = desk.post(reverse("desk_budgets"), {"scope": "corpus", "key": purse.key, "cap_cents": "1"})
    assert "There is a budget for" in text_of(response)


def test_a_cap_is_changed_but_not_below_what_is_spent(desk: Client, purse: Budget, paid: None) -> None:
    address = reverse("desk_cap", args=[purse.pk])
    desk.post(address, {"cap_cents": "2.00"})
    purse.refresh_from_db()
    assert purse.cap_cents == 200
    response = desk.post(address, {"cap_cents": "0.50"})
    purse.refresh_from_db()
    assert (response.status_code, purse.cap_cents) == (400, 200)
    assert "A cap of $0.50 is too low" in text_of(response)


def test_the_ledger_sums_up_what_was_promised_and_paid(paid: None, corpus: Corpus) -> None:
    [line] = ledger.lines("corpus")
    assert (line.name, line.reserved, line.rewards, line.fees, line.bonuses) == (corpus.tag, 54, 30, 6, 0)
    assert line.paid == 36


def test_workers_got_what_was_paid_and_promises_are_nobodys_yet(paid: None) -> None:
    found = [(line.name, line.reserved, line.rewards, line.fees) for line in ledger.lines("worker")]
    assert found == [("=TWO", 0, 15, 3), ("AONE", 0, 15, 3), ("nobody yet", 54, 0, 0)]


def test_submissions_and_months_are_told_apart(
    batch: HitBatch, post: Any, send: Any, approve: Any, corpus: Corpus
) -> None:
    approve(send(post()))
    submission = SubmissionFactory.create(corpus=corpus, name="northlight", team__name="North")
    LedgerEntry.objects.filter(kind="reward").update(
        submission_id=submission.pk, at=datetime(2026, 2, 1, tzinfo=UTC)
    )
    by_submission = {line.name: line.paid for line in ledger.lines("submission")}
    assert by_submission == {f"northlight, North ({submission.pk})": 15, "for no one submission": 3}
    first = ledger.lines("month")[0]
    assert (first.name, first.rewards) == ("2026-02", 15)


@pytest.mark.parametrize("by", ledger.DIVISIONS)
def test_however_it_is_divided_the_sums_are_those_of_all(paid: None, by: str) -> None:
    total = ledger.total()
    for column in ("reserved", "rewards", "fees", "bonuses", "paid"):
        assert sum(getattr(line, column) for line in ledger.lines(by)) == getattr(total, column)


def test_the_page_says_whether_the_books_balance(desk: Client, paid: None) -> None:
    address = reverse("desk_ledger")
    assert "The books balance" in text_of(desk.get(address))
    Budget.objects.update(paid_cents=35)
    text = text_of(desk.get(address))
    assert "The books do not balance" in text
    assert "$0.35 are paid" in text


def test_long_books_are_checked_when_somebody_asks(
    desk: Client, paid: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "SHORT", 0)
    cache.clear()
    address = reverse("desk_ledger")
    assert "have not been checked" in text_of(desk.get(address))
    desk.post(reverse("desk_check_books"))
    assert "The books balance" in text_of(desk.get(address))
    Budget.objects.update(paid_cents=35)
    assert "The books balance: on" in text_of(desk.get(address))  # and when that was
    desk.post(reverse("desk_check_books"))
    assert "The books do not balance" in text_of(desk.get(address))


@pytest.mark.django_db(transaction=True)
def test_the_books_are_checked_in_one_snapshot(desk: Client, paid: None) -> None:
    desk.post(reverse("desk_check_books"))
    assert "The books balance" in text_of(desk.get(reverse("desk_ledger")))


def test_the_sums_are_written_for_a_spreadsheet(desk: Client, paid: None) -> None:
    found = rows(desk.get(reverse("desk_ledger_csv"), {"by": "worker"}))
    assert found == [
        ["worker", "reserved_usd", "rewards_usd", "fees_usd", "bonuses_usd", "paid_usd"],
        ["'=TWO", "0.00", "0.15", "0.03", "0.00", "0.18"],
        ["AONE", "0.00", "0.15", "0.03", "0.00", "0.18"],
        ["nobody yet", "0.54", "0.00", "0.00", "0.00", "0.00"],
        ["total", "0.54", "0.30", "0.06", "0.00", "0.36"],
    ]


def test_every_entry_is_written_and_they_add_up(desk: Client, paid: None) -> None:
    response = desk.get(reverse("desk_ledger_csv"))
    assert response["Content-Disposition"] == 'attachment; filename="ledger.csv"'
    header, *found = rows(response)
    assert len(found) == LedgerEntry.objects.count()
    reserved, spent = (
        sum(round(100 * float(row[header.index(name)])) for row in found)
        for name in ("reserved_change_usd", "paid_change_usd")
    )
    assert (reserved, spent) == (54, 36)


def test_entries_are_paged_and_cost_few_queries(
    desk: Client, post: Any, django_assert_max_num_queries: Any
) -> None:
    for _ in range(60):
        post()
    with django_assert_max_num_queries(22):
        assert "1–50 of 60" in text_of(desk.get(reverse("desk_ledger")))
