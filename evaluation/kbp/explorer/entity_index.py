"""Makes the index of entities: names that everybody may see, gathered into entities, and their relations.

The same for everybody. In the documents that are open to explore it is what people marked there; in all
others what published systems claim, with the labels that are published. What is no entity, as a date, has no
page of its own; how names are gathered is in `entity_names`, and relations in `relation_facts`.
"""

import gc
import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime

from django.db import transaction

from annotations.models import Corpus, DocumentAnnotation
from annotations.ontologies import plain_ontology_of
from evaluation.kbp.explorer.distinct_claims import DistinctClaim, read_distinct
from evaluation.kbp.explorer.entity_names import (
    Naming,
    claimed_names,
    gather,
    marked_names,
    places,
    read_marked,
)
from evaluation.kbp.explorer.page_addresses import shown_address
from evaluation.kbp.explorer.relation_facts import Fact, Facts, Gathered
from evaluation.kbp.recall import exhaustive
from evaluation.kbp.recall.annotated import read_annotations
from evaluation.kbp.task import TASK
from evaluation.models import (
    Entity,
    EntityIndex,
    EntityName,
    EntityRelation,
    Epoch,
    RelationSource,
)
from evaluation.submissions.visibility import systems_of
from kbpo.core.database.analysing import analyse
from kbpo.core.database.bulk import copy_rows, reserve_ids
from kbpo.core.database.locks import claim
from kbpo_formats.ontologies.ontology import Ontology

VERSION = 3
"""Of the rules by which an index is made: one that was made by others is made again."""
LONGEST_NAMES = 100_000  # characters of all names of an entity that a search looks at
MOST_NAMES = 50  # other names of an entity that its page lists


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
                    with _nothing_collected():
                        make_index(corpus=corpus, now=now)
                    made += 1
    return made


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """Have Python not look for garbage meanwhile, among millions of objects that are all needed."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


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
    digest = _digest(corpus, annotations)
    forget_index(corpus=corpus)
    index = EntityIndex.objects.create(corpus=corpus, made_at=now, documents=len(annotations), digest=digest)
    index.submissions.set(submissions)
    ontology = plain_ontology_of(corpus)
    types = types_of(ontology)
    marked = read_marked({annotation.pk: annotation.document_id for annotation in annotations})
    claims = read_distinct(submissions, ontology)
    in_open: dict[int, list[DistinctClaim]] = {}

    def in_others() -> Iterator[tuple[int, list[DistinctClaim]]]:
        for document_id, own in claims.by_document():
            if document_id in marked:
                in_open[document_id] = own
            else:
                yield document_id, own

    gathered = gather([*marked_names(marked, types), *claimed_names(in_others(), types)])
    entities = [_entity(index, own) for own in gathered]
    facts = Facts(entities, places(gathered), ontology)
    facts.add_found(marked, in_open)
    facts.add_claimed(in_others())
    facts.count(submissions)
    for fact in facts.found:
        for number in {fact.subject, fact.subject if fact.object is None else fact.object}:
            entities[number].relations += 1
    _store(entities, gathered)
    _store_facts(entities, facts.found)
    return index


@transaction.atomic
def forget_index(*, corpus: Corpus) -> None:
    """Delete the index of a corpus with all that is in it; it is made again when somebody looks for it."""
    # Not one `delete()`, which would read all entities and relations first, to see what hangs on them.
    for old in (
        RelationSource.objects.filter(relation__index__corpus=corpus),
        EntityRelation.objects.filter(index__corpus=corpus),
        EntityName.objects.filter(entity__index__corpus=corpus),
        Entity.objects.filter(index__corpus=corpus),
    ):
        old._raw_delete(old.db)
    EntityIndex.objects.filter(corpus=corpus).delete()


def _is_due(corpus: Corpus) -> bool:
    submissions = set(_published(corpus))
    annotations = _open_annotations(corpus)
    index = EntityIndex.objects.filter(corpus=corpus).first()
    if index is None:
        return bool(submissions or annotations)
    return index.digest != _digest(corpus, annotations) or submissions != set(
        index.submissions.values_list("pk", flat=True)
    )


def _published(corpus: Corpus) -> list[int]:
    return list(systems_of(None, corpus).order_by("pk").values_list("pk", flat=True))


def _open_annotations(corpus: Corpus) -> list[DocumentAnnotation]:
    ids = read_annotations(list(exhaustive.opened(corpus).values_list("pk", flat=True)))
    found = DocumentAnnotation.objects.filter(pk__in=list(ids.values())).select_related("document")
    return list(found.defer("document__text", "document__suggestions").order_by("document_id"))


def _digest(corpus: Corpus, annotations: Sequence[DocumentAnnotation]) -> str:
    """Return the digest of the rules, of what was marked, and of which labels are published.

    Labels are published when an epoch is released, with the documents that are retired then, and never change
    after that.
    """
    said = f"{VERSION}\n" + "".join(f"{one.document.doc_id}\t{one.digest}\n" for one in annotations)
    released = Epoch.objects.filter(corpus=corpus, released_at__isnull=False).order_by("number")
    said += "".join(f"{number}\n" for number in released.values_list("number", flat=True))
    return hashlib.sha256(said.encode()).hexdigest()


def _store(entities: Sequence[Entity], gathered: Sequence[list[Naming]]) -> None:
    fields = (
        *("id", "index_id", "key", "type", "name", "page", "names", "also"),
        *("documents", "mentions", "relations"),
    )
    for entity, pk in zip(entities, reserve_ids(Entity, len(entities)), strict=True):
        entity.pk = pk
    stored = copy_rows(Entity, fields, ([getattr(one, name) for name in fields] for one in entities))
    named = copy_rows(
        EntityName,
        ("entity_id", "document_id", "name", "written", "mentions", "start", "end", "by_people"),
        (
            (
                entity.pk,
                document_id,
                name,
                _most(one.written),
                len(one.spans),
                *min(one.places),
                one.by_people,
            )
            for entity, own in zip(entities, gathered, strict=True)
            for (document_id, name), one in _by_document(own).items()
        ),
    )
    analyse({Entity: stored, EntityName: named})


def _store_facts(entities: Sequence[Entity], found: Mapping[Fact, Gathered]) -> None:
    pks = reserve_ids(EntityRelation, len(found))
    relations = copy_rows(
        EntityRelation,
        (
            *("id", "index_id", "key", "predicate", "subject_id", "object_id", "object_text"),
            *("standing", "systems", "sources"),
        ),
        (
            (
                pk,
                entities[fact.subject].index_id,
                _key_of(fact, entities),
                fact.predicate,
                entities[fact.subject].pk,
                None if fact.object is None else entities[fact.object].pk,
                _most(one.written) if fact.object is None else "",
                one.standing.value,
                one.systems,
                len(one.sources),
            )
            for pk, (fact, one) in zip(pks, found.items(), strict=True)
        ),
    )
    sources = copy_rows(
        RelationSource,
        (
            *("relation_id", "number", "document_id", "subject_start", "subject_end"),
            *("object_start", "object_end", "is_right", "by_people", "systems"),
        ),
        (
            (
                *(pk, number, source.document_id, *source.relation.subject, *source.relation.object),
                *(source.is_right, source.by_people, source.systems),
            )
            for pk, one in zip(pks, found.values(), strict=True)
            for number, source in enumerate(one.in_order, 1)
        ),
    )
    analyse({EntityRelation: relations, RelationSource: sources})


def _key_of(fact: Fact, entities: Sequence[Entity]) -> str:
    other = f"text|{fact.text}" if fact.object is None else entities[fact.object].key
    return _short(f"{entities[fact.subject].key}|{fact.predicate}|{other}")


def _by_document(namings: Iterable[Naming]) -> Mapping[tuple[int, str], Naming]:
    """Merge the names that an entity has twice in a document: with its page, and without."""
    merged: dict[tuple[int, str], Naming] = {}
    for naming in namings:
        place = (naming.document_id, naming.name)
        if place in merged:
            merged[place] = merged[place] + naming
        else:
            merged[place] = naming
    return merged


def _entity(index: EntityIndex, own: Sequence[Naming]) -> Entity:
    texts: Counter[str] = Counter()
    forms: dict[str, Counter[str]] = defaultdict(Counter)
    addresses: Counter[str] = Counter()
    for naming in own:
        texts.update(naming.written.keys())
        forms[naming.name].update(naming.written.keys())
        addresses += naming.addresses
    name = _most(texts)
    called = next(naming.name for naming in own if name in naming.written)
    others = sorted((-forms[one].total(), _most(forms[one])) for one in forms if one != called)
    page = next((naming.page for naming in own if naming.page), "")
    what = f"{own[0].type}|{page}|{'' if page else own[0].name}"
    return Entity(
        index=index,
        key=_short(what),
        type=own[0].type,
        name=name,
        page=shown_address(page, addresses) if page else "",
        names="\n".join(sorted(forms))[:LONGEST_NAMES],
        also="\n".join(one for _, one in others[:MOST_NAMES]),
        documents=len({naming.document_id for naming in own}),
        mentions=len({(naming.document_id, span) for naming in own for span in naming.spans}),
        relations=0,
    )


def _most(written: Mapping[str, int]) -> str:
    """Return the most frequent form of a name: of several one not all in capitals, and with accents."""
    return min(written, key=lambda one: (-written[one], one.isupper(), -len(one), one.isascii(), one))


def _short(what: str) -> str:
    return hashlib.sha256(what.encode("utf-8", "surrogatepass")).hexdigest()[:16]
