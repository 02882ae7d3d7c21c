"""What was found in a file, be it submitted or only checked: its problems, its lines, what it claims."""

import csv
import json
from collections.abc import Iterator
from typing import Any, BinaryIO, cast
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_http_methods, require_safe

from annotations.data.readers import closed_words, may_read
from evaluation.models import FileCheck, NormalisedFile
from evaluation.reading.excerpt import Line, excerpt
from evaluation.registry import task_of
from evaluation.submissions import normalised as normalised_files
from evaluation.submissions import problem_files, problem_list
from evaluation.submissions.problem_files import ReadFile
from evaluation.submissions.problem_list import FIELDS, CodeCount
from evaluation.submissions.visibility import find, is_operator, may_change
from evaluation.views.parts import send_file
from kbpo.accounts.models import User
from kbpo.core.errors import Conflict, InvalidInput, NotAllowed
from kbpo.core.numbers import whole_number
from kbpo.core.storage import store
from kbpo_formats import json_lines

PAGE = 50
AROUND = 5  # lines shown before a line and after it
FARTHEST = 100_000_000  # no file has as many lines
SEVERITIES = {"ERROR": "errors", "WARNING": "warnings"}


@login_required
@require_safe
def problems(request: HttpRequest, kind: str, pk: int | UUID) -> HttpResponse:
    """List a file's problems: by code and severity, paged."""
    file = find_file(request, kind, pk)
    code, severity = _filter(request)
    codes = problem_list.count_codes(file, task_of(file.corpus).reader.codes)
    found = problem_list.find(file, code=code, severity=severity)
    shown = _matching(codes, code, severity)
    unlisted = [one for one in shown if one.unlisted]
    whole = problem_files.find(file) if unlisted else None
    context = {
        "file": file,
        "codes": codes,
        "severities": [
            (name, words, sum(one.count for one in codes if one.severity == name))
            for name, words in SEVERITIES.items()
        ],
        "code": code,
        "severity": severity,
        "page": Paginator(found, PAGE).get_page(request.GET.get("page")),
        "total": sum(one.count for one in codes),
        "shown": sum(one.count for one in shown),
        "unlisted": unlisted,
        "recorded": whole.count if whole else 0,
        "has_file": normalised_files.has_file(file),
    }
    return render(request, "evaluation/problems.html", context)


@login_required
@require_safe
def download_problems(request: HttpRequest, kind: str, pk: int | UUID, suffix: str) -> StreamingHttpResponse:
    """Stream every problem, filtered as on the page, as CSV or JSON."""
    file = find_file(request, kind, pk)
    code, severity = _filter(request)
    records = every_problem(file, code=code, severity=severity)
    lines, content_type = (
        (_csv(records), "text/csv; charset=utf-8")
        if suffix == "csv"
        else (as_json(records), "application/json")
    )
    response = StreamingHttpResponse(lines, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{kind}-{file.pk}-problems.{suffix}"'
    return response


def every_problem(file: ReadFile, *, code: str, severity: str) -> Iterator[dict[str, Any]]:
    """Return a file's problems as records: those of a code and severity, where given."""
    codes = problem_list.count_codes(file, task_of(file.corpus).reader.codes)
    return problem_list.records(file, _matching(codes, code, severity), code=code, severity=severity)


@login_required
@require_safe
def lines(request: HttpRequest, kind: str, pk: int | UUID) -> HttpResponse:
    """Show a line of the file, those around it, and what is wrong with them."""
    file = find_file(request, kind, pk)
    asked = request.GET.get("line", "1").strip()
    number = whole_number(asked, FARTHEST)
    if not number:
        raise InvalidInput(f"{asked[:40]!r} is no line: the first is line 1.", where="line")
    attachment = request.GET.get("file", "")
    stream = _open(file, attachment)
    found: tuple[Line, ...] = ()
    if stream is not None:
        with stream:
            found = excerpt(stream, number, AROUND)
    faults: dict[int, list[Any]] = {}
    problems = file.problems.filter(attachment=attachment)
    for problem in problems.filter(line__range=(number - AROUND, number + AROUND)).order_by("line", "pk"):
        faults.setdefault(problem.line, []).append(problem)
    is_tabbed = task_of(file.corpus).reader.format_of(attachment, file.format) != json_lines.FORMAT
    cut = _columns if is_tabbed else _pieces
    context = {
        "file": file,
        "number": number,
        "attachment": attachment,
        "is_tabbed": is_tabbed,
        "has_file": stream is not None,
        "lines": [(line, cut(line, faults.get(line.number, ())), faults.get(line.number)) for line in found],
        "before": problems.filter(line__lt=number, line__gt=0).order_by("-line").first(),
        "after": problems.filter(line__gt=number).order_by("line").first(),
    }
    return render(request, "evaluation/lines.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def normalised(request: HttpRequest, kind: str, pk: int | UUID) -> HttpResponseBase:
    """Send what an accepted file claims as a file without faults, gzip; POST has it made.

    Until it is made, GET answers 202 and when to come again.
    """
    file = find_readable_file(request, kind, pk)
    if request.method == "POST":
        normalised_files.ask(file=file, user=cast(User, request.user))
        return redirect(f"{file.get_absolute_url()}#file")
    return send_normalised(request, kind, file)


def send_normalised(request: HttpRequest, kind: str, file: ReadFile) -> HttpResponseBase:
    """Send a file's normalised one, or say when to come again; its ETag is its SHA-256.

    Raises
    ------
    Conflict
        If nobody asked for it, or it is gone.
    """
    found = normalised_files.find(file)
    if found is None or found.state == NormalisedFile.State.FAILED:
        raise Conflict(f"{file} is not written anew: ask for that on its page, or by POST")
    if found.state == NormalisedFile.State.WAITING:
        seconds = normalised_files.expected_seconds(file)
        words = f"It is being written; that takes about {seconds} s.\n"
        return HttpResponse(words, "text/plain", status=202, headers={"Retry-After": str(seconds)})
    etag = f'"{found.digest}"'
    unchanged = get_conditional_response(request, etag=etag)
    if unchanged is not None:
        return unchanged
    name = f"{kind}-{file.pk}.{'jsonl' if file.format == json_lines.FORMAT else 'kb'}.gz"
    try:
        response = send_file(
            request, store().open(found.place), name=name, kind="application/gzip", etag=etag
        )
    except FileNotFoundError:  # deleted since
        raise Conflict(f"{file} is not written anew any more: ask for that on its page, or by POST") from None
    response.headers["Cache-Control"] = "private, no-cache"
    return response


def find_file(request: HttpRequest, kind: str, pk: int | UUID) -> ReadFile:
    """Return the submission or check of that number, or answer 404 to those who may not see its file."""
    user = cast(User, request.user)
    if kind == "submission":
        submission = find(user, pk=pk)
        if not may_change(user, submission):
            raise Http404("no such submission")
        return submission
    check = FileCheck.objects.filter(pk=str(pk)).select_related("upload", "corpus", "normalised").first()
    if check is None or not (check.upload.user_id == user.pk or is_operator(user)):
        raise Http404("no such check")
    return check


def find_readable_file(request: HttpRequest, kind: str, pk: int | UUID) -> ReadFile:
    """Return it to those who may also have it written anew: that has the words at every place that it names.

    Raises
    ------
    NotAllowed
        If they may not read the corpus' texts.
    """
    file = find_file(request, kind, pk)
    if not may_read(request.user, file.corpus):
        raise NotAllowed(closed_words(file.corpus))
    return file


def written_anew(file: ReadFile, request: HttpRequest) -> dict[str, Any]:
    """Return what the part of a page that offers the normalised file needs."""
    found = normalised_files.find(file)
    is_accepted, has_file = normalised_files.is_accepted(file), normalised_files.has_file(file)
    return {
        "is_accepted": is_accepted,
        "has_file": has_file,
        "is_offered": is_accepted and has_file and may_read(request.user, file.corpus),
        "normalised": found,
        "normalised_state": found.state if found else "",
        "normalised_size": found.size if found else 0,
        "normalised_seconds": normalised_files.expected_seconds(file),
    }


def _open(file: ReadFile, attachment: str) -> BinaryIO | None:
    """Open a file, or what came beside it; None where that was deleted."""
    if not attachment:
        return file.open_file()
    found = file.attachments.filter(name=attachment.replace("\x00", "")).first()
    if found is None:
        raise Http404("nothing of that name came beside the file")
    return found.open_file()


def _filter(request: HttpRequest) -> tuple[str, str]:
    code = request.GET.get("code", "").replace("\x00", "")
    severity = request.GET.get("severity", "")
    if severity and severity not in SEVERITIES:
        raise InvalidInput(f"{severity!r} is none of {', '.join(SEVERITIES)}.", where="severity")
    return code, severity


def _matching(codes: list[CodeCount], code: str, severity: str) -> list[CodeCount]:
    """Return the counts of the codes that a filter leaves."""
    return [one for one in codes if code in ("", one.code) and severity in ("", one.severity)]


def _columns(line: Line, faults: Any) -> list[tuple[str, bool]]:
    """Cut a line at its tabs; say of each column whether a problem points at it."""
    wrong = {problem.column for problem in faults}
    return [(text, number in wrong) for number, text in enumerate(line.text.split("\t"), 1)]


def _pieces(line: Line, faults: Any) -> list[tuple[str, bool]]:
    """Cut a line of JSON where problems point; say of each piece whether one does."""
    pieces: list[tuple[str, bool]] = []
    done = 0
    for problem in sorted((one for one in faults if one.column), key=lambda one: one.column):
        start = problem.column - 1
        if start < done:
            continue  # in what is marked already
        end = start + max(1, len(problem.text.removesuffix("…")))
        pieces += [(line.text[done:start], False), (line.text[start:end], True)]
        done = end
    return [piece for piece in (*pieces, (line.text[done:], False)) if piece[0]]


class _Line:
    """What `csv.writer` writes to: it hands each line back."""

    def write(self, line: str) -> str:
        return line


def _csv(records: Iterator[dict[str, Any]]) -> Iterator[str]:
    writer = csv.DictWriter(_Line(), fieldnames=FIELDS)
    yield writer.writeheader()
    for record in records:
        yield writer.writerow(record)


def as_json(records: Iterator[dict[str, Any]]) -> Iterator[str]:
    """Write records as a list, bit by bit."""
    before = "[\n"
    for record in records:
        yield before + json.dumps(record, ensure_ascii=False)
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"
