"""Trying the interfaces: for everybody, without an account, and nothing is stored."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_safe

from crowd.interfaces.registry import INTERFACES
from crowd.pages.registry import PAGES
from kbpo.core.revalidating import public_page


@require_safe
@public_page
def choose(request: HttpRequest) -> HttpResponse:
    """List the interfaces that can be tried."""
    return render(request, "crowd/trying/choose.html", {"interfaces": INTERFACES.values()})


@require_http_methods(["GET", "HEAD", "POST"])
def try_out(request: HttpRequest, kind: str) -> HttpResponse:
    """Show an example as those see it who judge, and say what an answer would have been taken for."""
    if kind not in PAGES:
        raise Http404("no such interface")
    return PAGES[kind].trial(request)
