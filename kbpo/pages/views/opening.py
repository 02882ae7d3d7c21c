"""Opening a batch of work: what it asks, costs and buys is shown first, then it is confirmed."""

from typing import TypeVar

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotations.roles import Act
from crowd.models import HitBatch
from crowd.providers import registry
from kbpo.accounts.models import WorkerIdentity
from kbpo.core.errors import KbpoError
from kbpo.pages import opening
from kbpo.pages.access import corpora, for_role, person
from kbpo.pages.forms import OpenForm, PostForm
from kbpo.pages.money import budget_names

Form = TypeVar("Form", bound=PostForm)


@require_http_methods(["GET", "HEAD", "POST"])
@for_role(Act.POST)
def open_batch(request: HttpRequest) -> HttpResponse:
    """Ask what to open; show what that means; open it."""
    form = read_form(OpenForm, request)
    given = form.is_bound
    context: dict[str, object] = {"form": form, "has_account": bool(registry.configured())}
    if not given or not form.is_valid():
        return _show(request, context, status=400 if given and form.errors else 200)
    wanted, now = opening.read(form.cleaned_data), timezone.now()
    if request.method == "POST":
        try:
            batch = opening.open_batch(wanted, agreed_cents=_agreed(request), by=person(request), now=now)
        except KbpoError as error:
            context["error"] = error
            return _show(request, context | _plan(request, wanted, form), status=error.status)
        messages.success(request, _opened(batch))
        return redirect("desk_batch", batch.pk)
    return _show(request, context | _plan(request, wanted, form))


def read_form(form: type[Form], request: HttpRequest) -> Form:
    """Return what is to be posted for a corpus, as a request has it."""
    sent = request.POST if request.method == "POST" else request.GET
    # An address that names a corpus alone, as other pages do, is a form to fill in.
    is_begun = set(request.GET) == {"corpus"} and not request.POST
    return form(
        None if is_begun else sent or None,
        initial=request.GET.dict() if is_begun else None,
        providers=[(name, WorkerIdentity.Provider(name).label) for name in registry.configured()],
        corpora=corpora(request, Act.POST),
    )


def _plan(request: HttpRequest, wanted: opening.Wanted, form: OpenForm) -> dict[str, object]:
    found = opening.plan(wanted, by=person(request), now=timezone.now())
    agreed = {name: form[name].value() for name in form.fields}
    agreed["reward_cents"] = f"{found.reward_cents / 100:.2f}"
    agreed["questions_per_hit"] = found.questions_per_hit
    return {
        "plan": found,
        "wanted": wanted,
        "purses": budget_names.names(room.budget for room in found.rooms),
        "agreed": [(name, value) for name, value in agreed.items() if value not in (None, "", False)],
    }


def _agreed(request: HttpRequest) -> int:
    text = request.POST.get("agreed_cents", "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 15 else 0


def _opened(batch: HitBatch) -> str:
    if batch.state == HitBatch.State.PLANNING:
        return "The batch is open. Its HITs are being put together; then they are posted."
    return f"The batch is open; its HITs are posted with {batch.get_provider_display()} in a moment."


def _show(request: HttpRequest, context: dict[str, object], status: int = 200) -> HttpResponse:
    return render(request, "desk/open.html", context, status=status)
