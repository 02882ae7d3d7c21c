"""Epochs, and what those that are released publish."""

from typing import Any, cast

from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.kinds.registry import published_columns
from evaluation.design import releases
from evaluation.models import Epoch
from kbpo.accounts import tokens
from kbpo.accounts.models import User
from kbpo.api.base import ApiView, answer
from kbpo.api.paging import PageQuery, answer_page, cut, page_serializer, read_cursor, read_query
from kbpo.api.resources.corpora import find_corpus
from kbpo.api.sent import Sent, read_body
from kbpo.pages import corpora as desk


class EpochSerializer(serializers.ModelSerializer[Epoch]):
    """A span of a corpus' life with one secret. What is sampled in it is sealed until it is released."""

    secret = serializers.SerializerMethodField(help_text="In hexadecimal; null until it is released.")
    sample = serializers.SerializerMethodField(help_text="The file by which its samples are drawn again.")

    class Meta:
        model = Epoch
        fields = (
            *("number", "opened_at", "released_at", "commitment", "secret", "key_version", "weighting"),
            *("growth", "sample"),
        )

    def get_secret(self, epoch: Epoch) -> str | None:
        """Return what is public of it."""
        return epoch.secret if epoch.released_at is not None else None

    def get_sample(self, epoch: Epoch) -> str | None:
        """Return the address of the file, once there is one."""
        if epoch.released_at is None:
            return None
        request: Request = self.context["request"]
        return request.build_absolute_uri(reverse("sample", args=[epoch.corpus.tag, epoch.number]))


class LabelSerializer(serializers.Serializer[Any]):
    """A released label. What its kind of question does not have is left out."""

    kind = serializers.CharField(help_text="Of question.")
    doc_id = serializers.CharField()
    right = serializers.BooleanField(required=False, help_text="Whether a verdict is that it holds.")
    value = serializers.FloatField()
    votes_for = serializers.IntegerField()
    votes = serializers.IntegerField()
    source = serializers.CharField(help_text="Who decided.")  # type: ignore[assignment]
    audit = serializers.BooleanField(required=False, help_text="Whether it audits another label.")

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Return the fields, with those that tell the claims of each kind of question apart."""
        fields = super().get_fields()
        for name in published_columns():
            is_place = name.endswith(("_start", "_end"))
            fields[name] = (
                serializers.IntegerField(required=False)
                if is_place
                else serializers.CharField(required=False)
            )
        return fields


class ReleaseSerializer(Sent):
    """How an epoch is released."""

    retire = serializers.FloatField(
        required=False,
        allow_null=True,
        default=None,
        min_value=0,
        max_value=1,
        help_text="The share of the documents annotated in full that is retired with it; none if left out.",
    )


class EpochsView(ApiView):
    """The epochs of a corpus."""

    is_public = True

    @extend_schema(
        operation_id="list_epochs", parameters=[PageQuery], responses=page_serializer(EpochSerializer)
    )
    def get(self, request: Request, tag: str) -> Response:
        """List the epochs of a corpus, the newest first."""
        found = Epoch.objects.filter(corpus=find_corpus(tag)).select_related("corpus")
        return answer_page(EpochSerializer, found, request, key="number", newest_first=True)


class EpochView(ApiView):
    """An epoch."""

    is_public = True

    @extend_schema(operation_id="read_epoch", responses=EpochSerializer)
    def get(self, request: Request, tag: str, number: int) -> Response:
        """Return an epoch."""
        return answer(EpochSerializer(_find(tag, number), context={"request": request}))


class LabelsView(ApiView):
    """The labels of a released epoch."""

    is_public = True

    @extend_schema(
        operation_id="list_labels", parameters=[PageQuery], responses=page_serializer(LabelSerializer)
    )
    def get(self, request: Request, tag: str, number: int) -> Response:
        """List the labels that a released epoch published, by document; 403 while it is sealed.

        A page has the labels of so many questions; a question may have several.
        """
        asked = read_query(PageQuery, request)
        found = releases.label_page(_find(tag, number), read_cursor(asked, 2), asked["limit"])
        page = cut([*found.questions], request, asked, lambda one: one)
        return answer(page_serializer(LabelSerializer)({"next": page.next, "results": found.labels}))


class ReleaseView(ApiView):
    """The release of an epoch."""

    scope = tokens.ORGANISE
    refuses = {"POST": (409,)}

    @extend_schema(operation_id="release_epoch", request=ReleaseSerializer, responses=EpochSerializer)
    def post(self, request: Request, tag: str, number: int) -> Response:
        """Release the open epoch: its labels and its secret are public from then on, for good.

        For organisers of the corpus, and operators. 409 if it is not the open one.
        """
        retire = read_body(ReleaseSerializer, request)["retire"] or None
        epoch, _ = desk.release_epoch(
            corpus=find_corpus(tag),
            by=cast(User, request.user),
            number=number,
            retire=retire,
        )
        return answer(EpochSerializer(epoch, context={"request": request}))


def _find(tag: str, number: int) -> Epoch:
    return get_object_or_404(Epoch.objects.select_related("corpus"), corpus__tag=tag, number=number)
