"""Checks: files that are read as a submission's would be, and not submitted."""

from typing import Any, cast
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from evaluation.models import FileCheck
from evaluation.registry import task_of
from evaluation.submissions import checks, normalised, problem_list, uploads
from evaluation.submissions.other_corpus import find_other_corpus
from evaluation.views.files import find_file
from kbpo.accounts.models import User
from kbpo.api.base import ApiView, answer
from kbpo.api.paging import answer_all, page_serializer
from kbpo.api.resources.corpora import corpus_field
from kbpo.api.resources.files import CodeCountSerializer
from kbpo.api.resources.uploads import attachments_field, whole_attachments
from kbpo.api.sent import Sent, read_body


class CheckSerializer(serializers.ModelSerializer[FileCheck]):
    """A check, and where it stands."""

    file = serializers.CharField(source="upload.name", help_text="What its owner calls it.")
    corpus = serializers.CharField(source="corpus.tag")
    version = serializers.SerializerMethodField(help_text="Another one whenever its page would be.")
    normalised = serializers.SerializerMethodField(help_text="The state of its normalised file, if any.")
    counts = serializers.DictField(help_text="What reading the file found; its task says what that is.")
    work = serializers.SerializerMethodField(help_text="How many files come before it.")
    problems = serializers.SerializerMethodField(help_text="What was found in the file, counted.")
    looks_like = serializers.SerializerMethodField(
        help_text="The tag of another corpus whose documents a file with errors names; empty for none."
    )

    class Meta:
        model = FileCheck
        fields = (
            *("id", "file", "corpus", "format", "state", "created_at", "version", "normalised", "counts"),
            *("work", "problems", "looks_like"),
        )

    def get_version(self, check: FileCheck) -> str:
        """Return what changes whenever its page would."""
        return f"{check.state}.{normalised.state(check)}"

    def get_normalised(self, check: FileCheck) -> str:
        """Return the state of its normalised file."""
        return normalised.state(check)

    def get_work(self, check: FileCheck) -> str:
        """Return what it waits for."""
        return checks.in_words(check)

    def get_looks_like(self, check: FileCheck) -> str:
        """Return the tag of the corpus that it seems to be for."""
        other = find_other_corpus(check)
        return other.corpus.tag if other else ""

    @extend_schema_field(CodeCountSerializer(many=True))
    def get_problems(self, check: FileCheck) -> Any:
        """Count its problems."""
        codes = problem_list.count_codes(check, task_of(check.corpus).reader.codes)
        return CodeCountSerializer(codes, many=True).data


class NewCheckSerializer(Sent):
    """A file that is to be checked."""

    corpus = corpus_field()
    upload = serializers.UUIDField(help_text="Of a file that has arrived in full.")
    format = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=16, help_text="Recognised if left out."
    )
    attachments = attachments_field()


class ChecksView(ApiView):
    """The caller's checks."""

    refuses = {"POST": (404, 409, 423)}

    @extend_schema(operation_id="list_checks", responses=page_serializer(CheckSerializer))
    def get(self, request: Request) -> Response:
        """List the caller's checks of the last day, the newest first: all on one page."""
        found = FileCheck.objects.filter(upload__user=request.user.pk, upload__expires_at__gt=timezone.now())
        return answer_all(CheckSerializer, found.select_related("upload", "corpus", "normalised"))

    @extend_schema(operation_id="check", request=NewCheckSerializer, responses={201: CheckSerializer})
    def post(self, request: Request) -> Response:
        """Have an uploaded file read as a submission's would be. Nothing is submitted."""
        values, user = read_body(NewCheckSerializer, request), cast(User, request.user)
        made = checks.start(
            upload=uploads.whole(user=user, pk=values["upload"]),
            attachments=whole_attachments(user, values["attachments"]),
            corpus=values["corpus"],
            task=task_of(values["corpus"]),
            format=values["format"],
        )
        return answer(CheckSerializer(made), 201)


class CheckView(ApiView):
    """A check."""

    @extend_schema(operation_id="read_check", responses=CheckSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        """Return a check; 404 to all but its owner and operators."""
        found = find_file(request._request, "check", pk)
        assert isinstance(found, FileCheck)
        return answer(CheckSerializer(found))
