"""Looks up the index of entities: reads only."""

import unicodedata
from collections.abc import Mapping

from django.contrib.postgres.search import SearchQuery, SearchVector
from django.db.models import Q, QuerySet

from annotations.models import Corpus, Document
from annotations.ontologies import plain_ontology_of
from evaluation.kbp.explorer.entity_index import types_of
from evaluation.kbp.explorer.folding import folded
from evaluation.models import Entity, EntityIndex, EntityName, Submission
from evaluation.submissions.visibility import PUBLISHED
from kbpo.core.errors import InvalidInput
from kbpo_formats.ontologies.ontology import Ontology


def types(ontology: Ontology) -> list[tuple[str, str]]:
    """List the types of entities: (type, word)."""
    return [(kind, ontology.types_by_name[kind].word) for kind in types_of(ontology)]


def current(corpus: Corpus) -> EntityIndex | None:
    """Return a corpus' index; None where there is none, or it still has names of a system that was hidden."""
    hidden = EntityIndex.submissions.through.objects.exclude(
        submission__in=Submission.objects.filter(PUBLISHED)
    ).values("entityindex")
    found = EntityIndex.objects.filter(corpus=corpus).exclude(pk__in=hidden)
    return found.select_related("corpus").first()


def search(index: EntityIndex, words: str = "", kind: str = "") -> QuerySet[Entity]:
    """Select entities, those in most documents first.

    Parameters
    ----------
    index : EntityIndex
    words : str
        Words that a name must have, each from its beginning on: "qui" finds Ada Quill. Where words are not
        set apart by white space, what stands anywhere in a name. Accents and case do not matter. Empty: all.
    kind : str
        A type; empty for all.

    Raises
    ------
    InvalidInput
        An unknown type.
    """
    if kind and kind not in (known := types_of(plain_ontology_of(index.corpus))):
        raise InvalidInput(f"{kind!r:.40} is no type of entities; they are {', '.join(known)}.", where="type")
    found = index.entities.order_by("-documents", "name", "pk")
    if kind:
        found = found.filter(type=kind)
    if not words:
        return found
    wanted = _words(folded(words))
    if not wanted:
        return found.none()
    if not index.corpus.written_in.has_spaces:
        return found.filter(*(Q(names__icontains=word) for word in wanted))
    query = SearchQuery(" & ".join(f"'{word}':*" for word in wanted), config="simple", search_type="raw")
    return found.annotate(words=SearchVector("names", config="simple")).filter(words=query)


def in_documents(entity: Entity) -> QuerySet[EntityName]:
    """Select where an entity is named, in the order in which the documents were loaded."""
    found = entity.in_documents.select_related("document").order_by("document_id", "start", "name")
    return found.defer("document__text", "document__suggestions")


def of_document(index: EntityIndex | None, document: Document) -> Mapping[tuple[str, str], EntityName]:
    """Return the entities that the index has in a document, by type and folded name."""
    if index is None:
        return {}
    found = EntityName.objects.filter(entity__index=index, document=document).select_related("entity")
    found = found.defer("entity__names", "entity__also")
    return {(one.entity.type, one.name): one for one in found.order_by("start", "pk")}


def _words(text: str) -> list[str]:
    """Return the runs of letters and digits, each with the marks that belong to it."""
    kept = (one if one == "_" or unicodedata.category(one)[0] in "LMN" else " " for one in text)
    return "".join(kept).split()
