"""Corpora: what systems compete in."""

import dataclasses
from typing import cast

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations import roles
from annotations.models import Corpus, Document
from annotations.roles import Act
from evaluation.registry import TASKS, task_of
from kbpo.accounts import tokens
from kbpo.accounts.models import User
from kbpo.api.base import ApiView, answer
from kbpo.api.paging import PageQuery, page_of, page_serializer, read_query
from kbpo.pages import corpora as desk


class CorpusSerializer(serializers.ModelSerializer[Corpus]):
    """A corpus, and what may be submitted for it."""

    ontology = serializers.SerializerMethodField(help_text="Its reference; null where its task has none.")
    classes = serializers.SerializerMethodField(help_text="As in letters@1; null where its task has none.")
    formats = serializers.SerializerMethodField(help_text="In which systems are submitted, with their names.")
    documents = serializers.IntegerField(source="size", help_text="How many it has.")
    target_level = serializers.FloatField(help_text="At which the half-width is meant.")

    class Meta:
        model = Corpus
        fields = (
            *("tag", "name", "description", "task", "language", "ontology", "classes", "formats"),
            *("documents", "design", "weekly_quota", "weekly_quota_of_person", "target_half_width"),
            *("target_level", "policy", "audit_share", "opens_at", "closes_at"),
        )

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


class DetailsSerializer(serializers.ModelSerializer[Corpus]):
    """What may change of a corpus at any time, whatever was sampled; what is left out stays."""

    weekly_quota = serializers.IntegerField(min_value=0, max_value=1_000)
    weekly_quota_of_person = serializers.IntegerField(min_value=0, max_value=1_000)
    description = serializers.CharField(allow_blank=True, max_length=5_000)

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
        page = page_of(_counted(), request, read_query(PageQuery, request))
        return answer(page_serializer(CorpusSerializer)(page))


class CorpusView(ApiView):
    """A corpus."""

    is_public = True
    scope = tokens.ORGANISE

    @extend_schema(operation_id="read_corpus", responses=CorpusSerializer)
    def get(self, request: Request, tag: str) -> Response:
        """Return a corpus."""
        return answer(CorpusSerializer(get_object_or_404(_counted(), tag=tag)))

    @extend_schema(operation_id="change_corpus", request=DetailsSerializer, responses=CorpusSerializer)
    def patch(self, request: Request, tag: str) -> Response:
        """Change what is said of a corpus, its quotas, and when it is open.

        For organisers of the corpus, and operators.
        """
        corpus = find_corpus(tag)
        roles.check(request.user, Act.KEEP, corpus)
        read = DetailsSerializer(corpus, data=request.data, partial=True)
        read.is_valid(raise_exception=True)
        desk.change_details(corpus=corpus, by=cast(User, request.user), details=read.validated_data)
        return self.get(request, tag)


def corpus_field() -> serializers.SlugRelatedField[Corpus]:
    """Return the field for a corpus that is named by its tag."""
    return serializers.SlugRelatedField(
        "tag", queryset=Corpus.objects.all(), error_messages={"does_not_exist": "there is no corpus {value}"}
    )


def find_corpus(tag: str) -> Corpus:
    """Find a corpus, or answer 404."""
    return get_object_or_404(Corpus, tag=tag)


def _counted() -> QuerySet[Corpus]:
    counted = (
        Document.objects.filter(corpus=OuterRef("pk")).order_by().values("corpus").annotate(n=Count("pk"))
    )
    return (
        Corpus.objects.filter(task__in=TASKS)
        .select_related("classes")
        .annotate(size=Coalesce(Subquery(counted.values("n")), 0))
    )
