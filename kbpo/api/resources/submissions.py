"""Submissions: what teams hand in, where it stands, and what becomes of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from django.db.models import Q, QuerySet
from django.http import Http404
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from evaluation.models import Attachment, Score, StageWork, Submission, SubmissionEvent
from evaluation.registry import task_of
from evaluation.submissions import normalised, problem_list, submitting, uploads
from evaluation.submissions.links import LONGEST, read_links
from evaluation.submissions.problem_list import CodeCount
from evaluation.submissions.progress import HEADINGS, Progress, next_step, progress, sign_of_life, version
from evaluation.submissions.visibility import find, may_change, owned, visible
from evaluation.views.submission import ACTIONS
from kbpo.accounts.models import Team, User
from kbpo.api.base import ApiView, answer
from kbpo.api.paging import PageQuery, page_of, page_serializer, read_query
from kbpo.api.resources.corpora import corpus_field
from kbpo.api.resources.files import CodeCountSerializer
from kbpo.api.resources.uploads import attachments_field, whole_attachments

PAPER = "Address of its paper, https; empty where its team gives none."
CODE = "Address of its code, https; empty where its team gives none."


class SubmissionSerializer(serializers.ModelSerializer[Submission]):
    """A submission, as everybody may know it who may see it."""

    corpus = serializers.CharField(source="corpus.tag")
    team = serializers.CharField(source="team.name")
    paper_url = serializers.CharField(read_only=True, help_text=PAPER)
    code_url = serializers.CharField(read_only=True, help_text=CODE)

    class Meta:
        model = Submission
        fields: tuple[str, ...] = (
            *("id", "corpus", "team", "name", "description", "format", "state", "is_public", "go_ahead"),
            *("uploaded_at", "paper_url", "code_url"),
        )


class ProgressSerializer(serializers.Serializer[Progress]):
    """How many of the questions that a submission needs are settled."""

    settled = serializers.IntegerField()
    needed = serializers.IntegerField()
    words = serializers.CharField()


class EventSerializer(serializers.Serializer[Any]):
    """A step in a submission's life."""

    state = serializers.CharField()
    at = serializers.DateTimeField()
    detail = serializers.SerializerMethodField(help_text="Empty to all but its team and operators.")

    def get_detail(self, event: SubmissionEvent) -> str:
        """Return what is said of it to those who may know."""
        return event.words if self.context["own"] else ""


class AttachmentSerializer(serializers.ModelSerializer[Attachment]):
    """A further file of a submission."""

    class Meta:
        model = Attachment
        fields = ("name", "digest")


@dataclass(frozen=True, slots=True)
class Stand:
    """Where a submission stands; what is its team's to know is empty for others.

    Attributes
    ----------
    own : bool
        Whether the viewer is of its team, or an operator.
    """

    submission: Submission
    own: bool
    version: str
    normalised: str
    heading: str
    next_step: str
    work: str
    progress: Progress | None
    events: Sequence[SubmissionEvent]
    answered_at: datetime | None
    scored_at: datetime | None
    digest: str
    attachments: Sequence[Attachment]
    problems: Sequence[CodeCount]


class WholeSubmissionSerializer(serializers.Serializer[Stand]):
    """A submission, and where it stands. What is its team's to know is empty for others."""

    id = serializers.IntegerField(source="submission.pk")
    corpus = serializers.CharField(source="submission.corpus.tag")
    team = serializers.CharField(source="submission.team.name")
    name = serializers.CharField(source="submission.name")
    description = serializers.CharField(source="submission.description")
    format = serializers.CharField(source="submission.format")
    state = serializers.ChoiceField(source="submission.state", choices=Submission.State.choices)
    is_public = serializers.BooleanField(source="submission.is_public")
    go_ahead = serializers.BooleanField(source="submission.go_ahead")
    uploaded_at = serializers.DateTimeField(source="submission.uploaded_at")
    paper_url = serializers.CharField(source="submission.paper_url", help_text=PAPER)
    code_url = serializers.CharField(source="submission.code_url", help_text=CODE)
    version = serializers.CharField(help_text="Another one whenever the caller's page of it would be.")
    heading = serializers.CharField(help_text="Its state in words.")
    next_step = serializers.CharField()
    work = serializers.CharField(help_text="What is being done with it; empty where it waits.")
    progress = ProgressSerializer(
        allow_null=True, help_text="null to all but its team and operators, and unless it is judged now."
    )
    events = serializers.SerializerMethodField()
    answered_at = serializers.DateTimeField(allow_null=True, help_text="null where `progress` is.")
    scored_at = serializers.DateTimeField(allow_null=True)
    normalised = serializers.CharField(
        help_text="The state of its normalised file; empty where there is none."
    )
    digest = serializers.CharField(help_text="SHA-256 of its file.")
    attachments = AttachmentSerializer(many=True, help_text="What came beside it.")
    problems = CodeCountSerializer(many=True, help_text="What was found in its file, counted.")

    @extend_schema_field(EventSerializer(many=True))
    def get_events(self, stand: Stand) -> Any:
        """Return its timeline."""
        return EventSerializer(stand.events, many=True, context={"own": stand.own}).data


class SubmissionsQuery(PageQuery):
    """Which submissions."""

    corpus = serializers.CharField(required=False, max_length=64)
    team = serializers.CharField(required=False, max_length=100, help_text="Its name.")
    state = serializers.ChoiceField(required=False, choices=Submission.State.choices)
    mine = serializers.BooleanField(
        required=False, default=False, help_text="Only those of the caller's teams; a visitor has none."
    )


class OwnTeamField(serializers.SlugRelatedField[Team]):
    """A team of the caller's, by its name; whether there are others is not said."""

    def get_queryset(self) -> QuerySet[Team]:
        """Return the caller's teams."""
        return cast(User, self.context["request"].user).teams.all()


class NewSubmissionSerializer(serializers.Serializer[Any]):
    """A system that is handed in, by a file that was uploaded before."""

    corpus = corpus_field()
    team = OwnTeamField(
        slug_field="name",
        queryset=Team.objects.none(),
        help_text="One of the caller's.",
        error_messages={"does_not_exist": "you are in no team {value}"},
    )
    name = serializers.CharField(max_length=100, help_text="As it is to stand on the leaderboard.")
    upload = serializers.UUIDField(help_text="Of a file that has arrived in full.")
    format = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=16, help_text="Recognised if left out."
    )
    attachments = attachments_field()
    description = serializers.CharField(required=False, default="", allow_blank=True, max_length=2000)
    go_ahead = serializers.BooleanField(
        required=False,
        default=False,
        help_text="Whether it is judged as soon as it is accepted, which takes a place in the quota.",
    )
    is_public = serializers.BooleanField(required=False, default=True)
    paper_url = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=LONGEST, help_text=PAPER
    )
    code_url = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=LONGEST, help_text=CODE
    )
    again = serializers.BooleanField(
        required=False, default=False, help_text="Whether bytes that were handed in before are meant again."
    )


class SubmissionsView(ApiView):
    """The submissions."""

    is_public = True
    refuses = {"POST": (404, 409, 423, 507)}

    @extend_schema(
        operation_id="list_submissions",
        parameters=[SubmissionsQuery],
        responses=page_serializer(SubmissionSerializer),
    )
    def get(self, request: Request) -> Response:
        """List the submissions that the caller may see, the newest first."""
        asked = read_query(SubmissionsQuery, request)
        found = visible(request.user).select_related("corpus", "team").defer("counts")
        if asked["mine"]:
            user = request.user
            found = found.filter(owned(user) if isinstance(user, User) else Q(pk__in=[]))
        for name, lookup in (("corpus", "corpus__tag"), ("team", "team__name"), ("state", "state")):
            if name in asked:
                found = found.filter(**{lookup: asked[name]})
        page = page_of(found, request, asked, newest_first=True)
        return answer(page_serializer(SubmissionSerializer)(page))

    @extend_schema(
        operation_id="submit",
        request=NewSubmissionSerializer,
        responses={201: WholeSubmissionSerializer},
    )
    def post(self, request: Request) -> Response:
        """Hand a system in for a team of the caller's. Its file is read soon after: ask where it stands.

        409 if the same bytes were handed in before, unless `again` says that this is meant.
        """
        read = NewSubmissionSerializer(data=request.data, context={"request": request})
        read.is_valid(raise_exception=True)
        values, user = dict(read.validated_data), cast(User, request.user)
        sent = uploads.whole(user=user, pk=values.pop("upload"))
        values["attachments"] = whole_attachments(user, values["attachments"])
        values["links"] = read_links(paper=values.pop("paper_url"), code=values.pop("code_url"))
        made = submitting.submit_upload(
            user=user, sent=sent, task=task_of(values["corpus"]), again=values.pop("again"), **values
        )
        return answer(WholeSubmissionSerializer(_stand(request, made)), 201)


class SubmissionView(ApiView):
    """A submission."""

    is_public = True

    @extend_schema(operation_id="read_submission", responses=WholeSubmissionSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """Return a submission and where it stands; 404 to those who may not see it."""
        return answer(WholeSubmissionSerializer(_stand(request, find(request.user, pk=pk))))


class ActView(ApiView):
    """What a team may do with a submission."""

    refuses = {"POST": (409,)}

    @extend_schema(
        operation_id="act_on_submission",
        parameters=[OpenApiParameter("action", OpenApiTypes.STR, OpenApiParameter.PATH, enum=list(ACTIONS))],
        request=None,
        responses=WholeSubmissionSerializer,
    )
    def post(self, request: Request, pk: int, action: str) -> Response:
        """Have a submission judged, resume, cancel or withdraw it, show or hide it, or delete its file.

        For its team, and operators. 409 where it is too late for that, or too early.
        """
        ACTIONS[action](find_own(request, pk), cast(User, request.user))
        return answer(WholeSubmissionSerializer(_stand(request, find(request.user, pk=pk))))


def find_own(request: Request, pk: int) -> Submission:
    """Return a submission to its team and operators; 404 to all others."""
    found = find(request.user, pk=pk)
    if not may_change(request.user, found):
        raise Http404("no such submission")
    return found


def _stand(request: Request, found: Submission) -> Stand:
    own = may_change(request.user, found)
    events = list(found.events.select_related("by"))
    done = progress(found) if own else None
    work = StageWork.objects.filter(submission=found).first() if own else None
    written = normalised.state(found) if own else ""
    shown = done if found.state == Submission.State.JUDGING else None
    newest = Score.objects.filter(submission=found).order_by("-computed_at").first()
    return Stand(
        submission=found,
        own=own,
        version=version(found, len(events), done, written, task_of(found.corpus).words_of_preparing(found)),
        normalised=written,
        heading=HEADINGS[found.state],
        next_step=next_step(found, units=task_of(found.corpus).choices.units),
        work=sign_of_life(found, work, timezone.now()),
        progress=shown,
        events=events,
        answered_at=shown.answered_at if shown else None,
        scored_at=newest.computed_at if newest else None,
        digest=found.digest if own else "",
        attachments=list(found.attachments.all()) if own else [],
        problems=problem_list.count_codes(found, task_of(found.corpus).reader.codes) if own else [],
    )
