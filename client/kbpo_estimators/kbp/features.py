"""What is known of a claim before it is judged: its relation, and the types of its ends."""

from collections.abc import Sequence

import numpy as np

from kbpo_estimators._checks import IntArray
from kbpo_estimators.pooled import UnitFeatures
from kbpo_formats.ontologies.ontology import Relation


def of_relations(relations: Sequence[Relation], codes: IntArray) -> UnitFeatures:
    """Return of each claim its relation, the type of its subject, and those that its object may have.

    Types are the ontology's, not what systems take the mentions for: relations that are alike learn from
    each other.

    Parameters
    ----------
    relations : sequence of Relation
    codes : int[N]
        Which of them each claim has.

    Returns
    -------
    UnitFeatures
        Of the relations that are claimed.
    """
    said = [_said(relation) for relation in relations]
    claimed = np.flatnonzero(np.bincount(codes, minlength=len(relations)))
    names = sorted({name for number in claimed for name in said[number]})
    table = np.array([[float(name in own) for name in names] for own in said])
    return UnitFeatures(names, table, codes)


def _said(relation: Relation) -> set[str]:
    objects = {f"object {kind}" for kind in relation.object_types}
    return {f"relation {relation.name}", f"subject {relation.subject_type}", *objects}
