"""Signatures of what is sent, as in Standard Webhooks 1.0 (https://www.standardwebhooks.com)."""

import base64
import binascii
import hmac
import secrets
from collections.abc import Mapping
from datetime import datetime

_PREFIX = "whsec_"


def new_secret() -> str:
    """Return 32 random bytes in base 64, behind ``whsec_``."""
    return _PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def sign(*, secret: str, message_id: str, seconds: int, body: str) -> str:
    """Return the signature of a request: HMAC-SHA256 of its id, time and body with dots between.

    Parameters
    ----------
    secret : str
        As `new_secret` makes it.
    message_id : str
    seconds : int
        When it is sent, since 1970.
    body : str
        As it is sent, byte by byte in UTF-8.

    Returns
    -------
    str
        ``v1,`` and the digest in base 64.

    Raises
    ------
    ValueError
        The secret is no base 64 behind its prefix.

    Examples
    --------
    >>> sign(secret="whsec_MDEyMw==", message_id="msg_1", seconds=1, body="{}")
    'v1,Av0HX1gzw7RddM0UFumqA1evFQj7px3Js1XtQV6kx0E='
    """
    try:
        key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except binascii.Error:
        raise ValueError("the secret is no base 64") from None
    digest = hmac.digest(key, f"{message_id}.{seconds}.{body}".encode(), "sha256")
    return f"v1,{base64.b64encode(digest).decode()}"


def headers(*, secret: str, message_id: str, body: str, now: datetime) -> Mapping[str, str]:
    """Return the headers of a request that is sent now."""
    seconds = int(now.timestamp())
    return {
        "content-type": "application/json",
        "user-agent": "KBP-Online-Webhooks/1",
        "webhook-id": message_id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": sign(secret=secret, message_id=message_id, seconds=seconds, body=body),
    }
