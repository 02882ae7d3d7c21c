"""Corpora: what systems compete in."""

import dataclasses
from datetime import date, datetime, timedelta
from typing import cast

from django.db.models import Case, Count, OuterRef, Prefetch, Q, QuerySet, Subquery, When
from django.db.models.functions import Coalesce
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations import roles
from annotations.challenges.calendar import Standing, State
from annotations.challenges.dates import standing_of
from annotations.models import Corpus, CorpusPhase, CorpusRules, CorpusTerms, Document
from annotations.roles import Act
from evaluation.registry import TASKS, task_of
from kbpo.accounts import tokens
from kbpo.accounts.models import User
from kbpo.api.base import ApiView, answer
from kbpo.api.paging import PageQuery, answer_page, page_serializer
from kbpo.api.sent import Sent, read_body
from kbpo.pages import corpora as desk


class PhaseSerializer(serializers.ModelSerializer[CorpusPhase]):
    """A part of a corpus' time, from its start until just before its end."""

    most_submissions = serializers.IntegerField(
        allow_null=True, help_text="Of one team in it, refused and cancelled ones aside; null: no such limit."
    )
    ends_at = serializers.DateTimeField(allow_null=True, help_text="null: it has no end.")

    class Meta:
        model = CorpusPhase
        fields = (
            *("id", "name", "description", "starts_at", "ends_at", "takes_submissions", "most_submissions"),
        )


class CorpusSerializer(serializers.ModelSerializer[Corpus]):
    """A corpus, and what may be submitted for it."""

    ontology = serializers.SerializerMethodField(help_text="Its reference; null where its task has none.")
    classes = serializers.SerializerMethodField(help_text="As in letters@1; null where its task has none.")
    formats = serializers.SerializerMethodField(help_text="In which systems are submitted, with their names.")
    documents = serializers.IntegerField(source="size", help_text="How many it has.")
    target_level = serializers.FloatField(help_text="At which the half-width is meant.")
    state = serializers.SerializerMethodField(
        help_text="Whether systems may be submitted now: open, upcoming, paused between phases, or closed."
    )
    changes_at = serializers.SerializerMethodField(
        help_text="When it closes, if it is open; when it opens, if it will. null: that is not foreseen."
    )
    phase = serializers.SerializerMethodField(help_text="The name of the one that is on; null for none.")
    phases = PhaseSerializer(many=True, help_text="In their order; without any, its dates alone hold.")
    rules_version = serializers.IntegerField(allow_null=True, help_text="null where it has no rules.")
    terms_version = serializers.IntegerField(
        allow_null=True, help_text="Of what a team accepts before it submits; null for nothing."
    )
    anonymous_until = serializers.SerializerMethodField(
        help_text="The last day until which a system submitted now may be anonymous; null: it may not."
    )

    class Meta:
        model = Corpus
        fields = (
            *("tag", "name", "description", "task", "language", "ontology", "classes", "formats"),
            *("documents", "design", "weekly_quota", "weekly_quota_of_person", "target_half_width"),
            *("target_level", "policy", "audit_share", "opens_at", "closes_at", "state", "changes_at"),
            *("phase", "phases", "rules_version", "terms_version", "contact"),
            *("anonymous_days", "anonymous_until"),
        )

    @extend_schema_field(serializers.ChoiceField(choices=[state.value for state in State]))
    def get_state(self, corpus: Corpus) -> str:
        """Return whether systems may be submitted."""
        return self._standing(corpus).state.value

    def get_changes_at(self, corpus: Corpus) -> datetime | None:
        """Return when that changes."""
        return self._standing(corpus).changes_at

    def get_phase(self, corpus: Corpus) -> str | None:
        """Return the phase that is on."""
        phase = self._standing(corpus).phase
        return None if phase is None else phase.name

    def get_anonymous_until(self, corpus: Corpus) -> date | None:
        """Return the last day of a system that is submitted now."""
        days = corpus.anonymous_days
        return (self.context["now"] + timedelta(days=days)).date() if days else None

    def _standing(self, corpus: Corpus) -> Standing:
        return standing_of(corpus, corpus.phases.all(), self.context["now"])

    def get_ontology(self, corpus: Corpus) -> str | None:
        """Return its reference."""
        return corpus.ontology_id if task_of(corpus).has_ontology else None

    def get_classes(self, corpus: Corpus) -> str | None:
        """Return the name and version of its list of classes."""
        found = corpus.classes
        return None if found is None else f"{found.name}@{found.version}"

    def get_formats(self, corpus: Corpus) -> dict[str, str]:
        """Return the formats of its task."""
        return dict(task_of(corpus).reader.formats)


class DetailsSerializer(Sent, serializers.ModelSerializer[Corpus]):
    """What may change of a corpus at any time, whatever was sampled; what is left out stays."""

    weekly_quota = serializers.IntegerField(min_value=0, max_value=1_000)
    weekly_quota_of_person = serializers.IntegerField(min_value=0, max_value=1_000)
    description = serializers.CharField(allow_blank=True, max_length=5_000)
    anonymous_days = serializers.IntegerField(min_value=0, max_value=3_650)

    class Meta:
        model = Corpus
        fields = tuple(field.name for field in dataclasses.fields(desk.Details))


class CorporaView(ApiView):
    """The corpora."""

    is_public = True

    @extend_schema(
        operation_id="list_corpora", parameters=[PageQuery], responses=page_serializer(CorpusSerializer)
    )
    def get(self, request: Request) -> Response:
        """List the corpora, in the order in which they were made."""
        return answer_page(CorpusSerializer, _counted(), request)


class CorpusView(ApiView):
    """A corpus."""

    is_public = True
    scope = tokens.ORGANISE

    @extend_schema(operation_id="read_corpus", responses=CorpusSerializer)
    def get(self, request: Request, tag: str) -> Response:
        """Return a corpus."""
        found = get_object_or_404(_counted(), tag=tag)
        return answer(CorpusSerializer(found, context={"now": timezone.now()}))

    @extend_schema(operation_id="change_corpus", request=DetailsSerializer, responses=CorpusSerializer)
    def patch(self, request: Request, tag: str) -> Response:
        """Change what is said of a corpus, its quotas, and when it is open; a date that is moved is noted.

        For organisers of the corpus, and operators.
        """
        corpus = find_corpus(tag)
        roles.check(request.user, Act.KEEP, corpus)
        details = read_body(DetailsSerializer, request, corpus)
        desk.change_details(corpus=corpus, by=cast(User, request.user), details=details)
        return self.get(request, tag)


def corpus_field() -> serializers.SlugRelatedField[Corpus]:
    """Return the field for a corpus that is named by its tag."""
    return serializers.SlugRelatedField(
        "tag",
        queryset=Corpus.objects.all(),
        error_messages={"does_not_exist": "there is no corpus {value}"},
    )


def find_corpus(tag: str) -> Corpus:
    """Find a corpus, or answer 404."""
    return get_object_or_404(Corpus, tag=tag)


def _newest(model: type[CorpusRules] | type[CorpusTerms]) -> Subquery:
    """Return the version of a text that holds; null where the newest one is empty."""
    versions = model._default_manager.filter(corpus=OuterRef("pk")).order_by("-version")
    return Subquery(versions.values(held=Case(When(~Q(text=""), then="version")))[:1])


def _counted() -> QuerySet[Corpus]:
    counted = (
        Document.objects.filter(corpus=OuterRef("pk")).order_by().values("corpus").annotate(n=Count("pk"))
    )
    return (
        Corpus.objects.filter(task__in=TASKS)
        .select_related("classes")
        .prefetch_related(Prefetch("phases", CorpusPhase.objects.order_by("starts_at")))
        .annotate(
            size=Coalesce(Subquery(counted.values("n")), 0),
            rules_version=_newest(CorpusRules),
            terms_version=_newest(CorpusTerms),
        )
    )
