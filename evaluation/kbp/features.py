"""What is known of a claim before it is judged: its predicate, and the types that this relates."""

from collections.abc import Sequence

import numpy as np

from evaluation.estimators._checks import IntArray
from evaluation.estimators.pooled import UnitFeatures
from kbpo.core.ontology import RELATIONS


def of_predicates(predicates: Sequence[str], codes: IntArray) -> UnitFeatures:
    """Return of each claim its predicate, the type of its subject, and those that its object may have.

    Types are the ontology's, not what systems take the mentions for: predicates that are alike learn from
    each other.

    Parameters
    ----------
    predicates : sequence of str
    codes : int[N]
        Which of them each claim has.

    Returns
    -------
    UnitFeatures
        Of the predicates that are claimed.
    """
    said = [_said(predicate) for predicate in predicates]
    claimed = np.flatnonzero(np.bincount(codes, minlength=len(predicates)))
    names = sorted({name for number in claimed for name in said[number]})
    table = np.array([[float(name in own) for name in names] for own in said])
    return UnitFeatures(names, table, codes)


def _said(predicate: str) -> set[str]:
    relation = RELATIONS[predicate]
    objects = {f"object {kind}" for kind in relation.object_types}
    return {f"relation {predicate}", f"subject {relation.subject_type}", *objects}
