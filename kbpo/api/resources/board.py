"""The leaderboard of a corpus, and two systems side by side."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.models import Corpus
from evaluation.registry import task_of
from evaluation.scoring.comparing import Compared
from evaluation.scoring.leaderboard import Row, rows
from evaluation.scoring.listing import ALL, ALONE, HIDDEN, ONE, select
from evaluation.submissions.standing_for import count_runs
from evaluation.views.board import Choice, read_choice
from evaluation.views.compare import compare_pair, read_pair
from evaluation.views.listing import read_listing
from kbpo.api.base import ApiView, answer
from kbpo.api.paging import read_query
from kbpo.api.resources.corpora import find_corpus
from kbpo.core.errors import InvalidInput


class ChoiceQuery(serializers.Serializer[Any]):
    """What of a score is meant; what is left out is what the pages show first. 400 names what there is."""

    level = serializers.IntegerField(
        required=False, min_value=0, max_value=999, help_text="Of the intervals, in per cent."
    )
    part = serializers.CharField(required=False, max_length=40)
    weighting = serializers.CharField(required=False, max_length=40)
    estimator = serializers.CharField(required=False, max_length=40)
    standard = serializers.CharField(required=False, max_length=40, help_text="What counts as right.")


class BoardQuery(ChoiceQuery):
    """Which rows of a leaderboard, in which order; 400 names what there is."""

    sort = serializers.CharField(
        required=False, max_length=60, help_text="A column; `-` before it: from the largest down."
    )
    q = serializers.CharField(
        required=False, max_length=100, help_text="Part of a system's or a team's name, whatever its case."
    )
    team = serializers.CharField(required=False, max_length=100, help_text="The name of a team, as shown.")
    labels = serializers.IntegerField(
        required=False, min_value=0, max_value=10**9 - 1, help_text="How many labels a system must have."
    )
    baselines = serializers.ChoiceField(
        required=False, choices=[HIDDEN, ALONE], help_text="Without them, or only them; left out: both."
    )
    runs = serializers.ChoiceField(
        required=False,
        choices=[ALL, ONE],
        help_text="`one` of each team: that which it chose, or else its best.",
    )
    mine = serializers.BooleanField(required=False, help_text="Only those of the caller's teams.")


class MeasureSerializer(serializers.Serializer[Any]):
    """An estimate with its interval, as fractions; all three are null where it is not estimable."""

    estimate = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    reason = serializers.CharField(help_text="Why there is no estimate; empty where there is one.")


def counts_field() -> serializers.DictField:
    """Return the field of what else a score rests on."""
    return serializers.DictField(
        child=serializers.FloatField(allow_null=True),
        help_text="What else it rests on; of generated text `judgements`, those that its metrics `saved`, and"
        " their data `efficiency`. null where that is not estimable.",
    )


class IntervalSerializer(serializers.Serializer[Any]):
    """An estimate with its interval, as fractions."""

    estimate = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()


class ChosenSerializer(serializers.Serializer[Any]):
    """What the numbers are, and of what."""

    corpus = serializers.CharField()
    level = serializers.IntegerField()
    part = serializers.CharField()
    weighting = serializers.CharField()
    estimator = serializers.CharField()
    standard = serializers.CharField()


class RowSerializer(serializers.Serializer[Any]):
    """A system on the leaderboard."""

    rank = serializers.IntegerField(
        allow_null=True, help_text="1 and how many are significantly above it; null for one without a rank."
    )
    submission = serializers.IntegerField()
    team = serializers.CharField()
    name = serializers.CharField()
    measures = serializers.DictField(child=MeasureSerializer())
    labels = serializers.IntegerField(allow_null=True, help_text="Labelled units that it rests on.")
    counts = counts_field()
    date = serializers.DateTimeField()
    epoch = serializers.IntegerField(allow_null=True)
    state = serializers.CharField()
    is_baseline = serializers.BooleanField()
    chosen_after = serializers.IntegerField(
        allow_null=True,
        help_text="Of the run that stands for its team: how many of the team's runs had scores when chosen.",
    )
    why = serializers.CharField(help_text="Why it has no score or no rank; empty for a ranked one.")

    @cached_property
    def _readable(self) -> tuple[str, ...]:
        return tuple(self.fields)

    def to_representation(self, instance: Row) -> dict[str, Any]:
        """Return what the fields say, without asking each of them: a leaderboard has thousands of figures."""
        said = {name: getattr(instance, name) for name in self._readable}
        said["measures"] = {name: one._asdict() for name, one in instance.measures.items()}
        said["date"] = instance.date.isoformat().replace("+00:00", "Z")
        return said


class LeaderboardSerializer(ChosenSerializer):
    """The systems of a corpus, by the measure that ranks the part, or as it was asked for."""

    language = serializers.CharField()
    ontology = serializers.CharField(allow_null=True)
    of = serializers.IntegerField(help_text="How many systems there are, listed or not.")
    rows = RowSerializer(many=True)


class AmongSerializer(IntervalSerializer):
    """A difference as it holds with those of all pairs of ranked systems."""

    estimate = serializers.FloatField(source="difference.estimate")
    low = serializers.FloatField(source="difference.low")
    high = serializers.FloatField(source="difference.high")
    systems = serializers.IntegerField(help_text="How many are ranked.")
    is_significant = serializers.BooleanField(
        allow_null=True, help_text="Whether it counts in the ranks; null for a measure that ranks nothing."
    )


class ComparedSerializer(serializers.Serializer[Any]):
    """A measure of two systems; what is not estimable is null."""

    a = IntervalSerializer(source="first", allow_null=True)
    b = IntervalSerializer(source="second", allow_null=True)
    difference = IntervalSerializer(allow_null=True, help_text="a less b, paired.")
    among = AmongSerializer(allow_null=True)


class ComparisonSerializer(ChosenSerializer):
    """Two systems of a corpus."""

    a = serializers.IntegerField()
    b = serializers.IntegerField()
    measures = serializers.DictField(child=ComparedSerializer())


class PairQuery(ChoiceQuery):
    """Which two systems, and what of their scores."""

    a = serializers.IntegerField(min_value=1, max_value=10**18 - 1, help_text="The number of a submission.")
    b = serializers.IntegerField(min_value=1, max_value=10**18 - 1, help_text="The number of another.")


class LeaderboardView(ApiView):
    """The ranked systems of a corpus."""

    is_public = True

    @extend_schema(operation_id="read_leaderboard", parameters=[BoardQuery], responses=LeaderboardSerializer)
    def get(self, request: Request, tag: str) -> Response:
        """Return the systems of a corpus that the caller may see, ranked or not.

        Ranks are among all systems of the corpus, whichever are listed.
        """
        read_query(BoardQuery, request)
        corpus = find_corpus(tag)
        task = task_of(corpus)
        choice = read_choice(request._request, corpus)
        found = rows(corpus, task.choices, **choice.named, viewer=request.user)
        asked = read_listing(request._request, corpus)
        listed = select(
            found,
            asked,
            task.choices,
            ranked_by=task.choices.parts[choice.part].ranked_by,
            runs_of=count_runs(corpus) if asked.runs == ONE else None,
        )
        shown = {
            **chosen(corpus, choice),
            "language": corpus.language,
            "ontology": corpus.ontology_id if task.has_ontology else None,
            "of": len(found),
            "rows": [one.row for one in listed],
        }
        return answer(LeaderboardSerializer(shown))


class ComparisonView(ApiView):
    """Two systems of a corpus, and their difference."""

    is_public = True

    @extend_schema(operation_id="compare", parameters=[PairQuery], responses=ComparisonSerializer)
    def get(self, request: Request, tag: str) -> Response:
        """Compare two systems of a corpus; 404 to those who may not see one of the two."""
        read_query(PairQuery, request)
        corpus = find_corpus(tag)
        choice = read_choice(request._request, corpus)
        first, second = read_pair(request._request, corpus)
        if first is None or second is None or first == second:
            raise InvalidInput("a and b must name two different systems by number.", where="a, b")
        compared = {name: Compared(name, None, None, None) for name in task_of(corpus).choices.measures}
        compared |= {one.measure: one for one in compare_pair(first, second, choice)}
        shown = {**chosen(corpus, choice), "a": first.pk, "b": second.pk, "measures": compared}
        return answer(ComparisonSerializer(shown))


def chosen(corpus: Corpus, choice: Choice) -> Mapping[str, Any]:
    """Return what a choice means, with the corpus that it is about."""
    return {"corpus": corpus.tag, **choice.named}
