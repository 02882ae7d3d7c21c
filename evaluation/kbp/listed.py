"""Claims as the API lists them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers

from annotations.ontologies import plain_ontology_of
from evaluation.kbp.explorer.verdicts import Verdict, published_verdicts
from evaluation.listing import Listing
from evaluation.models import Prediction, Submission
from kbpo_formats.normal import nfc


@dataclass(frozen=True, slots=True)
class Claim:
    """A prediction, what is published of it, and whether words of the corpus may be told."""

    prediction: Prediction
    verdict: Verdict
    is_open: bool

    @property
    def subject(self) -> Mapping[str, Any]:
        """The subject's mention."""
        return self._mention("subject")

    @property
    def object(self) -> Mapping[str, Any]:
        """The object's mention."""
        return self._mention("object")

    def _mention(self, role: str) -> Mapping[str, Any]:
        row, instance = self.prediction, self.prediction.instance
        start = getattr(row, f"{role}_canonical_start")
        end = getattr(row, f"{role}_canonical_end")
        return {
            "start": getattr(instance, f"{role}_start"),
            "end": getattr(instance, f"{role}_end"),
            "type": getattr(row, f"{role}_type"),
            "entity": getattr(row, f"{role}_entity") if self.is_open else None,
            "canonical": None if start is None else {"start": start, "end": end},
        }


class SpanSerializer(serializers.Serializer[Any]):
    """A stretch of a document's text: from its first character to behind its last."""

    start = serializers.IntegerField()
    end = serializers.IntegerField()


class MentionSerializer(SpanSerializer):
    """A mention of an entity, or a string."""

    type = serializers.CharField()
    entity = serializers.CharField(
        allow_null=True, help_text="The name of its node in the file; null to who may not read the texts."
    )
    canonical = SpanSerializer(allow_null=True, help_text="null for strings and dates.")


class VerdictSerializer(serializers.Serializer[Verdict]):
    """What is published of a claim; null where nothing is."""

    outcome = serializers.ChoiceField(choices=["right", "wrong", "sealed"])
    relation = serializers.BooleanField(allow_null=True)
    subject = serializers.BooleanField(allow_null=True)
    object = serializers.BooleanField(allow_null=True)


class ClaimSerializer(serializers.Serializer[Claim]):
    """A claim of a system: a relation between two mentions of a document."""

    doc_id = serializers.CharField(source="prediction.instance.document.doc_id")
    predicate = serializers.CharField(source="prediction.instance.predicate", help_text="As it is stored.")
    subject = MentionSerializer()
    object = MentionSerializer()
    confidence = serializers.FloatField(source="prediction.confidence")
    line = serializers.IntegerField(source="prediction.line", help_text="Of the submitted file.")
    verdict = VerdictSerializer()


def _find(submission: Submission, asked: Mapping[str, str]) -> "QuerySet[Prediction]":
    found = submission.predictions.select_related("instance__document").defer(
        "instance__document__text", "instance__document__suggestions"
    )
    if doc_id := asked.get("doc_id"):
        found = found.filter(instance__document__doc_id=nfc(doc_id))
    if predicate := asked.get("label"):
        plain_ontology_of(submission.corpus).find_relation(predicate)
        found = found.filter(instance__predicate=predicate)
    return found


def _show(submission: Submission, rows: Sequence[Prediction], is_open: bool) -> Sequence[Claim]:
    verdicts = published_verdicts(rows)
    return [Claim(row, verdicts[row.pk], is_open) for row in rows]


LISTING = Listing(find=_find, key="line", show=_show, serializer=ClaimSerializer)
