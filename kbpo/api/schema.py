"""How the API describes itself: what drf-spectacular makes of the views, and what they have in common."""

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from drf_spectacular.generators import EndpointEnumerator, SchemaGenerator
from drf_spectacular.openapi import AutoSchema

from kbpo.api.authentication import scope_of
from kbpo.api.sent import Sent
from kbpo.core.problems import KINDS, MEDIA_TYPE, kind_of

Direction = Literal["request", "response"]
PROBLEM = {
    "type": "object",
    "description": "What is wrong (RFC 9457).",
    "properties": {
        "type": {
            "type": "string",
            "format": "uri",
            "description": "Ends in the name of the kind of problem.",
        },
        "title": {"type": "string", "description": "The kind in words."},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What is wrong, and what would be right."},
        "errors": {
            "type": "array",
            "description": "The fields that are wrong, if it is about fields.",
            "items": {
                "type": "object",
                "properties": {"field": {"type": "string"}, "detail": {"type": "string"}},
                "required": ["field", "detail"],
            },
        },
    },
    "required": ["type", "title", "status", "detail", "errors"],
}
#: What every operation may answer: to wrong values and tokens, a form that is none of ours, too many calls.
ALWAYS = (400, 401, 403, 406, 429)
OF_BODIES = (413, 415)
BROKEN = "5XX"
_SAID: dict[int, tuple[str, str]] = {
    401: ("WWW-Authenticate", "How one is known."),
    429: ("Retry-After", "Seconds."),
}


class Description(AutoSchema):
    """Describes an operation: whom it asks for which token, how it refuses."""

    def get_auth(self) -> list[dict[str, list[str]]]:
        """Return who may ask."""
        scope = scope_of(self.view, self.method)
        named: list[dict[str, list[str]]] = [{"token": [scope]}, {"session": []}]
        return (
            [*named, {}]
            if getattr(self.view, "is_public", False) and self.method in ("GET", "HEAD")
            else named
        )

    def get_tags(self) -> list[str]:
        """Return what it is about: the first words of its address."""
        words = self.path.removeprefix("/api/v1/").split("/")
        return [words[2] if words[0] == "corpora" and len(words) > 3 else words[0] or "index"]

    def get_description(self) -> str:  # type: ignore[override]
        """Return what the method's docstring says."""
        method = getattr(self.view, self.method.lower())
        return "\n".join(line.strip() for line in (method.__doc__ or "").strip().splitlines())

    def _map_basic_serializer(self, serializer: Any, direction: Direction) -> dict[str, Any]:
        described: dict[str, Any] = super()._map_basic_serializer(serializer, direction)  # type: ignore[no-untyped-call]
        if isinstance(serializer, Sent):
            described["additionalProperties"] = False
        return described

    def _get_response_bodies(self, direction: Direction = "response") -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        if self.method == "GET":
            bodies["200"].setdefault("headers", {})["ETag"] = _header("To be sent back in `If-None-Match`.")
            bodies["304"] = {"description": "Nothing has changed since the ETag that was sent back."}
        bodies |= {str(status): _reference(status) for status in sorted(self._refusals())}
        bodies[BROKEN] = _reference(500)
        return bodies

    def _refusals(self) -> set[int]:
        """Return the statuses by which an operation may refuse."""
        found = {*ALWAYS, *getattr(self.view, "refuses", {}).get(self.method, ())}
        if "{" in self.path:
            found.add(404)
        if self._get_request_body() is not None:  # type: ignore[no-untyped-call]
            found.update(OF_BODIES)
        return found


class Endpoints(EndpointEnumerator):
    """The operations, those also that only tell in headers: where a view has a `head` of its own."""

    def get_allowed_methods(self, callback: Any) -> list[str]:
        """Return the methods of a view."""
        found: list[str] = super().get_allowed_methods(callback)  # type: ignore[no-untyped-call]
        return [*found, "HEAD"] if hasattr(callback.cls, "head") else found


class Generator(SchemaGenerator):
    """Describes the API, and nothing else of the site."""

    endpoint_inspector_cls = Endpoints

    def get_schema(self, request: Any = None, public: bool = True) -> dict[str, Any]:
        """Return the description as OpenAPI 3.1."""
        found: dict[str, Any] = super().get_schema(request, public)  # type: ignore[no-untyped-call]
        _strip(found)
        for one in _query_parameters(found):
            one["schema"].pop("minLength", None)
            if not one.get("required"):
                one["allowEmptyValue"] = True  # nothing behind the equals sign is as if it was left out
        components = found["components"]
        components["schemas"]["ProblemDetails"] = PROBLEM
        components["responses"] = {kind_of(status).name: _refusal(status) for status in _statuses(found)}
        components["schemas"] = dict(sorted(components["schemas"].items()))
        components["securitySchemes"] = {
            "token": {
                "type": "http",
                "scheme": "bearer",
                "description": "A token, made on the account's pages: `Authorization: Bearer …`.",
            },
            "session": {
                "type": "apiKey",
                "in": "cookie",
                "name": "sessionid",
                "description": "Of the site's own pages; what changes something also sends `X-CSRFToken`.",
            },
        }
        return found


def _reference(status: int) -> dict[str, str]:
    return {"$ref": f"#/components/responses/{kind_of(status).name}"}


def _header(words: str) -> dict[str, Any]:
    return {"schema": {"type": "string"}, "description": words}


def _query_parameters(found: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for methods in found["paths"].values():
        for described in methods.values():
            yield from (one for one in described.get("parameters", ()) if one["in"] == "query")


def _statuses(found: dict[str, Any]) -> Iterable[int]:
    """Return the statuses by which operations refuse."""
    named = {
        one["$ref"].rpartition("/")[2]
        for methods in found["paths"].values()
        for described in methods.values()
        for one in described["responses"].values()
        if "$ref" in one
    }
    return [status for status, kind in KINDS.items() if kind.name in named]


def _refusal(status: int) -> dict[str, Any]:
    """Describe a refusal."""
    kind = KINDS[status]
    found: dict[str, Any] = {
        "description": f"{kind.title}. {kind.words}",
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemDetails"}}},
    }
    if status in _SAID:
        name, words = _SAID[status]
        found["headers"] = {name: _header(words)}
    return found


def _strip(found: Any) -> None:
    """Take out what drf-spectacular notes for itself."""
    if isinstance(found, dict):
        found.pop("x-spec-enum-id", None)
    for inner in found.values() if isinstance(found, dict) else found if isinstance(found, list) else ():
        _strip(inner)
