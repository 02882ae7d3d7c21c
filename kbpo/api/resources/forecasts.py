"""What judging a submission would take, before it is sampled."""

from typing import Any, cast

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kbpo.accounts.models import User
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


class ForecastDetailsSerializer(serializers.Serializer[Any]):
    """The part of a forecast that only operators see."""

    units = serializers.IntegerField()
    known = serializers.IntegerField(help_text="Whose verdicts are public: they count exactly.")
    covered = serializers.FloatField(help_text="Judged already, or being judged for others.")
    questions = serializers.FloatField()
    limit = serializers.CharField(help_text="What judges allow at best; empty where labels are one for all.")
    ways = WaySerializer(many=True, help_text="By metric; empty where the task has one way alone.")


class ForecastSerializer(serializers.Serializer[Any]):
    """The cost of judging an accepted submission now: expected values over the epoch's secret.

    A team's forecast rests on public systems alone, takes every label for as uncertain as one can be, and has
    two significant digits; operators get exact values of the corpus' design.
    """

    labels = serializers.FloatField(help_text="Units that must be judged for this submission.")
    days = serializers.FloatField(
        allow_null=True, help_text="Until they are judged, at the pace of the last days; null if unknown."
    )
    cents = serializers.FloatField(allow_null=True, help_text="Null where nobody is paid.")
    half_width = serializers.FloatField(help_text="What the sample aims at.")
    level = serializers.FloatField()
    details = ForecastDetailsSerializer(allow_null=True, help_text="Null for all but operators.")


class ForecastView(ApiView):
    """What judging a submission would take."""

    refuses = {"GET": (409,)}

    @extend_schema(operation_id="read_forecast", responses=ForecastSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """Return the expected cost of judging a submission, to its team and operators.

        409 unless it is accepted, its forecast is computed, and an epoch is open; or if it
        has fewer than 30 units, unless an operator asks. An account may ask for 30 forecasts a day.
        """
        viewer = cast(User, request.user)
        found = forecast_of(find_own(request, pk), viewer=viewer, now=timezone.now())
        return answer(ForecastSerializer(found))
