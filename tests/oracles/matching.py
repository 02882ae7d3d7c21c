"""Matching of predictions with true relations, pair by pair, as its rule is stated.

`evaluation.kbp.matching.match` does the same with columns of claims.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from evaluation.kbp.matching import (
    MORE_WORDS,
    Claim,
    Matching,
    TrueRelation,
    _is_symmetric,
    _matching,
    _refuse_part,
)
from evaluation.kbp.words import Words
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.spans import Span


def matches(
    claim: Claim, true: TrueRelation, words: Words, ontology: Ontology, part: str = "relation"
) -> bool:
    """Say whether the claim matches the true relation.

    Parameters
    ----------
    claim : Claim
    true : TrueRelation
    words : Words
        With those of the document.
    ontology : Ontology
        Which says what is symmetric.
    part : {"relation", "all"}
        Whether the relation alone counts, or the canonical mentions too.

    Returns
    -------
    bool

    """
    return _coverage(claim, true, words, ontology, part) is not None


def match(
    claims: Sequence[Claim],
    true: Sequence[TrueRelation],
    words: Words,
    ontology: Ontology,
    part: str = "relation",
) -> Matching:
    """Find the true relation of each claim: of those that it matches the best covered, then the first.

    Arguments are those of `evaluation.kbp.matching.match`, with a sequence of claims.
    """
    _refuse_part(part)
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for position, relation in enumerate(true):
        groups[relation.doc_id, relation.predicate].append(position)
    pairs = []
    for position, claim in enumerate(claims):
        covered = {
            candidate: coverage
            for candidate in groups.get((claim.doc_id, claim.predicate), ())
            if (coverage := _coverage(claim, true[candidate], words, ontology, part)) is not None
        }
        if covered:
            pairs.append((position, max(covered, key=covered.__getitem__)))
    pair_array = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return _matching(pair_array[:, 0], pair_array[:, 1], len(claims), len(true))


def _coverage(
    claim: Claim, true: TrueRelation, words: Words, ontology: Ontology, part: str
) -> Fraction | None:
    """Return by how much the two cover each other; None where they do not match."""
    _refuse_part(part)
    if (claim.doc_id, claim.predicate) != (true.doc_id, true.predicate):
        return None
    turned = true._replace(
        subject=true.object,
        object=true.subject,
        subject_names=true.object_names,
        object_names=true.subject_names,
    )
    ways = (true, turned) if _is_symmetric(true.predicate, ontology) else (true,)
    return max(
        (
            _overlap_over_union(claim.subject, way.subject) + _overlap_over_union(claim.object, way.object)
            for way in ways
            if _fits(claim, way, words, part)
        ),
        default=None,
    )


def _fits(claim: Claim, true: TrueRelation, words: Words, part: str) -> bool:
    def near(span: Span, mention: Span) -> bool:
        more = _touched(words, true.doc_id, span) - _touched(words, true.doc_id, mention)
        return span.overlaps(mention) and more <= MORE_WORDS

    def links(canonical: Span | None, names: Iterable[Span]) -> bool:
        return canonical is None or any(near(canonical, name) for name in names)

    if not (near(claim.subject, true.subject) and near(claim.object, true.object)):
        return False
    return part == "relation" or (
        links(claim.subject_canonical, true.subject_names)
        and links(claim.object_canonical, true.object_names)
    )


def _overlap_over_union(one: Span, other: Span) -> Fraction:
    shared = min(one.end, other.end) - max(one.start, other.start)
    return Fraction(shared, max(one.end, other.end) - min(one.start, other.start))


def _touched(words: Words, doc_id: str, span: Span) -> int:
    """Return how many words a span of a document shares a character with."""
    return int(words.touched_by(words.begin([doc_id]) + np.array([span]))[0])
