"""Makes the index of entities: names that everybody may see, gathered into entities.

The same for everybody. In the documents that are open to explore it is what people marked there; in all
others the canonical mentions that published systems claim. What is no entity, as a date, is left out.

- Who has a page is one entity, under whatever names.
- A name without a page belongs to the page that people gave it elsewhere, if they gave it just one.
- Otherwise the same name, in lower case and with single spaces, of the same type is one entity.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from operator import itemgetter

from django.db import transaction

from annotations.marked import is_address, words_of
from annotations.models import AnnotatedMention, Corpus, Document, DocumentAnnotation
from annotations.names import normalised
from annotations.ontologies import plain_ontology_of
from evaluation.kbp.recall import exhaustive
from evaluation.kbp.recall.annotated import read_annotations
from evaluation.kbp.task import TASK
from evaluation.models import Entity, EntityIndex, EntityName
from evaluation.submissions.visibility import systems_of
from kbpo.core.database.analysing import analyse
from kbpo.core.database.bulk import array_literal, copy_rows, read_columns
from kbpo.core.database.locks import claim
from kbpo_formats.blotting import is_blotted
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.spans import Span

LONGEST = 200  # characters of a name; a longer canonical mention is cut off
AT_ONCE = 500  # documents whose texts are in memory
LONGEST_NAMES = 100_000  # characters of all names of an entity that a search looks at

# The canonical mentions that systems claim, each with the mention that it is claimed for; codes for types.
_CLAIMED = """
SELECT DISTINCT document_id, kind, start_, end_, canonical_start, canonical_end FROM (
    SELECT instance.document_id, array_position(%s::text[], prediction.subject_type::text) AS kind,
        instance.subject_start AS start_, instance.subject_end AS end_,
        prediction.subject_canonical_start AS canonical_start,
        prediction.subject_canonical_end AS canonical_end
    FROM evaluation_prediction AS prediction
    JOIN evaluation_instance AS instance ON instance.id = prediction.instance_id
    WHERE prediction.submission_id = ANY(%s::bigint[])
    UNION ALL
    SELECT instance.document_id, array_position(%s::text[], prediction.object_type::text),
        instance.object_start, instance.object_end,
        prediction.object_canonical_start, prediction.object_canonical_end
    FROM evaluation_prediction AS prediction
    JOIN evaluation_instance AS instance ON instance.id = prediction.instance_id
    WHERE prediction.submission_id = ANY(%s::bigint[]) AND prediction.object_canonical_start IS NOT NULL
) AS claimed
WHERE kind IS NOT NULL
"""


@dataclass(frozen=True, slots=True)
class Naming:
    """A name in a document.

    Attributes
    ----------
    document_id : int
    type : str
    name : str
        As names are compared.
    text : str
        As it stands there.
    page : str
        Its page; empty for none.
    spans : set of Span
        The mentions that it is the name of.
    by_people : bool
    """

    document_id: int
    type: str
    name: str
    text: str
    page: str
    by_people: bool
    spans: set[Span] = field(default_factory=set)


def types_of(ontology: Ontology) -> list[str]:
    """Return the types of what is in an index: of the entities that people are asked for."""
    return [one.name for one in ontology.mention_types if one.is_entity]


def index_entities(*, now: datetime) -> int:
    """Make the indexes again of which something has changed; return how many.

    Safe to run twice, and at the same time as itself: whoever comes second has nothing to do.
    """
    made = 0
    for corpus in Corpus.objects.filter(task=TASK.name).order_by("pk"):
        if _is_due(corpus):
            with claim(f"entities of corpus {corpus.pk}") as is_ours:
                if is_ours and _is_due(corpus):
                    make_index(corpus=corpus, now=now)
                    made += 1
    return made


@transaction.atomic
def make_index(*, corpus: Corpus, now: datetime) -> EntityIndex:
    """Make the index of a corpus from what is open and published now.

    Parameters
    ----------
    corpus : Corpus
    now : datetime
        Aware.
    """
    annotations = _open_annotations(corpus)
    submissions = _published(corpus)
    digest = _digest(annotations)
    EntityIndex.objects.filter(corpus=corpus).delete()
    index = EntityIndex.objects.create(corpus=corpus, made_at=now, documents=len(annotations), digest=digest)
    index.submissions.set(submissions)
    types = types_of(plain_ontology_of(corpus))
    namings = [
        *_marked_names(annotations, types),
        *_claimed_names(submissions, {annotation.document_id for annotation in annotations}, types),
    ]
    _store(index, gather(namings))
    return index


def gather(namings: Iterable[Naming]) -> list[list[Naming]]:
    """Gather names into entities, as the head of this module says."""
    listed = list(namings)
    pages: dict[tuple[str, str], set[str]] = defaultdict(set)
    for naming in listed:
        if naming.page:
            pages[naming.type, naming.name].add(naming.page)
    entities: dict[tuple[str, str, str], list[Naming]] = defaultdict(list)
    for naming in listed:
        known = pages.get((naming.type, naming.name), set())
        page = naming.page or (next(iter(known)) if len(known) == 1 else "")
        entities[naming.type, page, "" if page else naming.name].append(naming)
    return list(entities.values())


def _is_due(corpus: Corpus) -> bool:
    submissions = set(_published(corpus))
    annotations = _open_annotations(corpus)
    index = EntityIndex.objects.filter(corpus=corpus).first()
    if index is None:
        return bool(submissions or annotations)
    return index.digest != _digest(annotations) or submissions != set(
        index.submissions.values_list("pk", flat=True)
    )


def _published(corpus: Corpus) -> list[int]:
    return list(systems_of(None, corpus).order_by("pk").values_list("pk", flat=True))


def _open_annotations(corpus: Corpus) -> list[DocumentAnnotation]:
    ids = read_annotations(list(exhaustive.opened(corpus).values_list("pk", flat=True)))
    found = DocumentAnnotation.objects.filter(pk__in=list(ids.values())).select_related("document")
    return list(found.defer("document__text", "document__suggestions").order_by("document_id"))


def _digest(annotations: Sequence[DocumentAnnotation]) -> str:
    said = "".join(f"{one.document.doc_id}\t{one.digest}\n" for one in annotations)
    return hashlib.sha256(said.encode()).hexdigest()


def _marked_names(annotations: Sequence[DocumentAnnotation], types: Sequence[str]) -> Iterator[Naming]:
    document_of = {annotation.pk: annotation.document_id for annotation in annotations}
    found = AnnotatedMention.objects.filter(annotation__in=document_of, type__in=types).order_by(
        "annotation__document_id", "start", "end"
    )
    rows = found.values_list(
        "annotation_id", "type", "start", "end", "canonical_start", "canonical_end", "link"
    )
    mentions = [
        (document_of[annotation_id], kind, Span(*span), Span(*canonical), link)
        for annotation_id, kind, *four, link in rows
        for span, canonical in [(four[:2], four[2:])]
    ]
    links: dict[tuple[int, str, Span], str] = {}
    for document_id, kind, span, canonical, link in mentions:
        if is_address(link) and (span == canonical or (document_id, kind, canonical) not in links):
            links[document_id, kind, canonical] = link
    yield from _named(
        (
            (document_id, kind, span, canonical, links.get((document_id, kind, canonical), ""))
            for document_id, kind, span, canonical, _ in mentions
        ),
        by_people=True,
    )


def _claimed_names(submissions: Sequence[int], opened: set[int], types: Sequence[str]) -> Iterator[Naming]:
    names, ids = list(types), array_literal(submissions)
    claimed = read_columns(
        _CLAIMED,
        [names, ids, names, ids],
        dict.fromkeys(("document", "kind", "start", "end", "canonical_start", "canonical_end"), "bigint"),
    )
    rows = sorted(zip(*(column.tolist() for column in claimed.values()), strict=True))
    yield from _named(
        (
            (document_id, types[kind - 1], Span(start, end), Span(canonical_start, canonical_end), "")
            for document_id, kind, start, end, canonical_start, canonical_end in rows
            if document_id not in opened
        ),
        by_people=False,
    )


def _named(mentions: Iterable[tuple[int, str, Span, Span, str]], *, by_people: bool) -> Iterator[Naming]:
    """Read the names of mentions (document, type, span, canonical mention, page), ordered by document."""
    for document_id, text, own in _with_texts(mentions):
        found: dict[tuple[str, str, str], Naming] = {}
        for _, kind, span, canonical, page in own:
            words = words_of(text, canonical)[:LONGEST].strip()
            name = normalised(words)
            if not name or is_blotted(words):  # a span of white space, or of a text that was removed
                continue
            if (kind, name, page) not in found:
                found[kind, name, page] = Naming(document_id, kind, name, words, page, by_people)
            found[kind, name, page].spans.add(span)
        yield from found.values()


def _with_texts(
    mentions: Iterable[tuple[int, str, Span, Span, str]],
) -> Iterator[tuple[int, str, list[tuple[int, str, Span, Span, str]]]]:
    grouped = [(pk, list(own)) for pk, own in groupby(mentions, key=itemgetter(0))]
    for first in range(0, len(grouped), AT_ONCE):
        some = grouped[first : first + AT_ONCE]
        texts: Mapping[int, str] = dict(
            Document.objects.filter(pk__in=[pk for pk, _ in some]).values_list("pk", "text")
        )
        for pk, own in some:
            yield pk, texts[pk], own


def _store(index: EntityIndex, gathered: Sequence[list[Naming]]) -> None:
    entities = [_entity(index, own) for own in gathered]
    fields = ("key", "type", "name", "page", "names", "documents", "mentions")
    copy_rows(
        Entity,
        ("index_id", *fields),
        ((index.pk, *(getattr(one, field) for field in fields)) for one in entities),
    )
    analyse({Entity: len(entities)})
    pks = dict(index.entities.values_list("key", "pk"))
    named = copy_rows(
        EntityName,
        ("entity_id", "document_id", "name", "mentions", "start", "end", "by_people"),
        (
            (pks[entity.key], document_id, name, len(spans), *min(spans), by_people)
            for entity, own in zip(entities, gathered, strict=True)
            for (document_id, name, by_people), spans in _by_document(own).items()
        ),
    )
    analyse({EntityName: named})


def _by_document(namings: Iterable[Naming]) -> Mapping[tuple[int, str, bool], set[Span]]:
    """Merge the names that an entity has twice in a document: with its page, and without."""
    spans: dict[tuple[int, str, bool], set[Span]] = defaultdict(set)
    for naming in namings:
        spans[naming.document_id, naming.name, naming.by_people] |= naming.spans
    return spans


def _entity(index: EntityIndex, own: Sequence[Naming]) -> Entity:
    texts = Counter(naming.text for naming in own)
    page = next((naming.page for naming in own if naming.page), "")
    name = min(texts, key=lambda text: (-texts[text], -len(text), text))
    spans = {(naming.document_id, span) for naming in own for span in naming.spans}
    what = f"{own[0].type}|{page}|{'' if page else own[0].name}"
    return Entity(
        index=index,
        key=hashlib.sha256(what.encode()).hexdigest()[:16],
        type=own[0].type,
        name=name,
        page=page,
        names="\n".join(sorted({naming.name for naming in own}))[:LONGEST_NAMES],
        documents=len({naming.document_id for naming in own}),
        mentions=len(spans),
    )
