"""What metrics are worth, of corpora of generated text."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from evaluation.generation.task import TASK
from evaluation.generation.views.metrics import choose
from evaluation.generation.views.report import JudgedRow
from kbpo.api.base import ApiView, answer
from kbpo.api.paging import read_query
from kbpo.api.resources.corpora import find_corpus


class MetricsQuery(serializers.Serializer[Any]):
    """Which epoch; the newest of which something is published if left out."""

    epoch = serializers.IntegerField(required=False, min_value=1, max_value=10**9 - 1)


class MetricWorthSerializer(serializers.Serializer[Any]):
    """A metric by one measure, with 95% intervals."""

    name = serializers.CharField()
    mean = serializers.FloatField(help_text="Over all outputs, judged or not.")
    rho = serializers.FloatField(allow_null=True, help_text="With what people say of an output on average.")
    rho_low = serializers.FloatField(allow_null=True)
    rho_high = serializers.FloatField(allow_null=True)
    efficiency = serializers.FloatField(
        allow_null=True, help_text="How many judgements one is worth; null: without end."
    )
    efficiency_low = serializers.FloatField(allow_null=True)
    efficiency_high = serializers.FloatField(allow_null=True)


class JudgedSerializer(serializers.Serializer[JudgedRow]):
    """One measure of a system's judged outputs, or of all outputs, each once."""

    submission = serializers.IntegerField(
        source="submission.pk", default=None, allow_null=True, help_text="Null for all outputs."
    )
    mean = serializers.FloatField()
    outputs = serializers.IntegerField(help_text="Judged ones.")
    judgements = serializers.IntegerField()
    variance_outputs = serializers.FloatField(
        source="variances.sigma2_f", default=None, allow_null=True, help_text="Null: not estimable."
    )
    variance_judgements = serializers.FloatField(source="variances.sigma2_a", default=None, allow_null=True)
    agreement = serializers.FloatField(source="variances.alpha", default=None, allow_null=True)
    cap = serializers.FloatField(
        allow_null=True, help_text="What a judgement is worth with a perfect metric; null: without end."
    )
    bottleneck = serializers.CharField(help_text="What leaves more of the variance: `people`, or `metric`.")
    metrics = MetricWorthSerializer(many=True)


class MeasureReportSerializer(serializers.Serializer[Any]):
    """One measure: all outputs first, then each system that the caller may see."""

    measure = serializers.CharField()
    rows = JudgedSerializer(many=True)


class CoefficientSerializer(serializers.Serializer[Any]):
    """How a built-in metric enters the house metric."""

    name = serializers.CharField()
    version = serializers.CharField()
    value = serializers.FloatField(help_text="For a standard deviation of it.")
    centre = serializers.FloatField()
    spread = serializers.FloatField()


class HouseMeasureSerializer(serializers.Serializer[Any]):
    """The house metric of a measure."""

    measure = serializers.CharField()
    intercept = serializers.FloatField()
    penalty = serializers.FloatField()
    outputs = serializers.IntegerField()
    rho = serializers.FloatField(allow_null=True, help_text="With outputs that a fit has not seen.")
    coefficients = CoefficientSerializer(many=True)


class HouseSerializer(serializers.Serializer[Any]):
    """An epoch's house metric, frozen before its first sample."""

    epoch = serializers.IntegerField()
    digest = serializers.CharField(help_text="SHA-256 of its coefficients as they are stored.")
    outputs = serializers.IntegerField(help_text="That it was learnt from.")
    learnt_from = serializers.ListField(child=serializers.IntegerField(), help_text="Released epochs.")
    measures = HouseMeasureSerializer(many=True, help_text="None where too little was published.")


class MetricsSerializer(serializers.Serializer[Any]):
    """What metrics are worth in an epoch, as far as its judgements are published."""

    epoch = serializers.IntegerField(source="epoch.number", default=None, allow_null=True)
    measures = MeasureReportSerializer(many=True)
    house = HouseSerializer(allow_null=True)


class MetricsView(ApiView):
    """What metrics are worth."""

    is_public = True

    @extend_schema(operation_id="read_metrics", parameters=[MetricsQuery], responses=MetricsSerializer)
    def get(self, request: Request, tag: str) -> Response:
        """Return what each metric is worth by measure and system, and the house metric's coefficients.

        For corpora of generated text. What rests on sealed judgements is left out until they are published.
        """
        read_query(MetricsQuery, request)
        corpus = find_corpus(tag)
        TASK.check_corpus(corpus)
        return answer(MetricsSerializer(choose(request._request, corpus)[0]))
