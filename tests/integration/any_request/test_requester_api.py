"""No request to the marketplace's requester API makes it fail, whatever stands in its JSON."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from marketplace import requesters
from marketplace.models import Assignment, QualificationType, RequesterKey
from marketplace.operations import OPERATIONS
from marketplace.protocol import service
from tests.integration.any_request.asking import HOLE, ask, json_holes
from tests.integration.any_request.site import Site
from tests.integration.any_request.values import FEW_JSON_VALUES, JSON_VALUES
from tests.integration.marketplace.conftest import HIT
from tests.marks import some_quick

pytestmark = pytest.mark.django_db

TARGET = "MTurkRequesterServiceV20170117"


@pytest.fixture(scope="module")
def key(site: Site) -> RequesterKey:
    """Make a key of the requester whose HITs there are; it lasts as long as the site."""
    requester = Assignment.objects.order_by("pk")[0].hit.requester
    return requesters.create_key(requester=requester, now=timezone.now(), rate=1e6, burst=1e6)


#: What can be left out, and would refuse the request as soon as it is there.
REFUSING = {
    *("NextToken", "HITLayoutId", "HITLayoutParameters", "AssignmentReviewPolicy", "HITReviewPolicy"),
    *("Test", "TestDurationInSeconds", "AnswerKey"),
}
#: What the HIT of the example is not ready for.
TOO_SOON = {"UpdateHITReviewStatus", "DeleteHIT"}


def example(operation: str) -> dict[str, Any]:
    """Return parameters that the operation takes."""
    waiting, _, submitted = Assignment.objects.order_by("pk")
    type_id = QualificationType.objects.get().type_id
    known = {
        **HIT,
        "HITId": waiting.hit.hit_id,
        "HITTypeId": waiting.hit.hit_type.type_id,
        "AssignmentId": submitted.assignment_id,
        "WorkerId": submitted.worker.worker_id,
        "QualificationTypeId": type_id,
        "QualificationRequirements": [
            {
                "QualificationTypeId": type_id,
                "Comparator": "In",
                "IntegerValues": [1],
                "ActionsGuarded": "Accept",
            }
        ],
        "BonusAmount": "0.10",
        "ExpireAt": timezone.now().timestamp() + 3600,
        "OverrideRejection": False,
        "AutoGranted": False,
    }
    members = _members(operation)
    return {
        name: known[name] if name in known else _made_up(members[name])
        for name in members
        if name not in REFUSING and (name != "AutoGrantedValue")
    }


def _members(operation: str) -> dict[str, Any]:
    return dict(service.service_model().operation_model(operation).input_shape.members)


def _made_up(shape: Any) -> Any:
    match shape.type_name:
        case "structure":
            return {name: _made_up(member) for name, member in shape.members.items()}
        case "list":
            return [_made_up(shape.member)]
        case "integer" | "long":
            return 1
        case "boolean":
            return True
        case "timestamp":
            return 1_800_000_000
    return shape.enum[0] if shape.enum else "X" * shape.metadata.get("min", 1)


def variations(document: Any, others: dict[str, Any], values: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield JSON with each value in each place, without each member, and with each of the others."""
    for name in document:
        yield f"no {name}", json.dumps({key: value for key, value in document.items() if key != name})
    holes = dict(json_holes(document))
    for name, shape in others.items():
        more = document | {name: _made_up(shape)}
        yield f"and {name}", json.dumps(more)
        holes |= {place: whole for place, whole in json_holes(more) if place.startswith(f".{name}")}
    for place, whole in holes.items():
        for words, value in values.items():
            yield f"{words} for {place}", whole.replace(HOLE, value)


def post(key: RequesterKey, operation: str, body: bytes) -> Any:
    address = reverse("requester_api")
    headers = {"X-Amz-Target": f"{TARGET}.{operation}"}
    request = AWSRequest("POST", f"http://testserver{address}", data=body, headers=headers)
    SigV4Auth(Credentials(key.access_key_id, key.secret), "mturk-requester", "us-east-1").add_auth(request)
    signed = {"Host": "testserver"} | {
        name: value for name, value in request.headers.items() if name != "Content-Length"
    }
    return ask(Client(), "POST", address, body, "application/x-amz-json-1.1", **signed)


@pytest.mark.parametrize(
    "values", [FEW_JSON_VALUES, pytest.param(JSON_VALUES, marks=pytest.mark.slow)], ids=["few", "all"]
)
@pytest.mark.parametrize("operation", some_quick(OPERATIONS, 9))
def test_no_request_makes_the_api_fail(operation, values, key):
    document = example(operation)
    usual = 400 if operation in TOO_SOON else 200
    assert post(key, operation, json.dumps(document).encode()).status == usual
    others = {name: shape for name, shape in _members(operation).items() if name not in document}
    answers = {
        words: post(key, operation, body.encode()) for words, body in variations(document, others, values)
    }
    assert {words for words, answer in answers.items() if answer.status not in (200, 400)} == set()


@pytest.mark.parametrize(
    "body", [b"", b"\xff", b"[" * 100_000, b'{"MaxResults": 1e999}', b'"x"', b"\x1f\x8b"]
)
def test_a_body_that_is_no_request_is_refused(body, key):
    assert post(key, "ListHITs", body).status in (200, 400)
