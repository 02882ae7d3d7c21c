import json
from datetime import UTC, datetime

import pytest

from marketplace.protocol.errors import ProtocolError
from marketplace.protocol.service import read_request, read_target, service_model, write_answer

PREFIX = "MTurkRequesterServiceV20170117"


def read(operation: str, **params: object) -> dict[str, object]:
    return read_request(service_model().operation_model(operation), json.dumps(params).encode())


def test_a_target_names_its_operation() -> None:
    assert read_target(f"{PREFIX}.GetHIT").name == "GetHIT"


def test_an_empty_body_has_no_parameters() -> None:
    assert read_request(service_model().operation_model("ListHITs"), b"") == {}


def test_a_timestamp_is_read_as_an_aware_datetime() -> None:
    found = read("UpdateExpirationForHIT", HITId="3A", ExpireAt=1_795_176_000.5)
    assert found["ExpireAt"] == datetime(2026, 11, 20, 12, 0, 0, 500_000, UTC)


@pytest.mark.parametrize("wrong", ["2026-11-20", -1, 1e300, True, float("nan")])
def test_what_is_no_timestamp_is_refused(wrong: object) -> None:
    with pytest.raises(ProtocolError, match="seconds since 1970"):
        read("UpdateExpirationForHIT", HITId="3A", ExpireAt=wrong)


def test_null_counts_as_absent() -> None:
    assert read("ListHITs", MaxResults=None) == {}


@pytest.mark.parametrize(
    ("operation", "params", "says"),
    [
        ("GetHIT", {}, "Missing required parameter"),
        ("GetHIT", {"HITId": 7}, "Invalid type"),
        ("GetHIT", {"HITId": "3A", "Color": "red"}, "Unknown parameter"),
        ("GetHIT", {"HITId": "3a"}, "regular expression"),
        ("GetHIT", {"HITId": "3" * 65}, "length less than or equal to 64"),
        ("ListHITs", {"MaxResults": 0}, "valid min value: 1"),
        ("ListHITs", {"MaxResults": 101}, "less than or equal to 100"),
        ("ListHITs", {"MaxResults": True}, "must be a number"),
        ("ListReviewableHITs", {"Status": "Open"}, r"enum value set: \[Reviewable, Reviewing\]"),
        (
            "ListAssignmentsForHIT",
            {"HITId": "3A", "AssignmentStatuses": ["Approved", "x"]},
            r"'AssignmentStatuses\.2",
        ),
        (
            "CreateAdditionalAssignmentsForHIT",
            {"HITId": "3A", "NumberOfAdditionalAssignments": 2**31},
            "less than",
        ),
        ("CreateWorkerBlock", {"WorkerId": "A1", "Reason": "a\0b"}, "no text"),
        ("CreateWorkerBlock", {"WorkerId": "A1", "Reason": "\ud800"}, "no text"),
        ("CreateWorkerBlock", {"WorkerId": "B1", "Reason": "x"}, "regular expression"),
    ],
)
def test_what_the_model_does_not_allow_is_refused_by_name(
    operation: str, params: dict[str, object], says: str
) -> None:
    with pytest.raises(ProtocolError, match=says) as error:
        read(operation, **params)
    assert error.value.kind == "ValidationException"


def test_an_answer_is_written_with_its_times_as_seconds_and_without_nones() -> None:
    operation = service_model().operation_model("GetHIT")
    at = datetime(2026, 11, 20, 12, tzinfo=UTC)
    body = write_answer(operation, {"HIT": {"HITId": "3A", "CreationTime": at, "Keywords": None}})
    assert json.loads(body) == {"HIT": {"HITId": "3A", "CreationTime": at.timestamp()}}


@pytest.mark.parametrize("wrong", [{"HIT": {"HITId": 3}}, {"HIT": {"HITStatus": "Open"}}, {"Hit": {}}])
def test_an_answer_that_breaks_the_model_is_a_fault(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="breaks its promise"):
        write_answer(service_model().operation_model("GetHIT"), wrong)
