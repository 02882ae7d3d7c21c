"""What all views of the API do: know the caller, count the call, say what may be kept, and to whom."""

import hashlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from django.http import HttpRequest
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import quote_etag
from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView

from kbpo import __version__
from kbpo.api.authentication import MayAsk, TokenAuthentication
from kbpo.api.throttling import CallThrottle, PolicyThrottle
from kbpo.core.errors import InvalidInput
from kbpo.core.rate_limits import Count

READING = ("GET", "HEAD")
#: What a script of another site may send with a read, and see of its answer.
MAY_SEND = "Accept, If-None-Match"
MAY_SEE = "ETag, KBPO-Oldest-Client, KBPO-Version, RateLimit, RateLimit-Policy, Retry-After"
#: Of each call, and so also of an answer that nothing has changed, which Django writes anew.
OF_THE_CALL = (
    *("Access-Control-Allow-Origin", "Access-Control-Expose-Headers"),
    *("KBPO-Oldest-Client", "KBPO-Version", "RateLimit", "RateLimit-Policy"),
)
#: Clients before this one are told to be brought up to date: raise it with what they would get wrong.
OLDEST_CLIENT = "0.6.0"


class ApiView(APIView):
    """A view of the API.

    Attributes
    ----------
    is_public : bool
        Whether visitors may read here, and scripts of other sites as visitors.
    scope : str
        What a token needs here to change something.
    refuses : mapping
        By method, the statuses of its refusals; its description has those that all views give.
    """

    authentication_classes = (TokenAuthentication, SessionAuthentication)
    permission_classes: tuple[type[BasePermission], ...] = (MayAsk,)
    throttle_classes = (CallThrottle, PolicyThrottle)
    is_public = False
    refuses: Mapping[str, tuple[int, ...]] = MappingProxyType({})
    counted: tuple[tuple[str, Count], ...] = ()

    def check_permissions(self, request: Request) -> None:
        """Throttle the call before its permission is checked, so that refused calls count as well."""
        super().check_throttles(request)
        if "Transfer-Encoding" in request.headers and "Content-Length" not in request.headers:
            raise InvalidInput("a body comes with its number of bytes, not chunked", where="Content-Length")
        if request.method not in self.allowed_methods:  # whatever a token may
            raise MethodNotAllowed(str(request.method))
        super().check_permissions(request)

    def check_throttles(self, request: Request) -> None:
        """Do nothing: `check_permissions` has throttled the call."""

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Write the headers, and answer that nothing has changed where that is so."""
        response = super().finalize_response(request, response, *args, **kwargs)
        patch_vary_headers(response, ["Authorization", "Cookie", "Origin"])
        response.headers.setdefault("Cache-Control", "private, no-cache")
        response.headers["KBPO-Version"], response.headers["KBPO-Oldest-Client"] = __version__, OLDEST_CLIENT
        self._say_limits(response)
        if self.is_public and request.method in (*READING, "OPTIONS") and _is_nobody(request):
            response.headers["Access-Control-Allow-Origin"] = "*"
            response.headers["Access-Control-Expose-Headers"] = MAY_SEE
        if isinstance(response, Response) and request.method in READING and response.status_code == 200:
            return _unless_known(request._request, response)
        return response

    def options(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Response:
        """Say what may be asked here, and what a script of another site may ask."""
        allowed = ", ".join(self.allowed_methods)
        headers = {"Allow": allowed}
        if self.is_public:
            headers |= {
                "Access-Control-Allow-Methods": "GET, HEAD",
                "Access-Control-Allow-Headers": MAY_SEND,
                "Access-Control-Max-Age": "86400",
            }
        return Response(status=204, headers=headers)

    def _say_limits(self, response: Any) -> None:
        """Say how much may still be asked, as draft-ietf-httpapi-ratelimit-headers writes it."""
        if self.counted:
            response.headers["RateLimit-Policy"] = ", ".join(
                f'"{whose}";q={one.limit.amount};w={one.limit.seconds}' for whose, one in self.counted
            )
            response.headers["RateLimit"] = ", ".join(
                f'"{whose}";r={one.left};t={one.seconds}' for whose, one in self.counted
            )


def answer(serializer: BaseSerializer[Any], status: int = 200, **headers: str) -> Response:
    """Return what a serializer says."""
    return Response(serializer.data, status, headers={k.replace("_", "-"): v for k, v in headers.items()})


def _is_nobody(request: Request) -> bool:
    return not getattr(request._request.user, "is_authenticated", False)


def _unless_known(request: HttpRequest, response: Response) -> Any:
    """Give an answer its ETag, or say that the caller has it."""
    response.render()
    response.headers["ETag"] = quote_etag(hashlib.sha256(response.content).hexdigest()[:32])
    found = get_conditional_response(request, etag=response.headers["ETag"], response=response)
    assert found is not None  # it is where there is an answer
    for name in OF_THE_CALL:
        if name in response.headers:
            found.headers[name] = response.headers[name]
    return found
