"""Outputs as the API lists them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers

from annotations.models import Label, Takedown
from evaluation.generation import published
from evaluation.generation.metrics import stored as metrics
from evaluation.listing import Listing
from evaluation.models import Output, Submission
from kbpo_formats.normal import nfc


class OutputSerializer(serializers.Serializer[Any]):
    """What a system wrote for an input."""

    input_id = serializers.CharField(source="prediction.document.doc_id")
    output = serializers.CharField(
        allow_null=True, help_text="Null where the corpus' texts are closed, or the input was removed."
    )
    metrics = serializers.DictField(
        child=serializers.FloatField(allow_null=True),
        help_text="By name, as files of metrics have them; null where there was no value.",
    )
    published = serializers.DictField(
        child=serializers.FloatField(),
        allow_null=True,
        help_text="The mean of what people said of it, by measure; null while nothing is published.",
    )


def _find(submission: Submission, asked: Mapping[str, str]) -> "QuerySet[Output]":
    found = submission.outputs.select_related("document", "unit__output_text").defer(
        "document__text", "document__suggestions"
    )
    if doc_id := asked.get("doc_id"):
        found = found.filter(document__doc_id=nfc(doc_id))
    return found


def _show(submission: Submission, rows: Sequence[Output], is_open: bool) -> Sequence[Mapping[str, Any]]:
    removed = set(
        Takedown.objects.filter(document__in=[row.document_id for row in rows]).values_list(
            "document", flat=True
        )
    )
    names = metrics.names_of(submission)
    (columns,) = metrics.read_columns([submission], names)
    texts = [row.unit.output_text.text for row in rows]
    places = [(row.document_id, text) for row, text in zip(rows, texts, strict=True)]
    judged = published.find(submission.corpus, places)
    labels: dict[int, dict[str, float]] = defaultdict(dict)
    found = Label.objects.filter(question__in=judged.values())
    for question, claim, value in found.values_list("question", "claim", "value"):
        labels[question][claim] = value
    return [
        {
            "prediction": row,
            "output": text if is_open and row.document_id not in removed else None,
            "metrics": {name: columns[name].at(row.place) for name in names},
            "published": labels.get(judged[place]) if place in judged else None,
        }
        for row, text, place in zip(rows, texts, places, strict=True)
    ]


LISTING = Listing(find=_find, key="document_id", show=_show, serializer=OutputSerializer)
