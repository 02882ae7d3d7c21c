"""What the documents annotated in full have cost: each by itself, and all beside the ledger."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import reduce

from django.core.paginator import Page, Paginator
from django.db import connection
from django.db.models import Count, Max, QuerySet

from annotations.models import Corpus, Document, DocumentAnnotation
from crowd.interfaces import entities
from evaluation.models import DocumentSample
from kbpo.pages.money import ledger
from kbpo.pages.money.ledger import Line

# What was paid for an assignment is shared out among its HIT's questions in whole cents, the first ones
# getting one more where they do not divide evenly: so the shares add up to what the ledger says.
_COSTS = """
WITH wanted AS (
    SELECT DISTINCT sampled.document_id FROM evaluation_sampleddocument AS sampled
    JOIN evaluation_documentsample AS sample ON sample.id = sampled.sample_id
    WHERE sample.corpus_id = %(corpus)s
), asked AS (
    SELECT question.id AS question_id, question.document_id, true AS is_whole
    FROM annotations_question AS question JOIN wanted USING (document_id) WHERE question.kind = %(kind)s
    UNION
    SELECT needed.question_id, annotation.document_id, false
    FROM annotations_documentannotation AS annotation JOIN wanted USING (document_id)
    JOIN annotations_documentannotation_questions AS needed ON needed.documentannotation_id = annotation.id
), hits AS (
    SELECT DISTINCT put.hit_id FROM crowd_hitquestion AS put JOIN asked USING (question_id)
), placed AS (
    SELECT hit_id, question_id, count(*) OVER (PARTITION BY hit_id) AS questions,
        row_number() OVER (PARTITION BY hit_id ORDER BY position) AS place
    FROM crowd_hitquestion JOIN hits USING (hit_id)
), paid AS (
    SELECT assignment.hit_id, replace(entry.kind, 'bonus_fee', 'fee') AS kind,
        sum(entry.paid_change_cents)::bigint AS cents
    FROM crowd_ledgerentry AS entry JOIN crowd_assignment AS assignment ON assignment.id = entry.assignment_id
    JOIN hits ON hits.hit_id = assignment.hit_id
    WHERE entry.paid_change_cents > 0 GROUP BY 1, 2
), timed AS (
    SELECT asked.document_id, asked.is_whole, sum(response.seconds) AS seconds
    FROM asked JOIN annotations_response AS response USING (question_id)
    WHERE NOT response.is_expert GROUP BY 1, 2
), shared AS (
    SELECT asked.document_id, asked.is_whole, paid.kind, sum(
        paid.cents / placed.questions + (placed.place <= paid.cents %% placed.questions)::int
    )::bigint AS cents
    FROM paid JOIN placed USING (hit_id) JOIN asked USING (question_id) GROUP BY 1, 2, 3
)
SELECT document_id, is_whole,
    COALESCE(max(cents) FILTER (WHERE kind = 'reward'), 0),
    COALESCE(max(cents) FILTER (WHERE kind = 'fee'), 0),
    COALESCE(max(cents) FILTER (WHERE kind = 'bonus'), 0),
    COALESCE(max(seconds), 0)
FROM shared FULL JOIN timed USING (document_id, is_whole) GROUP BY 1, 2
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """What people were paid, in cents, and how long they took, in seconds."""

    rewards: int = 0
    fees: int = 0
    bonuses: int = 0
    seconds: float = 0.0

    @property
    def paid(self) -> int:
        """All that was paid."""
        return self.rewards + self.fees + self.bonuses

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))


@dataclass(frozen=True, slots=True)
class DocumentCost:
    """What a document has cost.

    Attributes
    ----------
    document : Document
    entities : Cost
        For its mentions.
    pairs : Cost
        For the relations between them.
    true : int or None
        True instances that the crowd found; None while it is not through.
    is_retired : bool
    """

    document: Document
    entities: Cost
    pairs: Cost
    true: int | None
    is_retired: bool

    @property
    def all(self) -> Cost:
        """For both."""
        return self.entities + self.pairs


@dataclass(frozen=True, slots=True)
class Totals:
    """What all documents have cost.

    Attributes
    ----------
    documents : int
        That are or were in a sample.
    complete : int
        Those with which the crowd is through.
    entities, pairs : Cost
    true : int
        True instances of the complete ones.
    per_true : float or None
        Cents for each of these, by what the complete ones have cost; None without one.
    others : Line
        What else was paid for the corpus.
    corpus : Line
        All that was paid for it, as the ledger has it.
    """

    documents: int
    complete: int
    entities: Cost
    pairs: Cost
    true: int
    per_true: float | None
    others: Line
    corpus: Line

    @property
    def all(self) -> Cost:
        """For mentions and relations."""
        return self.entities + self.pairs


def document_costs(
    corpus: Corpus, *, page: str | None, size: int
) -> tuple["Page[Document]", list[DocumentCost]]:
    """Return a page of the documents that are or were in an exhaustive sample, with what each has cost.

    Parameters
    ----------
    corpus : Corpus
    page : str or None
        From 1; the first or last where there is none such.
    size : int

    Returns
    -------
    page : Page of Document
    rows : list of DocumentCost
        Those of the page, the latest in a sample first, then in their order in the corpus.
    """
    found: QuerySet[Document] = (
        Document.objects.filter(pk__in=_sampled(corpus))
        .alias(latest=Max("sampled__sample__number"))
        .select_related("retirement")
        .order_by("-latest", "pk")
        .defer("text", "suggestions")
    )
    shown = Paginator(found, size).get_page(page)
    documents = list(shown.object_list)
    costs, true = _read(corpus), _true(corpus)
    return shown, [
        DocumentCost(
            document,
            costs.get((document.pk, True), Cost()),
            costs.get((document.pk, False), Cost()),
            true.get(document.pk),
            hasattr(document, "retirement"),
        )
        for document in documents
    ]


def totals(corpus: Corpus) -> Totals:
    """Sum up what the exhaustive documents of a corpus have cost, beside all that was paid for it."""
    costs, true, whole = _read(corpus), _true(corpus), ledger.of_corpus(corpus)
    entities, pairs = (
        _sum(cost for (_, is_whole), cost in costs.items() if is_whole == wanted) for wanted in (True, False)
    )
    both = entities + pairs
    of_complete = sum(cost.paid for (pk, _), cost in costs.items() if pk in true)
    return Totals(
        documents=_sampled(corpus).count(),
        complete=len(true),
        entities=entities,
        pairs=pairs,
        true=sum(true.values()),
        per_true=of_complete / sum(true.values()) if sum(true.values()) else None,
        others=Line(
            "",
            None,
            whole.reserved,
            whole.rewards - both.rewards,
            whole.fees - both.fees,
            whole.bonuses - both.bonuses,
        ),
        corpus=whole,
    )


def corpora() -> list[Corpus]:
    """List the corpora that have or had exhaustive documents."""
    return list(Corpus.objects.filter(pk__in=DocumentSample.objects.values("corpus")).order_by("tag"))


def corpora_without() -> list[Corpus]:
    """List the corpora in which none are drawn now."""
    current = DocumentSample.objects.filter(retired_at=None)
    return list(Corpus.objects.exclude(pk__in=current.values("corpus")).order_by("tag"))


def _read(corpus: Corpus) -> Mapping[tuple[int, bool], Cost]:
    """Read for each document what its mentions (True) and its relations (False) have cost."""
    with connection.cursor() as cursor:
        cursor.execute(_COSTS, {"corpus": corpus.pk, "kind": entities.ENTITIES})
        return {(pk, is_whole): Cost(*values) for pk, is_whole, *values in cursor.fetchall()}


def _true(corpus: Corpus) -> Mapping[int, int]:
    """Count the true instances of the documents that the crowd has annotated."""
    complete = DocumentAnnotation.objects.filter(
        document__in=_sampled(corpus), source=DocumentAnnotation.Source.CROWD, completed_at__isnull=False
    )
    return dict(complete.annotate(true=Count("relations")).values_list("document_id", "true"))


def _sampled(corpus: Corpus) -> QuerySet[Document]:
    return Document.objects.filter(sampled__sample__corpus=corpus).distinct()


def _sum(costs: Iterable[Cost]) -> Cost:
    return reduce(Cost.__add__, costs, Cost())
