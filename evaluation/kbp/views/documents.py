"""The documents of a corpus, and what people and systems say of each."""

from django.core.paginator import Paginator
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from annotations.models import Corpus, Document
from annotations.ontologies import plain_ontology_of
from annotations.searching import excerpts, find_documents
from evaluation.kbp.explorer import document_counts
from evaluation.kbp.explorer.document_filters import Choice
from evaluation.kbp.explorer.document_page import read_document
from evaluation.kbp.explorer.statements import read_relation, read_span
from evaluation.kbp.recall.exhaustive import readable
from evaluation.kbp.task import TASK
from evaluation.kbp.views.access import closed, find_corpus
from evaluation.models import Epoch
from evaluation.submissions.visibility import is_operator
from kbpo.core.errors import InvalidInput
from kbpo.core.revalidating import public_page
from kbpo_formats.normal import nfc

PAGE = 25
GONE = 410
LONGEST_SEARCH = 200  # characters
LONGEST_ID = 18  # digits


@require_safe
@public_page
def choose(request: HttpRequest) -> HttpResponse:
    """Lead to the documents of the only corpus, or let the reader choose one."""
    of_task = Corpus.objects.filter(task=TASK.name)
    corpora = list(of_task.annotate(size=Count("documents")).order_by("created_at", "pk"))
    if len(corpora) == 1:
        return redirect("documents", corpora[0].tag)
    return render(request, "evaluation/corpora.html", {"corpora": corpora})


@require_safe
@public_page
def documents(request: HttpRequest, tag: str) -> HttpResponse:
    """List a corpus' documents: search by their words, ids and titles, paged."""
    corpus = find_corpus(tag)
    if page_before := closed(request, corpus):
        return page_before
    words = read_search(request)
    show = request.GET.get("show", "")
    all_of_them = corpus.documents.order_by("id")
    if show == "marked":
        all_of_them = document_counts.only_marked(all_of_them, request.user, corpus)
    pks = all_of_them.values_list("pk", flat=True)
    found = find_documents(corpus, words) if words else pks
    if words and show == "marked":
        found = [*filter(set(pks).__contains__, found)]
    page = Paginator(found, PAGE).get_page(request.GET.get("page"))
    ids = list(page)
    shown = Document.objects.select_related("takedown").defer("text", "suggestions").in_bulk(ids)
    passages = excerpts(ids, words, corpus.written_in)
    counts = document_counts.read_counts(ids, request.user, corpus)
    context = {
        "corpus": corpus,
        "page": page,
        "has_dates": any(document.date for document in shown.values()),
        "rows": [
            (shown[pk], getattr(shown[pk], "takedown", None), passages.get(pk), counts[pk]) for pk in ids
        ],
        "words": words,
        "show": show,
        "opened": readable(None, corpus).count(),
        "is_operator": is_operator(request.user),
    }
    return render(request, "evaluation/documents.html", context)


@require_safe
@public_page
def document(request: HttpRequest, tag: str, doc_id: str) -> HttpResponse:
    """Show a document with its mentions marked, and the relations between them beside it."""
    corpus = find_corpus(tag)
    if page_before := closed(request, corpus):
        return page_before
    all_of_them = Document.objects.select_related("corpus", "takedown")
    found = all_of_them.filter(corpus=corpus, doc_id=nfc(doc_id)).first()
    if found is None:
        raise Http404
    if hasattr(found, "takedown"):
        context: dict[str, object] = {"corpus": corpus, "document": found, "takedown": found.takedown}
        return render(request, "evaluation/document_removed.html", context, status=GONE)
    choice = _read_choice(request, corpus)
    context = {
        "corpus": corpus,
        "document": found,
        "choice": choice,
        "read": read_document(found, request.user, choice),
        "released": Epoch.objects.filter(corpus=corpus, released_at__isnull=False).exists(),
    }
    return render(request, "evaluation/document.html", context)


def read_search(request: HttpRequest) -> str:
    """Read what is searched for.

    Raises
    ------
    InvalidInput
        If it is too long.
    """
    words = request.GET.get("q", "").strip()
    if len(words) > LONGEST_SEARCH:
        raise InvalidInput(f"A search has at most {LONGEST_SEARCH} characters; this one has {len(words)}.")
    return words


def _read_choice(request: HttpRequest, corpus: Corpus) -> Choice:
    relation, mention = request.GET.get("relation", ""), request.GET.get("mention", "")
    predicate, system = request.GET.get("predicate", ""), request.GET.get("system", "")
    ontology = plain_ontology_of(corpus)
    if predicate and predicate not in ontology.relations_by_name:
        known = ontology.relations[0].name
        raise InvalidInput(
            f"{predicate!r:.80} is no relation of {ontology}; one is {known}.", where="predicate"
        )
    if system and not (system.isascii() and system.isdecimal() and len(system) < LONGEST_ID):
        raise InvalidInput(f"{system!r:.40} is no system; one is like 12.", where="system")
    return Choice(
        relation=read_relation(relation, ontology) if relation else None,
        mention=read_span(mention) if mention else None,
        predicate=predicate,
        system=int(system) if system else None,
        missed=request.GET.get("found") == "none",
        page=request.GET.get("page", "1"),
        claims=request.GET.get("claims", "1"),
    )
