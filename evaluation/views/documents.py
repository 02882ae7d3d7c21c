"""The documents of a corpus, and what systems claim of each."""

from django.core.paginator import Paginator
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe

from annotations.models import Corpus, Document
from annotations.searching import excerpts, search_documents
from evaluation.explore import read_document
from evaluation.models import Epoch, Instance, Submission
from evaluation.visibility import visible
from kbpo.core.errors import InvalidInput

PAGE = 50
LONGEST_SEARCH = 200  # characters


@require_safe
def choose(request: HttpRequest) -> HttpResponse:
    """Lead to the documents of the only corpus, or let the reader choose one."""
    corpora = list(Corpus.objects.annotate(size=Count("documents")).order_by("created_at", "pk"))
    if len(corpora) == 1:
        return redirect("documents", corpora[0].tag)
    return render(request, "evaluation/corpora.html", {"corpora": corpora})


@require_safe
def documents(request: HttpRequest, tag: str) -> HttpResponse:
    """List a corpus' documents: search by their words, ids and titles, paged."""
    corpus = get_object_or_404(Corpus, tag=tag)
    words = request.GET.get("q", "").strip()
    if len(words) > LONGEST_SEARCH:
        raise InvalidInput(f"A search has at most {LONGEST_SEARCH} characters; this one has {len(words)}.")
    found = search_documents(corpus, words).defer("text")
    systems = visible(request.user).exclude(state=Submission.State.WITHDRAWN)
    claimed = (
        Instance.objects.filter(document=OuterRef("pk"), predictions__submission__in=systems)
        .order_by()
        .values("document")
        .annotate(n=Count("pk", distinct=True))
        .values("n")
    )
    listed: QuerySet[Document] = found.annotate(claims=Coalesce(Subquery(claimed), 0))
    page = Paginator(listed, PAGE).get_page(request.GET.get("page"))
    passages = excerpts([document.pk for document in page], words)
    rows = [(document, passages.get(document.pk)) for document in page]
    context = {"corpus": corpus, "page": page, "rows": rows, "words": words}
    return render(request, "evaluation/documents.html", context)


@require_safe
def document(request: HttpRequest, tag: str, doc_id: str) -> HttpResponse:
    """Show a document with the mentions of claimed relations marked, and the relations beside it."""
    found = get_object_or_404(Document.objects.select_related("corpus"), corpus__tag=tag, doc_id=doc_id)
    context = {
        "corpus": found.corpus,
        "document": found,
        "read": read_document(found, request.user),
        "released": Epoch.objects.filter(corpus=found.corpus, released_at__isnull=False).exists(),
    }
    return render(request, "evaluation/document.html", context)
