"""What judging a submission would take, before it is sampled."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kbpo.api.base import ApiView, answer
from kbpo.api.resources.submissions import find_own
from kbpo.pages.money.foreseen import forecast_of


class WaySerializer(serializers.Serializer[Any]):
    """One way to judge a submission, by the metric that corrects judgements."""

    name = serializers.CharField(help_text="`none`, a metric's, `house`, or `perfect`: what nobody has.")
    label = serializers.CharField()  # type: ignore[assignment]
    words = serializers.CharField(help_text="What its plan rests on.")
    judged = serializers.FloatField(help_text="Outputs that are left to be judged, expected.")
    judgements = serializers.FloatField()
    cents = serializers.IntegerField(allow_null=True, help_text="Null where nobody is paid.")
    half_width = serializers.FloatField(help_text="What comes of it if it is judged alone.")
    is_reached = serializers.BooleanField(help_text="Whether the target is met then.")
    is_taken = serializers.BooleanField(help_text="Whether its sample is planned so.")
    efficiency = serializers.FloatField(allow_null=True, help_text="Judgements that one is worth.")


class ForecastSerializer(serializers.Serializer[Any]):
    """What judging an accepted submission would take now: expected values over the epoch's secret."""

    units = serializers.IntegerField()
    known = serializers.IntegerField(help_text="Whose verdicts are public: they count exactly.")
    covered = serializers.FloatField(help_text="Judged already, or being judged for others.")
    judged = serializers.FloatField(help_text="That must be judged for this submission.")
    questions = serializers.FloatField()
    half_width = serializers.FloatField(help_text="What the sample aims at.")
    level = serializers.FloatField()
    cents = serializers.IntegerField(allow_null=True, help_text="Null where nobody is paid.")
    limit = serializers.CharField(help_text="What judges allow at best; empty where labels are one for all.")
    ways = WaySerializer(many=True, help_text="By metric; empty where the task has one way alone.")


class ForecastView(ApiView):
    """What judging a submission would take."""

    refuses = {"GET": (409,)}

    @extend_schema(operation_id="read_forecast", responses=ForecastSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """Say what judging a submission would take, for its team and operators.

        409 unless it is accepted, with what its samples wait for worked out, and an epoch is open.
        """
        return answer(ForecastSerializer(forecast_of(find_own(request, pk))))
