"""What true relations are about, as numbers: by this they weigh as claims do (docs/estimation.md, 3.5)."""

from collections.abc import Hashable, Iterable, Mapping, Sequence

import numpy as np

from evaluation.kbp.matching import TrueRelation
from evaluation.kbp.name_keys import Names
from kbpo_estimators._checks import IntArray
from kbpo_estimators.weighted_recall import TrueRelations


def number_relations(
    relations: Sequence[TrueRelation], document: IntArray, texts: Mapping[str, str]
) -> TrueRelations:
    """Return true relations with their subjects and objects told by name keys, as those of claims are.

    Parameters
    ----------
    relations : sequence of TrueRelation
    document : int[T]
        In which of the documents, in the order of `texts`, each stands.
    texts : mapping of str to str
        Of the documents, by id.
    """
    names = {doc_id: Names(doc_id, texts[doc_id]) for doc_id in {one.doc_id for one in relations}}
    return TrueRelations(
        len(texts),
        document,
        _numbers(names[one.doc_id].key(*one.subject) for one in relations),
        _numbers(one.predicate for one in relations),
        _numbers(names[one.doc_id].key(*one.object) for one in relations),
    )


def _numbers(values: Iterable[Hashable]) -> IntArray:
    codes: dict[Hashable, int] = {}
    return np.array([codes.setdefault(value, len(codes)) for value in values], dtype=np.int64)
