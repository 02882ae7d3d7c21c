"""Signatures of arrivals: by them a requester's page knows that the marketplace has sent this worker.

Beside MTurk's parameters a page gets ``signedAt``, the time in seconds since 1970, and ``signature``: a
hexadecimal HMAC-SHA256, or several with commas between, one for each of the requester's keys. The key of each
is ``KBPO1`` and the secret access key; what is signed are all other parameters that the marketplace has
added, by their names in order, as a form encodes them. So there is no secret beside the requester's own, and
while a pair of keys is replaced by another both can check.
"""

import hashlib
import hmac
from collections.abc import Iterable, Mapping
from datetime import datetime
from urllib.parse import urlencode

SIGNED_AT = "signedAt"
SIGNATURE = "signature"
MOST = 4  # signatures: the newest keys'
_VERSION = "KBPO1"


def sign(parameters: Mapping[str, str], *, secrets: Iterable[str], now: datetime) -> dict[str, str]:
    """Return an arrival's parameters with its time, and signed where there is a key to sign with.

    Parameters
    ----------
    parameters : mapping of str to str
        What the page is told of the worker.
    secrets : iterable of str
        The requester's secret keys, the newest first.
    now : datetime
        Aware.
    """
    signed = {**parameters, SIGNED_AT: str(int(now.timestamp()))}
    message = urlencode(sorted(signed.items())).encode()
    found = [
        hmac.new(f"{_VERSION}{secret}".encode(), message, hashlib.sha256).hexdigest()
        for _, secret in zip(range(MOST), secrets, strict=False)
    ]
    return {**signed, SIGNATURE: ",".join(found)} if found else signed
