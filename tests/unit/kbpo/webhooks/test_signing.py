import re
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from kbpo.webhooks import signing
from tests.conftest import ROOT

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
#: From the specification of Standard Webhooks, of which this is the example.
EXAMPLE = {
    "message_id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "seconds": 1614265330,
    "body": '{"test": 2432232314}',
}


def checker() -> Any:
    """Return the function that the documentation gives to those who receive."""
    text = Path(ROOT, "docs", "webhooks.md").read_text()
    [code] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    found: dict[str, Any] = {}
    exec(code, found)
    return found["is_ours"]


def test_the_example_of_the_specification_has_its_signature() -> None:
    assert signing.sign(secret=SECRET, **EXAMPLE) == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_secret_that_is_no_base_64_is_named() -> None:
    with pytest.raises(ValueError, match="no base 64"):
        signing.sign(secret="whsec_?", **EXAMPLE)


def test_two_secrets_differ_and_have_32_bytes() -> None:
    assert signing.new_secret() != signing.new_secret()
    assert len(signing.new_secret()) == len("whsec_") + 44


def test_standardwebhooks_accepts_what_is_sent() -> None:
    secret, body = signing.new_secret(), '{"name": "Ä"}'
    now = datetime.fromtimestamp(time.time(), UTC)
    headers = dict(signing.headers(secret=secret, message_id="msg_1", body=body, now=now))
    assert Webhook(secret).verify(body.encode(), headers) == {"name": "Ä"}
    for other, given in ((signing.new_secret(), body), (secret, body + " ")):
        with pytest.raises(WebhookVerificationError):
            Webhook(other).verify(given, headers)


def test_what_the_documentation_says_takes_what_is_sent_and_nothing_else() -> None:
    is_ours, secret, body = checker(), signing.new_secret(), '{"name": "Ä"}'
    now = datetime.fromtimestamp(time.time(), UTC)
    headers = dict(signing.headers(secret=secret, message_id="msg_1", body=body, now=now))
    sent = body.encode()
    assert is_ours(secret, headers, sent)
    assert not is_ours(secret, headers, sent + b" ")
    assert not is_ours(signing.new_secret(), headers, sent)
    assert not is_ours(secret, headers | {"webhook-id": "msg_2"}, sent)
    later = str(int(headers["webhook-timestamp"]) + 1)
    assert not is_ours(secret, headers | {"webhook-timestamp": later}, sent)
    rotated = f"v1,bm90IG91cnM= {headers['webhook-signature']}"
    assert is_ours(secret, headers | {"webhook-signature": rotated}, sent)


def test_what_the_documentation_says_refuses_what_is_old() -> None:
    is_ours, secret = checker(), signing.new_secret()
    old = datetime.fromtimestamp(time.time() - 301, UTC)
    headers = dict(signing.headers(secret=secret, message_id="msg_1", body="{}", now=old))
    assert not is_ours(secret, headers, b"{}")


def test_the_page_that_shows_a_secret_has_the_lines_of_the_documentation() -> None:
    shown = (ROOT / "templates" / "webhooks" / "check.py.txt").read_text()
    assert f"```python\n{shown}```" in (ROOT / "docs" / "webhooks.md").read_text()
