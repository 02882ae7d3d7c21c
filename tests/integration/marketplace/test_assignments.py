"""Assignments through the real boto3 client: listed, approved, rejected, overridden, paid, with bonuses."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import Sum
from django.utils import timezone

from marketplace import lifecycle, requesters
from marketplace.models import Assignment, Hit, LedgerEntry, Requester, RequesterKey, Worker
from tests.boto import in_utc
from tests.integration.marketplace.conftest import HIT, Answer, Connect, new_worker, refusal

pytestmark = pytest.mark.django_db(transaction=True)


def balance(mturk: Any) -> tuple[str, str]:
    found = mturk.get_account_balance()
    return found["AvailableBalance"], found["OnHoldBalance"]


def check_ledger(requester: Requester) -> None:
    """The balances are the sums of the ledger, and what is on hold is what the HITs have on hold."""
    requester.refresh_from_db()
    sums = LedgerEntry.objects.aggregate(available=Sum("available_cents"), held=Sum("held_cents"))
    assert (sums["available"], sums["held"]) == (requester.available_cents, requester.held_cents)
    assert requester.held_cents == Hit.objects.aggregate(held=Sum("held_cents"))["held"]


def test_an_answer_is_listed_with_its_worker_and_times(
    mturk: Any, hit: dict[str, Any], worker: Worker, answer: Answer
) -> None:
    sent = answer(hit["HITId"], worker, relation="per:spouse", comment="<b>sure</b> & certain")
    [found] = mturk.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"]
    assert (found["AssignmentId"], found["WorkerId"]) == (sent.assignment_id, worker.worker_id)
    assert found["HITId"] == hit["HITId"]
    assert found["AssignmentStatus"] == "Submitted"
    assert found["AutoApprovalTime"] - found["SubmitTime"] == timedelta(hours=1)
    assert found["Deadline"] - found["AcceptTime"] == timedelta(seconds=300)
    texts = [element.text for element in ElementTree.fromstring(found["Answer"]).iter() if element.text]
    assert texts == ["relation", "per:spouse", "comment", "<b>sure</b> & certain"]


def test_an_assignment_comes_with_its_hit(mturk: Any, hit: dict[str, Any], answer: Answer) -> None:
    sent = answer(hit["HITId"])
    found = mturk.get_assignment(AssignmentId=sent.assignment_id)
    listed = mturk.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"][0]
    assert in_utc(found["Assignment"]) == in_utc(listed)
    assert in_utc(found["HIT"]) == in_utc(mturk.get_hit(HITId=hit["HITId"])["HIT"])


def test_assignments_are_listed_once_each_over_all_pages_with_new_answers_last(
    mturk: Any, answer: Answer
) -> None:
    hit = mturk.create_hit(**HIT | {"MaxAssignments": 7})["HIT"]
    slow = lifecycle.accept(worker=new_worker(), hit=Hit.objects.get(), now=timezone.now())
    sent = [answer(hit["HITId"]).assignment_id for _ in range(4)]
    first = mturk.list_assignments_for_hit(HITId=hit["HITId"], MaxResults=2)
    lifecycle.submit(assignment=slow, answer="<a/>", now=timezone.now())
    found = first["Assignments"]
    token = first["NextToken"]
    while token:
        page = mturk.list_assignments_for_hit(HITId=hit["HITId"], MaxResults=2, NextToken=token)
        found, token = found + page["Assignments"], page.get("NextToken")
    assert [one["AssignmentId"] for one in found] == [*sent, slow.assignment_id]


def test_assignments_are_listed_by_status(mturk: Any, hit: dict[str, Any], answer: Answer) -> None:
    approved, rejected, submitted = (answer(hit["HITId"]).assignment_id for _ in range(3))
    mturk.approve_assignment(AssignmentId=approved)
    mturk.reject_assignment(AssignmentId=rejected, RequesterFeedback="Empty.")

    def listed(*statuses: str) -> set[str]:
        found = mturk.list_assignments_for_hit(HITId=hit["HITId"], AssignmentStatuses=list(statuses))
        return {one["AssignmentId"] for one in found["Assignments"]}

    assert listed("Submitted") == {submitted}
    assert listed("Approved", "Rejected") == {approved, rejected}
    assert mturk.get_hit(HITId=hit["HITId"])["HIT"]["NumberOfAssignmentsCompleted"] == 2


def test_what_is_accepted_is_not_listed_and_cannot_be_got(mturk: Any, hit: dict[str, Any]) -> None:
    accepted = lifecycle.accept(worker=new_worker(), hit=Hit.objects.get(), now=timezone.now())
    assert mturk.list_assignments_for_hit(HITId=hit["HITId"])["NumResults"] == 0
    with pytest.raises(mturk.exceptions.RequestError) as error:
        mturk.get_assignment(AssignmentId=accepted.assignment_id)
    assert refusal(error) == ("RequestError", "InvalidAssignmentState")


def test_posting_sets_reward_and_fee_of_every_place_aside(mturk: Any, hit: dict[str, Any]) -> None:
    # three times $0.15 and a fee of $0.03
    assert balance(mturk) == ("99.46", "0.54")


def test_approving_pays_the_worker_and_the_fee(
    mturk: Any, hit: dict[str, Any], worker: Worker, answer: Answer, requester: Requester
) -> None:
    sent = answer(hit["HITId"], worker)
    mturk.approve_assignment(AssignmentId=sent.assignment_id, RequesterFeedback="Thank you.")
    assert balance(mturk) == ("99.46", "0.36")
    found = mturk.get_assignment(AssignmentId=sent.assignment_id)["Assignment"]
    assert (found["AssignmentStatus"], found["RequesterFeedback"]) == ("Approved", "Thank you.")
    assert found["ApprovalTime"] >= found["SubmitTime"]
    assert [(entry.kind, entry.paid_cents) for entry in worker.entries.order_by("pk")] == [
        ("reward", 15),
        ("fee", 3),
    ]
    check_ledger(requester)


def test_ten_assignments_cost_twice_the_fee(mturk: Any) -> None:
    mturk.create_hit(**HIT | {"MaxAssignments": 10})
    assert balance(mturk) == ("97.90", "2.10")  # ten times 0.15 + 0.06


def test_an_approved_assignment_cannot_be_approved_or_rejected_again(
    mturk: Any, hit: dict[str, Any], answer: Answer, requester: Requester
) -> None:
    sent = answer(hit["HITId"])
    mturk.approve_assignment(AssignmentId=sent.assignment_id)
    for act in (
        lambda: mturk.approve_assignment(AssignmentId=sent.assignment_id),
        lambda: mturk.approve_assignment(AssignmentId=sent.assignment_id, OverrideRejection=True),
        lambda: mturk.reject_assignment(AssignmentId=sent.assignment_id, RequesterFeedback="No."),
    ):
        with pytest.raises(mturk.exceptions.RequestError) as error:
            act()
        assert refusal(error) == ("RequestError", "InvalidAssignmentState")
    assert balance(mturk) == ("99.46", "0.36")
    check_ledger(requester)


def test_rejecting_pays_nothing_and_frees_the_money(
    mturk: Any, hit: dict[str, Any], answer: Answer, requester: Requester
) -> None:
    sent = answer(hit["HITId"])
    mturk.reject_assignment(AssignmentId=sent.assignment_id, RequesterFeedback="All answers are empty.")
    found = mturk.get_assignment(AssignmentId=sent.assignment_id)["Assignment"]
    assert (found["AssignmentStatus"], found["RequesterFeedback"]) == ("Rejected", "All answers are empty.")
    assert balance(mturk) == ("99.64", "0.36")
    check_ledger(requester)


@pytest.mark.parametrize("feedback", ["", "  ", "x" * 1025])
def test_a_rejection_needs_a_reason_of_at_most_1024_characters(
    mturk: Any, hit: dict[str, Any], answer: Answer, feedback: str
) -> None:
    sent = answer(hit["HITId"])
    with pytest.raises(mturk.exceptions.RequestError) as error:
        mturk.reject_assignment(AssignmentId=sent.assignment_id, RequesterFeedback=feedback)
    assert refusal(error) == ("RequestError", "InvalidParameterValue")
    assert (
        mturk.get_assignment(AssignmentId=sent.assignment_id)["Assignment"]["AssignmentStatus"] == "Submitted"
    )


def test_a_rejection_is_taken_back_only_on_purpose(
    mturk: Any, hit: dict[str, Any], worker: Worker, answer: Answer, requester: Requester
) -> None:
    sent = answer(hit["HITId"], worker)
    mturk.reject_assignment(AssignmentId=sent.assignment_id, RequesterFeedback="A mistake.")
    with pytest.raises(mturk.exceptions.RequestError):
        mturk.approve_assignment(AssignmentId=sent.assignment_id)
    mturk.approve_assignment(AssignmentId=sent.assignment_id, OverrideRejection=True)
    found = mturk.get_assignment(AssignmentId=sent.assignment_id)["Assignment"]
    assert found["AssignmentStatus"] == "Approved"
    assert balance(mturk) == ("99.46", "0.36")
    assert worker.entries.filter(kind="reward").count() == 1
    check_ledger(requester)


@pytest.mark.parametrize(("days", "works"), [(29, True), (30, False)])
def test_a_rejection_can_be_taken_back_for_30_days(
    mturk: Any, hit: dict[str, Any], answer: Answer, days: int, works: bool
) -> None:
    sent = answer(hit["HITId"])
    mturk.reject_assignment(AssignmentId=sent.assignment_id, RequesterFeedback="A mistake.")
    Assignment.objects.update(submitted_at=timezone.now() - timedelta(days=days))
    try:
        mturk.approve_assignment(AssignmentId=sent.assignment_id, OverrideRejection=True)
    except mturk.exceptions.RequestError:
        assert not works
    else:
        assert works


def test_a_rejection_cannot_be_taken_back_when_its_hit_is_deleted(
    mturk: Any, hit: dict[str, Any], answer: Answer
) -> None:
    sent = answer(hit["HITId"])
    mturk.reject_assignment(AssignmentId=sent.assignment_id, RequesterFeedback="A mistake.")
    mturk.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=0)
    mturk.delete_hit(HITId=hit["HITId"])
    with pytest.raises(mturk.exceptions.RequestError) as error:
        mturk.approve_assignment(AssignmentId=sent.assignment_id, OverrideRejection=True)
    assert refusal(error) == ("RequestError", "InvalidHITState")


def test_expiring_and_opening_a_hit_moves_the_money_of_its_free_places(
    mturk: Any, hit: dict[str, Any], answer: Answer, requester: Requester
) -> None:
    answer(hit["HITId"])
    mturk.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=0)
    assert balance(mturk) == ("99.82", "0.18")
    later = timezone.now() + timedelta(days=1)
    mturk.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=later)
    assert balance(mturk) == ("99.46", "0.54")
    check_ledger(requester)


def test_a_bonus_is_paid_from_the_balance_with_its_fee_and_listed(
    mturk: Any, hit: dict[str, Any], worker: Worker, answer: Answer, requester: Requester
) -> None:
    sent = answer(hit["HITId"], worker)
    bonus = {"WorkerId": worker.worker_id, "AssignmentId": sent.assignment_id}
    mturk.send_bonus(**bonus, BonusAmount="1.00", Reason="For the tutorial.")
    mturk.send_bonus(**bonus, BonusAmount="0.01", Reason="And more.")
    assert balance(mturk) == ("98.24", "0.54")  # 99.46 - 1.20 - 0.02
    for params in ({"HITId": hit["HITId"]}, {"AssignmentId": sent.assignment_id}):
        pages = mturk.get_paginator("list_bonus_payments").paginate(
            **params, PaginationConfig={"PageSize": 1}
        )
        found = [payment for page in pages for payment in page["BonusPayments"]]
        assert [(one["BonusAmount"], one["Reason"]) for one in found] == [
            ("1.00", "For the tutorial."),
            ("0.01", "And more."),
        ]
        assert {(one["WorkerId"], one["AssignmentId"]) for one in found} == {tuple(bonus.values())}
    check_ledger(requester)


def test_a_bonus_is_paid_once_for_each_token(
    mturk: Any, hit: dict[str, Any], worker: Worker, answer: Answer
) -> None:
    sent = answer(hit["HITId"], worker)
    bonus = {
        "WorkerId": worker.worker_id,
        "AssignmentId": sent.assignment_id,
        "BonusAmount": "1",
        "Reason": "Thanks.",
        "UniqueRequestToken": "bonus-1",
    }
    first = mturk.send_bonus(**bonus)
    with pytest.raises(mturk.exceptions.RequestError) as error:
        mturk.send_bonus(**bonus)
    assert refusal(error) == ("RequestError", "DuplicateRequest")
    assert first["ResponseMetadata"]["RequestId"] in str(error.value)
    assert LedgerEntry.objects.filter(kind="bonus").count() == 1


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"BonusAmount": "0"}, "ParameterOutOfRange"),
        ({"BonusAmount": "99.00"}, "InsufficientFunds"),
        ({"Reason": " "}, "InvalidParameterValue"),
        ({"WorkerId": "ANOBODY"}, "InvalidParameterValue"),
        ({"AssignmentId": "3NONE"}, "AssignmentDoesNotExist"),
    ],
)
def test_a_bonus_that_makes_no_sense_is_refused(
    mturk: Any, hit: dict[str, Any], worker: Worker, answer: Answer, wrong: dict[str, str], code: str
) -> None:
    sent = answer(hit["HITId"], worker)
    bonus = {
        "WorkerId": worker.worker_id,
        "AssignmentId": sent.assignment_id,
        "BonusAmount": "1",
        "Reason": "Thanks.",
    }
    with pytest.raises(mturk.exceptions.RequestError) as error:
        mturk.send_bonus(**bonus | wrong)
    assert refusal(error) == ("RequestError", code)
    assert not LedgerEntry.objects.filter(kind__in=["bonus", "bonus_fee"]).exists()


def test_bonuses_are_listed_of_something(mturk: Any) -> None:
    with pytest.raises(mturk.exceptions.RequestError) as error:
        mturk.list_bonus_payments()
    assert refusal(error) == ("RequestError", "MissingParameters")


def together(clients: list[Any], act: Callable[[Any], object]) -> list[str]:
    """Have several clients do the same at once; return the code of each refusal, or ``"done"``."""

    def one(client: Any) -> str:
        try:
            act(client)
        except client.exceptions.RequestError as error:
            return str(error.response["TurkErrorCode"]).rpartition(".")[2]
        return "done"

    with ThreadPoolExecutor(len(clients)) as pool:
        return sorted(pool.map(one, clients))


def test_an_assignment_that_is_approved_four_times_at_once_is_paid_once(
    connect: Connect, key: RequesterKey, hit: dict[str, Any], answer: Answer, requester: Requester
) -> None:
    sent = answer(hit["HITId"])
    clients = [connect(key) for _ in range(4)]
    told = together(clients, lambda mturk: mturk.approve_assignment(AssignmentId=sent.assignment_id))
    assert told == [*3 * ["InvalidAssignmentState"], "done"]
    assert LedgerEntry.objects.filter(kind="reward").count() == 1
    check_ledger(requester)


def test_four_who_post_at_once_never_spend_more_than_there_is(
    connect: Connect, key: RequesterKey, requester: Requester
) -> None:
    clients = [connect(key) for _ in range(4)]
    dear = HIT | {"Reward": "20.00", "MaxAssignments": 2}  # $48 with the fee, of $100
    told = together(clients, lambda mturk: mturk.create_hit(**dear))
    assert told == [*2 * ["InsufficientFunds"], *2 * ["done"]]
    check_ledger(requester)
    assert (requester.available_cents, requester.held_cents) == (4_00, 96_00)


def test_another_requesters_work_is_as_if_it_were_not_there(
    mturk: Any, connect: Connect, hit: dict[str, Any], answer: Answer
) -> None:
    sent = answer(hit["HITId"])
    other = requesters.create_requester(name="Another lab")
    stranger = connect(requesters.create_key(requester=other, now=timezone.now()))
    assert stranger.list_hits()["HITs"] == []
    for act, code in (
        (lambda: stranger.get_hit(HITId=hit["HITId"]), "HITDoesNotExist"),
        (lambda: stranger.approve_assignment(AssignmentId=sent.assignment_id), "AssignmentDoesNotExist"),
    ):
        with pytest.raises(stranger.exceptions.RequestError) as error:
            act()
        assert refusal(error) == ("RequestError", code)
