"""Signatures against AWS's own signer, and against what may be changed on the way."""

from datetime import UTC, datetime, timedelta

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from hypothesis import given
from hypothesis import strategies as st

from marketplace.protocol.errors import ProtocolError
from marketplace.protocol.signatures import SERVICE, check_signature, read_authorization

URL = "https://kbpo.example.org/marketplace/api"
TARGET = "MTurkRequesterServiceV20170117.GetHIT"


def sign(body: bytes = b"{}", service: str = SERVICE, secret: str = "secret") -> dict[str, str]:
    """Return the headers that a client sends, in lower case."""
    headers = {
        "X-Amz-Target": TARGET,
        "Content-Type": "application/x-amz-json-1.1",
        "Host": "kbpo.example.org",
    }
    request = AWSRequest("POST", URL, data=body, headers=headers)
    SigV4Auth(Credentials("AKIATEST", secret), service, "eu-west-1").add_auth(request)
    return {name.lower(): value for name, value in request.headers.items()}


def check(
    headers: dict[str, str], body: bytes = b"{}", now: datetime | None = None, secret: str = "secret"
) -> None:
    authorization = read_authorization(headers["authorization"])
    check_signature(
        authorization, secret=secret, url=URL, headers=headers, body=body, now=now or datetime.now(UTC)
    )


def test_what_the_header_says_is_read() -> None:
    found = read_authorization(sign()["authorization"])
    assert (found.access_key_id, found.region, found.service) == ("AKIATEST", "eu-west-1", SERVICE)
    assert found.signed_headers == ("content-type", "host", "x-amz-date", "x-amz-target")


@given(st.binary(max_size=200))
def test_a_right_signature_holds_for_any_body(body: bytes) -> None:
    check(sign(body), body)


@given(st.binary(max_size=50), st.binary(max_size=50))
def test_a_signature_holds_for_no_other_body(signed: bytes, sent: bytes) -> None:
    headers = sign(signed)
    if signed == sent:
        check(headers, sent)
        return
    with pytest.raises(ProtocolError, match="does not match"):
        check(headers, sent)


@pytest.mark.parametrize("name", ["host", "x-amz-target", "content-type"])
def test_a_signature_holds_for_no_other_header(name: str) -> None:
    with pytest.raises(ProtocolError, match="does not match"):
        check(sign() | {name: "another"})


def test_white_space_on_the_way_does_no_harm() -> None:
    check(sign() | {"content-type": "  application/x-amz-json-1.1 "})


def test_a_signature_with_another_secret_does_not_hold() -> None:
    with pytest.raises(ProtocolError, match="does not match"):
        check(sign(secret="another"))


def test_a_signature_for_another_service_does_not_hold() -> None:
    with pytest.raises(ProtocolError, match="correct service"):
        check(sign(service="s3"))


@pytest.mark.parametrize("digest", ["UNSIGNED-PAYLOAD", "0" * 64])
def test_a_clients_word_for_its_bodys_digest_is_not_taken(digest: str) -> None:
    with pytest.raises(ProtocolError, match="SHA-256 of the request's body"):
        check(sign() | {"x-amz-content-sha256": digest})


@pytest.mark.parametrize(("seconds", "holds"), [(-310, False), (-290, True), (290, True), (310, False)])
def test_a_signature_is_of_now_give_or_take_five_minutes(seconds: int, holds: bool) -> None:
    headers = sign()
    now = datetime.now(UTC) + timedelta(seconds=seconds)
    if holds:
        check(headers, now=now)
    else:
        with pytest.raises(ProtocolError) as error:
            check(headers, now=now)
        assert error.value.kind == "InvalidSignatureException"


@pytest.mark.parametrize("date", ["", "yesterday", "2026-11-20T10:15:00Z"])
def test_a_date_that_is_none_is_refused(date: str) -> None:
    with pytest.raises(ProtocolError, match="X-Amz-Date must be like"):
        check(sign() | {"x-amz-date": date})


def test_the_date_of_the_credential_is_that_of_the_request() -> None:
    headers = sign()
    headers["authorization"] = headers["authorization"].replace(headers["x-amz-date"][:8], "20200101")
    with pytest.raises(ProtocolError, match="Credential scope"):
        check(headers)


@pytest.mark.parametrize("name", ["host", "x-amz-date", "x-amz-target"])
def test_what_must_be_signed_must_be_signed(name: str) -> None:
    headers = sign()
    names = headers["authorization"].split("SignedHeaders=")[1].split(",")[0].split(";")
    without = ";".join(one for one in names if one != name)
    headers["authorization"] = headers["authorization"].replace(";".join(names), without)
    with pytest.raises(ProtocolError, match=f"must be signed too: {name}"):
        check(headers)
