"""Examples of knowledge base files, one for each format that is read: another format has its line below."""

import json
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from annotations.models import Corpus, Document
from annotations.ontologies import plain_ontology_of
from evaluation.task import SampleFile
from kbpo_formats.json_lines import FORMAT
from kbpo_formats.ontologies.ontology import Ontology, Predicate
from kbpo_formats.spans import Span

RUN_ID = "sample"
CONFIDENCE = "0.5"
LOOKED_AT = 20  # documents in which two words are looked for
LONGEST_WORD = 100  # characters: a mention may not be much longer
_WORD = re.compile(r"[^\W\d_]+")


def write_claims(corpus: Corpus) -> Iterator[str]:
    """Yield a file of one claim in JSON Lines: two words, related by chance."""
    found = _two_words(corpus)
    if found is None:
        return
    document, first, second = found
    predicate, kind = _predicate(plain_ontology_of(corpus))
    ends = {"subject": (first, predicate.subject_type), "object": (second, kind or predicate.object_types[0])}
    claim = {
        "doc_id": document.doc_id,
        "predicate": predicate.name,
        **{role: {"start": at.start, "end": at.end, "type": name} for role, (at, name) in ends.items()},
        "confidence": float(CONFIDENCE),
    }
    yield json.dumps(claim, ensure_ascii=False) + "\n"


def write_tac(corpus: Corpus) -> Iterator[str]:
    """Yield a file of one claim in TAC KBP's format, with its inverse: two words, related by chance."""
    found = _two_words(corpus)
    if found is None:
        return
    document, first, second = found
    predicate, kind = _predicate(plain_ontology_of(corpus))
    yield f"{RUN_ID}\n"
    yield from _entity(":E1", predicate.subject_type, document, first)
    places = f"{_place(document, first)},{_place(document, second)}"
    if kind:
        yield from _entity(":E2", kind, document, second)
        yield f":E1\t{predicate.name}\t:E2\t{places}\t{CONFIDENCE}\n"
        if inverse := predicate.inverse_for(kind):
            yield f":E2\t{inverse}\t:E1\t{places}\t{CONFIDENCE}\n"
    else:
        places = f"{_place(document, second)},{_place(document, first)}"
        yield f":E1\t{predicate.name}\t{_quoted(document, second)}\t{places}\t{CONFIDENCE}\n"


#: By format: `kbpo_formats.kbp.problems.FORMATS` has these.
SAMPLES: Mapping[str, SampleFile] = MappingProxyType(
    {
        FORMAT: SampleFile(name="sample.jsonl", write=write_claims, quotes_texts=False),
        "tac2016": SampleFile(name="sample-2016.kb", write=write_tac, quotes_texts=True),
        "tac2015": SampleFile(name="sample-2015.kb", write=write_tac, quotes_texts=True),
    }
)


def _two_words(corpus: Corpus) -> tuple[Document, Span, Span] | None:
    """Find two words of one document, those that begin with a capital letter rather than others."""
    documents = Document.objects.filter(corpus=corpus, takedown=None).order_by("pk")
    for document in documents.only("doc_id", "text")[:LOOKED_AT]:
        words = [Span(*word.span()) for word in _WORD.finditer(document.text)]
        words = [word for word in words if word.end - word.start <= LONGEST_WORD]
        capital = [word for word in words if document.text[word.start].isupper()]
        for some in (capital, words):
            if len(some) > 1:
                return document, some[0], some[1]
    return None


def _predicate(ontology: Ontology) -> tuple[Predicate, str]:
    """Return a predicate that is scored, and the type of an entity as its object; empty if it is a string."""
    scored = [one for one in ontology.predicates if one.stored_as and one.turn != "swap"]
    for one in scored:
        for kind in one.object_types:
            if ontology.types_by_name[kind].is_entity and one.relation_for(kind):
                return one, kind
    return scored[0], ""


def _entity(name: str, kind: str, document: Document, span: Span) -> Iterator[str]:
    yield f"{name}\ttype\t{kind}\n"
    for said in ("canonical_mention", "mention"):
        yield f"{name}\t{said}\t{_quoted(document, span)}\t{_place(document, span)}\n"


def _place(document: Document, span: Span) -> str:
    return f"{document.doc_id}:{span.start}-{span.end - 1}"


def _quoted(document: Document, span: Span) -> str:
    return f'"{document.text[span.start : span.end]}"'
