"""The JSON API: reads. What writes is in `evaluation.views.uploads`."""

from dataclasses import asdict
from typing import Any
from uuid import UUID

from django.shortcuts import get_object_or_404
from django.utils import timezone
from rest_framework import serializers
from rest_framework.permissions import AllowAny, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.models import Corpus
from evaluation.models import FileCheck, Score, StageWork, Submission
from evaluation.registry import task_of
from evaluation.scoring.comparing import Among
from evaluation.scoring.leaderboard import rows
from evaluation.submissions import checks, normalised
from evaluation.submissions.progress import HEADINGS, next_step, progress, sign_of_life, version
from evaluation.submissions.visibility import find, may_change
from evaluation.views.board import read_choice
from evaluation.views.compare import compare_pair, read_pair
from evaluation.views.files import find_file
from kbpo.core.errors import InvalidInput


class LeaderboardView(APIView):
    """The ranked systems of a corpus."""

    permission_classes = [AllowAny]

    class RowSerializer(serializers.Serializer[Any]):
        """A system on the leaderboard; what is not estimable is null."""

        class MeasureSerializer(serializers.Serializer[Any]):
            """An estimate with its interval, as fractions."""

            estimate = serializers.FloatField()
            low = serializers.FloatField()
            high = serializers.FloatField()

        rank = serializers.IntegerField()
        submission = serializers.IntegerField()
        team = serializers.CharField()
        name = serializers.CharField()
        measures = serializers.DictField(child=MeasureSerializer())
        labels = serializers.IntegerField()
        date = serializers.DateTimeField()
        epoch = serializers.IntegerField()
        state = serializers.CharField()
        why = serializers.CharField()
        standard = serializers.CharField()

        def to_representation(self, instance: Any) -> dict[str, Any]:
            """Put each measure under its own name."""
            shown: dict[str, Any] = {}
            for name, value in super().to_representation(instance).items():
                shown |= value if name == "measures" else {name: value}
            return shown

    def get(self, request: Request, tag: str) -> Response:
        """Answer with the rows for the choice that the address names."""
        corpus = get_object_or_404(Corpus, tag=tag)
        choice = read_choice(request._request, corpus)
        found = rows(
            corpus,
            task_of(corpus).choices,
            level=choice.level,
            part=choice.part,
            weighting=choice.weighting,
            estimator=choice.estimator,
            standard=choice.standard,
            viewer=request.user,
        )
        return Response(
            {
                "corpus": corpus.tag,
                "language": corpus.language,
                "ontology": corpus.ontology_id if task_of(corpus).has_ontology else None,
                "level": choice.level,
                "part": choice.part,
                "weighting": choice.weighting,
                "estimator": choice.estimator,
                "standard": choice.standard,
                "rows": self.RowSerializer(found, many=True).data,
            }
        )


class CompareView(APIView):
    """Two systems of a corpus, and their difference."""

    permission_classes = [AllowAny]

    def get(self, request: Request, tag: str) -> Response:
        """Answer with every measure of `a` and `b`, and of `a` less `b`, as fractions.

        The address also names level, part, weighting, estimator and standard, as for the leaderboard. `among`
        has the difference as it holds with those of all pairs of ranked systems, and how many these are. What
        is not estimable is null; 404 to those who may not see one of the two.
        """
        corpus = get_object_or_404(Corpus, tag=tag)
        choice = read_choice(request._request, corpus)
        first, second = read_pair(request._request, corpus)
        if first is None or second is None or first == second:
            raise InvalidInput("a and b must name two different systems by number.", where="a, b")
        compared = {one.measure: one for one in compare_pair(first, second, choice)}
        return Response(
            {
                "corpus": corpus.tag,
                "language": corpus.language,
                "ontology": corpus.ontology_id if task_of(corpus).has_ontology else None,
                **choice.named,
                "a": first.pk,
                "b": second.pk,
                **{
                    measure: {
                        name: one and found and asdict(found)
                        for name, found in (
                            ("a", one and one.first),
                            ("b", one and one.second),
                            ("difference", one and one.difference),
                        )
                    }
                    | {"among": one and one.among and among_as_json(one.among)}
                    for measure in task_of(corpus).choices.measures
                    for one in [compared.get(measure)]
                },
            }
        )


def among_as_json(among: Among) -> dict[str, Any]:
    """Return what becomes of a difference among all ranked systems."""
    return {
        "systems": among.systems,
        "is_significant": among.is_significant,
        **asdict(among.difference),
    }


class CheckView(APIView):
    """Where a check stands."""

    permission_classes = [IsAuthenticated]

    def get(self, request: Request, pk: UUID) -> Response:
        """Answer with its state; 404 to all but its owner and operators."""
        found = find_file(request._request, "check", pk)
        assert isinstance(found, FileCheck)
        written = normalised.state(found)
        return Response(
            {
                "id": found.pk,
                "state": found.state,
                "version": f"{found.state}.{written}",
                "normalised": written,
                "counts": found.counts,
                "work": checks.in_words(found),
            }
        )


class SubmissionView(APIView):
    """Where a submission stands."""

    permission_classes = [AllowAny]

    class SubmissionSerializer(serializers.ModelSerializer[Submission]):
        """What everybody who may see the submission may know of it."""

        corpus: serializers.SlugRelatedField[Any] = serializers.SlugRelatedField(
            slug_field="tag", read_only=True
        )
        team: serializers.SlugRelatedField[Any] = serializers.SlugRelatedField(
            slug_field="name", read_only=True
        )

        class Meta:
            model = Submission
            fields = ["id", "corpus", "team", "name", "state", "is_public", "go_ahead", "uploaded_at"]

    def get(self, request: Request, pk: int) -> Response:
        """Answer with state, progress and timeline; 404 to those who may not see it."""
        found = find(request.user, pk=pk)
        own = may_change(request.user, found)
        events = list(found.events.select_related("by"))
        done = progress(found)
        work = StageWork.objects.filter(submission=found).first() if own else None
        written = normalised.state(found) if own else ""
        newest = Score.objects.filter(submission=found).order_by("-computed_at").first()
        return Response(
            {
                **self.SubmissionSerializer(found).data,
                "version": version(found, len(events), done, written),
                "normalised": written,
                "heading": HEADINGS[found.state],
                "next_step": next_step(found),
                "work": sign_of_life(found, work, timezone.now()),
                "progress": done and {"settled": done.settled, "needed": done.needed, "words": done.words},
                "events": [
                    {"state": event.state, "at": event.at, "detail": event.words if own else ""}
                    for event in events
                ],
                "answered_at": done and done.answered_at,
                "scored_at": newest and newest.computed_at,
            }
        )
