"""What the JSON of all kinds has in common: its version, its fields, its spans. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotations.texts.records import shown
from kbpo.core.errors import InvalidInput
from kbpo_formats.spans import Span

VERSION = 1  # of payloads, keys and answers; a change to what the types admit needs a new one


def read_fields(answer: object, allowed: set[str]) -> Mapping[str, Any]:
    """Return an answer's fields.

    Raises
    ------
    InvalidInput
        If it is no object, is of another version, or has other fields than those allowed.
    """
    if not isinstance(answer, Mapping):
        raise InvalidInput(f"an answer must be a JSON object, not {shown(answer)}")
    if unknown := [key for key in answer if key not in allowed | {"version"}]:
        raise InvalidInput(f"an answer has no field {shown(unknown[0])}; it has {', '.join(sorted(allowed))}")
    if answer.get("version", VERSION) != VERSION:
        raise InvalidInput(f"the answer is of version {shown(answer['version'])}, not {VERSION}")
    return answer


def read_span(item: Mapping[str, int]) -> Span:
    """Return a span of a stored payload."""
    return Span(item["start"], item["end"])


def check_spans(spans: Sequence[Span], text_length: int) -> None:
    """Refuse spans that are empty or lie outside a text of `text_length` characters.

    Raises
    ------
    InvalidInput
        Naming the first such span.
    """
    for span in spans:
        if not 0 <= span.start < span.end <= text_length:
            raise InvalidInput(f"the span {span} does not lie within the text's {text_length} characters")
