"""The pages on which people get what is kept about them, and delete their account."""

from typing import Any, cast

from allauth.account.decorators import reauthentication_required
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from kbpo.accounts.models import User
from kbpo.accounts.personal import deleting, exporting
from kbpo.accounts.personal.parts import Leaving
from kbpo.core.errors import KbpoError
from kbpo.core.keeping import trash
from kbpo.core.rate_limits import DAY, KNOWN_NETWORK
from kbpo.core.revalidating import public_page


class DeletionForm(forms.Form):
    """Somebody's word that their account shall go."""

    email = forms.EmailField(label="Your email address", help_text="To be sure that it is this account.")
    withdraws_all = forms.BooleanField(
        label="Withdraw what I submitted for teams that go on without me, too",
        required=False,
        help_text="Otherwise it stays theirs, without your name.",
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._user = user

    def clean_email(self) -> str:
        """Refuse any other address."""
        email = str(self.cleaned_data["email"])
        if email.lower() != self._user.email.lower():
            raise forms.ValidationError("This is not the address that you sign in with.")
        return email


@require_safe
@public_page
def privacy(request: HttpRequest) -> HttpResponse:
    """Say what is kept about people, why, for how long, and who sees it."""
    context = {
        "sessions": settings.SESSION_COOKIE_AGE // (24 * 3600),
        "networks": KNOWN_NETWORK.seconds // DAY,
        "mail": settings.KEEP_MAIL.days,
        "uploads": settings.KEEP_UPLOADS.days,
        "logs": settings.KEEP_LOGS.days,
        "trash": trash.KEPT.days,
    }
    return render(request, "accounts/privacy.html", context)


@never_cache
@login_required
@require_safe
def export(request: HttpRequest) -> StreamingHttpResponse:
    """Give somebody what is kept about them."""
    return StreamingHttpResponse(
        exporting.write(cast(User, request.user)),
        content_type="application/json",
        headers={"Content-Disposition": 'attachment; filename="kbp-online-account.json"'},
    )


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@reauthentication_required  # type: ignore[untyped-decorator]
def delete(request: HttpRequest) -> HttpResponse:
    """Say what deleting the account means, and delete it."""
    user = cast(User, request.user)
    form = DeletionForm(user, request.POST if request.method == "POST" else None)
    refusal, status = deleting.refusal(user), 200
    if request.method == "POST" and not refusal and form.is_valid():
        leaving = Leaving(user, timezone.now(), form.cleaned_data["withdraws_all"])
        try:
            deleting.delete_account(leaving)
        except KbpoError as error:
            form.add_error(None, str(error))
            status = error.status
        else:
            logout(request)
            messages.success(request, "Your account is deleted.")
            return redirect("home")
    elif request.method == "POST":
        status = 409 if refusal else 400
    context = {"form": form, "refusal": refusal, "owed": deleting.owed(user)}
    return render(request, "accounts/delete.html", context, status=status)
