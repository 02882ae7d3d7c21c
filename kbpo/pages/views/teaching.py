"""Opening a tutorial: what it costs is shown first, then it is confirmed."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotations.roles import Act
from crowd.providers import registry
from kbpo.core.errors import KbpoError
from kbpo.pages import teaching
from kbpo.pages.access import for_role, person
from kbpo.pages.forms import TutorialForm
from kbpo.pages.views.opening import read_form


@require_http_methods(["GET", "HEAD", "POST"])
@for_role(Act.POST)
def open_tutorial(request: HttpRequest) -> HttpResponse:
    """Ask which tutorial to open; show what it costs; open it."""
    form = read_form(TutorialForm, request)
    given = form.is_bound
    context: dict[str, object] = {"form": form, "has_account": bool(registry.configured())}
    status = 200
    if given and not form.is_valid():
        status = 400
    elif given:
        wanted = teaching.read(form.cleaned_data)
        if request.method == "POST":
            try:
                batch = teaching.open_tutorial(wanted, by=person(request), now=timezone.now())
            except KbpoError as error:
                context["error"], status = error, error.status
            else:
                messages.success(
                    request,
                    f"The tutorial is open; it is posted with {batch.get_provider_display()} in a moment.",
                )
                return redirect("desk_batch", batch.pk)
        context |= _plan(request, wanted, form)
    return render(request, "desk/tutorial.html", context, status=status)


def _plan(request: HttpRequest, wanted: teaching.Wanted, form: TutorialForm) -> dict[str, object]:
    found = teaching.plan(wanted, by=person(request), now=timezone.now())
    agreed = {name: form[name].value() for name in form.fields}
    agreed["reward_cents"] = f"{found.reward_cents / 100:.2f}"
    return {"plan": found, "wanted": wanted, "agreed": list(agreed.items())}
