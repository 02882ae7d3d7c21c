"""The units of sampled systems as columns: written with the sample, and read for every score.

An estimate needs all units of a system, but of each only a few numbers that never change. So they are kept
as a handful of arrays: a pool of twenty million predictions is read in seconds, without a row for each.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.models import SampleBatch, UnitColumn
from evaluation.units import BoolArray, FloatArray, IntArray, Units
from kbpo.core.database.bulk import insert_row, read_rows
from kbpo.core.database.coded import code, pack, unpack_coded
from kbpo_estimators import coordinated

UNITS, PI, FOLDS, CONFIDENCE = "unit", "pi", "fold", "confidence"
FLAT_TERM, VARIANCE = "flat term", "planned variance"


_BITS = 21


@dataclass(frozen=True, eq=False)
class Wanted:
    """Some row ids, to be found among many columns of ids most of which are others.

    One look into a table that stays in a processor's cache tells most of the others.

    Attributes
    ----------
    ids : int[n]
        Ascending, each once.
    maybe : bool[2 ** _BITS]
        By the last bits of an id, whether any of them has these.
    """

    ids: IntArray
    maybe: BoolArray

    @classmethod
    def of(cls, ids: IntArray) -> "Wanted":
        """Return it for some ids, in any order."""
        maybe = np.zeros(1 << _BITS, dtype=np.bool_)
        maybe[ids & (maybe.size - 1)] = True
        return cls(np.unique(ids), maybe)

    def among(self, column: IntArray) -> tuple[IntArray, IntArray]:
        """Return the places in a column where one of the ids stands, and the position of that id.

        Examples
        --------
        >>> places, ids = Wanted.of(np.array([7, 3])).among(np.array([1, 7, 2, 3 + 2**21, 3]))
        >>> places.tolist(), ids.tolist()
        ([1, 4], [1, 0])
        """
        near = np.flatnonzero(self.maybe[column & (self.maybe.size - 1)])
        if not near.size:
            return near, near
        at = np.minimum(np.searchsorted(self.ids, column[near]), self.ids.size - 1)
        found = np.flatnonzero(self.ids[at] == column[near])
        return near[found], at[found]


def weight(name: str) -> str:
    """Return the name of the column of p under a weighting."""
    return f"p {name}"


def figures(weightings: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the columns that every score needs."""
    return (UNITS, PI, FOLDS, CONFIDENCE, FLAT_TERM, *map(weight, weightings))


def make(
    units: Units,
    secret: bytes,
    pi: FloatArray | None,
    *,
    weights: Mapping[str, FloatArray],
    others: Mapping[str, bytes],
    random_keys: Sequence[str] | None = None,
) -> dict[str, bytes]:
    """Return the columns of a system's units, packed.

    Parameters
    ----------
    units : Units
    secret : bytes
        The epoch's, for the folds.
    pi : float[n] or None
        π after the system's arrival, under `coordinated`.
    weights : mapping of str to float[n]
        p under each weighting.
    others : mapping of str to bytes
        What else of the units scores need, packed.
    random_keys : sequence of str, optional
        What their folds are made from; their keys if left out.

    Returns
    -------
    dict of str to bytes
        ``unit`` (row ids), ``fold``, ``confidence``, ``p`` under each weighting, ``pi``, and `others`.
    """
    folds = coordinated.folds(secret, units.keys if random_keys is None else random_keys).astype(np.uint8)
    columns = {
        UNITS: pack(units.ids),
        FOLDS: pack(folds),
        CONFIDENCE: code(units.confidence).pack(),
        **others,
        **{weight(name): code(p).pack() for name, p in weights.items()},
    }
    return columns if pi is None else {**columns, PI: pack(pi)}


def of_design(flat_term: FloatArray | None, variance: FloatArray | None) -> dict[str, bytes]:
    """Return the columns that the quadratic sum has in addition to π, packed; none under the maximum.

    Parameters
    ----------
    flat_term : float[n] or None
        As `designs.Arrival` has it.
    variance : float[n] or None
        s², where it was planned.
    """
    if flat_term is None:
        return {}
    flat = {FLAT_TERM: code(flat_term).pack()}
    return flat if variance is None else {**flat, VARIANCE: code(variance).pack()}


def read_variance(batch: SampleBatch) -> FloatArray | None:
    """Return the planned variances of a batch's units, float[n]; None where s² = ¼ throughout."""
    (found,) = read([batch.pk], [VARIANCE])
    return unpack_coded(found[VARIANCE]).column() if VARIANCE in found else None


def keep(batch: SampleBatch, columns: Mapping[str, bytes]) -> None:
    """Store the columns of a batch's system."""
    for name, data in columns.items():
        insert_row(UnitColumn, {"batch_id": batch.pk, "name": name, "data": data})


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
                "SELECT name, data FROM evaluation_unitcolumn WHERE batch_id = %s AND name = ANY(%s)",
                [batch_id, list(wanted)],
            )
        )
