"""AWS's signatures of version 4: computed again from the signed headers as they were received."""

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from marketplace.protocol.errors import ProtocolError

SERVICE = "mturk-requester"
SKEW = timedelta(minutes=5)  # that a client's clock may be wrong by
#: What must be signed: a signature is for this host, this moment and this operation.
MUST_SIGN = frozenset({"host", "x-amz-date", "x-amz-target"})
_AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 +"
    r"Credential=(?P<key>[\w-]{1,128})/(?P<date>\d{8})/(?P<region>[\w-]{1,64})/(?P<service>[\w-]{1,64})"
    r"/aws4_request *, *"
    r"SignedHeaders=(?P<headers>[a-z0-9;_-]{1,2000}) *, *"
    r"Signature=(?P<signature>[0-9a-f]{64})",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Authorization:
    """What an ``Authorization`` header says.

    Attributes
    ----------
    access_key_id : str
    date : str
        ``YYYYMMDD``.
    region : str
    service : str
    signed_headers : tuple of str
        Their names, in lower case.
    signature : str
        64 hexadecimal digits.
    """

    access_key_id: str
    date: str
    region: str
    service: str
    signed_headers: tuple[str, ...]
    signature: str


def read_authorization(header: str) -> Authorization:
    """Read an ``Authorization`` header.

    Raises
    ------
    ProtocolError
        If there is none, or it is not AWS's of version 4.
    """
    if not header:
        raise ProtocolError(
            "MissingAuthenticationTokenException", "The request is not signed; sign it with AWS4-HMAC-SHA256."
        )
    found = _AUTHORIZATION.fullmatch(header)
    if found is None:
        raise ProtocolError(
            "IncompleteSignatureException",
            "The Authorization header must be: AWS4-HMAC-SHA256 Credential=<key>/<date>/<region>/"
            f"{SERVICE}/aws4_request, SignedHeaders=<names>, Signature=<64 hexadecimal digits>.",
        )
    key, date, region, service, headers, signature = found.groups()
    return Authorization(key, date, region, service, tuple(headers.split(";")), signature)


def check_signature(
    authorization: Authorization,
    *,
    secret: str,
    url: str,
    headers: Mapping[str, str],
    body: bytes,
    now: datetime,
) -> None:
    """Check the signature of a POST request.

    Parameters
    ----------
    authorization : Authorization
    secret : str
        The secret of its access key.
    url : str
        As it was called: only path and query matter.
    headers : mapping of str to str
        As they were received; names in any case, if the mapping finds them so.
    body : bytes
    now : datetime
        Aware.

    Raises
    ------
    ProtocolError
        If it does not hold, is not for this service, leaves out a header of `MUST_SIGN`, or is off by
        more than `SKEW`.
    """
    if authorization.service != SERVICE:
        raise _invalid(f"Credential should be scoped to correct service: '{SERVICE}'.")
    if left_out := MUST_SIGN.difference(authorization.signed_headers):
        raise _invalid(f"These headers must be signed too: {', '.join(sorted(left_out))}.")
    stamp = headers.get("x-amz-date", "")
    _check_time(stamp, authorization.date, now)
    # botocore takes a client's word for the body's digest
    if headers.get("x-amz-content-sha256", digest := hashlib.sha256(body).hexdigest()) != digest:
        raise _invalid("X-Amz-Content-SHA256 is not the SHA-256 of the request's body.")
    expected = _signature(authorization, secret, url, headers, body, stamp)
    if not hmac.compare_digest(expected, authorization.signature):
        raise _invalid(
            "The request signature we calculated does not match the signature you provided. "
            "Check your AWS Secret Access Key and signing method."
        )


def _check_time(stamp: str, date: str, now: datetime) -> None:
    try:
        at = datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        raise _invalid("X-Amz-Date must be like 20261120T101500Z.") from None
    if stamp[:8] != date:
        raise _invalid(f"Date in Credential scope does not match YYYYMMDD of X-Amz-Date: {date} and {stamp}.")
    if at < now - SKEW:
        raise _invalid(f"Signature expired: {stamp} is now earlier than {now - SKEW:%Y%m%dT%H%M%SZ}.")
    if at > now + SKEW:
        raise _invalid(f"Signature not yet current: {stamp} is still later than {now + SKEW:%Y%m%dT%H%M%SZ}.")


def _signature(
    authorization: Authorization, secret: str, url: str, headers: Mapping[str, str], body: bytes, stamp: str
) -> str:
    signed = {name: headers.get(name, "") for name in authorization.signed_headers}
    request = AWSRequest(method="POST", url=url, headers=signed, data=body)
    request.context["timestamp"] = stamp
    auth = SigV4Auth(
        Credentials(authorization.access_key_id, secret), authorization.service, authorization.region
    )
    string_to_sign = auth.string_to_sign(request, auth.canonical_request(request))
    return str(auth.signature(string_to_sign, request))


def _invalid(message: str) -> ProtocolError:
    return ProtocolError("InvalidSignatureException", message)
