"""The pages of a team's webhooks."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from kbpo.accounts.models import User
from kbpo.core.errors import Conflict, InvalidInput
from kbpo.webhooks import managing
from kbpo.webhooks.events import EVENTS, TEST
from kbpo.webhooks.forms import EventsForm, WebhookForm
from kbpo.webhooks.models import Delivery, Webhook

LAST = 50  # deliveries on an address' page


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def webhooks(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a team's addresses to its members, and add one: its secret is on the page that answers."""
    user = cast(User, request.user)
    team = get_object_or_404(user.teams, pk=pk)
    form = WebhookForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            made = managing.add(user=user, team=team, **form.cleaned_data)
        except (InvalidInput, Conflict) as error:
            form.add_error("url", str(error))
        else:
            return _secret(request, made, made.secret)
    context = {"team": team, "webhooks": team.webhooks.all(), "form": form, "most": managing.MOST}
    return render(request, "webhooks/list.html", context, status=400 if form.errors else 200)


@never_cache
@login_required
@require_safe
def webhook(request: HttpRequest, pk: int) -> HttpResponse:
    """Show an address, and what was last sent to it."""
    found = get_object_or_404(_of(request), pk=pk)
    listed = found.deliveries.all()[:LAST]
    names = {**EVENTS, TEST: "A test"}
    context = {
        "webhook": found,
        "team": found.team,
        "form": EventsForm(initial={"events": found.events}),
        "deliveries": [(delivery, names.get(delivery.event, delivery.event)) for delivery in listed],
    }
    return render(request, "webhooks/webhook.html", context)


@never_cache
@login_required
@require_POST
def act(request: HttpRequest, pk: int, action: str) -> HttpResponse:
    """Do something with an address."""
    found, user = get_object_or_404(_of(request), pk=pk), cast(User, request.user)
    if action == "secret":
        return _secret(request, found, managing.make_secret(user=user, webhook=found))
    if action == "events":
        managing.choose_events(user=user, webhook=found, events=request.POST.getlist("events"))
        messages.success(request, "Your choices are saved.")
    elif action in ACTIONS:
        do, words = ACTIONS[action]
        do(user=user, webhook=found)
        messages.success(request, words)
    if action == "remove":
        return redirect("webhooks", found.team_id)
    return redirect("webhook", pk)


@login_required
@require_POST
def send_again(request: HttpRequest, pk: int) -> HttpResponse:
    """Have a delivery sent once more."""
    mine = Delivery.objects.select_related("webhook__team")
    delivery = get_object_or_404(mine.filter(webhook__in=_of(request)), pk=pk)
    managing.send_again(user=cast(User, request.user), delivery=delivery)
    messages.success(request, "It is sent again, with the same id.")
    return redirect("webhook", delivery.webhook_id)


ACTIONS: Mapping[str, tuple[Callable[..., object], str]] = MappingProxyType(
    {
        "test": (managing.send_test, "A test is on its way: what came of it is below in a moment."),
        "on": (managing.switch_on, "It is switched on."),
        "remove": (managing.remove, "The address is removed."),
    }
)


def _of(request: HttpRequest) -> QuerySet[Webhook]:
    user = cast(User, request.user)
    return Webhook.objects.filter(team__in=user.teams.all()).select_related("team", "made_by")


def _secret(request: HttpRequest, found: Webhook, secret: str) -> HttpResponse:
    context = {"webhook": found, "team": found.team, "secret": secret, "site": settings.SITE_URL}
    return render(request, "webhooks/secret.html", context)
