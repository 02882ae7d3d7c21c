"""Exact scores of the example systems, from the gold annotations: what judges say, and what recall finds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from demo.markup import Gold
from demo.systems.reading import Extraction
from evaluation.kbp.matching import Claim, ClaimColumns, TrueRelation, match
from evaluation.kbp.words import Words
from kbpo_formats.spans import Span
from tests.ontologies import TAC

Relation = tuple[str, Span, Span]


@dataclass(frozen=True)
class Scores:
    instances: int
    correct: int
    precision: float
    recall: float


def score(extractions: Sequence[Extraction], golds: Sequence[Gold], texts: Mapping[str, str]) -> Scores:
    """Count an instance as correct if its spans overlap the true ones, a true relation as found by `near`."""
    instances = correct = found = true = 0
    for extraction, gold in zip(extractions, golds, strict=True):
        assert extraction.doc_id == gold["doc_id"]
        claimed = {(claim.relation, claim.subject.span, claim.object.span) for claim in extraction.claims}
        known = [(r["predicate"], Span(*r["subject"]), Span(*r["object"])) for r in gold["relations"]]
        instances += len(claimed)
        correct += sum(any(matches(one, other) for other in known) for one in claimed)
        true += len(known)
        doc_id = gold["doc_id"]
        matched = match(
            ClaimColumns.of([Claim(doc_id, *one) for one in claimed]),
            [TrueRelation(doc_id, *one) for one in known],
            Words.of({doc_id: texts[doc_id]}),
            TAC,
        )
        found += int(matched.found.sum())
    return Scores(instances, correct, correct / instances, found / true)


def matches(one: Relation, other: Relation) -> bool:
    straight = one[1].overlaps(other[1]) and one[2].overlaps(other[2])
    crossed = one[1].overlaps(other[2]) and one[2].overlaps(other[1])
    return one[0] == other[0] and (straight or (TAC.relations_by_name[one[0]].is_symmetric and crossed))
