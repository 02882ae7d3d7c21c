"""What stands before the operations: signatures, throttling, forms, and operations that there are not."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import botocore.auth
import httpx2
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.exceptions import ClientError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from marketplace import operations
from marketplace.models import Hit, RequesterKey
from marketplace.protocol import service
from tests.integration.marketplace.conftest import HIT, Connect, refusal

pytestmark = pytest.mark.django_db(transaction=True)

TARGET = "MTurkRequesterServiceV20170117."


def post(
    live_server: Any,
    key: RequesterKey,
    body: bytes,
    *,
    target: str = f"{TARGET}GetAccountBalance",
    **after: str,
) -> httpx2.Response:
    """Send a request that is signed, with headers that are changed after that."""
    url = live_server.url + reverse("requester_api")
    request = AWSRequest("POST", url, data=body, headers={"X-Amz-Target": target})
    SigV4Auth(Credentials(key.access_key_id, key.secret), "mturk-requester", "us-east-1").add_auth(request)
    headers = dict(request.headers.items()) | {name.replace("_", "-"): value for name, value in after.items()}
    return httpx2.post(url, content=body, headers=headers)


def test_a_wrong_secret_is_refused(connect: Connect, key: RequesterKey) -> None:
    with pytest.raises(ClientError) as error:
        connect(key, secret="another").get_account_balance()
    assert refusal(error)[0] == "InvalidSignatureException"


def test_a_key_that_there_is_not_is_refused(connect: Connect, key: RequesterKey) -> None:
    key.access_key_id = "AKIANOBODY"
    with pytest.raises(ClientError) as error:
        connect(key).get_account_balance()
    assert refusal(error)[0] == "UnrecognizedClientException"


def test_a_key_that_was_switched_off_is_refused(connect: Connect, key: RequesterKey) -> None:
    RequesterKey.objects.update(is_active=False)
    with pytest.raises(ClientError) as error:
        connect(key).get_account_balance()
    assert refusal(error)[0] == "UnrecognizedClientException"


@pytest.mark.parametrize(("minutes", "word"), [(-6, "expired"), (6, "not yet current")])
def test_a_clock_that_is_wrong_by_more_than_five_minutes_is_refused(
    mturk: Any, monkeypatch: pytest.MonkeyPatch, minutes: int, word: str
) -> None:
    wrong = timezone.now() + timedelta(minutes=minutes)
    monkeypatch.setattr(botocore.auth, "get_current_datetime", lambda: wrong.replace(tzinfo=None))
    with pytest.raises(ClientError, match=word) as error:
        mturk.get_account_balance()
    assert refusal(error)[0] == "InvalidSignatureException"


def test_a_signed_request_is_answered_as_mturk_does(live_server: Any, key: RequesterKey) -> None:
    response = post(live_server, key, b"{}")
    assert response.json() == {"AvailableBalance": "100.00", "OnHoldBalance": "0.00"}
    assert response.headers["Content-Type"] == "application/x-amz-json-1.1"
    assert response.headers["x-amzn-RequestId"]


def test_times_are_numbers_of_seconds(live_server: Any, key: RequesterKey) -> None:
    made = post(live_server, key, json.dumps(HIT).encode(), target=f"{TARGET}CreateHIT").json()["HIT"]
    assert made["Expiration"] - made["CreationTime"] == 86_400
    assert datetime.fromtimestamp(made["CreationTime"], UTC).year >= 2026


@pytest.mark.parametrize(
    "change",
    [
        {"X_Amz_Target": f"{TARGET}ListHITs"},
        {"Host": "elsewhere.example.org"},
        {"X_Amz_Date": "20261120T000000Z"},
        {"X_Amz_Content_SHA256": "UNSIGNED-PAYLOAD"},
    ],
)
def test_a_request_that_was_changed_after_signing_is_refused(
    live_server: Any, key: RequesterKey, settings: Any, change: dict[str, str]
) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    response = post(live_server, key, b"{}", **change)
    assert (response.status_code, response.json()["__type"]) == (400, "InvalidSignatureException")


def test_a_body_that_was_changed_after_signing_is_refused(live_server: Any, key: RequesterKey) -> None:
    url = live_server.url + reverse("requester_api")
    signed = AWSRequest("POST", url, data=b"{}", headers={"X-Amz-Target": f"{TARGET}GetAccountBalance"})
    SigV4Auth(Credentials(key.access_key_id, key.secret), "mturk-requester", "us-east-1").add_auth(signed)
    response = httpx2.post(url, content=b'{"a": 1}', headers=dict(signed.headers.items()))
    assert response.json()["__type"] == "InvalidSignatureException"


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        ("", "MissingAuthenticationTokenException"),
        ("Bearer 123", "IncompleteSignatureException"),
        (
            "AWS4-HMAC-SHA256 Credential=AKIA/20261120/us-east-1/mturk-requester/aws4_request, "
            "SignedHeaders=host, Signature=12",
            "IncompleteSignatureException",
        ),
    ],
)
def test_a_request_that_is_not_signed_is_refused(client: Client, header: str, kind: str) -> None:
    response = client.post(
        reverse("requester_api"), b"{}", content_type="application/json", headers={"Authorization": header}
    )
    assert (response.status_code, json.loads(response.content)["__type"]) == (400, kind)


def test_a_signature_must_cover_what_is_asked_for(live_server: Any, key: RequesterKey) -> None:
    url = live_server.url + reverse("requester_api")
    signed = AWSRequest("POST", url, data=b"{}")
    SigV4Auth(Credentials(key.access_key_id, key.secret), "mturk-requester", "us-east-1").add_auth(signed)
    headers = dict(signed.headers.items()) | {"X-Amz-Target": f"{TARGET}GetAccountBalance"}
    response = httpx2.post(url, content=b"{}", headers=headers)
    assert response.json()["__type"] == "InvalidSignatureException"
    assert "x-amz-target" in response.json()["message"]


def test_a_browser_is_told_what_this_address_is(client: Client) -> None:
    response = client.get(reverse("requester_api"))
    assert response.status_code == 400
    assert "requester API" in json.loads(response.content)["message"]


def test_a_key_is_throttled_after_its_burst(connect: Connect, key: RequesterKey) -> None:
    RequesterKey.objects.update(rate=0.001, burst=3)
    mturk = connect(key)
    for _ in range(3):
        mturk.get_account_balance()
    with pytest.raises(ClientError) as error:
        mturk.get_account_balance()
    assert refusal(error)[0] == "ThrottlingException"


@pytest.mark.slow
def test_boto3_retries_after_a_short_throttle(connect: Connect, key: RequesterKey) -> None:
    RequesterKey.objects.update(rate=5, burst=1)
    mturk = connect(key, attempts=8)
    assert [mturk.get_account_balance()["AvailableBalance"] for _ in range(2)] == ["100.00"] * 2


def test_every_operation_that_is_not_supported_says_so(mturk: Any) -> None:
    with pytest.raises(ClientError, match="NotifyWorkers is not supported") as error:
        mturk.notify_workers(Subject="Hello", MessageText="Hello", WorkerIds=["A1"])
    assert refusal(error)[0] == "UnknownOperationException"


def test_the_operations_are_operations_of_mturk() -> None:
    assert set(operations.OPERATIONS) <= set(service.service_model().operation_names)


@pytest.mark.parametrize("target", ["", "GetHIT", f"{TARGET}Nothing", "AnotherService.GetHIT"])
def test_an_operation_that_mturk_does_not_have_is_refused(
    live_server: Any, key: RequesterKey, target: str
) -> None:
    response = post(live_server, key, b"{}", target=target)
    assert (response.status_code, response.json()["__type"]) == (400, "UnknownOperationException")


@pytest.mark.parametrize("body", [b"{", b"[]", b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_json_object_is_refused(live_server: Any, key: RequesterKey, body: bytes) -> None:
    response = post(live_server, key, body)
    assert (response.status_code, response.json()["__type"]) == (400, "SerializationException")


def test_a_body_that_is_too_long_is_refused(live_server: Any, key: RequesterKey) -> None:
    response = post(live_server, key, b'{"a": "' + b"x" * 3_000_000 + b'"}')
    assert (response.status_code, response.json()["__type"]) == (413, "RequestEntityTooLargeException")


def test_a_request_that_fails_here_can_be_tried_again(
    connect: Connect, key: RequesterKey, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(call: object) -> dict[str, object]:
        raise RuntimeError("out of order")

    monkeypatch.setattr("marketplace.api.OPERATIONS", {"GetAccountBalance": fail})
    mturk = connect(key)
    with pytest.raises(mturk.exceptions.ServiceFault) as error:
        mturk.get_account_balance()
    assert error.value.response["ResponseMetadata"]["HTTPStatusCode"] == 500
    assert "out of order" not in str(error.value)


def test_an_answer_that_breaks_the_service_model_is_a_fault(
    connect: Connect, key: RequesterKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "marketplace.api.OPERATIONS", {"GetAccountBalance": lambda call: {"AvailableBalance": "$1"}}
    )
    mturk = connect(key)
    with pytest.raises(mturk.exceptions.ServiceFault):
        mturk.get_account_balance()


def test_two_requests_with_one_token_at_once_make_one_hit(connect: Connect, key: RequesterKey) -> None:
    clients = [connect(key) for _ in range(4)]

    def create(client: Any) -> tuple[str, str]:
        try:
            return "made", client.create_hit(**HIT, UniqueRequestToken="one")["HIT"]["HITId"]
        except client.exceptions.RequestError as error:
            return error.response["TurkErrorCode"], error.response["Message"]

    with ThreadPoolExecutor(4) as pool:
        told = sorted(pool.map(create, clients))
    made = Hit.objects.get()
    assert [kind for kind, _ in told] == [*3 * ["AWS.MechanicalTurk.HitAlreadyExists"], "made"]
    assert all(made.hit_id in message for _, message in told)
