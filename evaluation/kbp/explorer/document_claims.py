"""What people and systems say of one document: reads only, with queries that do not grow with it."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.contrib.postgres.aggregates import ArrayAgg

from annotations import selectors
from annotations.kinds import relation as relation_kind
from annotations.marked import words_of
from annotations.models import Document, DocumentAnnotation, Label
from annotations.questions import Claim
from annotations.texts.records import AnnotationRecord
from evaluation.kbp import matching
from evaluation.kbp.explorer.statements import Relation
from evaluation.kbp.explorer.verdicts import Ruling, Verdict, published_rulings, published_verdicts
from evaluation.kbp.recall import exhaustive
from evaluation.kbp.recall.exhaustive import readable
from evaluation.kbp.words import Words
from evaluation.models import Prediction
from evaluation.submissions.visibility import KNOWN_NAME, KNOWN_TEAM, Viewer, is_operator, systems_of
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.spans import Span


class System(NamedTuple):
    """A submission that claims something."""

    pk: int
    name: str
    team: str


@dataclass(frozen=True, slots=True)
class Use:
    """What a system says when it claims a relation.

    Attributes
    ----------
    system : System
    confidence : float
    verdict : Verdict
        What is published of relation and canonical mentions.
    subject_name, object_name : str
        The canonical mentions that it gives; the object's is empty for a string.
    """

    system: System
    confidence: float
    verdict: Verdict
    subject_name: str
    object_name: str


@dataclass(frozen=True, slots=True)
class Claims:
    """What the systems that a viewer may see claim in a document.

    Attributes
    ----------
    systems : dict of int to System
        All that may be seen, in the order of their names, whether they claim something here or not.
    instances : dict of Relation to int
        What is claimed, in the order of the text, by the instance's row id.
    mentions : dict of Span to set of str
        The mentions, with the types that systems give them.
    makers : dict of int to list of System
        Who makes each claim, by the instance's row id, in the order of their names.
    """

    systems: dict[int, System]
    instances: dict[Relation, int]
    mentions: dict[Span, set[str]]
    makers: dict[int, list[System]]


@dataclass(frozen=True, slots=True)
class Annotation:
    """What people say of a document, as far as the viewer may see it.

    Attributes
    ----------
    row : DocumentAnnotation
    record : AnnotationRecord
    is_sealed : bool
        Whether only operators see it.
    """

    row: DocumentAnnotation
    record: AnnotationRecord
    is_sealed: bool

    @property
    def relations(self) -> list[Relation]:
        """The true relations, in the order of the text."""
        return sorted(
            (Relation(one.predicate, one.subject, one.object) for one in self.record.relations), key=order
        )


def read_annotation(document: Document, viewer: Viewer) -> Annotation | None:
    """Read what people say of a document: experts, or else the crowd; None where the viewer may not see it.

    Parameters
    ----------
    document : Document
        With its corpus.
    viewer : Viewer
        Operators see what is not complete too.
    """
    allowed = readable(viewer, document.corpus).filter(pk=document.pk)
    found = list(DocumentAnnotation.objects.filter(document__in=allowed).select_related("document"))
    if not is_operator(viewer):
        found = [row for row in found if row.completed_at is not None]
    if not found:
        return None
    row = max(found, key=lambda one: (one.completed_at is not None, one.source))  # "expert" after "crowd"
    is_sealed = is_operator(viewer) and not exhaustive.opened(document.corpus).filter(pk=document.pk).exists()
    return Annotation(row, selectors.read_record(row), is_sealed)


def read_claims(document: Document, viewer: Viewer) -> Claims:
    """Read what the systems that a viewer may see claim in a document."""
    seen = systems_of(viewer, document.corpus)
    systems = {
        pk: System(pk, name, team)
        for pk, name, team in seen.order_by(KNOWN_NAME, "pk").values_list("pk", KNOWN_NAME, KNOWN_TEAM)
    }
    # Who may be seen is looked up here: Postgres would look for each claim of each of a thousand systems.
    rows = (
        Prediction.objects.filter(instance__document=document)
        .order_by()
        .values_list(
            "instance_id",
            "instance__predicate",
            "instance__subject_start",
            "instance__subject_end",
            "instance__object_start",
            "instance__object_end",
            "subject_type",
            "object_type",
        )
        .annotate(by=ArrayAgg("submission_id"))
    )
    instances: dict[Relation, int] = {}
    mentions: dict[Span, set[str]] = defaultdict(set)
    makers: dict[int, list[int]] = defaultdict(list)
    for pk, predicate, start, end, object_start, object_end, subject_type, object_type, by in rows:
        known = [system for system in by if system in systems]
        if not known:
            continue
        relation = Relation(predicate, Span(start, end), Span(object_start, object_end))
        instances[relation] = pk
        mentions[relation.subject].add(subject_type)
        mentions[relation.object].add(object_type)
        makers[pk] += known
    place = {pk: number for number, pk in enumerate(systems)}
    return Claims(
        systems,
        dict(sorted(instances.items(), key=lambda item: order(item[0]))),
        dict(mentions),
        {pk: [systems[one] for one in sorted(own, key=place.__getitem__)] for pk, own in makers.items()},
    )


def match(
    text: str, claimed: Iterable[Relation], true: Iterable[Relation], ontology: Ontology
) -> Mapping[Relation, list[Relation]]:
    """Say which claims find each true relation, by the rule of recall: the relation alone.

    Returns
    -------
    mapping of Relation to list of Relation
        For each true relation, in order, those of `claimed` that find it, in order.
    """
    claims, relations = list(claimed), list(true)
    matched = matching.match(
        matching.ClaimColumns.of([matching.Claim("", *claim) for claim in claims]),
        [matching.TrueRelation("", *relation) for relation in relations],
        Words.of({"": text}),
        ontology,
    )
    found: dict[Relation, list[Relation]] = {relation: [] for relation in relations}
    for claim, relation in zip(matched.claim.tolist(), matched.true.tolist(), strict=True):
        found[relations[relation]].append(claims[claim])
    return found


def claimants(claims: Claims, relations: Iterable[Relation]) -> Mapping[Relation, list[System]]:
    """Say who makes each of some claims, by name."""
    return {relation: claims.makers[claims.instances[relation]] for relation in relations}


def claimed_by(claims: Claims, system: int) -> list[Relation]:
    """Return what a system claims, in the order of the text."""
    own = {pk for pk, makers in claims.makers.items() if any(one.pk == system for one in makers)}
    return [relation for relation, pk in claims.instances.items() if pk in own]


def count_claims(claims: Claims, relations: Iterable[Relation]) -> Mapping[int, int]:
    """Count how many of some claims each system makes, by its row id; those that make none are left out."""
    return Counter(one.pk for relation in relations for one in claims.makers[claims.instances[relation]])


def count_found(claims: Claims, finders: Sequence[Sequence[Relation]]) -> Mapping[int, int]:
    """Count how many true relations each system finds, by its row id; those that find none are left out.

    Parameters
    ----------
    claims : Claims
    finders : sequence of sequence of Relation
        The claims that find each true relation.
    """
    found = (
        {one.pk for relation in own for one in claims.makers[claims.instances[relation]]} for own in finders
    )
    return Counter(pk for pks in found for pk in pks)


def uses(document: Document, claims: Claims, relations: Iterable[Relation]) -> Mapping[Relation, list[Use]]:
    """Read how each system makes some claims, with what is published of it, by name."""
    relation_of = {claims.instances[relation]: relation for relation in relations}
    rows = Prediction.objects.filter(instance__in=list(relation_of)).select_related("instance")
    predictions = [one for one in rows if one.submission_id in claims.systems]
    verdicts = published_verdicts(predictions)
    found: dict[Relation, list[Use]] = {relation: [] for relation in relation_of.values()}
    place = {pk: number for number, pk in enumerate(claims.systems)}
    for row in sorted(predictions, key=lambda one: place[one.submission_id]):
        object_name = ""
        if row.object_canonical_start is not None and row.object_canonical_end is not None:
            object_name = words_of(document.text, Span(row.object_canonical_start, row.object_canonical_end))
        subject = Span(row.subject_canonical_start, row.subject_canonical_end)
        found[relation_of[row.instance_id]].append(
            Use(
                claims.systems[row.submission_id],
                row.confidence,
                verdicts[row.pk],
                words_of(document.text, subject),
                object_name,
            )
        )
    return found


def rulings(
    document: Document, relations: Collection[Relation], ontology: Ontology
) -> Mapping[Relation, Ruling]:
    """Read what is published on relations, claimed or not."""
    claims = {relation: _claim(document.pk, relation, ontology) for relation in relations}
    published = published_rulings(claims.values())
    return {relation: published[claim] for relation, claim in claims.items() if claim in published}


def crowd_votes(annotation: Annotation) -> Mapping[Relation, Ruling]:
    """Read the votes by which the crowd's true relations were settled; experts' have none.

    Of a document that is open, only of labels that are published: one that was settled after its document was
    retired may be in the sample of an epoch that is still sealed.
    """
    if annotation.row.source != DocumentAnnotation.Source.CROWD:
        return {}
    labels = Label.objects.filter(question__annotations=annotation.row, value=1)
    if not annotation.is_sealed:
        labels = labels.filter(question__published_at__isnull=False)
    votes = {}
    for label in labels.select_related("question"):
        true = relation_kind.KIND.read(label.question.payload).relation(label.claim)
        votes[Relation(true.predicate, true.subject, true.object)] = Ruling.of(label)
    return votes


def order(relation: Relation) -> tuple[Span, Span, str]:
    """Return what relations of a document are sorted by: where their mentions stand."""
    return (relation.subject, relation.object, relation.predicate)


def _claim(document_id: int, relation: Relation, ontology: Ontology) -> Claim:
    # Of the types that the predicate admits: a question settles it whatever types it gives the mentions.
    own = ontology.relations_by_name[relation.predicate]
    return Claim(
        document_id=document_id,
        predicate=relation.predicate,
        subject=relation.subject,
        subject_type=own.subject_type,
        object=relation.object,
        object_type=own.object_types[0],
    )
