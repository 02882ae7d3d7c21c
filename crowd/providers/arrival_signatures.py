"""Signatures of arrivals, as the built-in marketplace makes them: checked with our own keys. Pure.

The key is ``KBPO1`` and our secret access key, what is signed are the parameters by their names in order, as
a form encodes them, and the signature is HMAC-SHA256 in hexadecimal. There may be several, with commas
between: one for each pair of keys that we have there, so that a pair can be replaced while people work.
"""

import hashlib
import hmac
from collections.abc import Mapping
from urllib.parse import urlencode

MOST = 8  # signatures that are looked at
_VERSION = "KBPO1"


def is_signed(said: Mapping[str, str], signature: str, *, secret: str) -> bool:
    """Say whether one of the signatures is right.

    Parameters
    ----------
    said : mapping of str to str
        All that is signed.
    signature : str
    secret : str
        Our secret access key.
    """
    message = urlencode(sorted(said.items())).encode()
    expected = hmac.new(f"{_VERSION}{secret}".encode(), message, hashlib.sha256).hexdigest().encode()
    given = signature.encode(errors="replace").split(b",", MOST)[:MOST]
    return any(hmac.compare_digest(one, expected) for one in given)
