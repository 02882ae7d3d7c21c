"""When a prediction finds a true relation: the rule named ``near-full-names``.

A span is near a true mention if it shares a character with it and touches at most two words more than it.
A prediction matches a true relation of its document and predicate if both its spans are near the true ones,
in either order for a symmetric predicate, and, for the part ``all``, each canonical mention that it gives is
near a full name of the true entity: its canonical mention, or another that reads the same. (Were any mention
of the entity enough, as in the rule ``near`` before, a system that links nothing, and calls each mention its
own full name, would find more than one that links well.) It finds one of those that it matches: the one that
its spans cover best. So wide spans find nothing more; several predictions may find one true relation.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evaluation.kbp.words import Words
from kbpo_estimators import _checks
from kbpo_estimators._checks import BoolArray, FloatArray, IntArray
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.spans import Span

RULE = "near-full-names"
MORE_WORDS = 2
"""How many words more than a true mention a span near it may touch."""
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
    """A relation that holds, with the full names of its two entities in the document (`full_names`).

    The names matter to the part ``all`` alone.
    """

    doc_id: str
    predicate: str
    subject: Span
    object: Span
    subject_names: tuple[Span, ...] = ()
    object_names: tuple[Span, ...] = ()


def full_names(text: str, canonical: Span, mentions: Iterable[Span]) -> tuple[Span, ...]:
    """Return the mentions of an entity that are its full name: the canonical one, or read as it does.

    Parameters
    ----------
    text : str
        Of the document.
    canonical : Span
    mentions : iterable of Span
        All those of the entity.

    Examples
    --------
    >>> full_names("Ann Lee came. Ann Lee, or Lee, left.", Span(0, 7), [Span(14, 21), Span(26, 29)])
    (Span(start=0, end=7), Span(start=14, end=21))
    """

    def reads(span: Span) -> str:
        return " ".join(text[span.start : span.end].casefold().split())

    name = reads(canonical)
    return tuple(sorted({canonical, *(one for one in mentions if reads(one) == name)}))


@dataclass(frozen=True, slots=True, eq=False)
class Matching:
    """Which claims find which true relations.

    Attributes
    ----------
    claim, true : int[k]
        Positions of each claim that matches a true relation, ascending, and of the one that it finds.
    correct : bool[number of claims]
        Whether the claim matches any true relation.
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


def _matching(claim: IntArray, true: IntArray, claims: int, relations: int) -> Matching:
    correct, found = np.zeros(claims, dtype=np.bool_), np.zeros(relations, dtype=np.bool_)
    correct[claim] = True
    found[true] = True
    return Matching(claim, true, correct, found)


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

    @classmethod
    def of(cls, claims: Sequence[Claim]) -> "ClaimColumns":
        """Return claims as columns."""
        doc_ids = {doc_id: code for code, doc_id in enumerate(dict.fromkeys(one.doc_id for one in claims))}
        predicates = {name: code for code, name in enumerate(dict.fromkeys(one.predicate for one in claims))}

        def ends(spans: Iterable[Span | None]) -> IntArray:
            return np.array([span or (-1, -1) for span in spans], dtype=np.int64).reshape(-1, 2)

        return cls(
            list(doc_ids),
            list(predicates),
            np.array([doc_ids[one.doc_id] for one in claims], dtype=np.int64),
            np.array([predicates[one.predicate] for one in claims], dtype=np.int64),
            ends(one.subject for one in claims),
            ends(one.object for one in claims),
            ends(one.subject_canonical for one in claims),
            ends(one.object_canonical for one in claims),
        )


def match(
    claims: ClaimColumns,
    true: Sequence[TrueRelation],
    words: Words,
    ontology: Ontology,
    part: str = "relation",
) -> Matching:
    """Find the true relation of each claim: of those that it matches the best covered, then the first.

    Parameters
    ----------
    claims : ClaimColumns
    true : sequence of TrueRelation
    words : Words
        With those of the documents of all true relations.
    ontology : Ontology
        Which says what is symmetric.
    part : {"relation", "all"}

    Returns
    -------
    Matching

    Raises
    ------
    InvalidInput
        If the part has no recall, a predicate is not in the ontology, or a document's words are missing.

    Examples
    --------
    >>> from kbpo_formats.ontologies.builtin import DEFAULT, read_builtin
    >>> tac = read_builtin(DEFAULT)
    >>> true = [TrueRelation("D", "per:spouse", Span(0, 3), Span(12, 15))]
    >>> words = Words.of({"D": "Ann married Bob in Bonn, which is nice."})
    >>> claims = [Claim("D", "per:spouse", Span(12, end), Span(0, 3)) for end in (23, 28)]
    >>> match(ClaimColumns.of(claims), true, words, tac).correct.tolist()
    [True, False]
    """
    _refuse_part(part)
    symmetric = np.array([_is_symmetric(one, ontology) for one in claims.predicates], dtype=np.bool_)
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
    begin = words.begin([one.doc_id for one in true])
    true_ends, names = (
        [_Mentions.of(lists, begin, words) for lists in both]
        for both in (
            ([[one.subject] for one in true], [[one.object] for one in true]),
            ([one.subject_names for one in true], [one.object_names for one in true]),
        )
    )
    best = np.full(claim.size, -1.0)
    for turned in (False, True):
        pairs = np.flatnonzero(symmetric[claims.predicate[claim]]) if turned else np.arange(claim.size)
        one, other = claim[pairs], candidate[pairs]
        way = slice(None, None, -1 if turned else 1)
        good = np.ones(pairs.size, dtype=np.bool_)
        for spans, ends in zip((claims.subject, claims.object), true_ends[way], strict=True):
            good[good] = ends.near(spans[one[good]], other[good])
        if part == "all":
            for spans, lists in zip(
                (claims.subject_canonical, claims.object_canonical), names[way], strict=True
            ):
                good[good] = lists.near(spans[one[good]], other[good])
        pairs, one, other = pairs[good], one[good], other[good]
        covered = [
            ends.overlap_over_union(spans[one], other)
            for spans, ends in zip((claims.subject, claims.object), true_ends[way], strict=True)
        ]
        # Sums that are equal as fractions are equal after rounding.
        best[pairs] = np.maximum(best[pairs], np.round(covered[0] + covered[1], 9))
    matching = np.flatnonzero(best >= 0)
    matching = matching[np.lexsort((candidate[matching], -best[matching], claim[matching]))]
    of_claim, chosen = np.unique(claim[matching], return_index=True)
    return _matching(of_claim, candidate[matching[chosen]], claims.document.size, len(true))


@dataclass(frozen=True, slots=True, eq=False)
class _Mentions:
    """Lists of mentions, one after the other, with how many words each touches.

    `begin` is where the document of each list begins among the words.
    """

    spans: IntArray
    touched: IntArray
    indptr: IntArray
    begin: IntArray
    words: Words

    @classmethod
    def of(cls, lists: Sequence[Sequence[Span]], begin: IntArray, words: Words) -> "_Mentions":
        spans = np.array([span for one in lists for span in one], dtype=np.int64).reshape(-1, 2)
        counts = np.array([len(one) for one in lists], dtype=np.int64)
        touched = words.touched_by(spans + np.repeat(begin, counts)[:, None])
        return cls(spans, touched, np.concatenate([[0], np.cumsum(counts)]), begin, words)

    def near(self, spans: IntArray, which: IntArray) -> BoolArray:
        """Say which spans are near some mention of the list that belongs to each, or are none."""
        place, mention = _ranges(self.indptr[which], self.indptr[which + 1])
        touched = self.words.touched_by(spans + self.begin[which][:, None])
        own = spans[place]
        good = (own[:, 0] < self.spans[mention, 1]) & (self.spans[mention, 0] < own[:, 1])
        good &= touched[place] <= self.touched[mention] + MORE_WORDS
        near = spans[:, 0] < 0
        near[place[good]] = True
        return np.asarray(near)

    def overlap_over_union(self, spans: IntArray, which: IntArray) -> FloatArray:
        """Return intersection over union of spans with lists of one mention that they overlap."""
        mentions = self.spans[which]
        low = np.maximum(spans[:, 0], mentions[:, 0]), np.minimum(spans[:, 0], mentions[:, 0])
        high = np.minimum(spans[:, 1], mentions[:, 1]), np.maximum(spans[:, 1], mentions[:, 1])
        return np.asarray((high[0] - low[0]) / (high[1] - low[1]))


def _ranges(first: IntArray, last: IntArray) -> tuple[IntArray, IntArray]:
    """Return the whole numbers of each range, without its last, and beside each its range's position."""
    counts = last - first
    position = np.repeat(np.arange(first.size), counts)
    skipped = np.cumsum(counts) - counts
    return position, np.arange(position.size) - (skipped - first)[position]


def _refuse_part(part: str) -> None:
    if part not in PARTS:
        _checks.refuse("part", f"is {part!r}; recall exists for 'all' and 'relation' only")


def _is_symmetric(predicate: str, ontology: Ontology) -> bool:
    relation = ontology.relations_by_name.get(predicate)
    if relation is None:
        _checks.refuse("predicate", f"{predicate!r} is not a stored relation of {ontology.reference}")
    return relation.is_symmetric
