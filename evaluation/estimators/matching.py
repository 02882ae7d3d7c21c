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


def _refuse_part(part: str) -> None:
    if part not in PARTS:
        _checks.refuse("part", f"is {part!r}; recall exists for 'all' and 'relation' only")


def _is_symmetric(predicate: str) -> bool:
    if predicate not in RELATIONS:
        _checks.refuse(
            "predicate", f"{predicate!r} is not a stored relation; one of the ontology's is needed"
        )
    return RELATIONS[predicate].symmetric
