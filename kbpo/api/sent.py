"""Bodies that are sent: they are taken as the description of the API says, and nothing that looks like it."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

_TEXT = (serializers.CharField, serializers.ChoiceField, serializers.UUIDField, serializers.DateTimeField)


class Sent(serializers.Serializer[Any]):
    """What somebody sends: no number is taken for text, no word for true, and no name that is none of its.

    What is too long is so with the spaces at its ends.
    """

    def to_internal_value(self, data: Any) -> Any:
        """Refuse what is of another type than is described; a `ValidationError` names each such field."""
        if isinstance(data, Mapping):
            known = self.fields
            faults = {name: _fault(known[name], value) for name, value in data.items() if name in known}
            faults |= {
                str(name): f"there is no such field; there are {', '.join(known)}"
                for name in data.keys() - known.keys()
            }
            if found := {name: fault for name, fault in faults.items() if fault}:
                raise serializers.ValidationError(found)
        return super().to_internal_value(data)


def _fault(field: serializers.Field[Any, Any, Any, Any], value: Any) -> str | dict[str, str]:
    """Say what is wrong with the type of a value, and inside of it; null is the field's to judge."""
    if value is None:
        return ""
    if isinstance(field, serializers.DictField) and isinstance(value, Mapping):
        inside = {str(name): _fault(field.child, one) for name, one in value.items()}
        return {name: fault for name, fault in inside.items() if isinstance(fault, str) and fault}
    if isinstance(field, (*_TEXT, serializers.SlugRelatedField)):
        longest = getattr(field, "max_length", None)
        if not isinstance(value, str):
            return "must be text"
        if longest is not None and len(value) > longest:
            return f"must have no more than {longest} characters, and has {len(value)}"
    if isinstance(field, serializers.BooleanField) and not isinstance(value, bool):
        return "must be true or false"
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(field, serializers.IntegerField | serializers.FloatField) and not is_number:
        return "must be a number"
    return ""
