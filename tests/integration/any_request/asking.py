"""Ways to ask the site that leave no trace in the database."""

import json
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from functools import wraps
from typing import Any
from unittest import mock
from urllib.parse import quote_from_bytes

from django.core.signals import got_request_exception
from django.db import transaction
from django.http import QueryDict
from django.http.request import HttpHeaders
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

HIT_URLS = "kbpo.hit_urls"  # of the HIT pages' own host


@dataclass(frozen=True)
class Request:
    """A request as it should be; `address` is where it goes, if elsewhere than the route's example."""

    method: str
    body: bytes = b""
    kind: str = "application/x-www-form-urlencoded"
    headers: Mapping[str, str] = field(default_factory=dict)
    address: str = ""


def routes(*, named: bool = True) -> Iterator[tuple[str, URLPattern]]:
    """Yield the name and the pattern of every address, those on the HIT pages' own host included.

    Of those without a name, what answers them.
    """

    def walk(patterns: list[Any], space: str) -> Iterator[tuple[str, URLPattern]]:
        for pattern in patterns:
            if isinstance(pattern, URLResolver):
                yield from walk(pattern.url_patterns, f"{pattern.namespace}:" if pattern.namespace else space)
            elif bool(pattern.name) is named:
                yield (f"{space}{pattern.name}" if named else pattern.lookup_str), pattern

    yield from walk(get_resolver().url_patterns, "")
    yield from walk(get_resolver(HIT_URLS).url_patterns, "")


@dataclass
class Answer:
    """What came of a request.

    Attributes
    ----------
    status : int
    fault : str
        The exception that no view or handler took; empty where there was none.
    location : str
        Where it leads on to; empty where it does not.
    body : bytes
    """

    status: int
    fault: str
    location: str = ""
    body: bytes = b""


def ask(
    client: Client, method: str, address: str, body: bytes = b"", kind: str = "", **headers: str
) -> Answer:
    """Send a request, and undo all that it does in the database and to the client's cookies."""
    faults: list[str] = []
    cookies, client.cookies = client.cookies, deepcopy(client.cookies)

    def note(sender: object, request: object, **_: object) -> None:
        faults.append(traceback.format_exc(limit=-6))

    got_request_exception.connect(note)
    try:
        with transaction.atomic():
            environ = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()}
            for name in ("CONTENT_LENGTH", "CONTENT_TYPE"):
                if f"HTTP_{name}" in environ:
                    environ[name] = environ.pop(f"HTTP_{name}")
            response = client.generic(method, address, body, kind or "application/octet-stream", **environ)
            body = b"".join(response) if response.streaming else response.content
            transaction.set_rollback(True)
    finally:
        client.cookies = cookies
        got_request_exception.disconnect(note)
    return Answer(response.status_code, "".join(faults), response.headers.get("Location", ""), body)


@contextmanager
def names_read() -> Iterator[set[str]]:
    """Collect the names of all that is read of addresses and forms meanwhile."""
    names: set[str] = set()

    def noting(method: Callable[..., Any]) -> Callable[..., Any]:
        def act(self: QueryDict, key: object, *rest: object) -> Any:
            names.add(str(key))
            return method(self, key, *rest)

        return act

    methods = {name: noting(getattr(QueryDict, name)) for name in ("__getitem__", "__contains__", "getlist")}
    with mock.patch.multiple(QueryDict, **methods):
        yield names


@contextmanager
def headers_read(route: URLPattern) -> Iterator[set[str]]:
    """Collect the names of all headers that are read, from when a route's view is called, meanwhile.

    What is read before is so at every address.
    """
    names: set[str] = set()
    view = route.callback

    def noting(key: object) -> None:
        names.add(str(key).upper().removeprefix("HTTP_").replace("_", "-"))

    class Meta(dict[str, Any]):
        def __getitem__(self, key: str) -> Any:
            noting(key)
            return super().__getitem__(key)

        def __contains__(self, key: object) -> bool:
            noting(key)
            return super().__contains__(key)

        def get(self, key: str, default: Any = None) -> Any:
            noting(key)
            return super().get(key, default)

    class Headers(HttpHeaders):
        def __getitem__(self, key: str) -> Any:
            noting(key)
            return super().__getitem__(key)

    @wraps(view)
    def act(request: Any, *args: Any, **kwargs: Any) -> Any:
        request.headers = Headers(request.META)
        request.META = Meta(request.META)
        return view(request, *args, **kwargs)

    with mock.patch.object(route, "callback", act):
        yield names


def encoded(fields: Mapping[str, object], **more: bytes) -> bytes:
    """Write fields as an address or a form has them; `more` are bytes, UTF-8 or not."""
    known = {name: str(value).encode() for name, value in fields.items()}
    return "&".join(
        f"{quote_from_bytes(name.encode())}={quote_from_bytes(value)}"
        for name, value in {**known, **more}.items()
    ).encode()


HOLE, INNER = '"\N{WHITE SQUARE}"', '"\N{BLACK SQUARE}"'


def json_holes(document: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield each place's path, and the JSON with a hole there."""
    yield path, HOLE
    inner: list[tuple[Any, Any]] = []
    if isinstance(document, dict):
        inner = list(document.items())
    elif isinstance(document, list):
        inner = list(enumerate(document))
    for name, value in inner:
        rest = dict(inner) | {name: json.loads(INNER)}
        whole = json.dumps(rest if isinstance(document, dict) else list(rest.values()), ensure_ascii=False)
        for place, hole in json_holes(value, f"{path}.{name}"):
            yield place, whole.replace(INNER, hole)
