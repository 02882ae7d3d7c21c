"""Handing in a system."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from annotations.models import Corpus
from evaluation import submissions
from evaluation.forms import UploadForm
from kbpo.accounts.models import Team, User
from kbpo.core.errors import KbpoError


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: HttpRequest) -> HttpResponse:
    """Show the form, or take in a file. A refused form comes back as it was filled in.

    The page's script asks for JSON: it is told where to go instead of being led there.
    """
    user = cast(User, request.user)
    posted = request.method == "POST"
    form = UploadForm(
        request.POST if posted else None,
        request.FILES if posted else None,
        user=user,
        initial={"corpus": Corpus.objects.filter(tag=request.GET.get("corpus", "")).first()},
    )
    status = 200
    if posted and form.is_valid():
        try:
            submission = submissions.upload(user=user, **form.cleaned_data)
        except KbpoError as error:
            form.add_error(None, str(error))
            status = error.status
        else:
            messages.success(request, f"{submission.name} is here. You can close this page; nothing is lost.")
            page = reverse("submission", args=[submission.pk])
            if request.headers.get("Accept") == "application/json":
                return HttpResponse(status=201, headers={"Location": page})
            return redirect(page)
    elif posted:
        status = 400
    context = {
        "form": form,
        "has_team": Team.objects.filter(memberships__user=user).exists(),
        "has_corpus": Corpus.objects.exists(),
    }
    return render(request, "evaluation/upload.html", context, status=status)
