"""Items as the API lists them."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers

from evaluation.classification.explorer import labelled
from evaluation.classification.items import question_of
from evaluation.listing import Listing
from evaluation.models import ClassPrediction, Submission
from kbpo.core.errors import InvalidInput
from kbpo_formats.normal import nfc


class ItemSerializer(serializers.Serializer[Any]):
    """The class that a system gives an item."""

    doc_id = serializers.CharField(source="prediction.document.doc_id")
    label = serializers.CharField(source="prediction.label")  # type: ignore[assignment]
    confidence = serializers.FloatField(source="prediction.confidence")
    line = serializers.IntegerField(source="prediction.line", help_text="Of the submitted file.")
    published = serializers.CharField(
        allow_null=True, help_text="Its class; null while nothing is published."
    )


def _find(submission: Submission, asked: Mapping[str, str]) -> "QuerySet[ClassPrediction]":
    found = submission.classpredictions.select_related("document").defer(
        "document__text", "document__suggestions"
    )
    if doc_id := asked.get("doc_id"):
        found = found.filter(document__doc_id=nfc(doc_id))
    if label := asked.get("label"):
        classes = question_of(submission.corpus).claims
        if label not in classes:
            raise InvalidInput(f"{label!r:.80} is none of the classes {', '.join(classes)}", where="label")
        found = found.filter(label=label)
    return found


def _show(
    submission: Submission,
    rows: Sequence[ClassPrediction],
    is_open: bool,
) -> Sequence[Mapping[str, Any]]:
    labels = labelled(submission, [row.document_id for row in rows])
    return [{"prediction": row, "published": labels.get(row.document_id)} for row in rows]


LISTING = Listing(find=_find, key="document_id", show=_show, serializer=ItemSerializer)
