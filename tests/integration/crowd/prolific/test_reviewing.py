"""Approving, rejecting, and bonuses."""

from collections.abc import Callable

import pytest

from crowd.providers.base import NoAnswer, NotEnoughMoney, NotFound, Refused
from crowd.providers.prolific import Prolific
from tests.integration.crowd.prolific.conftest import Offer, Work
from tests.prolific import Clock, FakeProlific, Fault

REASON = "The ten answers are all the first choice of their list, given within four seconds of each other. "
PAY = r"bulk-bonus-payments/\w+/pay/"


@pytest.fixture
def submission(prolific: Prolific, offer: Offer, work: Work) -> str:
    return work(prolific.publish(offer(1)).provider_id.split(":")[0], "w1")


@pytest.fixture
def bonus(prolific: Prolific, submission: str) -> Callable[..., None]:
    def pay(by: Prolific = prolific, cents: int = 75, token: str = "tutorial") -> None:
        by.pay_bonus(worker_id="w1", assignment_id=submission, cents=cents, message="Thank you.", token=token)

    return pay


def test_approving_pays_once(prolific: Prolific, fake: FakeProlific, submission: str) -> None:
    prolific.approve(submission, feedback="Thank you.")
    prolific.approve(submission, feedback="Thank you.")
    assert fake.submissions[submission]["status"] == "APPROVED"
    assert fake.paid == 94


def test_a_rejection_has_a_category_and_a_reason(
    prolific: Prolific, fake: FakeProlific, submission: str
) -> None:
    prolific.reject(submission, feedback=f"Low effort: {REASON * 2}")
    prolific.reject(submission, feedback=f"Low effort: {REASON * 2}")
    assert fake.submissions[submission]["status"] == "REJECTED"
    rejection = fake.submissions[submission]["rejection"]
    assert rejection["rejection_category"] == "LOW_EFFORT"
    assert rejection["message"] == (REASON * 2).strip()


@pytest.mark.parametrize(
    ("feedback", "why"),
    [
        ("Low effort: too fast.", "at least 100 characters, which the worker reads; this one has 9"),
        (f"Your answers disagree with most. {REASON}", "is no reason to Prolific"),
    ],
)
def test_a_rejection_against_the_rules_is_refused_before_it_is_asked_for(
    prolific: Prolific, fake: FakeProlific, submission: str, feedback: str, why: str
) -> None:
    fake.log.clear()
    with pytest.raises(Refused, match=why):
        prolific.reject(submission, feedback=feedback)
    assert fake.log == []


def test_a_rejection_is_taken_back(prolific: Prolific, fake: FakeProlific, submission: str) -> None:
    prolific.reject(submission, feedback=REASON * 2)
    with pytest.raises(Refused, match="REJECTED cannot APPROVE"):
        prolific.approve(submission, feedback="")
    prolific.approve(submission, feedback="", override=True)
    assert fake.submissions[submission]["status"] == "APPROVED"


def test_taking_back_goes_on_where_it_was_broken_off(
    prolific: Prolific, fake: FakeProlific, submission: str
) -> None:
    prolific.reject(submission, feedback=REASON * 2)
    fake.faults.append(Fault("POST", r"submissions/\w+/transition/", "after"))
    with pytest.raises(NoAnswer):
        prolific.approve(submission, feedback="", override=True)
    assert fake.submissions[submission]["status"] == "AWAITING REVIEW"
    prolific.approve(submission, feedback="", override=True)
    assert (fake.submissions[submission]["status"], fake.paid) == ("APPROVED", 94)


def test_work_that_was_returned_cannot_be_approved(
    prolific: Prolific, fake: FakeProlific, submission: str
) -> None:
    fake.give_back(submission)
    with pytest.raises(Refused, match="RETURNED cannot APPROVE"):
        prolific.approve(submission, feedback="")


def test_a_submission_that_is_not_there_is_not_found(prolific: Prolific) -> None:
    with pytest.raises(NotFound, match="No such submission"):
        prolific.approve("f" * 24, feedback="")


# Bonuses: the one act that Prolific repeats


def test_a_bonus_is_paid_once_for_a_token(
    fake: FakeProlific, submission: str, bonus: Callable[..., None], connect: Callable[..., Prolific]
) -> None:
    bonus()
    bonus()
    bonus(connect())
    fake.settle()
    assert fake.submissions[submission]["bonus_payments"] == [75]


def test_two_bonuses_for_one_submission_are_both_paid(
    fake: FakeProlific, submission: str, bonus: Callable[..., None]
) -> None:
    bonus()
    fake.settle()
    bonus(token="extra")
    fake.settle()
    assert fake.submissions[submission]["bonus_payments"] == [75, 75]


@pytest.mark.parametrize("how", ["after", "500 after", "garbled"])
def test_a_bonus_whose_answer_was_lost_is_not_paid_again(
    fake: FakeProlific, submission: str, bonus: Callable[..., None], how: str, clock: Clock
) -> None:
    fake.faults.append(Fault("POST", PAY, how))
    with pytest.raises(NoAnswer):
        bonus()
    with pytest.raises(NoAnswer, match="has not said yet"):
        bonus()
    clock.forward(minutes=10)
    fake.settle()
    bonus()
    assert fake.submissions[submission]["bonus_payments"] == [75]
    assert sum(path.endswith("/pay/") for _, path in fake.log) == 1


@pytest.mark.parametrize("how", ["before", "500"])
def test_a_bonus_that_was_perhaps_not_paid_is_left_to_a_person(
    fake: FakeProlific, submission: str, bonus: Callable[..., None], how: str, clock: Clock
) -> None:
    fake.faults.append(Fault("POST", PAY, how))
    with pytest.raises(NoAnswer):
        bonus()
    clock.forward(hours=25)
    with pytest.raises(Refused, match=f"look at submission {submission} on its pages"):
        bonus()
    assert sum(path.endswith("/pay/") for _, path in fake.log) == 1


def test_another_bonus_waits_until_it_is_known_whether_the_first_was_paid(
    fake: FakeProlific, bonus: Callable[..., None], submission: str
) -> None:
    fake.faults.append(Fault("POST", PAY, "after"))
    with pytest.raises(NoAnswer):
        bonus()
    with pytest.raises(NoAnswer, match="still undecided"):
        bonus(token="extra")
    fake.settle()
    bonus()
    bonus(token="extra")
    fake.settle()
    assert fake.submissions[submission]["bonus_payments"] == [75, 75]


def test_a_bonus_that_was_not_let_in_is_paid_at_the_next_try(
    fake: FakeProlific, submission: str, bonus: Callable[..., None]
) -> None:
    fake.faults.append(Fault("POST", PAY, "429"))
    with pytest.raises(NoAnswer) as caught:
        bonus()
    assert caught.value.retry_after == 7.0
    bonus()
    fake.settle()
    assert fake.submissions[submission]["bonus_payments"] == [75]


@pytest.mark.parametrize("how", ["before", "after", "500 after"])
def test_a_list_of_bonuses_whose_answer_was_lost_is_made_anew_and_one_is_paid(
    fake: FakeProlific, submission: str, bonus: Callable[..., None], how: str
) -> None:
    fake.faults.append(Fault("POST", "submissions/bonus-payments/", how))
    with pytest.raises(NoAnswer):
        bonus()
    bonus()
    fake.settle()
    assert fake.submissions[submission]["bonus_payments"] == [75]


def test_a_bonus_needs_money(fake: FakeProlific, bonus: Callable[..., None], submission: str) -> None:
    fake.balance = 99
    with pytest.raises(NotEnoughMoney, match=r"\$1\.00 are needed at Prolific; \$0\.99 are there"):
        bonus()
    fake.balance = 100
    bonus()
    fake.settle()
    assert fake.submissions[submission]["bonus_payments"] == [75]


def test_a_bonus_goes_to_the_worker_who_did_the_work(prolific: Prolific, submission: str) -> None:
    with pytest.raises(Refused, match="is not by somebody"):
        prolific.pay_bonus(
            worker_id="somebody", assignment_id=submission, cents=75, message="", token="tutorial"
        )


def test_the_fee_is_rounded_up(prolific: Prolific) -> None:
    assert prolific.fee_cents(reward_cents=70, places=3) == 24  # 23.338
    assert prolific.bonus_fee_cents(cents=75) == 26  # 25.005
