"""Entities: their names, their relations, and the documents that name them."""

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotations.marked import page_name
from annotations.ontologies import plain_ontology_of
from evaluation.kbp.explorer import entity_relations
from evaluation.kbp.explorer import entity_search as index
from evaluation.kbp.views.access import closed, find_corpus
from evaluation.kbp.views.documents import read_search
from evaluation.models import Entity
from kbpo.core.revalidating import public_page

PAGE = 50


@require_safe
@public_page
def entities(request: HttpRequest, tag: str) -> HttpResponse:
    """List a corpus' entities: search by their names, paged."""
    corpus = find_corpus(tag)
    if page_before := closed(request, corpus):
        return page_before
    words, kind = read_search(request), request.GET.get("type", "")
    ontology = plain_ontology_of(corpus)
    current = index.current(corpus)
    found = index.search(current, words, kind) if current else Entity.objects.none()
    page = Paginator(found.defer("names", "also"), PAGE).get_page(request.GET.get("page"))
    context = {
        "corpus": corpus,
        "has_pages": any(one.page for one in page),
        "index": current,
        "systems": current.submissions.count() if current else 0,
        "page": page,
        "rows": [(one, ontology.types_by_name[one.type].word, page_name(one.page)) for one in page],
        "types": index.types(ontology),
        "kind": kind,
        "words": words,
    }
    return render(request, "evaluation/entities.html", context)


@require_safe
@public_page
def entity(request: HttpRequest, tag: str, key: str) -> HttpResponse:
    """Show an entity, its relations, and the documents that name it; or one relation with all its sources."""
    corpus = find_corpus(tag)
    if page_before := closed(request, corpus):
        return page_before
    current = index.current(corpus)
    if current is None:
        raise Http404("no index")
    found = get_object_or_404(Entity.objects.defer("names"), index=current, key=key)
    ontology = plain_ontology_of(corpus)
    context: dict[str, object] = {
        "corpus": corpus,
        "entity": found,
        "type_name": ontology.types_by_name[found.type].word,
        "page_name": page_name(found.page),
    }
    listed = entity_relations.of_entity(found)
    if wanted := request.GET.get("relation", "").replace("\x00", ""):
        one = get_object_or_404(listed, key=wanted)
        page = Paginator(entity_relations.sources_of(one), PAGE).get_page(request.GET.get("page"))
        context |= {
            "one": entity_relations.show([one], found, ontology)[0],
            "page": page,
            "sources": [entity_relations.show_source(source, one.predicate) for source in page],
        }
        return render(request, "evaluation/entity_relation.html", context)
    relations = Paginator(listed, PAGE).get_page(request.GET.get("claims"))
    context |= {
        "names": [name for name in found.also.split("\n") if name],
        "relations": relations,
        "shown": entity_relations.show(relations, found, ontology),
        "page": Paginator(index.in_documents(found), PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "evaluation/entity.html", context)
