"""Documents annotated in full, and what they have cost."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from kbpo.pages.access import for_operators
from kbpo.pages.money import document_costs

PAGE = 50


@require_safe
@for_operators
def documents(request: HttpRequest) -> HttpResponse:
    """Show what each document has cost: of the corpus asked for, or the first with such documents."""
    corpora = document_costs.corpora()
    tag = request.GET.get("corpus", corpora[0].tag if corpora else "")
    corpus = next((one for one in corpora if one.tag == tag), None)
    if corpus is None:
        if tag:
            raise Http404("no corpus of that tag with documents annotated in full")
        context: dict[str, object] = {"corpora": corpora, "without": document_costs.corpora_without()}
        return render(request, "desk/documents.html", context)
    page, rows = document_costs.document_costs(corpus, page=request.GET.get("page"), size=PAGE)
    context = {
        "corpora": corpora,
        "without": document_costs.corpora_without(),
        "corpus": corpus,
        "page": page,
        "rows": rows,
        "totals": document_costs.totals(corpus),
    }
    return render(request, "desk/documents.html", context)
