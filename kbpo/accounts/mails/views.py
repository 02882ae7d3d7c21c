"""The page on which people choose their mail, and the one behind the link in each message."""

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from kbpo.accounts.mails import choices
from kbpo.accounts.models import User


class ChoicesForm(forms.Form):
    """A box for each kind of mail."""

    def __init__(self, user: User, data: Any = None) -> None:
        super().__init__(data)
        off = choices.switched_off(user)
        for kind in choices.offered(user):
            self.fields[kind.name] = forms.BooleanField(
                label=kind.title, help_text=kind.words, required=False, initial=kind.name not in off
            )

    @property
    def wanted(self) -> list[str]:
        """List the kinds that are ticked."""
        return [name for name, is_on in self.cleaned_data.items() if is_on]


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def choose(request: HttpRequest) -> HttpResponse:
    """Show and save which mail the signed-in person gets."""
    user = cast(User, request.user)
    form = ChoicesForm(user, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        choices.choose(user=user, wanted=form.wanted)
        messages.success(request, "Your choices are saved.")
        return redirect("mail_choices")
    return render(request, "accounts/mail_choices.html", {"form": form})


@never_cache
@csrf_exempt  # a mail program posts here by itself; the signed link is all that counts
@require_http_methods(["GET", "HEAD", "POST"])
def off(request: HttpRequest, token: str) -> HttpResponse:
    """Ask whether a kind of mail is to be switched off, for who follows its link; do so when it is posted."""
    kind, user, _ = choices.read_token(token)
    if request.method == "POST":
        choices.switch_off(given=token)
    context = {"kind": kind, "is_off": request.method == "POST", "has_account": user is not None}
    return render(request, "accounts/mail_off.html", context)
