"""The caller: who they are, their teams, and what is left of these teams' quotas."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations import roles
from annotations.models import CorpusRole
from evaluation.submissions import quota
from evaluation.submissions.quota import Quota
from kbpo.accounts.models import ApiToken, Team, User
from kbpo.api.base import ApiView, answer
from kbpo.api.paging import answer_all, page_serializer
from kbpo.api.resources.corpora import find_corpus


class TokenSerializer(serializers.ModelSerializer[ApiToken]):
    """The token by which the caller is known."""

    scopes = serializers.ListField(child=serializers.ChoiceField(choices=ApiToken.Scope.choices))

    class Meta:
        model = ApiToken
        fields = ("name", "scopes", "expires_at")


class RoleSerializer(serializers.ModelSerializer[CorpusRole]):
    """A role for a corpus."""

    corpus = serializers.CharField(source="corpus.tag")

    class Meta:
        model = CorpusRole
        fields = ("corpus", "role")


class MemberSerializer(serializers.ModelSerializer[User]):
    """A member of a team, as the others of it know them."""

    name = serializers.CharField(source="__str__", help_text="The email address of who gave no name.")

    class Meta:
        model = User
        fields = ("id", "name")


class TeamSerializer(serializers.ModelSerializer[Team]):
    """A team of the caller's."""

    members = MemberSerializer(many=True)

    class Meta:
        model = Team
        fields = ("id", "name", "created_at", "approved_at", "members")


@dataclass(frozen=True, slots=True)
class Me:
    """The caller, with their token, if that is how they are known."""

    user: User
    token: ApiToken | None
    teams: Sequence[str]
    roles: Sequence[CorpusRole]


class MeSerializer(serializers.Serializer[Me]):
    """The caller."""

    id = serializers.IntegerField(source="user.pk")
    email = serializers.EmailField(source="user.email")
    name = serializers.CharField(source="user.name")
    is_operator = serializers.BooleanField(
        source="user.is_operator", help_text="As far as the token passes it on."
    )
    token = TokenSerializer(allow_null=True, help_text="null for the session of a browser.")
    teams = serializers.ListField(child=serializers.CharField())
    roles = RoleSerializer(many=True)


class QuotaSerializer(serializers.Serializer[Quota]):
    """What is left of a team's quota in a corpus for what the caller submits."""

    team = serializers.CharField(source="team.name")
    left = serializers.IntegerField(help_text="How many more may be judged now.")
    free_at = serializers.DateTimeField(allow_null=True, help_text="When the next may; null: now.")
    may_compete = serializers.BooleanField(help_text="Whether the team is approved, or need not be.")


class MeView(ApiView):
    """The caller."""

    @extend_schema(operation_id="read_me", responses=MeSerializer)
    def get(self, request: Request) -> Response:
        """Return who the caller is, and what their token may do."""
        user = cast(User, request.user)
        me = Me(
            user,
            request.auth if isinstance(request.auth, ApiToken) else None,
            list(user.teams.values_list("name", flat=True)),
            list(roles.held(user).select_related("corpus").order_by("pk")),
        )
        return answer(MeSerializer(me))


class TeamsView(ApiView):
    """The caller's teams."""

    @extend_schema(operation_id="list_teams", responses=page_serializer(TeamSerializer))
    def get(self, request: Request) -> Response:
        """List the caller's teams: all on one page."""
        found = cast(User, request.user).teams.prefetch_related("members")
        return answer_all(TeamSerializer, found)


class TeamView(ApiView):
    """A team of the caller's."""

    @extend_schema(operation_id="read_team", responses=TeamSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """Return a team of the caller's; 404 for any other."""
        return answer(TeamSerializer(get_object_or_404(cast(User, request.user).teams, pk=pk)))


class QuotasView(ApiView):
    """Quotas."""

    @extend_schema(operation_id="list_quotas", responses=page_serializer(QuotaSerializer))
    def get(self, request: Request, tag: str) -> Response:
        """List what is left of the quotas of the caller's teams in a corpus: all on one page."""
        corpus, user, now = find_corpus(tag), cast(User, request.user), timezone.now()
        rows = quota.read_quotas(corpus=corpus, teams=user.teams.all(), user=user, now=now)
        return answer_all(QuotaSerializer, rows)
