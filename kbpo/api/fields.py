"""Fields of what is sent: they take what the description of the API says, and nothing that looks like it."""

from typing import Any

from rest_framework import serializers


class WordsField(serializers.CharField):
    """Text: no number is taken for one, and what is too long is so with the spaces at its ends."""

    def to_internal_value(self, data: Any) -> str:
        """Refuse what is not text, or too long."""
        if not isinstance(data, str):
            self.fail("invalid")
        if self.max_length is not None and len(data) > self.max_length:
            self.fail("max_length", max_length=self.max_length)
        return super().to_internal_value(data)


class FlagField(serializers.BooleanField):
    """True or false: no number or word is taken for one."""

    def to_internal_value(self, data: Any) -> bool:
        """Refuse what is neither."""
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data
