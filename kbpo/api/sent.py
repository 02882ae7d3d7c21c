"""Bodies that are sent: they are taken as the description of the API says, and nothing that looks like it."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request

_TEXT = (
    *(serializers.CharField, serializers.ChoiceField, serializers.UUIDField, serializers.DateTimeField),
    serializers.SlugRelatedField,
)
_NUMBERS = serializers.IntegerField, serializers.FloatField
ZONE = re.compile(r"(Z|[+-]\d\d:?\d\d)$")
TOLD, LONGEST_NAME = 10, 60  # faults that an answer names, and characters of a name in it
_Fault = str | dict[str, str]


class Sent(serializers.Serializer[Any]):
    """What somebody sends: no number is taken for text, no word for true, and no name that is none of its.

    What is too long is so with the spaces at its ends, and a moment has its time zone.
    """

    def to_internal_value(self, data: Any) -> Any:
        """Refuse what is of another type than is described; a `ValidationError` names the first few."""
        if isinstance(data, Mapping) and (found := _first(self._faults(data))):
            raise serializers.ValidationError(found)
        return super().to_internal_value(data)

    def _faults(self, data: Mapping[Any, Any]) -> Iterator[tuple[str, _Fault]]:
        for name, value in data.items():
            if name not in self.fields:
                yield name, f"there is no such field; there are {', '.join(self.fields)}"
            elif fault := _fault(self.fields[name], value):
                yield name, fault


def read_body(sent: type[Sent], request: Request, instance: Any = None) -> dict[str, Any]:
    """Read what a request's body says; a `ValidationError` names each field that is wrong.

    Parameters
    ----------
    sent : type of Sent
    request : Request
    instance : object, optional
        What is changed: what is left out of it stays.
    """
    is_change = instance is not None
    read = sent(instance, data=request.data, partial=is_change, context={"request": request})
    read.is_valid(raise_exception=True)
    return dict(read.validated_data)


def _first(faults: Iterator[tuple[str, Any]]) -> dict[str, Any]:
    """Return the first few faults by their names, and say so if there are more."""
    found = {_short(name): fault for name, fault in islice(faults, TOLD)}
    if any(True for _ in faults):
        found["…"] = "more is wrong"
    return found


def _short(name: Any) -> str:
    text = str(name) or '""'
    return text if len(text) <= LONGEST_NAME else f"{text[:LONGEST_NAME]}…"


def _fault(field: serializers.Field[Any, Any, Any, Any], value: Any) -> _Fault:
    """Say what is wrong with the type of a value, and inside of it; null is the field's to judge."""
    if value is None:
        return ""
    if isinstance(field, serializers.DictField) and isinstance(value, Mapping):
        inside = ((name, _fault(field.child, one)) for name, one in value.items())
        return _first((name, fault) for name, fault in inside if fault)
    if isinstance(field, _TEXT):
        longest = getattr(field, "max_length", None)
        if not isinstance(value, str):
            return "must be text"
        if longest is not None and len(value) > longest:
            return f"must have no more than {longest} characters, and has {len(value)}"
        if isinstance(field, serializers.DateTimeField) and not ZONE.search(value):
            return "must be a moment with its time zone, as 2026-12-01T12:00:00Z"
    if isinstance(field, serializers.BooleanField) and not isinstance(value, bool):
        return "must be true or false"
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(field, _NUMBERS) and not is_number:
        return "must be a number"
    return ""
