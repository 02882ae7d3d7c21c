"""How it all works, in short words."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from kbpo.core.ontology import RELATIONS

EXAMPLE = """\
my-run-1
:E1\ttype\tPER
:E1\tcanonical_mention\t"Ada Quill"\tNEWS-001:0-8
:E1\tmention\t"She"\tNEWS-001:31-33
:E2\ttype\tGPE
:E2\tcanonical_mention\t"Port Hallow"\tNEWS-001:47-57
:E1\tper:city_of_birth\t:E2\tNEWS-001:31-58\t0.8
"""


@require_safe
def help(request: HttpRequest) -> HttpResponse:
    """Show the help page."""
    relations = [
        (name, relation.statement.format(subject="A", object="B")) for name, relation in RELATIONS.items()
    ]
    return render(request, "evaluation/help.html", {"example": EXAMPLE, "relations": relations})
