"""Checking a file without submitting it."""

from typing import Any, BinaryIO, cast
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.files import File
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from annotations.models import Corpus
from evaluation.models import FileCheck
from evaluation.registry import task_of
from evaluation.submissions import checks, problem_list, visiting
from evaluation.submissions.other_corpus import find_named_corpus, find_other_corpus
from evaluation.views.files import find_file, written_anew
from evaluation.views.forms import CheckForm, VisitorCheckForm, remembered
from evaluation.views.upload import asked_for, sending
from kbpo.core.errors import KbpoError
from kbpo.core.rate_limits import VISITOR_FILE_CHECKS, require_request

ERRORS = 5  # shown here; all problems have a page of their own
VISITORS_PROBLEMS = 30  # shown to who has no account, for whom nothing is kept
WORDS = {
    FileCheck.State.WAITING: (
        "Waiting to be read",
        "That takes seconds, or minutes if it is large. Of each person one file is read at a time.",
    ),
    FileCheck.State.ACCEPTED: ("It would be accepted", "Nothing was submitted."),
    FileCheck.State.REFUSED: (
        "It would be refused: it has errors",
        "Nothing was submitted, and nothing used.",
    ),
    FileCheck.State.FAILED: (
        "We could not check it",
        "That is our fault, not your file's. Check it again; the operators see what happened.",
    ),
}


@require_http_methods(["GET", "HEAD", "POST"])
def check(request: HttpRequest) -> HttpResponse:
    """Show the form and the checks of the last day, or have a file checked."""
    if not request.user.is_authenticated:
        return _check_of_visitor(request)
    user = request.user
    status = 200
    if request.method == "POST":
        form = CheckForm(request.POST, request.FILES, user=user)
        status = 400
        if form.is_valid():
            try:
                return redirect(checks.start(task=task_of(form.cleaned_data["corpus"]), **form.cleaned_data))
            except KbpoError as error:
                form.add_error(None, str(error))
                status = error.status
    else:
        last = remembered(user)
        initial = {key: value for key, value in last.items() if key in ("corpus", "format")}
        form = CheckForm(user=user, initial={**initial, **asked_for(request)})
    recent = FileCheck.objects.filter(upload__user=user, upload__expires_at__gt=timezone.now())
    context = {
        "form": form,
        "has_corpus": Corpus.objects.exists(),
        "recent": [
            (one, WORDS[FileCheck.State(one.state)][0]) for one in recent.select_related("upload", "corpus")
        ],
        **sending(user, form),
    }
    return render(request, "evaluation/check.html", context, status=status)


def _check_of_visitor(request: HttpRequest) -> HttpResponse:
    """Show the form to somebody without an account, and what is found in their file; nothing is kept."""
    status, found = 200, {}
    if request.method == "POST":
        form, status = VisitorCheckForm(request.POST, request.FILES), 400
        try:
            require_request(request, VISITOR_FILE_CHECKS, now=timezone.now())
            if form.is_valid():
                found, status = _read_of_visitor(**form.cleaned_data), 200
        except KbpoError as error:
            form.add_error(None, str(error))
            status = error.status
    else:
        corpus = Corpus.objects.filter(tag=request.GET.get("corpus", "")).first()
        form = VisitorCheckForm(initial={"corpus": corpus} if corpus else None)
    context = {
        "form": form,
        "has_corpus": bool(visiting.corpora()),
        "most_bytes": visiting.MOST_BYTES,
        **found,
    }
    return render(request, "evaluation/visitor_check.html", context, status=status)


def _read_of_visitor(*, file: "File[bytes]", corpus: Corpus, format: str) -> dict[str, Any]:
    task = task_of(corpus)
    read = visiting.check(file=file, corpus=corpus, task=task, format=format)
    errors = [one for one in read.problems if one.severity == "ERROR"]
    counted = read.counts.get("problems", {})
    shown = problem_list.some_of_each(errors or read.problems, most=VISITORS_PROBLEMS)
    other = None
    if not read.accepted:
        file.seek(0)
        other = find_named_corpus(cast(BinaryIO, file.file), sent_to=corpus)
    return {
        "is_read": True,
        "is_accepted": read.accepted,
        "heading": WORDS[FileCheck.State.ACCEPTED if read.accepted else FileCheck.State.REFUSED][0],
        "name": file.name,
        "corpus": corpus,
        "file": {"corpus": corpus},
        "other": other,
        "task": task,
        "summary": task.summarise(read.counts),
        "only_error": errors[0] if len(errors) == 1 else None,
        "codes": sorted(counted.items(), key=lambda one: (-one[1], one[0])),
        "shown": shown,
        "has_errors": bool(errors),
        "is_cut": sum(counted.values()) > len(shown),
    }


@login_required
@require_safe
def checked(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Show what a check found."""
    found = find_file(request, "check", pk)
    assert isinstance(found, FileCheck)
    first = problem_list.find(found, severity="ERROR")[:ERRORS]
    task = task_of(found.corpus)
    heading, next_step = WORDS[FileCheck.State(found.state)]
    context = {
        "check": found,
        "file": found,
        "other": find_other_corpus(found),
        "heading": heading,
        "next_step": next_step,
        "work": checks.in_words(found),
        "is_waiting": found.state == FileCheck.State.WAITING,
        "format": task.reader.formats.get(found.format, found.format),
        "task": task,
        "summary": task.summarise(found.counts),
        **written_anew(found, request),
        "codes": problem_list.count_codes(found, task.reader.codes),
        "problems": first,
        "only_error": first[0] if len(first) == 1 else None,
    }
    context["version"] = f"{found.state}.{context['normalised_state']}"
    context["is_moving"] = "waiting" in (found.state, context["normalised_state"])
    return render(request, "evaluation/checked.html", context)
