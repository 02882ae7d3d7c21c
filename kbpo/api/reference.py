"""The API's description: OpenAPI for programs, a page for people, made from one file; no network is needed.

The file is written by ``python -m docs.openapi``, and a test holds it to the code.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.views.decorators.http import require_safe
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kbpo import __version__
from kbpo.accounts import tokens
from kbpo.api.base import ApiView, answer
from kbpo.api.schema import ALWAYS
from kbpo.core.errors import Conflict, Unavailable
from kbpo.core.problems import KINDS, OWN_KINDS, Kind
from kbpo.core.revalidating import public_page

METHODS = ("get", "head", "post", "patch", "delete")


@dataclass(frozen=True, slots=True)
class Field:
    """A field, or a parameter, as the page shows it."""

    name: str
    type: str
    words: str
    is_required: bool


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation as the page shows it.

    Attributes
    ----------
    anchor : str
    method, path : str
    words : str
        Of its first sentence; `more` has the others.
    scope : str
        What a token needs; empty where nobody needs one.
    parameters, body, answer : sequence of Field
    refusals : mapping of int to Kind
        By status; without those that every operation may give.
    """

    anchor: str
    method: str
    path: str
    words: str
    more: str
    scope: str
    parameters: Sequence[Field]
    body: Sequence[Field]
    answer: Sequence[Field]
    refusals: Mapping[int, Kind]


class IndexSerializer(serializers.Serializer[Any]):
    """The entry point of the API: links to its description and corpora."""

    version = serializers.CharField(help_text="The service's.")
    description = serializers.URLField(help_text="What the API can do, as OpenAPI 3.1.")
    documentation = serializers.URLField(help_text="The same for people.")
    corpora = serializers.URLField(help_text="The list of corpora: a good place to begin.")


class IndexView(ApiView):
    """The API's first address."""

    is_public = True

    @extend_schema(operation_id="read_index", responses=IndexSerializer)
    def get(self, request: Request) -> Response:
        """Link to the API's description and to its corpora."""
        names = {"description": "api_schema", "documentation": "help_api", "corpora": "api_corpora"}
        addresses = {key: request.build_absolute_uri(reverse(name)) for key, name in names.items()}
        return answer(IndexSerializer({"version": __version__, **addresses}))


class SchemaView(ApiView):
    """The description of the API."""

    is_public = True

    @extend_schema(exclude=True)
    def get(self, request: Request) -> Response:
        """Return the description of the API, as OpenAPI 3.1."""
        return Response(read_schema(str(schema_path())))


@require_safe
@public_page
def reference(request: HttpRequest) -> HttpResponse:
    """Show what the API can do."""
    schema = read_schema(str(schema_path()))
    context = {
        "schema": schema,
        "groups": groups(schema),
        "scopes": tokens.SCOPES.items(),
        "problems": [(status, kind, _words(kind.words)) for status, kind in _problems()],
        "always": ALWAYS,
        "site": settings.SITE_URL,
    }
    return render(request, "evaluation/api.html", context)


def _problems() -> Iterator[tuple[int, Kind]]:
    """Yield the kinds of problem with their statuses; those of their own stand behind their status'."""
    for status, kind in KINDS.items():
        yield status, kind
        if status == Conflict.status:
            yield from ((status, one) for one in OWN_KINDS.values())


def schema_path() -> Path:
    """Return where the description is kept."""
    return Path(settings.ROOT) / "docs" / "api" / "openapi.json"


@lru_cache(maxsize=1)
def read_schema(path: str) -> dict[str, Any]:
    """Read the description."""
    try:
        found: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise Unavailable(f"The API's description cannot be read: {error.strerror}.") from error
    return found


def groups(schema: Mapping[str, Any]) -> list[tuple[str, list[Operation]]]:
    """Return the operations by what they are about, in the order of their addresses."""
    found: dict[str, list[Operation]] = {}
    for path, methods in schema["paths"].items():
        for method in METHODS:
            if method in methods:
                described = methods[method]
                found.setdefault(described["tags"][0], []).append(_operation(schema, path, method, described))
    return list(found.items())


def _operation(schema: Mapping[str, Any], path: str, method: str, described: Mapping[str, Any]) -> Operation:
    first, _, more = described.get("description", "").partition("\n")
    body = described.get("requestBody", {}).get("content", {})
    done: Mapping[str, Any] = {}
    for status, one in described["responses"].items():
        done = one if status.startswith("2") and not done else done
    scopes = [scope for one in described.get("security", []) for scope in one.get("token", [])]
    return Operation(
        anchor=described["operationId"],
        method=method.upper(),
        path=path,
        words=_words(first),
        more=_words(" ".join(more.split())),
        scope="" if {} in described.get("security", []) else ", ".join(scopes),
        parameters=[_parameter(one) for one in described.get("parameters", [])],
        body=list(_fields(schema, _content(body))),
        answer=list(_fields(schema, _content(done.get("content", {})))),
        refusals={
            status: kind
            for status, kind in KINDS.items()
            if str(status) in described["responses"] and status not in ALWAYS
        },
    )


def _content(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema of the first form that something has."""
    for one in given.values():
        found: Mapping[str, Any] = one.get("schema", {})
        return found
    return {}


def _parameter(one: Mapping[str, Any]) -> Field:
    where = {"header": " (header)", "path": " (in the address)"}.get(one["in"], "")
    words = _words(one.get("description", ""))
    return Field(f"{one['name']}{where}", _type(one["schema"]), words, one.get("required", False))


def _fields(schema: Mapping[str, Any], given: Mapping[str, Any], prefix: str = "") -> Iterator[Field]:
    """Yield the fields of an object; of a page those of its rows."""
    found = _resolve(schema, given)
    if {"next", "results"} == set(found.get("properties", {})):
        yield Field("next", "string or null", "The next page; null for the last.", True)
        found, prefix = _resolve(schema, found["properties"]["results"].get("items", {})), "results[]."
    for one in found.get("oneOf", found.get("anyOf", [])):
        yield from _fields(schema, one, prefix)
    for name, inner in found.get("properties", {}).items():
        words = inner.get("description", "") or _resolve(schema, inner).get("description", "")
        yield Field(f"{prefix}{name}", _type(inner), _words(words), name in found.get("required", ()))


def _words(text: str) -> str:
    """Return words for the page: what stands between backticks is code."""
    pieces = enumerate(text.split("`"))
    return format_html_join(
        "", "{}", ((format_html("<code>{}</code>", one) if place % 2 else one,) for place, one in pieces)
    )


def _resolve(schema: Mapping[str, Any], given: Mapping[str, Any]) -> Mapping[str, Any]:
    named = given.get("$ref", "").rpartition("/")[2]
    found: Mapping[str, Any] = schema["components"]["schemas"][named] if named else given
    return found


def _type(given: Mapping[str, Any]) -> str:
    """Return a type in words."""
    if "$ref" in given:
        return str(given["$ref"].rpartition("/")[2])
    for name in ("oneOf", "anyOf", "allOf"):
        if name in given:
            return " or ".join(_type(one) for one in given[name])
    if "enum" in given:
        return ", ".join(str(one) for one in given["enum"])
    kinds = given.get("type", "anything")
    if isinstance(kinds, str):
        kinds = [kinds]
    if kinds[0] == "array":
        return f"list of {_type(given.get('items', {}))}"
    if kinds[0] == "object" and isinstance(given.get("additionalProperties"), dict):
        return f"object of {_type(given['additionalProperties'])}"
    return " or ".join(
        f"{kind} ({given['format']})" if "format" in given and kind == "string" else kind for kind in kinds
    )
