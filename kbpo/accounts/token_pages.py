"""The pages on which people make tokens of the API, and end them."""

from typing import cast

from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from kbpo.accounts import tokens as service
from kbpo.accounts.forms import TokenForm
from kbpo.accounts.models import ApiToken, User
from kbpo.core.errors import KbpoError


@never_cache
@login_required
@require_safe
def tokens(request: HttpRequest) -> HttpResponse:
    """List the signed-in person's tokens: those that are good, and those that have ended."""
    user, now = cast(User, request.user), timezone.now()
    good = list(service.living(user=user, now=now))
    ended = [one for one in ApiToken.objects.filter(user=user) if one not in good]
    return render(request, "accounts/tokens.html", {"good": good, "ended": ended})


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@reauthentication_required  # type: ignore[untyped-decorator]
def new(request: HttpRequest) -> HttpResponse:
    """Make a token, and show it this once."""
    user = cast(User, request.user)
    form = TokenForm(request.POST if request.method == "POST" else None)
    status = 200
    if request.method == "POST":
        status = 400
        if form.is_valid():
            try:
                made = service.make(user=user, now=timezone.now(), **form.cleaned_data)
            except KbpoError as error:
                form.add_error(None, str(error))
                status = error.status
            else:
                return render(request, "accounts/token_made.html", {"made": made})
    return render(request, "accounts/token_new.html", {"form": form}, status=status)


@login_required
@require_POST
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    """End a token."""
    user = cast(User, request.user)
    found = get_object_or_404(ApiToken, pk=pk, user=user)
    service.revoke(token=found, by=user, now=timezone.now())
    messages.success(request, f"{found.name} is revoked: nothing can be done with it any more.")
    return redirect("tokens")
