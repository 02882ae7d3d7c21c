"""Questions asked once, whoever needs the answer."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from django.db import transaction
from django.db.models.functions import Length

from annotations import conflicts, ontologies
from annotations.kinds import relation
from annotations.kinds.canonical import CanonicalQuestion
from annotations.kinds.entities import EntitiesQuestion
from annotations.kinds.fields import check_spans
from annotations.kinds.kind import Content
from annotations.kinds.registry import find_kind
from annotations.kinds.relation import Mention, Offer, RelationQuestion
from annotations.models import CorpusRole, Document, Question, Response
from annotations.models.question import AUDIT_PREFIX
from annotations.policies.registry import OF_AUDITS, find_policy
from kbpo.core.errors import Conflict, InvalidInput
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.spans import Span

C = TypeVar("C", bound=Content)
_Place = tuple[int, str]  # a document's id and a question's key
_Answering = tuple[RelationQuestion, Offer]


@dataclass(frozen=True, slots=True)
class Claim:
    """A claimed relation between two mentions of a document, in its stored direction."""

    document_id: int
    predicate: str
    subject: Span
    subject_type: str
    object: Span
    object_type: str


@dataclass(frozen=True, slots=True)
class CanonicalClaim:
    """A claimed canonical mention."""

    document_id: int
    mention: Span
    canonical: Span


def ask(
    wanted: Collection[tuple[int, C]], votes: Mapping[tuple[int, C], int] | None = None
) -> dict[tuple[int, C], Question]:
    """Find each question, of any kind, and ask those that nobody has asked yet.

    Parameters
    ----------
    wanted : collection of (int, Content)
        The row id of a document, and what is asked about it.
    votes : mapping, optional
        How many votes some of them are asked with; the others, and all if left out, as their corpus' policy
        says. A question that is there keeps its number.

    Raises
    ------
    InvalidInput
        If there is no such document, a span lies outside it, or a question's kind is unknown.
    """
    places = {(document_id, content.key): content for document_id, content in wanted}
    with transaction.atomic():
        found = _stored(places)
        numbers = {(document_id, one.key): number for (document_id, one), number in (votes or {}).items()}
        _ask({place: content for place, content in places.items() if place not in found}, numbers)
        stored = found if len(found) == len(places) else _stored(places)
        return {(document_id, content): stored[document_id, content.key] for document_id, content in wanted}


def ask_relations(claims: Sequence[Claim]) -> dict[Claim, tuple[Question, int]]:
    """Find the question that settles each claim, and ask those that nobody has asked yet.

    A claim is settled by the earliest question about its two spans that offers its predicate in its
    direction, whatever the types that the question gives them.

    Parameters
    ----------
    claims : sequence of Claim

    Returns
    -------
    dict
        For each claim, the question and which mention of its pair is the claim's subject (0 or 1; always 0
        for a symmetric relation).

    Raises
    ------
    InvalidInput
        If a claim's relation is not of its corpus' ontology, or does not admit its types; if there is no such
        document, or the spans lie outside it.
    """
    answering = _answering(claims)
    with transaction.atomic():
        found = _settling(answering)
        wanted: dict[_Place, RelationQuestion] = {}
        for claim in sorted((claim for claim in answering if claim not in found), key=_order):
            places = [(claim.document_id, question.key) for question, _ in answering[claim]]
            if not any(place in wanted for place in places):
                wanted[places[0]] = answering[claim][0][0]
        _ask(wanted)
        return found | _settling({claim: answering[claim] for claim in answering if claim not in found})


def find_relations(claims: Iterable[Claim]) -> dict[Claim, tuple[Question, int]]:
    """Find what `ask_relations` would, without asking: a claim that no question settles is left out."""
    return _settling(_answering(list(claims)))


def ask_canonicals(claims: Collection[CanonicalClaim]) -> dict[CanonicalClaim, Question]:
    """Find the question about each claimed canonical mention, and ask those that nobody has asked yet.

    Parameters
    ----------
    claims : collection of CanonicalClaim

    Raises
    ------
    InvalidInput
        If a span lies outside its document.
    """
    wanted = {
        claim: (claim.document_id, CanonicalQuestion(claim.mention, claim.canonical)) for claim in claims
    }
    asked = ask(wanted.values())
    return {claim: asked[one] for claim, one in wanted.items()}


def ask_entities(document_ids: Collection[int]) -> dict[int, Question]:
    """Find the question for every mention of each document, and ask those that nobody has asked yet.

    Parameters
    ----------
    document_ids : collection of int
        The documents' row ids.

    Returns
    -------
    dict of int to Question
        By the document's id.

    Raises
    ------
    InvalidInput
        If there is no such document.
    """
    asked = ask([(document_id, EntitiesQuestion()) for document_id in document_ids])
    return {document_id: question for (document_id, _), question in asked.items()}


def ask_pairs(document_id: int, pairs: Collection[tuple[Mention, Mention]]) -> list[Question]:
    """Find the relation question about each pair of mentions, and ask those that nobody has asked yet.

    Parameters
    ----------
    document_id : int
        The document's row id.
    pairs : collection of (Mention, Mention)

    Raises
    ------
    InvalidInput
        If the types of a pair admit no relation, or a span lies outside the document.
    """
    if not pairs:
        return []
    ontology = _ontologies([document_id])[document_id]
    return list(ask([(document_id, RelationQuestion.about(*pair, ontology)) for pair in pairs]).values())


def find_canonicals(claims: Iterable[CanonicalClaim]) -> dict[CanonicalClaim, Question]:
    """Find what `ask_canonicals` would, without asking: a claim that nobody has asked about is left out."""
    places = {claim: _canonical_place(claim) for claim in claims}
    questions = _stored(places.values())
    return {claim: questions[place] for claim, place in places.items() if place in questions}


@transaction.atomic
def ask_audits(*, questions: Collection[int]) -> dict[int, Question]:
    """Find the question that asks each of some settled ones again, and ask those that nobody has asked yet.

    It is a question like any other but for who answers it: nobody who answered the one that it audits. Where
    its corpus has a reviewer who did not, it waits for an expert; else for the many votes of
    `annotations.policies.audits`. Safe to run twice, and at the same time as itself.

    Parameters
    ----------
    questions : collection of int
        Row ids of settled questions, none of which audits another.

    Returns
    -------
    dict of int to Question
        By the id of the audited one.

    Raises
    ------
    InvalidInput
        If there is no such question.
    Conflict
        If one is not settled, or audits another itself.
    """
    found = Question.objects.select_related("audit").in_bulk(questions)
    missing = sorted(set(questions) - found.keys())
    if missing:
        raise InvalidInput(f"there is no question {missing[0]} to ask again")
    new = [one for _, one in sorted(found.items()) if not hasattr(one, "audit")]
    for one in new:
        if one.state != Question.State.SETTLED or one.audits_id is not None:
            raise Conflict(f"question {one.pk} cannot be asked again: it is not settled, or audits another")
    with_expert = _have_other_experts(new)
    Question.objects.bulk_create(
        (
            Question(
                document_id=one.document_id,
                kind=one.kind,
                key=AUDIT_PREFIX + one.key,
                payload=one.payload,
                state=Question.State.EXPERT if one.pk in with_expert else Question.State.OPEN,
                votes_needed=OF_AUDITS.first_votes,
                audits=one,
            )
            for one in new
        ),
        ignore_conflicts=True,
        batch_size=2000,
    )
    asked = Question.objects.filter(audits__in=found)
    return {one.audits_id: one for one in asked if one.audits_id is not None}


def published_pairs(corpus_id: int, before: datetime) -> set[tuple[int, Span, Span]]:
    """Return the pairs of spans that relation questions of a corpus are about which were published before.

    Returns
    -------
    set of (int, Span, Span)
        The document's row id, and the two spans in ascending order.
    """
    found = Question.objects.filter(
        kind=relation.NAME, document__corpus=corpus_id, published_at__lt=before, audits__isnull=True
    )
    pairs = set()
    for document_id, mentions in found.values_list("document_id", "payload__mentions"):
        first, second = sorted(Span(one["start"], one["end"]) for one in mentions)
        pairs.add((document_id, first, second))
    return pairs


def _have_other_experts(questions: Collection[Question]) -> set[int]:
    """Return which questions somebody may decide as an expert of the corpus who has not answered them."""
    rows = CorpusRole.objects.filter(
        corpus__documents__questions__in=questions, role=CorpusRole.Role.REVIEWER, user__is_active=True
    )
    reviewers: dict[int, set[int]] = defaultdict(set)
    for corpus_id, user_id in rows.values_list("corpus", "user").distinct():
        if not conflicts.exists(worker_id=user_id, corpus_id=corpus_id):
            reviewers[corpus_id].add(user_id)
    if not reviewers:
        return set()
    corpora = dict(
        Document.objects.filter(pk__in={one.document_id for one in questions}).values_list("pk", "corpus")
    )
    voters: dict[int, set[int]] = defaultdict(set)
    for pk, worker in Response.objects.filter(question__in=questions).values_list("question", "worker"):
        voters[pk].add(worker)
    return {one.pk for one in questions if reviewers[corpora[one.document_id]] - voters[one.pk]}


def _ontologies(documents: Collection[int]) -> dict[int, Ontology]:
    found = ontologies.of_documents(documents)
    missing = sorted(set(documents) - found.keys())
    if missing:
        raise InvalidInput(f"there is no document {missing[0]}")
    return found


def _answering(claims: Collection[Claim]) -> dict[Claim, list[_Answering]]:
    if not claims:
        return {}
    under = _ontologies({claim.document_id for claim in claims})
    return {claim: _answering_one(claim, under[claim.document_id]) for claim in claims}


def _answering_one(claim: Claim, ontology: Ontology) -> list[_Answering]:
    """List the questions that can settle a claim, the one for its own types first, and the offer in each."""
    relation.check_claim(claim.predicate, claim.subject_type, claim.object_type, ontology)
    admitted = ontology.find_relation(claim.predicate)
    subject = Mention(claim.subject, admitted.subject_type)
    others = [one for one in admitted.object_types if one != claim.object_type]
    answering = []
    for object_type in (claim.object_type, *others):
        question = RelationQuestion.about(subject, Mention(claim.object, object_type), ontology)
        place = 0 if admitted.is_symmetric else question.mentions.index(subject)
        answering.append((question, Offer(claim.predicate, place)))
    return answering


def _settling(answering: Mapping[Claim, Sequence[_Answering]]) -> dict[Claim, tuple[Question, int]]:
    places = {
        (claim.document_id, question.key) for claim, choices in answering.items() for question, _ in choices
    }
    questions = _stored(places)
    found = {}
    for claim, choices in answering.items():
        settling = []
        for choice, offer in choices:
            question = questions.get((claim.document_id, choice.key))
            if question is not None and offer._asdict() in question.payload["options"]:
                settling.append((question.pk, offer.subject, question))
        if settling:
            _, subject, question = min(settling)
            found[claim] = question, subject
    return found


def _stored(places: Iterable[_Place]) -> dict[_Place, Question]:
    pairs = sorted(set(places))
    if not pairs:
        return {}
    rows = Question.objects.raw(
        "SELECT question.* FROM annotations_question AS question"
        " JOIN unnest(%s::bigint[], %s::text[]) AS wanted (document_id, key)"
        " ON question.document_id = wanted.document_id AND question.key = wanted.key",
        [[document_id for document_id, _ in pairs], [key for _, key in pairs]],
    )
    return {(row.document_id, row.key): row for row in rows}


def _ask(wanted: Mapping[_Place, Content], votes: Mapping[_Place, int] | None = None) -> None:
    if not wanted:
        return
    documents = {
        pk: (length, find_policy(policy).first_votes)
        for pk, length, policy in Document.objects.filter(
            pk__in={document_id for document_id, _ in wanted}
        ).values_list("pk", Length("text"), "corpus__policy")
    }
    rows = []
    # Sorted: two who ask the same at once wait for each other in one order, and never in a circle.
    for (document_id, key), question in sorted(
        wanted.items(), key=lambda item: (item[0][0], item[1].spans, item[0])
    ):
        if document_id not in documents:
            raise InvalidInput(f"there is no document {document_id}")
        kind = find_kind(question.kind)
        length, first_votes = documents[document_id]
        check_spans(question.spans, length)
        rows.append(
            Question(
                document_id=document_id,
                kind=kind.name,
                key=key,
                payload=question.payload(),
                votes_needed=(votes or {}).get((document_id, key), first_votes),
            )
        )
    Question.objects.bulk_create(rows, ignore_conflicts=True, batch_size=2000)


def _order(claim: Claim) -> tuple[int, Span, Span, str, str, str, Span]:
    first, second = sorted((claim.subject, claim.object))
    return (
        claim.document_id,
        first,
        second,
        claim.predicate,
        claim.subject_type,
        claim.object_type,
        claim.subject,
    )


def _canonical_place(claim: CanonicalClaim) -> _Place:
    return claim.document_id, CanonicalQuestion(claim.mention, claim.canonical).key
