"""The requester API's one address: checks the signature, the pace and the form, and calls the operation."""

import json
import logging
import uuid
from datetime import datetime

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt

from kbpo.core.errors import KbpoError
from kbpo.core.rate_limits import RateLimit, hit
from kbpo.core.refusals import mark_outage, outage_of
from marketplace import lifecycle
from marketplace.models import RequesterKey
from marketplace.operations import OPERATIONS, Call
from marketplace.protocol import service, signatures
from marketplace.protocol.errors import ProtocolError, RequestError

logger = logging.getLogger(__name__)

JSON = "application/x-amz-json-1.1"


@csrf_exempt  # each request is signed
def requester_api(request: HttpRequest) -> HttpResponse:
    """Answer a request of MTurk's requester API, JSON 1.1 over POST."""
    request_id = str(uuid.uuid4())
    status, body = 200, b"{}"
    try:
        body = _carry_out(request, request_id, timezone.now())
    except RequestError as error:
        status, body = 400, _refusal(error.kind, error, error.code)
    except ProtocolError as error:
        status, body = 400, _refusal(error.kind, error)
    except RequestDataTooBig:
        refused = ProtocolError("RequestEntityTooLargeException", "The request's body is too long.")
        status, body = 413, _refusal(refused.kind, refused)
    except Exception as error:
        if (refusal := outage_of(error)) is not None:
            status, body = refusal.status, _refusal("ServiceFault", refusal, "AWS.ServiceUnavailable")
        else:
            logger.exception("request %s failed", request_id)
            fault = KbpoError(f"The service failed; the request can be tried again. ({request_id})")
            status, body = 500, _refusal("ServiceFault", fault, "AWS.ServiceUnavailable")
    response = HttpResponse(body, status=status, content_type=JSON)
    response.headers["x-amzn-RequestId"] = request_id
    if status in (503, 507):
        mark_outage(response, status)
    return response


def _carry_out(request: HttpRequest, request_id: str, now: datetime) -> bytes:
    if request.method != "POST":
        raise ProtocolError(
            "UnknownOperationException", "This is MTurk's requester API: POST to it, as boto3's client does."
        )
    key = _authenticate(request, now)
    limit = RateLimit("requester API", int(key.burst), key.burst / key.rate)
    if not hit(limit, str(key.pk), now=now).is_allowed:
        raise ProtocolError(
            "ThrottlingException", f"Rate exceeded: {key.rate:g} requests a second. Try again later."
        )
    operation = service.read_target(request.headers.get("X-Amz-Target", ""))
    act = OPERATIONS.get(operation.name)
    if act is None:
        raise ProtocolError(
            "UnknownOperationException",
            f"{operation.name} is not supported by this marketplace. Supported are: {', '.join(OPERATIONS)}.",
        )
    params = service.read_request(operation, request.body)
    lifecycle.sweep(now)
    answer = act(Call(key.requester, params, request_id, now))
    return service.write_answer(operation, answer)


def _authenticate(request: HttpRequest, now: datetime) -> RequesterKey:
    authorization = signatures.read_authorization(request.headers.get("Authorization", ""))
    keys = RequesterKey.objects.select_related("requester").filter(is_active=True)
    key = keys.filter(access_key_id=authorization.access_key_id).first()
    if key is None:
        raise ProtocolError(
            "UnrecognizedClientException", "The security token included in the request is invalid."
        )
    signatures.check_signature(
        authorization,
        secret=key.secret,
        url=f"https://host{request.get_full_path()}",
        headers=request.headers,
        body=request.body,
        now=now,
    )
    return key


def _refusal(kind: str, error: KbpoError, code: str = "") -> bytes:
    document = {"__type": kind, "Message": str(error), "message": str(error)}
    if code:
        document["TurkErrorCode"] = code
    return json.dumps(document).encode()
