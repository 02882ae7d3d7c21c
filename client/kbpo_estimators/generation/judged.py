"""What systems give, and what people said of it, in arrays."""

from collections.abc import Mapping
from dataclasses import dataclass

from kbpo_estimators._checks import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Judgements:
    """What people said of the units of a pool.

    Attributes
    ----------
    units : int[J]
        Which unit each judges.
    workers : int[J]
        Who gave it, by number from 0.
    values : mapping of str to float[J]
        By measure.
    """

    units: IntArray
    workers: IntArray
    values: Mapping[str, FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What one system gives.

    Attributes
    ----------
    inputs : int[N]
        The input of each output, no input twice.
    units : int[N]
        Its unit.
    candidates : mapping of str to float[N] or mapping of str to float[N]
        The candidates for g that it has, by name: a column, or one for each measure that has one.
    """

    inputs: IntArray
    units: IntArray
    candidates: Mapping[str, FloatArray | Mapping[str, FloatArray]]

    def of_measure(self, measure: str) -> dict[str, FloatArray]:
        """Return the candidates for one measure."""
        found = {
            name: one.get(measure) if isinstance(one, Mapping) else one
            for name, one in self.candidates.items()
        }
        return {name: one for name, one in found.items() if one is not None}
