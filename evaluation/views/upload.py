"""Submitting a system."""

from datetime import datetime
from typing import Any, cast
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from annotations.challenges import versions
from annotations.challenges.dates import read_standings
from annotations.challenges.shown import left, read_life
from annotations.models import Corpus
from evaluation.models import Upload
from evaluation.registry import task_of
from evaluation.submissions import quota, submitting, uploads
from evaluation.views.forms import FileForm, UploadForm, remembered
from kbpo.accounts import teams
from kbpo.accounts.forms import TeamForm
from kbpo.accounts.models import Team, User
from kbpo.core.errors import KbpoError

PIECE = 4 << 20  # bytes that the page's script sends at once


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: HttpRequest) -> HttpResponse:
    """Show the form, or take in a file. A refused form comes back as it was filled in, with its file."""
    user = cast(User, request.user)
    status = 200
    if request.method == "POST":
        form = UploadForm(request.POST, request.FILES, user=user)
        status = 400
        if form.is_valid():
            try:
                return _submit(request, user, form)
            except KbpoError as error:
                form.add_error(None, str(error))
                status = error.status
    else:
        form = UploadForm(user=user, initial={**remembered(user), **asked_for(request)})
    has_team = Team.objects.filter(memberships__user=user).exists()
    context = {
        "form": form,
        "has_team": has_team,
        **sending(user, form),
        **(_quotas(user, form) if has_team else _joining(request, user)),
    }
    return render(request, "evaluation/upload.html", context, status=status)


@login_required
@require_POST
def discard(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Throw away an upload that was left lying."""
    found = Upload.objects.filter(pk=pk, user=cast(User, request.user)).first()
    if found is not None:
        uploads.discard(upload=found)
        messages.success(request, f"{found.name} is deleted.")
    return redirect("check" if request.POST.get("back") == "check" else "upload")


def sending(user: User, form: FileForm) -> dict[str, Any]:
    """Return what the part of a form that sends files needs: a file that it names is not left lying."""
    here = form.all_here
    return {"piece": PIECE, "left_lying": [one for one in uploads.left_lying(user) if one not in here]}


def asked_for(request: HttpRequest) -> dict[str, Any]:
    """Return what the address of a form that takes files fills in: the corpus, and uploads that are here."""
    named = {name: pk for name, pk in request.GET.items() if name == "upload" or name.startswith("upload_")}
    tag = request.GET.get("corpus", "").replace("\x00", "")
    corpus = Corpus.objects.filter(tag=tag).first() if tag else None
    return {**named, **({} if corpus is None else {"corpus": corpus, "format": ""})}


def _submit(request: HttpRequest, user: User, form: UploadForm) -> HttpResponse:
    values = form.cleaned_data
    sent = values.pop("upload")
    submission = submitting.submit_upload(user=user, sent=sent, task=task_of(values["corpus"]), **values)
    messages.success(request, f"{submission.name} is here. You can close this page; nothing is lost.")
    return redirect(submission)


def _quotas(user: User, form: UploadForm) -> dict[str, Any]:
    """Return what is left for the corpus that the form names; before that, how much there is in each."""
    corpora, now = list(Corpus.objects.order_by("created_at", "pk")), timezone.now()
    chosen = [one for one in corpora if len(corpora) == 1 or str(one.pk) == str(form["corpus"].value())]
    if not chosen:
        stands = read_standings(corpora, now)
        listed = [(one, stands[one.pk], left(stands[one.pk], now)) for one in corpora]
        return {"has_corpus": bool(corpora), "quotas": [], "quota_of": listed}
    own = quota.read_quotas(corpus=chosen[0], teams=user.teams.all(), user=user, now=now)
    return {"has_corpus": True, "quotas": own, **_entering(user, chosen[0], now)}


def _entering(user: User, corpus: Corpus, now: datetime) -> dict[str, Any]:
    """Return whether a corpus is open, and what of its terms somebody's teams have to accept first."""
    return {
        "life": read_life(corpus, now),
        "to_accept": list(versions.may_accept(corpus, user)),
        "back": f"{reverse('upload')}?{urlencode({'corpus': corpus.tag})}",
        "in_phase": quota.left_in_phase(corpus=corpus, teams=user.teams.all(), now=now),
    }


def _joining(request: HttpRequest, user: User) -> dict[str, Any]:
    """Return what somebody without a team needs to have one, and to come back here then."""
    return {
        "has_corpus": Corpus.objects.exists(),
        "invitations": teams.invitations(user=user),
        "team_form": TeamForm(prefix="team"),
        "next": request.get_full_path() if request.method != "POST" else request.path,
    }
