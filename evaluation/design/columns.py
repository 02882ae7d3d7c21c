"""The claims of sampled systems as columns: written with the sample, and read for every score.

An estimate needs all claims of a system, but of each only a few numbers that never change. So they are kept
as a handful of arrays: a pool of twenty million claims is read in seconds, without a row for each.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from annotations import names
from evaluation.estimators import coordinated, weighting
from evaluation.kbp.claims import Claims
from evaluation.models import ClaimColumn, SampleBatch
from kbpo.core.coded import code, code_names, pack
from kbpo.core.columns import insert_row, read_rows

FloatArray = NDArray[np.float64]

_DOCUMENTS = 1_000
"""Whose texts are in memory at a time."""

INSTANCES, PI, FOLDS, CONFIDENCE, PREDICATES, NAMES = (
    *("instance", "pi", "fold", "confidence"),
    *("predicate", "subject name"),
)


def weight(name: str) -> str:
    """Return the name of the column of p under a weighting."""
    return f"p {name}"


FIGURES = (INSTANCES, PI, FOLDS, CONFIDENCE, *map(weight, weighting.WEIGHTINGS))


def make(claims: Claims, secret: bytes, pi: FloatArray | None) -> dict[str, bytes]:
    """Return the columns of a system's claims, packed.

    Parameters
    ----------
    claims : Claims
    secret : bytes
        The epoch's, for the folds.
    pi : float[n] or None
        π after the system's arrival, under `coordinated`.

    Returns
    -------
    dict of str to bytes
        ``instance`` (row ids), ``fold``, ``confidence``, ``predicate``, ``subject name`` (the text of the
        canonical mention, as `names.normalised`), ``p`` under each weighting, and ``pi``.
    """
    entities = claims.subject_entities, claims.predicates, claims.object_entities
    # The default's as it was stored, whatever would come out today.
    weights = {**weighting.every(*entities), weighting.DEFAULT: claims.p}
    folds = coordinated.folds(secret, claims.keys).astype(np.uint8)
    columns = {
        INSTANCES: pack(claims.instance_ids),
        FOLDS: pack(folds),
        CONFIDENCE: code(claims.confidence).pack(),
        PREDICATES: code_names(claims.predicates).pack(),
        NAMES: code_names(_read_names(claims)).pack(),
        **{weight(name): code(p).pack() for name, p in weights.items()},
    }
    return columns if pi is None else {**columns, PI: pack(pi)}


def keep(batch: SampleBatch, columns: Mapping[str, bytes]) -> None:
    """Store the columns of a batch's system."""
    for name, data in columns.items():
        insert_row(ClaimColumn, {"batch_id": batch.pk, "name": name, "data": data})


def read(batch_ids: Sequence[int], wanted: Collection[str]) -> Iterator[dict[str, bytes]]:
    """Read columns of batches, one batch after the other.

    Yields
    ------
    dict of str to bytes
        For each batch, those of `wanted` that it has.
    """
    for batch_id in batch_ids:
        yield dict(
            read_rows(
                "SELECT name, data FROM evaluation_claimcolumn WHERE batch_id = %s AND name = ANY(%s)",
                [batch_id, list(wanted)],
            )
        )


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
