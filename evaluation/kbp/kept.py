"""What is kept of a system's claims for its scores: their weights, predicates, and their subjects' names."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from annotations import names
from evaluation.design import columns as stored
from evaluation.estimators.pooled import UnitFeatures
from evaluation.kbp import features as of_claims
from evaluation.kbp import weighting
from evaluation.kbp.claims import Claims
from evaluation.units import Pool
from kbpo.core.database.bulk import read_rows
from kbpo.core.database.coded import code_names, unpack_names
from kbpo.core.ontology import RELATIONS

FloatArray = NDArray[np.float64]

PREDICATES, NAMES = "predicate", "subject name"

_DOCUMENTS = 1_000
"""Whose texts are in memory at a time."""


def weights(claims: Claims) -> dict[str, FloatArray]:
    """Return p under each weighting (float[n]); under the default one as it was stored."""
    entities = claims.subject_entities, claims.predicates, claims.object_entities
    return {**weighting.every(*entities), weighting.DEFAULT: claims.p}


def columns(claims: Claims) -> Mapping[str, bytes]:
    """Return, packed, the predicate of each claim, and the text of its subject's canonical mention.

    The text is as `names.normalised` makes it.
    """
    return {
        PREDICATES: code_names(claims.predicates).pack(),
        NAMES: code_names(_read_names(claims)).pack(),
    }


def features(pool: Pool) -> UnitFeatures:
    """Return what the pooled model learns from of each claim (`evaluation.kbp.features`)."""
    every = list(RELATIONS)
    place = {predicate: number for number, predicate in enumerate(every)}
    codes = np.zeros(pool.size, dtype=np.int64)
    kept = stored.read([batch.pk for batch in pool.batches], [PREDICATES])
    for system, one in zip(pool.systems, kept, strict=True):
        column = unpack_names(one[PREDICATES])
        codes[system.rows] = np.array([place[name] for name in column.values.tolist()])[column.codes]
    return of_claims.of_predicates(every, codes)


def _read_names(claims: Claims) -> list[str]:
    """Return the text of each subject's canonical mention."""
    places: dict[int, dict[tuple[int, int], str]] = {}
    for row in claims.rows:
        named = row.subject_canonical_start, row.subject_canonical_end
        places.setdefault(row.document_id, {})[named] = ""
    documents = sorted(places)
    for first in range(0, len(documents), _DOCUMENTS):
        # By an array: thousands of parameters take longer than the query.
        texts = read_rows(
            "SELECT id, text FROM annotations_document WHERE id = ANY(%s)",
            [documents[first : first + _DOCUMENTS]],
        )
        for pk, text in texts:
            for start, end in places[pk]:
                places[pk][start, end] = names.normalised(text[start:end])
    return [
        places[row.document_id][row.subject_canonical_start, row.subject_canonical_end] for row in claims.rows
    ]
