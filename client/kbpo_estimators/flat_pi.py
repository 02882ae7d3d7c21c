"""π as it would be had every label been planned to be as uncertain as can be."""

import numpy as np

from kbpo_estimators._checks import FloatArray, IntArray


class FlatPi:
    """π of a pool's units under quadratic growth, had every label been planned with s² = ¼."""

    def __init__(self, size: int) -> None:
        self._squares, self._floor = np.zeros(size), np.zeros(size)
        self._has_any = False

    def grow(self, rows: IntArray, term: FloatArray, floor: float) -> None:
        """Add a system's own term at its units, and its floor of so many labels."""
        self._has_any = True
        self._squares[rows] += term**2
        self._floor[rows] = np.maximum(self._floor[rows], min(1.0, floor / rows.size))

    def pi(self) -> FloatArray | None:
        """Return it; None under another growth."""
        if not self._has_any:
            return None
        return np.asarray(np.maximum(np.sqrt(np.minimum(1.0, self._squares)), self._floor))
