"""Opening a tutorial: what it costs is shown first, then it is confirmed."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotations.roles import Act
from crowd.providers import registry
from kbpo.accounts.models import WorkerIdentity
from kbpo.core.errors import KbpoError
from kbpo.pages import teaching
from kbpo.pages.access import corpora, for_role, person
from kbpo.pages.forms import TutorialForm


@require_http_methods(["GET", "HEAD", "POST"])
@for_role(Act.POST)
def open_tutorial(request: HttpRequest) -> HttpResponse:
    """Ask which tutorial to open; show what it costs; open it."""
    providers = [(name, WorkerIdentity.Provider(name).label) for name in registry.configured()]
    sent = request.POST if request.method == "POST" else request.GET
    # An address that names a corpus alone, as other pages do, is a form to fill in.
    is_begun = set(request.GET) == {"corpus"} and not request.POST
    form = TutorialForm(
        None if is_begun else sent or None,
        initial=request.GET.dict() if is_begun else None,
        providers=providers,
        corpora=corpora(request, Act.POST),
    )
    given = form.is_bound
    context: dict[str, object] = {"form": form, "has_account": bool(providers)}
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
