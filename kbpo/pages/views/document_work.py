"""Documents annotated in full, and what they have cost."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotations.roles import Act
from kbpo.pages.access import corpora as corpora_for
from kbpo.pages.access import for_role
from kbpo.pages.money import document_costs

PAGE = 50


@require_safe
@for_role(Act.DESIGN)
def documents(request: HttpRequest) -> HttpResponse:
    """Show what each document has cost: of the corpus asked for, or the first with such documents."""
    mine = set(corpora_for(request, Act.DESIGN))
    corpora = [one for one in document_costs.corpora() if one in mine]
    without = [one for one in document_costs.corpora_without() if one in mine]
    tag = request.GET.get("corpus", corpora[0].tag if corpora else "")
    corpus = next((one for one in corpora if one.tag == tag), None)
    if corpus is None:
        if tag:
            raise Http404("no corpus of that tag with documents annotated in full")
        context: dict[str, object] = {"corpora": corpora, "without": without}
        return render(request, "desk/documents.html", context)
    page, rows = document_costs.document_costs(corpus, page=request.GET.get("page"), size=PAGE)
    context = {
        "corpora": corpora,
        "without": without,
        "corpus": corpus,
        "page": page,
        "rows": rows,
        "totals": document_costs.totals(corpus),
    }
    return render(request, "desk/documents.html", context)
