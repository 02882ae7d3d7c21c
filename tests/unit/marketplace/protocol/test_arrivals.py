from datetime import UTC, datetime

import pytest

from crowd.providers.arrival_signatures import is_signed
from marketplace.protocol.arrivals import MOST, sign

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
GIVEN = {
    "assignmentId": "3A",
    "hitId": "3H",
    "turkSubmitTo": "https://kbp.example.org/work/submit/a:b&c",
    "workerId": "W1",
}


def test_an_arrival_is_signed_as_documented() -> None:
    """The signature is that of another program: ``printf … | openssl dgst -sha256 -hmac KBPO1secret``."""
    signed = sign(GIVEN, secrets=["secret"], now=NOW)
    assert signed["signedAt"] == "1795176000"
    assert signed["signature"] == "908a8bb20381288bd669298bf778d97134a961fc638b056051a2f02b764fb58d"


@pytest.mark.parametrize("name", [*GIVEN, "signedAt"])
def test_whatever_is_changed_breaks_it(name: str) -> None:
    signed = sign(GIVEN, secrets=["secret"], now=NOW)
    signature = signed.pop("signature")
    assert is_signed(signed, signature, secret="secret")
    assert not is_signed({**signed, name: f"{signed[name]}1"}, signature, secret="secret")
    assert not is_signed(
        {key: value for key, value in signed.items() if key != name}, signature, secret="secret"
    )


def test_a_value_cannot_pass_for_two() -> None:
    """What an address joins with ``&`` is written so that it cannot be part of a value."""
    signature = sign({"a": "1&b=2"}, secrets=["secret"], now=NOW)["signature"]
    assert not is_signed({"a": "1", "b": "2", "signedAt": "1795176000"}, signature, secret="secret")


def test_there_is_a_signature_for_each_of_the_newest_keys() -> None:
    secrets = [f"secret {number}" for number in range(MOST + 1)]
    signed = sign(GIVEN, secrets=secrets, now=NOW)
    signature = signed.pop("signature")
    assert [is_signed(signed, signature, secret=one) for one in secrets] == [True] * MOST + [False]


def test_without_keys_nothing_is_signed() -> None:
    assert "signature" not in sign(GIVEN, secrets=[], now=NOW)


@pytest.mark.parametrize("signature", ["", ",", "é", "\ud800", "x" * 10_000, "," * 10_000])
def test_what_is_no_signature_is_none(signature: str) -> None:
    assert not is_signed(GIVEN, signature, secret="secret")
