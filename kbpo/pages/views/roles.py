"""Roles: who does what for which corpus, and who may make one. For operators of the site."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from annotations import roles as service
from annotations.models import CorpusMaker, CorpusRole
from kbpo.core.errors import KbpoError
from kbpo.pages.access import for_operators, operator
from kbpo.pages.corpus_forms import MakerForm, RoleForm
from kbpo.pages.reading import paged

PAGE = 50


@require_http_methods(["GET", "HEAD", "POST"])
@for_operators
def roles(request: HttpRequest) -> HttpResponse:
    """List roles, give one, and let somebody make corpora."""
    lets_make = request.method == "POST" and "maker" in request.POST
    gives = request.method == "POST" and not lets_make
    role_form = RoleForm(request.POST if gives else None)
    maker_form = MakerForm(request.POST if lets_make else None)
    status = 200
    if gives or lets_make:
        form = role_form if gives else maker_form
        status = 400
        if form.is_valid():
            try:
                messages.success(request, _give(request, form.cleaned_data))
            except KbpoError as error:
                form.add_error(None, str(error))
                status = error.status
            else:
                return redirect("desk_roles")
    given = CorpusRole.objects.select_related("user", "corpus", "given_by").order_by(
        "corpus__tag", "role", "pk"
    )
    context = {
        "page": paged(request, given, PAGE),
        "makers": CorpusMaker.objects.select_related("user", "given_by").order_by("user__email"),
        "role_form": role_form,
        "maker_form": maker_form,
    }
    return render(request, "desk/roles.html", context, status=status)


@require_POST
@for_operators
def take(request: HttpRequest, pk: int) -> HttpResponse:
    """Take a role from somebody."""
    role = get_object_or_404(CorpusRole.objects.select_related("user", "corpus"), pk=pk)
    service.take(role=role, by=operator(request))
    messages.success(request, f"{role.user} is no {role.get_role_display()} of {role.corpus.tag} any more.")
    return redirect("desk_roles")


@require_POST
@for_operators
def stop_making(request: HttpRequest, pk: int) -> HttpResponse:
    """Let somebody make no more corpora; those that they made stay as they are."""
    maker = get_object_or_404(CorpusMaker.objects.select_related("user"), pk=pk)
    service.let_make(user=maker.user, by=operator(request), now=timezone.now(), may_make=False)
    messages.success(request, f"{maker.user} makes no more corpora.")
    return redirect("desk_roles")


def _give(request: HttpRequest, data: dict[str, object]) -> str:
    by, now = operator(request), timezone.now()
    if "maker" in data:
        service.let_make(user=data["maker"], by=by, now=now)  # type: ignore[arg-type]
        return f"{data['maker']} may make corpora, and is the organiser of each."
    role = service.give(**data, by=by, now=now)  # type: ignore[arg-type]
    return f"{role.user} is {role.get_role_display()} of {role.corpus.tag}."
