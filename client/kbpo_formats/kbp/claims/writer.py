"""Write what is claimed as JSON Lines."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any

from kbpo_formats.json_lines import without_control
from kbpo_formats.kbp.predictions import ReadPrediction
from kbpo_formats.spans import Span

_LONGEST = 1_000  # characters of a name or a value: a line has room for both of its ends


def write(predictions: Iterable[ReadPrediction]) -> Iterator[str]:
    """Write claims anew, one a line.

    Read again, the lines give the same predictions in the same order, their line numbers aside.

    Parameters
    ----------
    predictions : iterable of ReadPrediction
        Of any format.

    Yields
    ------
    str
        A line, with its line end.
    """
    for one in predictions:
        yield json.dumps(claim_of(one), ensure_ascii=False) + "\n"


def claim_of(one: ReadPrediction) -> dict[str, Any]:
    """Return a claim as an object of JSON, by the predicate by which it was stated."""
    subject = _entity(one.subject, one.subject_type, one.subject_canonical, one.subject_entity)
    if one.object_canonical is None:
        object_ = {**_span(one.object), "type": one.object_type}
        if value := without_control(one.object_entity)[:_LONGEST]:
            object_["value"] = value
    else:
        object_ = _entity(one.object, one.object_type, one.object_canonical, one.object_entity)
    if one.turned:
        subject, object_ = object_, subject
    return {
        "doc_id": one.doc_id,
        "predicate": one.official,
        "subject": subject,
        "object": object_,
        "confidence": one.confidence,
    }


def _entity(mention: Span, kind: str, canonical: Span, name: str) -> dict[str, Any]:
    end: dict[str, Any] = {**_span(mention), "type": kind}
    if canonical != mention:
        end["canonical"] = _span(canonical)
    if name:
        end["entity"] = _short(name)
    return end


def _span(span: Span) -> dict[str, Any]:
    return {"start": span.start, "end": span.end}


def _short(name: str) -> str:
    """Return a name, or what is as good as one that is very long: different names stay different."""
    if len(name) <= _LONGEST:
        return name
    return f"{name[: _LONGEST - 20]}~{hashlib.sha256(name.encode()).hexdigest()[:16]}"
