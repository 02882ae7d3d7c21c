"""The life of a corpus: its phases, rules, terms that teams accept, news, and dates that were moved."""

from typing import Any, cast

from django.db.models import Prefetch
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations import roles
from annotations.challenges import dates, news, versions
from annotations.challenges.dates import PhaseDetails
from annotations.models import (
    AcceptedTerms,
    CorpusNews,
    CorpusPhase,
    CorpusRules,
    CorpusTerms,
    MovedDate,
)
from annotations.roles import Act
from kbpo.accounts import tokens
from kbpo.accounts.models import Team, User
from kbpo.api.base import ApiView, answer
from kbpo.api.paging import PageQuery, answer_all, answer_page, page_serializer
from kbpo.api.resources.corpora import PhaseSerializer, find_corpus
from kbpo.api.resources.submissions import OwnTeamField
from kbpo.api.sent import Sent, read_body
from kbpo.core.errors import Conflict


class PhaseDetailsSerializer(Sent, serializers.ModelSerializer[CorpusPhase]):
    """What is said of a phase; what is left out of a change stays."""

    most_submissions = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=1_000, help_text="null: no such limit."
    )
    description = serializers.CharField(required=False, allow_blank=True, max_length=2_000)

    class Meta:
        model = CorpusPhase
        fields = tuple(PhaseDetails.__dataclass_fields__)
        validators: tuple[Any, ...] = ()  # the service says what overlaps


class RulesSerializer(serializers.ModelSerializer[CorpusRules]):
    """A version of the rules of a corpus."""

    class Meta:
        model = CorpusRules
        fields: tuple[str, ...] = ("version", "text", "written_at")


class AcceptedSerializer(serializers.ModelSerializer[AcceptedTerms]):
    """That a team accepted a version of terms."""

    team = serializers.CharField(source="team.name")
    version = serializers.IntegerField(source="terms.version")
    accepted_by = serializers.CharField(source="accepted_by.__str__", help_text="A member of the team.")

    class Meta:
        model = AcceptedTerms
        fields = ("team", "version", "accepted_by", "accepted_at")


class TermsSerializer(serializers.ModelSerializer[CorpusTerms]):
    """A version of what teams accept before they submit."""

    accepted = AcceptedSerializer(many=True, source="own", help_text="By teams of the caller's alone.")

    class Meta:
        model = CorpusTerms
        fields = ("version", "text", "written_at", "accepted")


class TextSerializer(Sent):
    """Another version of a text."""

    text = serializers.CharField(
        allow_blank=True, max_length=versions.LONGEST, help_text="Plain text; empty: none holds any more."
    )


class AcceptSerializer(Sent):
    """A team's word on terms."""

    team = OwnTeamField(
        slug_field="name",
        queryset=Team.objects.none(),
        help_text="One of the caller's.",
        error_messages={"does_not_exist": "you are in no team {value}"},
    )
    version = serializers.IntegerField(
        min_value=1, max_value=32_767, help_text="The one that was read: another one may hold by now."
    )


class NewsSerializer(serializers.ModelSerializer[CorpusNews]):
    """A post."""

    class Meta:
        model = CorpusNews
        fields = ("id", "title", "text", "published_at")


class NewPostSerializer(Sent):
    """A post that is published."""

    title = serializers.CharField(max_length=news.LONGEST_TITLE)
    text = serializers.CharField(required=False, default="", allow_blank=True, max_length=news.LONGEST)
    is_mailed = serializers.BooleanField(
        required=False, default=True, help_text="Whether those who take part get it by mail."
    )


class MovedDateSerializer(serializers.ModelSerializer[MovedDate]):
    """A date as it was, and as it was from then on; null for none."""

    phase = serializers.CharField(help_text="Its name then; empty for the dates of the corpus.")

    class Meta:
        model = MovedDate
        fields = ("which", "phase", "before", "after", "moved_at")


class PhasesView(ApiView):
    """The phases of a corpus."""

    is_public = True
    scope = tokens.ORGANISE
    refuses = {"POST": (409,)}

    @extend_schema(operation_id="list_phases", responses=page_serializer(PhaseSerializer))
    def get(self, request: Request, tag: str) -> Response:
        """List the phases of a corpus in their order: all on one page."""
        return answer_all(PhaseSerializer, find_corpus(tag).phases.order_by("starts_at"))

    @extend_schema(operation_id="add_phase", request=PhaseDetailsSerializer, responses={201: PhaseSerializer})
    def post(self, request: Request, tag: str) -> Response:
        """Add a phase. For organisers of the corpus, and operators; 409 where it overlaps with another."""
        corpus, by = find_corpus(tag), cast(User, request.user)
        roles.check(by, Act.KEEP, corpus)
        details = PhaseDetails(**read_body(PhaseDetailsSerializer, request))
        made = dates.add_phase(corpus=corpus, by=by, details=details, now=timezone.now())
        return answer(PhaseSerializer(made), 201)


class PhaseView(ApiView):
    """A phase."""

    is_public = True
    scope = tokens.ORGANISE
    refuses = {"PATCH": (409,), "DELETE": (409,)}

    @extend_schema(operation_id="read_phase", responses=PhaseSerializer)
    def get(self, request: Request, tag: str, pk: int) -> Response:
        """Return a phase."""
        return answer(PhaseSerializer(get_object_or_404(find_corpus(tag).phases, pk=pk)))

    @extend_schema(operation_id="change_phase", request=PhaseDetailsSerializer, responses=PhaseSerializer)
    def patch(self, request: Request, tag: str, pk: int) -> Response:
        """Change a phase; what was submitted in it stays so. For organisers of the corpus, and operators."""
        phase, by = self._find(request, tag, pk), cast(User, request.user)
        given = read_body(PhaseDetailsSerializer, request, phase)
        held = {name: getattr(phase, name) for name in PhaseDetails.__dataclass_fields__}
        details = PhaseDetails(**{**held, **given})
        changed = dates.change_phase(phase=phase, by=by, details=details, now=timezone.now())
        return answer(PhaseSerializer(changed))

    @extend_schema(operation_id="remove_phase", responses={204: OpenApiResponse(description="Gone.")})
    def delete(self, request: Request, tag: str, pk: int) -> Response:
        """Remove a phase in which nothing was submitted. For organisers of the corpus, and operators."""
        phase = self._find(request, tag, pk)
        dates.remove_phase(phase=phase, by=cast(User, request.user), now=timezone.now())
        return Response(status=204)

    def _find(self, request: Request, tag: str, pk: int) -> CorpusPhase:
        corpus = find_corpus(tag)
        roles.check(request.user, Act.KEEP, corpus)
        return get_object_or_404(corpus.phases, pk=pk)


class RulesView(ApiView):
    """The rules of a corpus."""

    is_public = True
    scope = tokens.ORGANISE
    refuses = {"POST": (409,)}

    @extend_schema(
        operation_id="list_rules",
        parameters=[PageQuery],
        responses=page_serializer(RulesSerializer),
    )
    def get(self, request: Request, tag: str) -> Response:
        """List the versions of a corpus' rules, the newest first: it holds, unless its text is empty."""
        found = CorpusRules.objects.filter(corpus=find_corpus(tag))
        return answer_page(RulesSerializer, found, request, newest_first=True)

    @extend_schema(operation_id="write_rules", request=TextSerializer, responses={201: RulesSerializer})
    def post(self, request: Request, tag: str) -> Response:
        """Write another version of the rules. For organisers of the corpus, and operators.

        The same text again is no other version: the one that holds is returned.
        """
        corpus, by = find_corpus(tag), cast(User, request.user)
        roles.check(by, Act.KEEP, corpus)
        given = read_body(TextSerializer, request)
        made = versions.write_rules(corpus=corpus, by=by, now=timezone.now(), **given)
        return answer(RulesSerializer(_written(made)), 201)


class TermsView(ApiView):
    """The terms of a corpus."""

    is_public = True
    scope = tokens.ORGANISE
    refuses = {"POST": (409,)}

    @extend_schema(
        operation_id="list_terms", parameters=[PageQuery], responses=page_serializer(TermsSerializer)
    )
    def get(self, request: Request, tag: str) -> Response:
        """List the versions of a corpus' terms, the newest first: it holds, unless its text is empty."""
        own = AcceptedTerms.objects.filter(team__in=_teams(request)).select_related("team", "accepted_by")
        found = CorpusTerms.objects.filter(corpus=find_corpus(tag)).prefetch_related(
            Prefetch("accepted", own.select_related("team", "accepted_by", "terms"), to_attr="own")
        )
        return answer_page(TermsSerializer, found, request, newest_first=True)

    @extend_schema(operation_id="write_terms", request=TextSerializer, responses={201: RulesSerializer})
    def post(self, request: Request, tag: str) -> Response:
        """Write another version of the terms. For organisers of the corpus, and operators.

        Every team accepts it before it submits again; what it submitted stays. The same text again is no
        other version: the one that holds is returned.
        """
        corpus, by = find_corpus(tag), cast(User, request.user)
        roles.check(by, Act.KEEP, corpus)
        given = read_body(TextSerializer, request)
        made = versions.write_terms(corpus=corpus, by=by, now=timezone.now(), **given)
        return answer(RulesSerializer(_written(made)), 201)


class AcceptTermsView(ApiView):
    """The word of a team on terms."""

    refuses = {"POST": (409,)}

    @extend_schema(operation_id="accept_terms", request=AcceptSerializer, responses={201: AcceptedSerializer})
    def post(self, request: Request, tag: str) -> Response:
        """Accept a version of a corpus' terms for a team of the caller's.

        409 where another version holds by now, or the team has accepted this one.
        """
        corpus = find_corpus(tag)
        given, by = read_body(AcceptSerializer, request), cast(User, request.user)
        made = versions.accept(corpus=corpus, by=by, now=timezone.now(), **given)
        return answer(AcceptedSerializer(made), 201)


class NewsView(ApiView):
    """The news of a corpus."""

    is_public = True
    scope = tokens.ORGANISE
    refuses = {"POST": (409,)}

    @extend_schema(
        operation_id="list_news", parameters=[PageQuery], responses=page_serializer(NewsSerializer)
    )
    def get(self, request: Request, tag: str) -> Response:
        """List the news of a corpus, the newest first."""
        return answer_page(NewsSerializer, news.shown(find_corpus(tag)), request, newest_first=True)

    @extend_schema(operation_id="publish_news", request=NewPostSerializer, responses={201: NewsSerializer})
    def post(self, request: Request, tag: str) -> Response:
        """Publish news, and have it mailed. For organisers of the corpus, and operators.

        409 where the newest post says the very same.
        """
        corpus, by = find_corpus(tag), cast(User, request.user)
        roles.check(by, Act.KEEP, corpus)
        given = read_body(NewPostSerializer, request)
        made = news.publish(corpus=corpus, by=by, now=timezone.now(), **given)
        return answer(NewsSerializer(made), 201)


class PostView(ApiView):
    """A post."""

    is_public = True
    scope = tokens.ORGANISE

    @extend_schema(operation_id="read_news", responses=NewsSerializer)
    def get(self, request: Request, tag: str, pk: int) -> Response:
        """Return a post; 404 for one that was withdrawn."""
        return answer(NewsSerializer(get_object_or_404(news.shown(find_corpus(tag)), pk=pk)))

    @extend_schema(operation_id="withdraw_news", responses={204: OpenApiResponse(description="Gone.")})
    def delete(self, request: Request, tag: str, pk: int) -> Response:
        """Show a post to nobody any more; mail has gone. For organisers of the corpus, and operators."""
        corpus, by = find_corpus(tag), cast(User, request.user)
        roles.check(by, Act.KEEP, corpus)
        news.withdraw(post=get_object_or_404(corpus.news, pk=pk), by=by, now=timezone.now())
        return Response(status=204)


class MovedDatesView(ApiView):
    """The dates of a corpus that were moved."""

    is_public = True

    @extend_schema(
        operation_id="list_moved_dates",
        parameters=[PageQuery],
        responses=page_serializer(MovedDateSerializer),
    )
    def get(self, request: Request, tag: str) -> Response:
        """List how the dates of a corpus and its phases were set and moved, the newest first."""
        found = MovedDate.objects.filter(corpus=find_corpus(tag))
        return answer_page(MovedDateSerializer, found, request, newest_first=True)


def _written(made: CorpusRules | CorpusTerms | None) -> Any:
    if made is None:
        raise Conflict("There is none: nothing is to be taken back.")
    return made


def _teams(request: Request) -> Any:
    return request.user.teams.all() if isinstance(request.user, User) else Team.objects.none()
