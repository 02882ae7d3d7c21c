"""What everybody sees of a HIT: what such work is like, by the tutorial's examples, and nothing of its texts.

It depends on the kind of work alone, so that nobody learns from it what is sampled, or asked as gold.
"""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from crowd.interfaces.registry import find_interface
from crowd.lessons import lesson_of
from crowd.models import Hit
from crowd.pricing import expected
from crowd.tutorials import pages

TASK = "hits/preview.html"


def show(request: HttpRequest, hit: Hit) -> HttpResponse:
    """Show a preview of a HIT."""
    interface = find_interface(hit.batch.kind)
    context = {
        "base": "hits/base.html",
        "is_hit": True,
        "is_preview": True,
        "title": hit.batch.title,
        "takes": expected.of_tutorial().words,  # of a tutorial's start
    }
    if interface.teaching is None:
        return render(request, TASK, context)
    tutorial = lesson_of(interface.name, hit.batch.corpus)
    context |= pages.start(tutorial) | {"tries_left": tutorial.tries}
    return render(request, pages.START if hit.batch.is_tutorial else TASK, context)
