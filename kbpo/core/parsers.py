"""What the API's requests are read with."""

import math
from collections.abc import Iterator, Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from kbpo.core.errors import TooLarge
from kbpo.core.json_text import read_json
from kbpo.core.plain_text import find_fault

MOST_BYTES = 1 << 20  # of a body; the longest that anybody means has some ten thousand


class JsonParser(BaseParser):
    """JSON, but none that is too long, is nested too deep to be read, or holds what cannot be stored."""

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
        TooLarge
            If it is too long; no more of it is read.
        """
        body = stream.read(MOST_BYTES + 1)
        if len(body) > MOST_BYTES:
            raise TooLarge(f"The request's body is longer than {MOST_BYTES:,} bytes: send files as uploads.")
        try:
            found = read_json(body)
        except ValueError as error:
            raise ParseError(f"The request's body is not JSON: {error}") from None
        for value in _values(found):
            if isinstance(value, float) and not math.isfinite(value):
                raise ParseError(f"The request's body holds {value}, which is no number of JSON.")
            if isinstance(value, str) and (fault := find_fault(value)):
                raise ParseError(f"A text of the request's body holds {fault}: remove it.")
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
