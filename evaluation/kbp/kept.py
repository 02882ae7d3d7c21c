"""What is kept of a system's claims for its scores: their weights, predicates, and their subjects' names."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from annotations.ontologies import plain_ontology_of
from evaluation.design import columns as stored
from evaluation.kbp import name_keys
from evaluation.kbp.claims import Claims
from evaluation.units import Pool
from kbpo.core.database.coded import code, code_names, unpack_names
from kbpo.core.errors import InvalidInput
from kbpo_estimators import weighting
from kbpo_estimators.kbp import features as of_claims
from kbpo_estimators.pooled import UnitFeatures

FloatArray = NDArray[np.float64]

PREDICATES, NAMES = "predicate", "subject key"

BY_NAMES = f"names {name_keys.VERSION}"
"""The rules of weights: spans with the same name key count as one entity."""


def weights(claims: Claims, version: str) -> dict[str, FloatArray]:
    """Return p under each weighting (float[n]), by the rules of a version.

    Raises
    ------
    InvalidInput
        If it is none.
    """
    if version != BY_NAMES:
        raise InvalidInput(f"weights were made by {version!r}, which is unknown")
    return weighting.every(_texts(claims.subject_names), claims.predicates, _texts(claims.object_names))


def columns(claims: Claims) -> Mapping[str, bytes]:
    """Return, packed, the predicate of each claim, and the digest of its subject's name key."""
    return {
        PREDICATES: code_names(claims.predicates).pack(),
        NAMES: code(np.array(claims.subject_names, dtype=np.int64)).pack(),
    }


def features(pool: Pool) -> UnitFeatures:
    """Return what the pooled model learns from of each claim (`kbpo_estimators.kbp.features`)."""
    relations = plain_ontology_of(pool.epoch.corpus).relations
    place = {relation.name: number for number, relation in enumerate(relations)}
    codes = np.zeros(pool.size, dtype=np.int64)
    kept = stored.read([batch.pk for batch in pool.batches], [PREDICATES])
    for system, one in zip(pool.systems, kept, strict=True):
        column = unpack_names(one[PREDICATES])
        codes[system.rows] = np.array([place[name] for name in column.values.tolist()])[column.codes]
    return of_claims.of_relations(relations, codes)


def _texts(names: Sequence[int]) -> list[str]:
    return list(map(str, names))
