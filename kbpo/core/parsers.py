"""What the API's requests are read with."""

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from kbpo.core.json_text import read_json


class JsonParser(BaseParser):
    """JSON, but none that is nested so deep that reading it fails."""

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
            If it is no JSON, or nested too deep.
        """
        try:
            return read_json(stream.read())
        except ValueError as error:
            raise ParseError(f"The request's body is not JSON: {error}") from None
