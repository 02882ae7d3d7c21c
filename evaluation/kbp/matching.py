"""When a prediction finds a true relation: the rule named ``overlap``.

Same predicate, and the spans of subject and object each overlap the true mentions by at least one character;
in either order for a symmetric predicate. For the part ``all``, each predicted canonical mention must also
overlap a mention of the true entity. Several predictions may find one true relation, and one several.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evaluation.estimators import _checks
from evaluation.estimators._checks import BoolArray, IntArray
from kbpo.core.ontology import RELATIONS
from kbpo.core.spans import Span

RULE = "overlap"
PARTS = ("all", "relation")


class Claim(NamedTuple):
    """A prediction of a relation between two mentions, in the stored direction.

    The canonical mentions are those that the system gives, None for a string (a date, a title): it has none.
    They matter to the part ``all`` alone.
    """

    doc_id: str
    predicate: str
    subject: Span
    object: Span
    subject_canonical: Span | None = None
    object_canonical: Span | None = None


class TrueRelation(NamedTuple):
    """A relation that holds, with all mentions of its two entities in the document.

    The mentions matter to the part ``all`` alone.
    """

    doc_id: str
    predicate: str
    subject: Span
    object: Span
    subject_mentions: tuple[Span, ...] = ()
    object_mentions: tuple[Span, ...] = ()


def _links(canonical: Span | None, mentions: Iterable[Span]) -> bool:
    return canonical is None or any(canonical.overlaps(mention) for mention in mentions)


def _fits(claim: Claim, true: TrueRelation, part: str) -> bool:
    if not (claim.subject.overlaps(true.subject) and claim.object.overlaps(true.object)):
        return False
    return part == "relation" or (
        _links(claim.subject_canonical, true.subject_mentions)
        and _links(claim.object_canonical, true.object_mentions)
    )


def matches(claim: Claim, true: TrueRelation, part: str = "relation") -> bool:
    """Say whether the claim finds the true relation.

    Parameters
    ----------
    claim : Claim
    true : TrueRelation
    part : {"relation", "all"}
        Whether the relation alone counts, or the canonical mentions too.

    Returns
    -------
    bool

    Raises
    ------
    InvalidInput
        If the part has no recall, or the predicate is not in the ontology.

    Examples
    --------
    >>> true = TrueRelation("D", "per:spouse", Span(0, 4), Span(10, 14))
    >>> matches(Claim("D", "per:spouse", Span(13, 20), Span(3, 5)), true)
    True
    """
    _refuse_part(part)
    if (claim.doc_id, claim.predicate) != (true.doc_id, true.predicate):
        return False
    if _fits(claim, true, part):
        return True
    if not _is_symmetric(true.predicate):
        return False
    turned = true._replace(
        subject=true.object,
        object=true.subject,
        subject_mentions=true.object_mentions,
        object_mentions=true.subject_mentions,
    )
    return _fits(claim, turned, part)


@dataclass(frozen=True, slots=True, eq=False)
class Matching:
    """Which claims find which true relations.

    Attributes
    ----------
    claim, true : int[k]
        Positions of the matching pairs, ordered by claim.
    correct : bool[number of claims]
        Whether the claim finds any true relation.
    found : bool[number of true relations]
        Whether any claim finds it.
    """

    claim: IntArray
    true: IntArray
    correct: BoolArray
    found: BoolArray

    def found_by(self, claims: BoolArray) -> BoolArray:
        """Return which true relations these claims find (bool[number of claims]), as one system's do."""
        found = np.zeros_like(self.found)
        found[self.true[claims[self.claim]]] = True
        return found


def match(claims: Sequence[Claim], true: Sequence[TrueRelation], part: str = "relation") -> Matching:
    """Match every claim with every true relation; only pairs of one document and predicate are compared.

    Parameters
    ----------
    claims : sequence of Claim
    true : sequence of TrueRelation
    part : {"relation", "all"}

    Returns
    -------
    Matching

    Raises
    ------
    InvalidInput
        As `matches`.
    """
    _refuse_part(part)
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for position, relation in enumerate(true):
        groups[relation.doc_id, relation.predicate].append(position)
    pairs = [
        (position, candidate)
        for position, claim in enumerate(claims)
        for candidate in groups.get((claim.doc_id, claim.predicate), ())
        if matches(claim, true[candidate], part)
    ]
    pair_array = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    correct = np.zeros(len(claims), dtype=np.bool_)
    found = np.zeros(len(true), dtype=np.bool_)
    correct[pair_array[:, 0]] = True
    found[pair_array[:, 1]] = True
    return Matching(pair_array[:, 0], pair_array[:, 1], correct, found)


@dataclass(frozen=True, slots=True, eq=False)
class ClaimColumns:
    """Claims as columns, n of them.

    Attributes
    ----------
    doc_ids, predicates : sequence of str
        What the codes stand for, each once.
    document, predicate : int[n]
        Codes.
    subject, object, subject_canonical, object_canonical : int[n, 2]
        Starts and ends; −1 where there is no canonical mention.
    """

    doc_ids: Sequence[str]
    predicates: Sequence[str]
    document: IntArray
    predicate: IntArray
    subject: IntArray
    object: IntArray
    subject_canonical: IntArray
    object_canonical: IntArray


def match_columns(claims: ClaimColumns, true: Sequence[TrueRelation], part: str = "relation") -> Matching:
    """Match as `match` does, hundreds of thousands of claims at a time.

    Parameters
    ----------
    claims : ClaimColumns
    true : sequence of TrueRelation
    part : {"relation", "all"}

    Returns
    -------
    Matching

    Raises
    ------
    InvalidInput
        As `matches`.
    """
    _refuse_part(part)
    symmetric = np.array([_is_symmetric(one) for one in claims.predicates], dtype=np.bool_)
    document = {doc_id: code for code, doc_id in enumerate(claims.doc_ids)}
    predicate = {name: code for code, name in enumerate(claims.predicates)}
    size = len(claims.predicates)
    groups = np.array(
        [
            document[one.doc_id] * size + predicate[one.predicate]
            if one.doc_id in document and one.predicate in predicate
            else -1
            for one in true
        ],
        dtype=np.int64,
    )
    order = np.argsort(groups, kind="stable")
    wanted = claims.document * size + claims.predicate
    first, last = (np.searchsorted(groups, wanted, side, sorter=order) for side in ("left", "right"))
    claim, place = _ranges(first, last)
    candidate = order[place]
    subject, object_ = (
        np.array([getattr(one, end) for one in true], dtype=np.int64).reshape(-1, 2)
        for end in ("subject", "object")
    )
    subject_mentions = _Mentions.of([one.subject_mentions for one in true])
    object_mentions = _Mentions.of([one.object_mentions for one in true])
    fits = np.zeros(claim.size, dtype=np.bool_)
    for turned in (False, True):
        pairs = np.flatnonzero(symmetric[claims.predicate[claim]]) if turned else np.arange(claim.size)
        one, other = claim[pairs], candidate[pairs]
        ends = (object_, subject) if turned else (subject, object_)
        good = _overlap(claims.subject[one], ends[0][other]) & _overlap(claims.object[one], ends[1][other])
        if part == "all":
            pairs, one, other = pairs[good], one[good], other[good]
            mentions = (object_mentions, subject_mentions) if turned else (subject_mentions, object_mentions)
            good = mentions[0].link(claims.subject_canonical[one], other)
            good &= mentions[1].link(claims.object_canonical[one], other)
        fits[pairs[good]] = True
    claim, candidate = claim[fits], candidate[fits]
    correct = np.zeros(claims.document.size, dtype=np.bool_)
    found = np.zeros(len(true), dtype=np.bool_)
    correct[claim] = True
    found[candidate] = True
    return Matching(claim, candidate, correct, found)


@dataclass(frozen=True, slots=True, eq=False)
class _Mentions:
    """Lists of spans, one after the other."""

    spans: IntArray
    indptr: IntArray

    @classmethod
    def of(cls, lists: Sequence[Sequence[Span]]) -> "_Mentions":
        spans = np.array([span for one in lists for span in one], dtype=np.int64).reshape(-1, 2)
        return cls(spans, np.concatenate([[0], np.cumsum([len(one) for one in lists], dtype=np.int64)]))

    def link(self, canonical: IntArray, which: IntArray) -> BoolArray:
        """Say which canonical mentions overlap some span of the list that belongs to each, or are none."""
        place, mention = _ranges(self.indptr[which], self.indptr[which + 1])
        linked = canonical[:, 0] < 0
        linked[place[_overlap(canonical[place], self.spans[mention])]] = True
        return np.asarray(linked)


def _ranges(first: IntArray, last: IntArray) -> tuple[IntArray, IntArray]:
    """Return the whole numbers of each range, without its last, and beside each its range's position."""
    counts = last - first
    position = np.repeat(np.arange(first.size), counts)
    skipped = np.cumsum(counts) - counts
    return position, np.arange(position.size) - (skipped - first)[position]


def _overlap(one: IntArray, other: IntArray) -> BoolArray:
    return np.asarray((one[:, 0] < other[:, 1]) & (other[:, 0] < one[:, 1]))


def _refuse_part(part: str) -> None:
    if part not in PARTS:
        _checks.refuse("part", f"is {part!r}; recall exists for 'all' and 'relation' only")


def _is_symmetric(predicate: str) -> bool:
    if predicate not in RELATIONS:
        _checks.refuse(
            "predicate", f"{predicate!r} is not a stored relation; one of the ontology's is needed"
        )
    return RELATIONS[predicate].symmetric
