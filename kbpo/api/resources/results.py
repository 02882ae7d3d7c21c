"""What a submission predicts, and how it scored."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.data.readers import may_read
from evaluation.registry import TASKS, task_of
from evaluation.scoring import finegrained
from evaluation.scoring.finegrained import SubsetTable
from evaluation.scoring.stored import StoredScore, newest_scores
from evaluation.submissions.visibility import find
from kbpo.api.base import ApiView, answer
from kbpo.api.paging import PageQuery, page_of, read_query
from kbpo.api.resources.board import ChoiceQuery, MeasureSerializer, counts_field
from kbpo.core.errors import Gone, InvalidInput


class PredictionsQuery(PageQuery):
    """Which predictions."""

    doc_id = serializers.CharField(required=False, max_length=200, help_text="Only of this document.")
    label = serializers.CharField(  # type: ignore[assignment]
        required=False,
        max_length=80,
        help_text="Only of this relation, or class, as the corpus' list has it.",
    )


class PredictionPageSerializer(serializers.Serializer[Any]):
    """A page of predictions; what one is its corpus' task says."""

    next = serializers.URLField(allow_null=True, help_text="The next page; null for the last.")
    results = PolymorphicProxySerializer(
        component_name="Prediction",
        serializers=[task.listing.serializer for task in TASKS.values() if task.listing is not None],
        resource_type_field_name=None,
        many=True,
    )


class ScoreSerializer(serializers.Serializer[StoredScore]):
    """Whatever was estimated of a submission in one way."""

    epoch = serializers.IntegerField(source="score.epoch.number")
    level = serializers.IntegerField(source="score.level", help_text="Of the intervals, in per cent.")
    part = serializers.CharField(source="score.part")
    weighting = serializers.CharField(source="score.weighting")
    estimator = serializers.CharField(source="score.estimator")
    standard = serializers.CharField(source="score.standard", help_text="What counts as right.")
    rank = serializers.IntegerField(source="score.rank", allow_null=True)
    labels = serializers.IntegerField(source="score.labels", help_text="Labelled units that it rests on.")
    counts = counts_field()
    computed_at = serializers.DateTimeField(source="score.computed_at")
    measures = serializers.DictField(child=MeasureSerializer())


class SubsetSerializer(serializers.Serializer[Any]):
    """A part of the submission, scored by itself."""

    name = serializers.CharField()
    labels = serializers.IntegerField(allow_null=True)
    measures = serializers.DictField(child=MeasureSerializer())


class SubsetTableSerializer(serializers.Serializer[SubsetTable]):
    """One way to divide what the submission predicts."""

    title = serializers.CharField()
    rows = SubsetSerializer(many=True)
    too_few = serializers.ListField(
        child=serializers.CharField(), help_text="Of which too little is labelled."
    )


@dataclass(frozen=True, slots=True)
class Scores:
    """All scores of a submission, and those of its parts."""

    submission: int
    scores: Sequence[StoredScore]
    subsets: Sequence[SubsetTable]


class ScoresSerializer(serializers.Serializer[Scores]):
    """All scores of a submission; none before it is scored."""

    submission = serializers.IntegerField()
    scores = ScoreSerializer(many=True)
    subsets = SubsetTableSerializer(many=True, help_text="For the part that is asked for, else the first.")


class PredictionsView(ApiView):
    """The predictions of a submission."""

    is_public = True

    @extend_schema(
        operation_id="list_predictions", parameters=[PredictionsQuery], responses=PredictionPageSerializer
    )
    def get(self, request: Request, pk: int) -> Response:
        """List what a submission predicts, with what is published of it."""
        asked = read_query(PredictionsQuery, request)
        found = find(request.user, pk=pk)
        listing = task_of(found.corpus).listing
        if listing is None:
            raise Gone(f"Predictions of {found.corpus.task} are not listed here.")
        page = page_of(listing.find(found, asked), request, asked, key=listing.key)
        shown = listing.show(found, page.results, may_read(request.user, found.corpus))
        rows = listing.serializer(shown, many=True).data
        return Response({"next": page.next, "results": rows})


class ScoresView(ApiView):
    """The scores of a submission."""

    is_public = True

    @extend_schema(operation_id="read_scores", parameters=[ChoiceQuery], responses=ScoresSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """Return the newest scores of a submission, all of them or those that the address asks for."""
        asked = read_query(ChoiceQuery, request)
        found = find(request.user, pk=pk)
        task = task_of(found.corpus)
        part = asked.get("part", task.choices.part)
        if part not in task.choices.parts:
            raise InvalidInput(f"{part!r:.80} is none of {', '.join(task.choices.parts)}.", where="part")
        scores = newest_scores(task.choices, submission=found, **asked)
        subsets = finegrained.subset_tables(found, task, part) if scores else []
        return answer(ScoresSerializer(Scores(found.pk, scores, subsets)))
