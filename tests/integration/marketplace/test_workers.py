"""Qualifications and blocks through the real boto3 client."""

from typing import Any

import pytest
from django.utils import timezone

from kbpo.core.errors import NotAllowed
from marketplace import lifecycle, qualifying
from marketplace.models import Hit, Worker
from tests.integration.marketplace.conftest import HIT, Answer, new_worker, refusal

pytestmark = pytest.mark.django_db(transaction=True)

TUTORIAL = {
    "Name": "Relation tutorial",
    "Description": "Passed the tutorial of the relation interface.",
    "QualificationTypeStatus": "Active",
}


@pytest.fixture
def tutorial(mturk: Any) -> str:
    return mturk.create_qualification_type(**TUTORIAL)["QualificationType"]["QualificationTypeId"]


def needs(type_id: str, comparator: str, *values: int, **more: str) -> dict[str, Any]:
    requirement = {"QualificationTypeId": type_id, "Comparator": comparator, **more}
    return {"QualificationRequirements": [requirement | ({"IntegerValues": list(values)} if values else {})]}


def can_accept(worker: Worker) -> bool:
    try:
        lifecycle.accept(worker=worker, hit=Hit.objects.get(), now=timezone.now())
    except NotAllowed:
        return False
    return True


def test_a_qualification_type_comes_back_as_it_was_made(mturk: Any) -> None:
    made = mturk.create_qualification_type(**TUTORIAL, Keywords="text", RetryDelayInSeconds=60)
    found = made["QualificationType"]
    assert {name: found[name] for name in TUTORIAL} == TUTORIAL
    assert (found["Keywords"], found["RetryDelayInSeconds"]) == ("text", 60)
    assert (found["IsRequestable"], found["AutoGranted"]) == (True, False)


def test_a_name_is_taken_once(mturk: Any, tutorial: str) -> None:
    with pytest.raises(mturk.exceptions.RequestError) as error:
        mturk.create_qualification_type(**TUTORIAL)
    assert refusal(error) == ("RequestError", "QualificationTypeAlreadyExists")


@pytest.mark.parametrize(
    "wrong",
    [
        {"Test": "<QuestionForm/>"},
        {"AutoGrantedValue": 3},
        {"Name": " "},
        {"Description": ""},
        {"Name": "a\u202eb"},
    ],
)
def test_a_qualification_type_that_cannot_be_is_refused(mturk: Any, wrong: dict[str, Any]) -> None:
    with pytest.raises(mturk.exceptions.RequestError) as error:
        mturk.create_qualification_type(**TUTORIAL | wrong)
    assert refusal(error) == ("RequestError", "InvalidParameterValue")


def test_qualification_types_are_found_by_words_over_all_pages(mturk: Any, tutorial: str) -> None:
    for number in range(3):
        mturk.create_qualification_type(**TUTORIAL | {"Name": f"Entity tutorial {number}"})
    pages = mturk.get_paginator("list_qualification_types").paginate(
        MustBeRequestable=True, MustBeOwnedByCaller=True, Query="entity", PaginationConfig={"PageSize": 2}
    )
    found = [one["Name"] for page in pages for one in page["QualificationTypes"]]
    assert found == ["Entity tutorial 2", "Entity tutorial 1", "Entity tutorial 0"]


def test_a_qualification_has_the_value_that_was_given_last(mturk: Any, tutorial: str, worker: Worker) -> None:
    who = {"QualificationTypeId": tutorial, "WorkerId": worker.worker_id}
    mturk.associate_qualification_with_worker(**who, IntegerValue=80, SendNotification=False)
    mturk.associate_qualification_with_worker(**who, IntegerValue=90)
    found = mturk.get_qualification_score(**who)["Qualification"]
    assert {name: found[name] for name in who} == who
    assert (found["IntegerValue"], found["Status"]) == (90, "Granted")


def test_a_qualification_that_was_never_given_is_refused(mturk: Any, tutorial: str, worker: Worker) -> None:
    with pytest.raises(mturk.exceptions.RequestError) as error:
        mturk.get_qualification_score(QualificationTypeId=tutorial, WorkerId=worker.worker_id)
    assert refusal(error) == ("RequestError", "QualificationDoesNotExist")


def test_a_qualification_that_was_taken_back_is_gone(mturk: Any, tutorial: str, worker: Worker) -> None:
    who = {"QualificationTypeId": tutorial, "WorkerId": worker.worker_id}
    mturk.associate_qualification_with_worker(**who)
    mturk.disassociate_qualification_from_worker(**who, Reason="A mistake.")
    with pytest.raises(mturk.exceptions.RequestError) as error:
        mturk.get_qualification_score(**who)
    assert refusal(error) == ("RequestError", "InvalidQualificationState")


@pytest.mark.parametrize(
    ("type_id", "worker_id", "code"),
    [
        ("3NONE", None, "QualificationTypeDoesNotExist"),
        (None, "ANOBODY", "InvalidParameterValue"),
        (qualifying.HITS_APPROVED, None, "PermissionDenied"),
    ],
)
def test_a_qualification_of_nothing_or_nobody_is_refused(
    mturk: Any, tutorial: str, worker: Worker, type_id: str | None, worker_id: str | None, code: str
) -> None:
    with pytest.raises(mturk.exceptions.RequestError) as error:
        mturk.associate_qualification_with_worker(
            QualificationTypeId=type_id or tutorial, WorkerId=worker_id or worker.worker_id
        )
    assert refusal(error) == ("RequestError", code)


def test_a_hit_is_for_those_who_meet_its_requirements(mturk: Any, tutorial: str, worker: Worker) -> None:
    mturk.create_hit(**HIT, **needs(tutorial, "GreaterThanOrEqualTo", 80))
    seen = [can_accept(worker)]
    for value in (79, 80):
        mturk.associate_qualification_with_worker(
            QualificationTypeId=tutorial, WorkerId=worker.worker_id, IntegerValue=value
        )
        seen.append(can_accept(worker))
    assert seen == [False, False, True]


def test_the_number_of_approved_hits_counts(mturk: Any, worker: Worker, answer: Answer) -> None:
    first = mturk.create_hit(**HIT)["HIT"]
    sent = answer(first["HITId"], worker)
    Hit.objects.update(disposed_at=None)
    second = mturk.create_hit(**HIT, **needs(qualifying.HITS_APPROVED, "GreaterThan", 0))["HIT"]
    hit = Hit.objects.get(hit_id=second["HITId"])
    with pytest.raises(NotAllowed, match="Number of HITs approved is more than 0"):
        lifecycle.accept(worker=worker, hit=hit, now=timezone.now())
    mturk.approve_assignment(AssignmentId=sent.assignment_id)
    assert lifecycle.accept(worker=worker, hit=hit, now=timezone.now()).state == "accepted"


@pytest.mark.parametrize(
    ("requirement", "code"),
    [
        (needs("3NONE", "Exists"), "QualificationTypeDoesNotExist"),
        (needs("00000000000000000071", "EqualTo"), "InvalidParameterValue"),
        (needs(qualifying.HITS_APPROVED, "EqualTo"), "InvalidParameterValue"),
        (needs(qualifying.HITS_APPROVED, "EqualTo", 1, 2), "InvalidParameterValue"),
        (needs(qualifying.HITS_APPROVED, "Exists", 1), "InvalidParameterValue"),
        (needs(qualifying.HITS_APPROVED, "In", *range(16)), "InvalidParameterValue"),
        (
            {
                "QualificationRequirements": 11
                * needs(qualifying.HITS_APPROVED, "Exists")["QualificationRequirements"]
            },
            "ParameterOutOfRange",
        ),
    ],
)
def test_requirements_that_cannot_be_checked_are_refused(
    mturk: Any, requirement: dict[str, Any], code: str
) -> None:
    with pytest.raises(mturk.exceptions.RequestError) as error:
        mturk.create_hit(**HIT, **requirement)
    assert refusal(error) == ("RequestError", code)


def test_a_blocked_worker_gets_no_hits_until_the_block_is_lifted(
    mturk: Any, hit: dict[str, Any], worker: Worker
) -> None:
    mturk.create_worker_block(WorkerId=worker.worker_id, Reason="Answers at random.")
    assert not can_accept(worker)
    assert not lifecycle.open_hits(worker, timezone.now()).exists()
    mturk.delete_worker_block(WorkerId=worker.worker_id, Reason="It was somebody else.")
    mturk.delete_worker_block(WorkerId=worker.worker_id)
    assert can_accept(worker)


def test_blocks_are_listed_over_all_pages(mturk: Any) -> None:
    blocked = [new_worker().worker_id for _ in range(3)]
    for worker_id in blocked:
        mturk.create_worker_block(WorkerId=worker_id, Reason="First.")
    mturk.create_worker_block(WorkerId=blocked[0], Reason="Second.")
    pages = mturk.get_paginator("list_worker_blocks").paginate(PaginationConfig={"PageSize": 2})
    found = [(one["WorkerId"], one["Reason"]) for page in pages for one in page["WorkerBlocks"]]
    assert found == [(blocked[2], "First."), (blocked[1], "First."), (blocked[0], "Second.")]


def test_nobody_can_be_blocked_who_is_not_there(mturk: Any) -> None:
    with pytest.raises(mturk.exceptions.RequestError) as error:
        mturk.create_worker_block(WorkerId="ANOBODY", Reason="Who?")
    assert refusal(error) == ("RequestError", "InvalidParameterValue")
