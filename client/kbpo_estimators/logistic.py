"""Ridge logistic regression: how likely a label is 1, from features, by iteratively reweighted least squares.

Newton's method on a strictly convex objective: it has one minimum, which does not depend on where the search
begins, on the order of the rows, or on chance. Coefficients are rounded, so that two machines whose sums
differ in their last digits find the same.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, sparse
from scipy.special import expit

from kbpo_estimators import _checks
from kbpo_estimators._checks import FloatArray

DECIMALS = 9
"""To which coefficients are rounded."""
INTERCEPT_RIDGE = 1e-3
"""A little, so that there is a minimum where all labels are alike."""

_STEPS = 100
_TOLERANCE = 1e-9
_HALVINGS = 40


@dataclass(frozen=True, slots=True, eq=False)
class LogisticFit:
    """A fitted model: logit P(label = 1) = intercept + features · coefficients.

    Attributes
    ----------
    intercept : float
    coefficients : float[d]
    n : int
        The rows it was fitted on.
    converged : bool
        False if the steps ran out first; what was reached is there all the same.
    """

    intercept: float
    coefficients: FloatArray
    n: int
    converged: bool

    def logit(self, features: Any) -> FloatArray:
        """Return the linear predictor of each row of `features`, dense or sparse, float[rows, d]."""
        return np.asarray(features @ self.coefficients, dtype=np.float64) + self.intercept

    def probability(self, features: Any) -> FloatArray:
        """Return the probability of each row of `features`, dense or sparse, float[rows, d]."""
        return np.asarray(expit(self.logit(features)), dtype=np.float64)


def fit(
    features: Any,
    labels: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    ridge: ArrayLike = 1.0,
    intercept_ridge: float = INTERCEPT_RIDGE,
) -> LogisticFit:
    """Fit a ridge logistic regression.

    Minimises Σ w (log(1 + e^η) − y η) + ½ Σ_j ridge_j β_j² + ½ intercept_ridge · β₀², η = β₀ + x·β.

    Parameters
    ----------
    features : float[n, d], or scipy.sparse
        Taken as they are: scaling them is the caller's to do, since the penalty depends on it.
    labels : float[n]
        y, in [0, 1]; a share where one row stands for several labels.
    weights : float[n], optional
        w, at least 0; 1 where left out.
    ridge : float or float[d]
        Above 0; for all coefficients or each.
    intercept_ridge : float
        Above 0.

    Returns
    -------
    LogisticFit
        Without rows, or with weights that are all 0, all coefficients are 0.

    Raises
    ------
    InvalidInput
        If lengths differ or a value is out of range.

    Examples
    --------
    >>> found = fit([[0.0], [0.0], [1.0], [1.0]], [0, 1, 1, 1], ridge=0.1)
    >>> found.probability([[0.0], [1.0]]).round(2).tolist()
    [0.59, 0.91]
    """
    X = _matrix(features)
    n, d = X.shape
    y = _checks.vector("labels", labels, n)
    if ((y < 0) | (y > 1)).any():
        _checks.refuse("labels", f"has the value {float(y[(y < 0) | (y > 1)][0])!r}; a label lies in [0, 1]")
    w = np.ones(n) if weights is None else _checks.vector("weights", weights, n)
    if (w < 0).any():
        _checks.refuse("weights", f"has the value {float(w.min())!r}; a weight is at least 0")
    penalty = np.empty(d + 1)
    penalty[0] = _checks.positive("intercept_ridge", intercept_ridge)
    single = np.ndim(ridge) == 0
    penalty[1:] = ridge if single else _checks.vector("ridge", ridge, d)
    if not (np.isfinite(penalty) & (penalty > 0)).all():
        _checks.refuse("ridge", "holds a value that is not above 0; a finite number above 0 is needed")

    beta = np.zeros(d + 1)
    eta = np.zeros(n)
    loss = _loss(eta, y, w, beta, penalty)
    converged = False
    for _ in range(_STEPS):
        mu = expit(eta)
        gradient = _gathered(X, w * (y - mu)) - penalty * beta
        step = linalg.solve(_curvature(X, w * mu * (1.0 - mu), penalty), gradient, assume_a="pos")
        if np.abs(step).max() <= _TOLERANCE * (1.0 + np.abs(beta).max()):
            # The last step is taken too: what is rounded is then exact to the last digits of a double.
            beta, converged = beta + step, True
            break
        along = np.asarray(X @ step[1:]) + step[0]
        for _ in range(_HALVINGS):
            tried = _loss(eta + along, y, w, beta + step, penalty)
            if tried <= loss + 1e-12 * (1.0 + abs(loss)):
                break
            step, along = step / 2.0, along / 2.0
        beta, eta, loss = beta + step, eta + along, tried
    beta = beta.round(DECIMALS) + 0.0  # no negative zero
    return LogisticFit(float(beta[0]), beta[1:], n, converged)


def _is_sparse(matrix: Any) -> bool:
    return bool(sparse.issparse(matrix))


def _matrix(features: Any) -> Any:
    X: Any
    if _is_sparse(features):
        X = sparse.csr_array(features, dtype=np.float64)
        values = X.data
    else:
        try:
            X = values = np.asarray(features, dtype=np.float64)
        except (TypeError, ValueError):
            _checks.refuse("features", "is no matrix of numbers; one row for each label is needed")
        if X.ndim != 2:
            _checks.refuse("features", f"has {X.ndim} dimensions; two are needed, one row for each label")
    if not np.isfinite(values).all():
        _checks.refuse("features", "holds a value that is not finite; finite numbers are needed")
    return X


def _loss(eta: FloatArray, y: FloatArray, w: FloatArray, beta: FloatArray, penalty: FloatArray) -> float:
    return float((w * (np.logaddexp(0.0, eta) - y * eta)).sum() + 0.5 * (penalty * beta**2).sum())


def _gathered(X: Any, values: FloatArray) -> FloatArray:
    """Return Xᵀ·values, with the intercept's first."""
    return np.concatenate([[values.sum()], np.asarray(X.T @ values)])


def _curvature(X: Any, curvature: FloatArray, penalty: FloatArray) -> FloatArray:
    """Return Xᵀ diag(curvature) X with the intercept's row and column first, and the penalty."""
    H = np.diag(penalty)
    first = _gathered(X, curvature)
    H[0, :] += first
    H[1:, 0] += first[1:]
    if _is_sparse(X):
        scaled = sparse.csr_array(
            (X.data * np.repeat(curvature, np.diff(X.indptr)), X.indices, X.indptr), X.shape
        )
        H[1:, 1:] += (X.T @ scaled).toarray()
    else:
        H[1:, 1:] += X.T @ (curvature[:, None] * X)
    return H
