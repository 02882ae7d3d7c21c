"""What the API's requests are read with."""

import math
from collections.abc import Iterator, Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from kbpo.core.json_text import read_json


class JsonParser(BaseParser):
    """JSON, but none that is nested so deep that reading it fails, or that holds what cannot be stored."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Read a request's body.

        Raises
        ------
        ParseError
            If it is no JSON, nested too deep, or holds what cannot be stored.
        """
        try:
            found = read_json(stream.read())
        except ValueError as error:
            raise ParseError(f"The request's body is not JSON: {error}") from None
        for value in _values(found):
            if isinstance(value, float) and not math.isfinite(value):
                raise ParseError(f"The request's body holds {value}, which is no number of JSON.")
            if isinstance(value, str) and _is_unstorable(value):
                raise ParseError("The request's body holds a NUL character, or half of one of two halves.")
        return found


def _values(found: Any) -> Iterator[Any]:
    """Yield every number and text of a document, the names of fields too."""
    waiting = [found]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += [*value, *value.values()]
        elif isinstance(value, list):
            waiting += value
        else:
            yield value


def _is_unstorable(text: str) -> bool:
    return (not text.isascii() and any("\ud800" <= one <= "\udfff" for one in text)) or "\0" in text
