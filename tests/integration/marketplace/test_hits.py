"""HITs through the real boto3 client: made, listed, extended, expired, reviewed, deleted."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError
from django.conf import LazySettings
from django.utils import timezone

from marketplace.models import Hit, HitType, Requester
from tests.boto import in_utc
from tests.integration.marketplace.conftest import HIT, QUESTION, TYPE, Answer, refusal

pytestmark = pytest.mark.django_db(transaction=True)

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
IN_A_YEAR = timezone.now() + timedelta(days=300)


def expire(mturk: Any, hit: dict[str, Any]) -> None:
    mturk.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=LONG_AGO)


def status(mturk: Any, hit: dict[str, Any]) -> str:
    return mturk.get_hit(HITId=hit["HITId"])["HIT"]["HITStatus"]


def test_a_hit_comes_back_as_it_was_made(mturk: Any) -> None:
    before = timezone.now()
    made = mturk.create_hit(**HIT, RequesterAnnotation="question 7")["HIT"]
    found = mturk.get_hit(HITId=made["HITId"])["HIT"]
    assert in_utc(found) == in_utc(made)
    assert {name: found[name] for name in {*HIT} - {"LifetimeInSeconds"}} == {
        name: value for name, value in HIT.items() if name != "LifetimeInSeconds"
    }
    assert found["RequesterAnnotation"] == "question 7"
    assert found["HITStatus"] == "Assignable"
    assert found["HITReviewStatus"] == "NotReviewed"
    assert abs(found["CreationTime"] - before) < timedelta(seconds=10)
    assert found["Expiration"] - found["CreationTime"] == timedelta(days=1)
    places = [found[f"NumberOfAssignments{state}"] for state in ("Available", "Pending", "Completed")]
    assert places == [3, 0, 0]


def test_the_same_properties_are_the_same_type(mturk: Any) -> None:
    first = mturk.create_hit_type(**TYPE)["HITTypeId"]
    assert mturk.create_hit_type(**TYPE)["HITTypeId"] == first
    assert mturk.create_hit(**HIT)["HIT"]["HITTypeId"] == first
    assert mturk.create_hit_type(**TYPE | {"Reward": "0.16"})["HITTypeId"] != first


def test_a_hit_of_a_type_has_its_properties(mturk: Any) -> None:
    type_id = mturk.create_hit_type(**TYPE)["HITTypeId"]
    made = mturk.create_hit_with_hit_type(HITTypeId=type_id, LifetimeInSeconds=60, Question=QUESTION)["HIT"]
    assert {name: made[name] for name in TYPE} == TYPE
    assert made["HITTypeId"] == type_id
    assert made["MaxAssignments"] == 1


def test_a_hit_of_an_unknown_type_is_refused(mturk: Any) -> None:
    with pytest.raises(mturk.exceptions.RequestError) as error:
        mturk.create_hit_with_hit_type(HITTypeId="3NONE", LifetimeInSeconds=60, Question=QUESTION)
    assert refusal(error) == ("RequestError", "HITTypeDoesNotExist")


@pytest.mark.parametrize("operation", ["create_hit", "create_hit_with_hit_type"])
def test_a_request_with_the_same_token_makes_no_second_hit_and_names_the_first(
    mturk: Any, operation: str
) -> None:
    first = mturk.create_hit(**HIT, UniqueRequestToken="question-7")["HIT"]
    again = HIT
    if operation == "create_hit_with_hit_type":
        again = {"HITTypeId": first["HITTypeId"], "LifetimeInSeconds": 60, "Question": QUESTION}
    with pytest.raises(mturk.exceptions.RequestError) as error:
        getattr(mturk, operation)(**again, UniqueRequestToken="question-7")
    assert refusal(error) == ("RequestError", "HitAlreadyExists")
    assert first["HITId"] in error.value.response["Message"]
    assert Hit.objects.count() == 1


def test_a_token_is_forgotten_after_a_day(mturk: Any, requester: Requester) -> None:
    mturk.create_hit(**HIT, UniqueRequestToken="question-7")
    requester.tokens.update(created_at=timezone.now() - timedelta(hours=24))
    mturk.create_hit(**HIT, UniqueRequestToken="question-7")
    assert Hit.objects.count() == 2


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"Reward": "10000.01"}, "ParameterOutOfRange"),
        ({"MaxAssignments": 0}, "ParameterOutOfRange"),
        ({"LifetimeInSeconds": 29}, "ParameterOutOfRange"),
        ({"AssignmentDurationInSeconds": 29}, "ParameterOutOfRange"),
        ({"AutoApprovalDelayInSeconds": 2_592_001}, "ParameterOutOfRange"),
        ({"Title": "x" * 129}, "ParameterOutOfRange"),
        ({"Title": " "}, "InvalidParameterValue"),
        ({"RequesterAnnotation": "ä" * 128}, "ParameterOutOfRange"),
        ({"Question": "<ExternalQuestion"}, "XMLParseError"),
        ({"Question": QUESTION.replace("https", "http")}, "InvalidParameterValue"),
        ({"HITLayoutId": "3LAYOUT"}, "InvalidParameterValue"),
        ({"MaxAssignments": 700}, "InsufficientFunds"),
    ],
)
def test_what_the_rules_forbid_is_refused_and_makes_nothing(
    mturk: Any, wrong: dict[str, Any], code: str
) -> None:
    with pytest.raises(mturk.exceptions.RequestError) as error:
        mturk.create_hit(**HIT | wrong)
    assert refusal(error) == ("RequestError", code)
    assert not Hit.objects.exists()
    assert not HitType.objects.exists()


def test_a_hit_without_a_question_is_refused(mturk: Any) -> None:
    with pytest.raises(mturk.exceptions.RequestError) as error:
        mturk.create_hit(**{name: value for name, value in HIT.items() if name != "Question"})
    assert refusal(error) == ("RequestError", "MissingParameters")


@pytest.mark.parametrize(
    ("operation", "more"),
    [
        ("get_hit", {}),
        ("delete_hit", {}),
        ("list_assignments_for_hit", {}),
        ("update_expiration_for_hit", {"ExpireAt": LONG_AGO}),
        ("update_hit_review_status", {}),
        ("create_additional_assignments_for_hit", {"NumberOfAdditionalAssignments": 1}),
        ("list_bonus_payments", {}),
    ],
)
def test_a_hit_that_there_is_not_is_refused_by_name(mturk: Any, operation: str, more: dict[str, Any]) -> None:
    with pytest.raises(mturk.exceptions.RequestError) as error:
        getattr(mturk, operation)(HITId="3NONE", **more)
    assert refusal(error) == ("RequestError", "HITDoesNotExist")
    assert error.value.response["Message"] == "Hit 3NONE does not exist."


def test_hits_are_listed_once_each_over_all_pages(mturk: Any) -> None:
    made = [mturk.create_hit(**HIT)["HIT"]["HITId"] for _ in range(7)]
    pages = list(mturk.get_paginator("list_hits").paginate(PaginationConfig={"PageSize": 3}))
    assert [page["NumResults"] for page in pages] == [3, 3, 1]
    assert [hit["HITId"] for page in pages for hit in page["HITs"]] == made[::-1]


@pytest.mark.slow
def test_a_hit_made_between_two_pages_moves_no_other(mturk: Any) -> None:
    made = [mturk.create_hit(**HIT)["HIT"]["HITId"] for _ in range(4)]
    first = mturk.list_hits(MaxResults=2)
    mturk.create_hit(**HIT)
    second = mturk.list_hits(MaxResults=2, NextToken=first["NextToken"])
    assert [hit["HITId"] for page in (first, second) for hit in page["HITs"]] == made[::-1]


@pytest.mark.slow
def test_a_page_is_of_ten_unless_it_is_asked_for_otherwise(mturk: Any) -> None:
    for _ in range(11):
        mturk.create_hit(**HIT)
    assert mturk.list_hits()["NumResults"] == 10


@pytest.mark.slow
@pytest.mark.parametrize("token", ["made-up", "3NONE:x:y"])
def test_a_token_that_no_page_gave_is_refused(mturk: Any, token: str) -> None:
    with pytest.raises(mturk.exceptions.RequestError) as error:
        mturk.list_hits(NextToken=token)
    assert refusal(error) == ("RequestError", "InvalidParameterValue")


def test_a_token_of_another_list_is_refused(mturk: Any, hit: dict[str, Any], answer: Answer) -> None:
    for _ in range(2):
        mturk.create_hit(**HIT)
    token = mturk.list_hits(MaxResults=1)["NextToken"]
    with pytest.raises(mturk.exceptions.RequestError) as error:
        mturk.list_assignments_for_hit(HITId=hit["HITId"], NextToken=token)
    assert refusal(error) == ("RequestError", "InvalidParameterValue")


def test_more_than_a_hundred_results_are_refused(mturk: Any) -> None:
    with pytest.raises(ClientError) as error:
        mturk.list_hits(MaxResults=101)
    assert refusal(error)[0] == "ValidationException"
    assert "less than or equal to 100" in str(error.value)


def test_a_hit_is_reviewable_when_all_have_answered(mturk: Any, hit: dict[str, Any], answer: Answer) -> None:
    seen = [status(mturk, hit)]
    for _ in range(3):
        answer(hit["HITId"])
        seen.append(status(mturk, hit))
    assert seen == ["Assignable", "Assignable", "Assignable", "Reviewable"]
    assert [one["HITId"] for one in mturk.list_reviewable_hits()["HITs"]] == [hit["HITId"]]


def test_an_expired_hit_is_reviewable_and_can_be_opened_again(mturk: Any, hit: dict[str, Any]) -> None:
    expire(mturk, hit)
    assert status(mturk, hit) == "Reviewable"
    mturk.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=IN_A_YEAR)
    assert status(mturk, hit) == "Assignable"


def test_reviewable_hits_are_listed_by_type_and_status(mturk: Any) -> None:
    one, other = mturk.create_hit(**HIT)["HIT"], mturk.create_hit(**HIT | {"Title": "Another"})["HIT"]
    for each in (one, other):
        expire(mturk, each)
    mturk.update_hit_review_status(HITId=one["HITId"])

    def listed(**params: str) -> list[str]:
        return [each["HITId"] for each in mturk.list_reviewable_hits(**params)["HITs"]]

    assert listed() == [other["HITId"]]
    assert listed(Status="Reviewing") == [one["HITId"]]
    assert listed(Status="Reviewing", HITTypeId=other["HITTypeId"]) == []


def test_a_review_can_be_begun_and_taken_back(mturk: Any, hit: dict[str, Any]) -> None:
    expire(mturk, hit)
    mturk.update_hit_review_status(HITId=hit["HITId"])
    assert status(mturk, hit) == "Reviewing"
    mturk.update_hit_review_status(HITId=hit["HITId"], Revert=True)
    assert status(mturk, hit) == "Reviewable"


def test_a_hit_that_is_open_cannot_be_reviewed(mturk: Any, hit: dict[str, Any]) -> None:
    with pytest.raises(mturk.exceptions.RequestError) as error:
        mturk.update_hit_review_status(HITId=hit["HITId"])
    assert refusal(error) == ("RequestError", "InvalidHITState")


@pytest.mark.slow
def test_more_assignments_open_a_hit_again(mturk: Any, hit: dict[str, Any], answer: Answer) -> None:
    for _ in range(3):
        answer(hit["HITId"])
    mturk.create_additional_assignments_for_hit(HITId=hit["HITId"], NumberOfAdditionalAssignments=2)
    found = mturk.get_hit(HITId=hit["HITId"])["HIT"]
    assert (found["HITStatus"], found["MaxAssignments"]) == ("Assignable", 5)
    assert found["NumberOfAssignmentsAvailable"] == 2


def test_more_assignments_are_made_once_for_each_token(mturk: Any, hit: dict[str, Any]) -> None:
    more = {"HITId": hit["HITId"], "NumberOfAdditionalAssignments": 2, "UniqueRequestToken": "more"}
    mturk.create_additional_assignments_for_hit(**more)
    with pytest.raises(mturk.exceptions.RequestError) as error:
        mturk.create_additional_assignments_for_hit(**more)
    assert refusal(error) == ("RequestError", "DuplicateRequest")
    assert mturk.get_hit(HITId=hit["HITId"])["HIT"]["MaxAssignments"] == 5


def test_nine_assignments_are_the_ceiling_of_a_hit_made_with_fewer_than_ten(
    mturk: Any, hit: dict[str, Any]
) -> None:
    mturk.create_additional_assignments_for_hit(HITId=hit["HITId"], NumberOfAdditionalAssignments=6)
    with pytest.raises(mturk.exceptions.RequestError) as error:
        mturk.create_additional_assignments_for_hit(HITId=hit["HITId"], NumberOfAdditionalAssignments=1)
    assert refusal(error) == ("RequestError", "InvalidMaximumAssignmentsIncrease")


def test_a_hit_made_with_ten_assignments_can_have_more(mturk: Any) -> None:
    hit = mturk.create_hit(**HIT | {"MaxAssignments": 10})["HIT"]
    mturk.create_additional_assignments_for_hit(HITId=hit["HITId"], NumberOfAdditionalAssignments=5)
    assert mturk.get_hit(HITId=hit["HITId"])["HIT"]["MaxAssignments"] == 15


def test_a_reviewed_hit_can_be_deleted_and_is_listed_no_more(
    mturk: Any, hit: dict[str, Any], answer: Answer
) -> None:
    assignment = answer(hit["HITId"])
    expire(mturk, hit)
    mturk.approve_assignment(AssignmentId=assignment.assignment_id)
    mturk.delete_hit(HITId=hit["HITId"])
    mturk.delete_hit(HITId=hit["HITId"])
    assert status(mturk, hit) == "Disposed"
    assert mturk.list_hits()["HITs"] == []


@pytest.mark.parametrize("expired", [True, False])
def test_a_hit_that_is_open_or_not_fully_reviewed_cannot_be_deleted(
    mturk: Any, hit: dict[str, Any], answer: Answer, expired: bool
) -> None:
    answer(hit["HITId"])
    if expired:
        expire(mturk, hit)
    with pytest.raises(mturk.exceptions.RequestError) as error:
        mturk.delete_hit(HITId=hit["HITId"])
    assert refusal(error) == ("RequestError", "InvalidHITState")


def test_a_deleted_hit_cannot_be_changed(mturk: Any, hit: dict[str, Any]) -> None:
    expire(mturk, hit)
    mturk.delete_hit(HITId=hit["HITId"])
    with pytest.raises(mturk.exceptions.RequestError) as error:
        mturk.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=IN_A_YEAR)
    assert refusal(error) == ("RequestError", "InvalidHITState")


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST:8443", "localhost.:99", "testserver", "[::1]:8000", "[0:0:0:0:0:0:0:1]"],
)
def test_no_task_is_on_the_sites_own_host_at_any_port(mturk: Any, host: str) -> None:
    question = HIT["Question"].replace("hits.example.org", host)
    with pytest.raises(mturk.exceptions.RequestError, match="must be on another host than the marketplace's"):
        mturk.create_hit(**HIT | {"Question": question})


def test_an_address_is_known_however_it_is_written(mturk: Any, settings: LazySettings) -> None:
    settings.SITE_URL, settings.HIT_BASE_URL = "http://127.0.0.1:8000", "https://tasks.example.org"
    for host in ("127.0.0.1:9", "127.1", "2130706433", "0x7f.1"):
        with pytest.raises(mturk.exceptions.RequestError, match="must be on another host"):
            mturk.create_hit(**HIT | {"Question": HIT["Question"].replace("hits.example.org", host)})
    mturk.create_hit(**HIT | {"Question": HIT["Question"].replace("hits.example.org", "tasks.example.org:9")})


@pytest.mark.parametrize("name", ["Title", "Description", "Keywords"])
@pytest.mark.parametrize("character", ["\u202e", "\u2066", "\x1b"])
def test_words_that_turn_others_around_are_refused(mturk: Any, name: str, character: str) -> None:
    with pytest.raises(mturk.exceptions.RequestError, match=f"{name} has the character U\\+"):
        mturk.create_hit(**HIT | {name: f"Judge {character}a claim"})
