"""How the API describes itself: what drf-spectacular makes of the views, and what they have in common."""

from typing import Any, Literal

from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema

from kbpo.api.authentication import scope_of
from kbpo.core.problems import MEDIA_TYPE

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
        return [words[2] if words[0] == "corpora" and len(words) > 3 else words[0]]

    def get_description(self) -> str:  # type: ignore[override]
        """Return what the method's docstring says."""
        method = getattr(self.view, self.method.lower())
        return "\n".join(line.strip() for line in (method.__doc__ or "").strip().splitlines())

    def _get_response_bodies(self, direction: Literal["request", "response"] = "response") -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        refusal = {"$ref": "#/components/schemas/ProblemDetails"}
        bodies["default"] = {
            "description": "A problem.",
            "content": {MEDIA_TYPE: {"schema": refusal}},
        }
        return bodies


class Generator(SchemaGenerator):
    """Describes the API, and nothing else of the site."""

    def get_schema(self, request: Any = None, public: bool = True) -> dict[str, Any]:
        """Return the description as OpenAPI 3.1."""
        found: dict[str, Any] = super().get_schema(request, public)  # type: ignore[no-untyped-call]
        _strip(found)
        components = found["components"]
        components["schemas"]["ProblemDetails"] = PROBLEM
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


def _strip(found: Any) -> None:
    """Take out what drf-spectacular notes for itself."""
    if isinstance(found, dict):
        found.pop("x-spec-enum-id", None)
    for inner in found.values() if isinstance(found, dict) else found if isinstance(found, list) else ():
        _strip(inner)
