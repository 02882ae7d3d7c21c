"""Snapshots of leaderboards, how scores changed, and how both are cited."""

from typing import Any, cast

from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from evaluation.models import Edition
from evaluation.registry import task_of
from evaluation.scoring.published import citing, freezing, history, snapshots
from evaluation.scoring.published.names import Named
from evaluation.submissions.visibility import find
from evaluation.views.history import find_score, site_of
from evaluation.views.snapshots import find as find_snapshot
from kbpo.accounts import tokens
from kbpo.accounts.models import User
from kbpo.api.base import ApiView, answer
from kbpo.api.paging import PageQuery, answer_page, page_serializer, read_query
from kbpo.api.resources.board import ChoiceQuery, MeasureSerializer, counts_field
from kbpo.api.resources.corpora import find_corpus
from kbpo.api.sent import Sent, read_body
from kbpo.pages import corpora as desk


class SnapshotSerializer(serializers.ModelSerializer[Edition]):
    """A leaderboard as it stood. Nothing of it ever changes."""

    corpus = serializers.CharField(source="epoch.corpus.tag")
    number = serializers.CharField(help_text="Of its epoch, a point, and its own: such as 1.2.")
    taken_at = serializers.DateTimeField(source="made_at")
    epoch = serializers.IntegerField(source="epoch.number", help_text="Just released, or open then.")
    digest = serializers.CharField(help_text="SHA-256 of its file.")
    address = serializers.SerializerMethodField(help_text="Of its page.")
    file = serializers.SerializerMethodField(help_text="The archive edition: all its scores, without names.")

    class Meta:
        model = Edition
        fields: tuple[str, ...] = (
            *("corpus", "number", "taken_at", "reason", "note", "epoch", "systems", "code_version"),
            *("digest", "size", "address", "file"),
        )

    def get_address(self, snapshot: Edition) -> str:
        """Return the address of its page."""
        return self._address("snapshot", snapshot.epoch.corpus.tag, snapshot.number)

    def get_file(self, snapshot: Edition) -> str:
        """Return the address of its file."""
        return self._address("data_file", snapshot.epoch.corpus.tag, snapshot.name)

    def _address(self, name: str, *arguments: str) -> str:
        request: Request = self.context["request"]
        return request.build_absolute_uri(reverse(name, args=arguments))


class CitationSerializer(serializers.Serializer[Any]):
    """How something is cited."""

    plain = serializers.CharField()
    bibtex = serializers.CharField()
    address = serializers.URLField(help_text="At which it stays as it is cited.")


class SnapshotRowSerializer(serializers.Serializer[Any]):
    """A system in a snapshot: its numbers as they were, its names as they are."""

    rank = serializers.IntegerField(allow_null=True)
    submission = serializers.IntegerField(source="named.submission")
    team = serializers.CharField(source="named.team", help_text="Empty for one that is shown no more.")
    name = serializers.CharField(source="named.name", help_text="Or what became of it.")
    measures = serializers.DictField(child=MeasureSerializer())
    labels = serializers.IntegerField(help_text="Labelled units that it rests on.")
    counts = counts_field()
    epoch = serializers.IntegerField()
    code_version = serializers.CharField(source="code")


class SnapshotTableSerializer(serializers.Serializer[Any]):
    """A snapshot under one choice."""

    snapshot = SnapshotSerializer()
    level = serializers.IntegerField(source="chosen.level")
    part = serializers.CharField(source="chosen.part")
    weighting = serializers.CharField(source="chosen.weighting")
    estimator = serializers.CharField(source="chosen.estimator")
    standard = serializers.CharField(source="chosen.standard")
    rows = SnapshotRowSerializer(many=True)
    citation = CitationSerializer()


class TakeSerializer(Sent):
    """How a snapshot is taken."""

    note = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=200, help_text="What it is for."
    )


class HistoryRowSerializer(serializers.Serializer[Any]):
    """A figure of a system from one change to the next, to a tenth of a hundredth, as pages show it."""

    submission = serializers.IntegerField()
    number = serializers.IntegerField(help_text="Of the change, from 1 in its submission.")
    at = serializers.DateTimeField()
    epoch = serializers.IntegerField()
    reason = serializers.CharField()
    systems = serializers.IntegerField(help_text="That had arrived in the epoch.")
    code_version = serializers.CharField()
    labels = serializers.IntegerField(help_text="Labelled units of the system.")
    part = serializers.CharField()
    weighting = serializers.CharField()
    estimator = serializers.CharField()
    standard = serializers.CharField()
    level = serializers.IntegerField()
    measure = serializers.CharField()
    estimate = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)


class HistorySerializer(serializers.Serializer[Any]):
    """How the scores of a submission changed, the first first."""

    submission = serializers.IntegerField()
    changes = HistoryRowSerializer(many=True)


class CitationQuery(serializers.Serializer[Any]):
    """What of a submission is cited."""

    score = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=999_999_999,
        help_text="Its scores from this change on, from its history; left out, the newest.",
    )


class SubmissionCitationSerializer(serializers.Serializer[Any]):
    """How a submission and its scores are cited."""

    system = CitationSerializer(allow_null=True, help_text="null for one that is shown no more.")
    scores = CitationSerializer(allow_null=True, help_text="null before it is scored.")


class SnapshotsView(ApiView):
    """The snapshots of a corpus."""

    is_public = True
    scope = tokens.ORGANISE
    refuses = {"POST": (409,)}

    @extend_schema(
        operation_id="list_snapshots", parameters=[PageQuery], responses=page_serializer(SnapshotSerializer)
    )
    def get(self, request: Request, tag: str) -> Response:
        """List the snapshots of a corpus, the newest first."""
        found = freezing.leaderboards(find_corpus(tag))
        return answer_page(SnapshotSerializer, found, request, newest_first=True)

    @extend_schema(operation_id="take_snapshot", request=TakeSerializer, responses={201: SnapshotSerializer})
    def post(self, request: Request, tag: str) -> Response:
        """Keep the leaderboard as it stands, for good; where nothing changed since the newest, return that.

        For organisers whose teams do not compete there, and operators. 409 if nothing is scored.
        """
        note = read_body(TakeSerializer, request)["note"]
        taken, _ = desk.take_snapshot(
            corpus=find_corpus(tag),
            by=cast(User, request.user),
            note=note,
            now=timezone.now(),
        )
        return answer(SnapshotSerializer(taken, context={"request": request}), 201)


class SnapshotView(ApiView):
    """A snapshot."""

    is_public = True

    @extend_schema(operation_id="read_snapshot", parameters=[ChoiceQuery], responses=SnapshotTableSerializer)
    def get(self, request: Request, tag: str, number: str) -> Response:
        """Return a snapshot under one choice, with the names that its systems have today."""
        asked = read_query(ChoiceQuery, request)
        found = find_snapshot(tag, number)
        choices = task_of(found.epoch.corpus).choices
        board = snapshots.read_board(found, choices, viewer=request.user, asked=asked)
        shown = {
            "snapshot": found,
            "chosen": board.chosen,
            "rows": board.rows,
            "citation": citing.cite_snapshot(found, site_of(request._request)),
        }
        return answer(SnapshotTableSerializer(shown, context={"request": request}))


class HistoryView(ApiView):
    """How the scores of a submission changed."""

    is_public = True

    @extend_schema(operation_id="read_history", responses=HistorySerializer)
    def get(self, request: Request, pk: int) -> Response:
        """Return what pages showed of a submission's scores, from each change to the next, and why."""
        found = find(request.user, pk=pk)
        rows = history.table(found, history.changes(found))
        # Rows are plain already; the serializer, which says what is in them, would take ten times as long.
        return Response({"submission": found.pk, "changes": list(rows)})


class CitationView(ApiView):
    """How a submission and its scores are cited."""

    is_public = True

    @extend_schema(operation_id="cite", parameters=[CitationQuery], responses=SubmissionCitationSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """Return how a submission is cited, and its scores from a change on; the newest, if none is named.

        Scores that everybody could see have an address for good, also of a system that was withdrawn.
        """
        asked = read_query(CitationQuery, request)
        site = site_of(request._request)
        change: history.Change | None
        if "score" in asked:
            named, corpus, change = find_score(request._request, pk, asked["score"])
        else:
            found = find(request.user, pk=pk)
            named, corpus = Named(pk, found.shown_name, found.shown_team, True), found.corpus
            change = history.find_newest(found)
        choices = task_of(corpus).choices
        scores = change and citing.cite_score(
            named, corpus, change, choices, change.standard(choices, corpus.design), site
        )
        system = citing.cite_system(find(request.user, pk=pk), site) if named.is_shown else None
        return answer(SubmissionCitationSerializer({"system": system, "scores": scores}))
