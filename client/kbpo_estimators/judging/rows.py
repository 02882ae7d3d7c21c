"""How contributions of many systems to a large sample covary, without making any of them.

A correction moves every estimate a little with every label: written out, a thousand systems would have a
hundred thousand contributions each. But what all systems share is the same few vectors, times a number for
each system; the rest is about a system's own labels.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from kbpo_estimators._checks import FloatArray, IntArray

_NEGLIGIBLE = 1e-13
_SPARSE, _FEW_CELLS = 0.05, 1 << 23
"""Above which share of cells a matrix is multiplied as a dense one, unless that has more cells than these."""


@dataclass(frozen=True, eq=False)
class Rows:
    """A matrix [m, n] that is never made: sparse + coefficients · dense.

    Attributes
    ----------
    sparse : csr_array[m, n]
    coefficients : float[m, r]
    dense : float[r, n]
    """

    sparse: Any
    coefficients: FloatArray
    dense: FloatArray

    def scaled(self, by: FloatArray) -> "Rows":
        """Return it with each row times a number, `by` float[m]."""
        scaled = sparse.csr_array(
            (
                self.sparse.data * np.repeat(by, np.diff(self.sparse.indptr)),
                self.sparse.indices,
                self.sparse.indptr,
            ),
            shape=self.sparse.shape,
        )
        return Rows(scaled, self.coefficients * by[:, None], self.dense)

    def columns(self, chosen: Any) -> FloatArray:
        """Return some columns written out, float[m, k]."""
        return np.asarray(
            self.sparse[:, chosen].toarray() + self.coefficients @ self.dense[:, chosen], dtype=np.float64
        )

    def products(self, other: "Rows", weights: FloatArray) -> FloatArray:
        """Return Σ weight · row · row′ of all rows of both, float[m, m′]."""
        found = multiplied(self.scaled_columns(weights), other.sparse)
        found += (self.sparse @ (weights * other.dense).T) @ other.coefficients.T
        found += self.coefficients @ (other.sparse @ (weights * self.dense).T).T
        found += self.coefficients @ ((weights * self.dense) @ other.dense.T) @ other.coefficients.T
        return np.asarray(found)

    def sums(self, other: "Rows", weights: FloatArray) -> FloatArray:
        """Return the same of each row with the other's row of its number, float[m]."""
        both = self.sparse.multiply(other.sparse)
        found = both @ weights
        found = found + ((self.sparse @ (weights * other.dense).T) * other.coefficients).sum(axis=1)
        found = found + ((other.sparse @ (weights * self.dense).T) * self.coefficients).sum(axis=1)
        middle = self.coefficients @ ((weights * self.dense) @ other.dense.T)
        return np.asarray(found + (middle * other.coefficients).sum(axis=1))

    def scaled_columns(self, weights: FloatArray) -> Any:
        """Return the sparse part with each column times a weight."""
        one = self.sparse
        return sparse.csr_array((one.data * weights[one.indices], one.indices, one.indptr), shape=one.shape)


@dataclass(frozen=True, eq=False)
class Layout:
    """Where E values stand in sparse matrices of one shape: found once, for all that are filled alike.

    Attributes
    ----------
    order : int[E]
        Of the values, row after row, and in a row column after column.
    indices : int[E]
        Their columns, in that order.
    indptr : int[m + 1]
    shape : (int, int)
    """

    order: IntArray
    indices: Any
    indptr: Any
    shape: tuple[int, int]

    @classmethod
    def of(cls, indptr: IntArray, columns: IntArray, width: int) -> "Layout":
        """Return it for values that stand row after row (`indptr`), each column (int[E]) once in a row."""
        shape = indptr.size - 1, width
        placed = sparse.csr_array((np.arange(columns.size), columns.copy(), indptr), shape=shape)
        placed.sort_indices()  # in place
        return cls(placed.data, placed.indices, placed.indptr, shape)

    def filled(self, values: FloatArray) -> sparse.csr_array:
        """Return the matrix of some values, float[E]."""
        return sparse.csr_array((values[self.order], self.indices, self.indptr), shape=self.shape)


def is_full(matrix: Any) -> bool:
    """Say whether a sparse matrix is better written out: it holds much, and is not large."""
    cells = matrix.shape[0] * matrix.shape[1]
    return bool(cells <= _FEW_CELLS and matrix.nnz > _SPARSE * cells)


def multiplied(one: Any, other: Any) -> FloatArray:
    """Return one · otherᵀ of two sparse matrices, written out; those that hold much are multiplied as dense.

    Parameters
    ----------
    one : csr_array[m, n]
    other : csr_array[m′, n]

    Returns
    -------
    float[m, m′]
    """
    if is_full(one) or is_full(other):
        return np.asarray(one.toarray() @ other.toarray().T)
    return np.asarray((one @ other.T).toarray())


def root(covariance: FloatArray) -> FloatArray:
    """Return L, float[m, k], with L Lᵀ = the covariance, of k orthogonal columns; what rounding left is 0."""
    if not covariance.size:
        return np.zeros((covariance.shape[0], 0))
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    kept = values > _NEGLIGIBLE * max(float(values[-1]), 0.0)
    return np.asarray(vectors[:, kept] * np.sqrt(values[kept]))


def beside(first: FloatArray, covariance: FloatArray) -> FloatArray:
    """Return A, float[m′, k], with A Lᵀ = the covariance of others with what has the root L = `first`."""
    norms = (first**2).sum(axis=0)
    return np.asarray(covariance @ first / norms) if norms.size else np.zeros((covariance.shape[0], 0))
