"""Submissions: what teams submit, where it stands, and what becomes of it."""

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
from evaluation.submissions import anonymity, normalised, problem_list, quota, submitting, uploads
from evaluation.submissions.links import LONGEST, read_links
from evaluation.submissions.other_corpus import find_other_corpus
from evaluation.submissions.problem_list import CodeCount
from evaluation.submissions.progress import Progress, heading, next_step, progress, sign_of_life, version
from evaluation.submissions.visibility import find, may_change, owned, visible
from evaluation.views.submission import ACTIONS, may_act
from kbpo.accounts.models import Team, User
from kbpo.api.base import ApiView, answer
from kbpo.api.paging import PageQuery, page_of, page_serializer, read_query
from kbpo.api.resources.corpora import corpus_field
from kbpo.api.resources.files import CodeCountSerializer
from kbpo.api.resources.uploads import attachments_field, whole_attachments
from kbpo.api.sent import Sent, read_body

PAPER = "Address of its paper, https; empty where its team gives none."
CODE = "Address of its code, https; empty where its team gives none."


def phase_field(source: str) -> serializers.CharField:
    """Return the field that names the phase in which a submission came in."""
    return serializers.CharField(
        source=f"{source}.name",
        default="",
        help_text="The phase of the corpus in which it was submitted; empty: it had none then.",
    )


class SubmissionSerializer(serializers.ModelSerializer[Submission]):
    """A submission, as everybody may know it who may see it."""

    corpus = serializers.CharField(source="corpus.tag")
    phase = phase_field("phase")
    team = serializers.CharField(source="shown_team")
    name = serializers.CharField(source="shown_name")
    description = serializers.CharField(
        source="shown_description", help_text="Empty while its names are not shown."
    )
    paper_url = serializers.CharField(source="shown_paper_url", help_text=PAPER)
    code_url = serializers.CharField(source="shown_code_url", help_text=CODE)

    class Meta:
        model = Submission
        fields: tuple[str, ...] = (
            *("id", "corpus", "phase", "team", "name", "description", "format", "state", "is_public"),
            *("go_ahead", "is_baseline", "chosen_at", "chosen_after", "anonymous_until", "uploaded_at"),
            *("paper_url", "code_url"),
        )


class ProgressSerializer(serializers.Serializer[Progress]):
    """How many of the questions that a submission needs are settled."""

    settled = serializers.IntegerField()
    needed = serializers.IntegerField(help_text="Those that are asked for it, audits among them.")
    shared = serializers.IntegerField(help_text="Those that it needs too, asked for systems before it.")
    shared_settled = serializers.IntegerField()
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
    looks_like: str


class WholeSubmissionSerializer(serializers.Serializer[Stand]):
    """A submission, and where it stands. What is its team's to know is empty for others."""

    id = serializers.IntegerField(source="submission.pk")
    corpus = serializers.CharField(source="submission.corpus.tag")
    phase = phase_field("submission.phase")
    team = serializers.CharField(source="submission.shown_team")
    name = serializers.CharField(source="submission.shown_name")
    description = serializers.CharField(
        source="submission.shown_description", help_text="Empty while its names are not shown."
    )
    format = serializers.CharField(source="submission.format")
    state = serializers.ChoiceField(source="submission.state", choices=Submission.State.choices)
    is_public = serializers.BooleanField(source="submission.is_public")
    go_ahead = serializers.BooleanField(source="submission.go_ahead")
    is_baseline = serializers.BooleanField(source="submission.is_baseline")
    chosen_at = serializers.DateTimeField(
        source="submission.chosen_at", allow_null=True, help_text="Since when it stands for its team."
    )
    chosen_after = serializers.IntegerField(
        source="submission.chosen_after",
        allow_null=True,
        help_text="How many of its team's runs had scores when it was chosen.",
    )
    anonymous_until = serializers.DateTimeField(
        source="submission.anonymous_until",
        allow_null=True,
        help_text="Until when others know it by an alias; null where it never was anonymous.",
    )
    uploaded_at = serializers.DateTimeField(source="submission.uploaded_at")
    paper_url = serializers.CharField(source="submission.shown_paper_url", help_text=PAPER)
    code_url = serializers.CharField(source="submission.shown_code_url", help_text=CODE)
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
    looks_like = serializers.CharField(
        help_text="The tag of another corpus whose documents its refused file names; empty for none."
    )

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


class NewSubmissionSerializer(Sent):
    """A system that is submitted, by a file that was uploaded before."""

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
    anonymous_until = serializers.DateTimeField(
        required=False,
        default=None,
        allow_null=True,
        help_text="Until when others know it and its team by an alias; a corpus says for how long at most.",
    )
    paper_url = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=LONGEST, help_text=PAPER
    )
    code_url = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=LONGEST, help_text=CODE
    )
    again = serializers.BooleanField(
        required=False, default=False, help_text="Whether bytes that the corpus has already are meant again."
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
        found = visible(request.user).select_related("corpus", "phase").defer("counts")
        if asked["mine"]:
            user = request.user
            found = found.filter(owned(user) if isinstance(user, User) else Q(pk__in=[]))
        for name, lookup in (("corpus", "corpus__tag"), ("team", "known_team"), ("state", "state")):
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
        """Submit a system for a team of the caller's. Its file is read soon after: ask where it stands.

        409 if the corpus has the same bytes already, judged or on the way, unless `again` means that.
        """
        values, user = read_body(NewSubmissionSerializer, request), cast(User, request.user)
        sent = uploads.whole(user=user, pk=values.pop("upload"))
        values["attachments"] = whole_attachments(user, values["attachments"])
        values["links"] = read_links(paper=values.pop("paper_url"), code=values.pop("code_url"))
        made = submitting.submit_upload(
            user=user, sent=sent, task=task_of(values["corpus"]), again=values.pop("again"), **values
        )
        return answer(WholeSubmissionSerializer(_stand(request, find(user, pk=made.pk))), 201)


class SubmissionView(ApiView):
    """A submission."""

    is_public = True

    @extend_schema(operation_id="read_submission", responses=WholeSubmissionSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """Return a submission and where it stands; 404 to those who may not see it."""
        return answer(WholeSubmissionSerializer(_stand(request, find(request.user, pk=pk))))


class ActView(ApiView):
    """What a team may do with a submission."""

    refuses = {"POST": (409, 423)}

    @extend_schema(
        operation_id="act_on_submission",
        parameters=[OpenApiParameter("action", OpenApiTypes.STR, OpenApiParameter.PATH, enum=list(ACTIONS))],
        request=None,
        responses=WholeSubmissionSerializer,
    )
    def post(self, request: Request, pk: int, action: str) -> Response:
        """Have a submission judged, resume, cancel or withdraw it, show or hide it, or delete its file.

        For its team, and operators. 409 where it is too late for that, or too early. By `choose` it stands
        for its team, by `give-up` no longer; by `baseline` and `no-baseline` organisers of its corpus say
        whether it is one.
        """
        user, found = cast(User, request.user), find(request.user, pk=pk)
        if not may_act(user, found, action):
            raise Http404("no such submission")
        ACTIONS[action](found, user)
        return answer(WholeSubmissionSerializer(_stand(request, find(request.user, pk=pk))))


class AnonymousSerializer(Sent):
    """Until when others know a submission and its team by an alias."""

    until = serializers.DateTimeField(allow_null=True, help_text="null: everybody sees the names at once.")


class AnonymousView(ApiView):
    """Whether others learn a submission's name, and its team's."""

    @extend_schema(
        operation_id="set_anonymous", request=AnonymousSerializer, responses=WholeSubmissionSerializer
    )
    def post(self, request: Request, pk: int) -> Response:
        """Keep a submission's names from others until a date, or show them. For its team, and operators."""
        user, found = cast(User, request.user), find_own(request, pk)
        until = read_body(AnonymousSerializer, request)["until"]
        anonymity.set_anonymous(submission=found, user=user, until=until, now=timezone.now())
        return answer(WholeSubmissionSerializer(_stand(request, find(user, pk=pk))))


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
    other = find_other_corpus(found) if own else None
    waits = own and found.state == Submission.State.ACCEPTED and found.quota_taken_at is None
    free_at = quota.free_at(submission=found, now=timezone.now()) if waits else None
    may_compete = not waits or quota.may_compete(found.team)
    return Stand(
        submission=found,
        own=own,
        version=version(found, len(events), done, written, task_of(found.corpus).words_of_preparing(found)),
        normalised=written,
        heading=heading(found, free_at, may_compete=may_compete),
        next_step=next_step(
            found, free_at, may_compete=may_compete, units=task_of(found.corpus).choices.units
        ),
        work=sign_of_life(found, work, timezone.now()),
        progress=shown,
        events=events,
        answered_at=shown.answered_at if shown else None,
        scored_at=newest.computed_at if newest else None,
        digest=found.digest if own else "",
        attachments=list(found.attachments.all()) if own else [],
        problems=problem_list.count_codes(found, task_of(found.corpus).reader.codes) if own else [],
        looks_like=other.corpus.tag if other else "",
    )
