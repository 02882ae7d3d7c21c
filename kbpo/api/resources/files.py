"""What was found in a file, be it submitted or only checked: problems, and what it claims, written anew."""

import hashlib
import json
from itertools import chain
from typing import Any, cast
from uuid import UUID

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from evaluation.models import NormalisedFile, Problem
from evaluation.submissions import normalised, problem_files, problem_list, quotes
from evaluation.submissions.problem_files import ReadFile
from evaluation.views.files import as_json, every_problem, find_file, find_readable_file, send_normalised
from kbpo.accounts.models import User
from kbpo.api.base import ApiView, answer
from kbpo.api.paging import PageQuery, page_of, page_serializer, read_query

RANGE = OpenApiParameter(
    "Range",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="As in `bytes=1024-`, with the ETag in `If-Range`: the rest of a large file.",
)


class CodeCountSerializer(serializers.Serializer[Any]):
    """How often a kind of problem was found in a file."""

    code = serializers.CharField()
    severity = serializers.ChoiceField(choices=["ERROR", "WARNING"])
    count = serializers.IntegerField(help_text="All of them.")
    listed = serializers.IntegerField(help_text="Those that are in the list: the first of each kind.")
    repair = serializers.CharField(help_text="What is done about a warning.")


class ProblemSerializer(serializers.ModelSerializer[Problem]):
    """A fault in a file."""

    class Meta:
        model = Problem
        fields = problem_list.FIELDS


class AllProblemsQuery(serializers.Serializer[Any]):
    """Which problems."""

    code = serializers.CharField(required=False, default="", allow_blank=True, max_length=64)
    severity = serializers.ChoiceField(required=False, choices=["ERROR", "WARNING"])


class ProblemsQuery(AllProblemsQuery, PageQuery):
    """Which problems, and which page of them."""


class NormalisedSerializer(serializers.Serializer[NormalisedFile]):
    """A file that is written anew."""

    state = serializers.ChoiceField(choices=NormalisedFile.State.choices)
    seconds = serializers.IntegerField(help_text="How long that takes, roughly.")
    digest = serializers.CharField(help_text="Its SHA-256, also in the ETag; empty until it is ready.")


class EveryProblemSerializer(ProblemSerializer):
    """A fault in a file, or how many of a code are not kept."""

    line = serializers.IntegerField(allow_null=True, help_text="0 for the file as a whole.")


_EVERY_PROBLEM = page_serializer(EveryProblemSerializer)


class _ProblemsView(ApiView):
    """The problems of a file."""

    kind = ""

    def list(self, request: Request, pk: int | UUID) -> Response:
        """List a file's problems, as they were found."""
        asked = read_query(ProblemsQuery, request)
        file = find_file(request._request, self.kind, pk)
        found = problem_list.find(file, code=asked["code"], severity=asked.get("severity", ""))
        return answer(page_serializer(ProblemSerializer)(page_of(found, request, asked)))


class SubmissionProblemsView(_ProblemsView):
    """The problems of a submission's file."""

    kind = "submission"

    @extend_schema(
        operation_id="list_submission_problems",
        parameters=[ProblemsQuery],
        responses=page_serializer(ProblemSerializer),
    )
    def get(self, request: Request, pk: int) -> Response:
        """List the problems in a submission's file; 404 to all but its team and operators.

        Of each code the first thousand are listed: the submission's `problems` count all, and how many are.
        `problems/all/` has every one.
        """
        return self.list(request, pk)


class CheckProblemsView(_ProblemsView):
    """The problems of a checked file."""

    kind = "check"

    @extend_schema(
        operation_id="list_check_problems",
        parameters=[ProblemsQuery],
        responses=page_serializer(ProblemSerializer),
    )
    def get(self, request: Request, pk: UUID) -> Response:
        """List the problems in a checked file; 404 to all but its owner and operators.

        Of each code the first thousand are listed: the check's `problems` count all, and how many are.
        `problems/all/` has every one.
        """
        return self.list(request, pk)


class _AllProblemsView(ApiView):
    """Every problem of a file."""

    kind = ""

    def send(self, request: Request, pk: int | UUID) -> HttpResponseBase:
        """Stream them as they are read from a file, by line."""
        asked = read_query(AllProblemsQuery, request)
        file = find_file(request._request, self.kind, pk)
        etag = self._etag(file, asked)
        unchanged = get_conditional_response(request._request, etag=etag)
        if unchanged is not None:
            return unchanged
        records = every_problem(file, code=asked["code"], severity=asked.get("severity", ""))
        page = chain(['{"results": '], as_json(records), [', "next": null}'])
        return StreamingHttpResponse(page, content_type="application/json", headers={"ETag": etag})

    def _etag(self, file: ReadFile, asked: dict[str, Any]) -> str:
        """Return what changes whenever the list would: problems, or quotes in them, may go."""
        made = problem_files.find(file)
        texts = quotes.texts_of(file.corpus)
        whole = [
            self.kind,
            str(file.pk),
            file.counts.get("problems"),
            str(made.pk) if made else "",
            texts,
            asked,
        ]
        return quote_etag(hashlib.sha256(json.dumps(whole).encode()).hexdigest()[:32])


class SubmissionAllProblemsView(_AllProblemsView):
    """Every problem of a submission's file."""

    kind = "submission"

    @extend_schema(
        operation_id="read_submission_problems", parameters=[AllProblemsQuery], responses=_EVERY_PROBLEM
    )
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """Return every problem in a submission's file, at once; 404 to all but its team and operators.

        Of what is counted and not kept a last row of its code says how many there are: `line` is null there.
        """
        return self.send(request, pk)


class CheckAllProblemsView(_AllProblemsView):
    """Every problem of a checked file."""

    kind = "check"

    @extend_schema(
        operation_id="read_check_problems", parameters=[AllProblemsQuery], responses=_EVERY_PROBLEM
    )
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Return every problem in a checked file, at once; 404 to all but its owner and operators.

        Of what is counted and not kept a last row of its code says how many there are: `line` is null there.
        """
        return self.send(request, pk)


class _NormalisedView(ApiView):
    """An accepted file, written anew without its faults."""

    kind = ""

    def send(self, request: Request, pk: int | UUID) -> HttpResponseBase:
        """Send the file, or say when to come again."""
        file = find_readable_file(request._request, self.kind, pk)
        found = normalised.find(file)
        if found is not None and found.state == NormalisedFile.State.WAITING:
            return self._waiting(file, found)
        return send_normalised(request._request, self.kind, file)

    def ask(self, request: Request, pk: int | UUID) -> Response:
        """Have it written."""
        file = find_readable_file(request._request, self.kind, pk)
        return self._waiting(file, normalised.ask(file=file, user=cast(User, request.user)))

    def _waiting(self, file: ReadFile, found: NormalisedFile) -> Response:
        seconds = normalised.expected_seconds(file)
        shown: Any = {"state": found.state, "seconds": seconds, "digest": found.digest}
        return answer(NormalisedSerializer(shown), 202, Retry_After=str(seconds))


_SENT = {
    (200, "application/gzip"): OpenApiResponse(
        OpenApiTypes.BINARY, description="The file, gzip; its ETag is its SHA-256."
    ),
    (206, "application/gzip"): OpenApiResponse(
        OpenApiTypes.BINARY, description="What follows the bytes that `Range` says are there."
    ),
    202: OpenApiResponse(NormalisedSerializer, description="It is being written: come again."),
}
_ASKED = {202: OpenApiResponse(NormalisedSerializer, description="It is being written, or is.")}


class SubmissionFileView(_NormalisedView):
    """What a submission claims, written anew."""

    kind = "submission"
    refuses = {"GET": (409,), "POST": (409, 423)}

    @extend_schema(operation_id="read_submission_file", parameters=[RANGE], responses=_SENT)
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """Return what an accepted submission claims as a file without faults; 409 if nobody asked for it."""
        return self.send(request, pk)

    @extend_schema(operation_id="write_submission_file", request=None, responses=_ASKED)
    def post(self, request: Request, pk: int) -> Response:
        """Have what an accepted submission claims written as a file without faults."""
        return self.ask(request, pk)


class CheckFileView(_NormalisedView):
    """What a checked file claims, written anew."""

    kind = "check"
    refuses = {"GET": (409,), "POST": (409, 423)}

    @extend_schema(operation_id="read_check_file", parameters=[RANGE], responses=_SENT)
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Return what a checked file claims as one without faults; 409 if nobody has asked for it."""
        return self.send(request, pk)

    @extend_schema(operation_id="write_check_file", request=None, responses=_ASKED)
    def post(self, request: Request, pk: UUID) -> Response:
        """Have what a checked file claims written as one without faults."""
        return self.ask(request, pk)
