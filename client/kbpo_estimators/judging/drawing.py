"""Which settled questions are audited: a random share, drawn from the epoch's secret.

An audit is drawn after the crowd's label is fixed. So its probability may follow from that label: it is
larger where votes were split, and where the label contradicts what the systems' claims make likely. What
else systems need there is audited with it, so doubts in that count too.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kbpo_estimators import _checks, coordinated
from kbpo_estimators._checks import BoolArray, FloatArray

PREFIX = "audit|"
LEAST = 0.05
"""The least probability of an audit."""
_SHARES_OF_SPLITS_THAT_ERR = (0.01, 0.4)
_LEAST_PRIOR = 0.01
_SEARCH = 100


def audit_uniforms(secret: bytes, keys: Sequence[str] | NDArray[Any]) -> FloatArray:
    """Return the random number of each question's audit: HMAC-SHA256(secret, "audit|" + key), in [0, 1).

    Independent of what `coordinated.uniforms` makes of any unit's key, which begins with its version.

    Parameters
    ----------
    secret : bytes
        The epoch's secret.
    keys : sequence of str, length Q
        One for each question.

    Raises
    ------
    InvalidInput
        As `coordinated.uniforms`.
    """
    return coordinated.uniforms(secret, [PREFIX + key for key in _checks.strings("keys", keys)])


def doubts(labels: ArrayLike, votes: ArrayLike, dissenting: ArrayLike, prior: ArrayLike) -> FloatArray:
    """Return how likely each label is wrong, as planning needs it: by Bayes' rule from votes and a prior.

    All workers are taken to err alike and independently, as often as their votes disagree. That is rough;
    it decides where audits go, and `error_rates` scales it by what they find. No estimate rests on it alone.

    Parameters
    ----------
    labels : float[n]
        The crowd's, 0 or 1.
    votes : int[n]
        The valid votes behind each, 0 where an expert decided: its doubt is 0.
    dissenting : int[n]
        Those that did not say what the label says.
    prior : float[n]
        How likely the claim is right before anybody votes, in [0, 1]; a pooled model's, fitted without it.

    Returns
    -------
    float[n]
        In [0, 1).

    Raises
    ------
    InvalidInput
        If lengths differ or a value is out of range.

    Examples
    --------
    Two votes agree, two agree although the claims of the systems make that unlikely, three are split:

    >>> doubts([1, 1, 1], [2, 2, 3], [0, 0, 1], [0.5, 0.1, 0.5]).round(3).tolist()
    [0.027, 0.2, 0.143]
    """
    f = _checks.labels("labels", labels)
    n = _checks.integers("votes", votes, length=f.size)
    against = _checks.integers("dissenting", dissenting, length=f.size)
    g = _checks.probabilities("prior", prior, length=f.size, zero=True).clip(_LEAST_PRIOR, 1 - _LEAST_PRIOR)
    if (against > n).any():
        position = int(np.argmax(against > n))
        _checks.refuse("dissenting", f"{against[position]} of {n[position]} votes at position {position}")
    by_people = n > 0
    if not by_people.any():
        return np.zeros(f.size)
    # Of the first two votes 2e(1 − e) differ: about one in two splits is an error of one worker.
    error = float(np.clip(against.sum() / n.sum(), *_SHARES_OF_SPLITS_THAT_ERR))
    odds = (error / (1 - error)) ** (n - 2 * against) * np.where(f == 1, (1 - g) / g, g / (1 - g))
    return np.where(by_people, odds / (1 + odds), 0.0)


def doubts_in_predictions(doubt: ArrayLike, units: ArrayLike, beside: ArrayLike) -> FloatArray:
    """Return how likely a label is wrong that a prediction rests on: for each unit the mean over predictions.

    One minus the chance that all of a prediction's labels are right, doubts taken for independent. The mean,
    and not the largest: what is estimated for each of many systems is least uncertain, on average over
    them, if ρ follows the root of their mean doubt; the largest goes to where one system alone is in doubt.

    Parameters
    ----------
    doubt : float[n]
        In the label of each unit itself, in [0, 1].
    units : int[P]
        The position of the unit that each prediction is of. A unit without any keeps its doubt.
    beside : float[P]
        How likely all other labels that the prediction needs are right, ∏ (1 − δ), in [0, 1].

    Returns
    -------
    float[n]
        In [0, 1].

    Raises
    ------
    InvalidInput
        If lengths differ or a value is out of range.

    Examples
    --------
    Two systems agree on the first unit, one of them with a doubtful mention; nobody needs more of the second:

    >>> doubts_in_predictions([0.1, 0.2], [0, 0], [1.0, 0.8]).round(3).tolist()
    [0.19, 0.2]
    """
    own = _checks.probabilities("doubt", doubt, zero=True)
    place = _checks.integers("units", units, below=own.size)
    right = _checks.probabilities("beside", beside, length=place.size, zero=True)
    number = np.bincount(place, minlength=own.size)
    mean = np.bincount(place, right, minlength=own.size) / np.maximum(number, 1)
    return np.where(number > 0, 1.0 - (1.0 - own) * np.minimum(mean, 1.0), own)


def audit_probabilities(doubt: ArrayLike, share: float, least: float = LEAST) -> FloatArray:
    """Return ρ of each question: proportional to the root of its doubt, at least `least`, `share` on average.

    The root is Neyman's allocation: it makes the judges' effect, estimated from so many audits, least
    uncertain.

    Parameters
    ----------
    doubt : float[Q]
        How likely something is wrong at the question's units, in [0, 1]; the largest of theirs.
    share : float
        The share of the questions that is audited, on average, in (0, 1]; with less than `least`, all have
        `least`.
    least : float
        In (0, 1].

    Returns
    -------
    float[Q]
        In [least, 1].

    Raises
    ------
    InvalidInput
        If a value is out of range.

    Examples
    --------
    >>> audit_probabilities([0.01, 0.01, 0.01, 0.16], 0.2).round(3).tolist()
    [0.114, 0.114, 0.114, 0.457]
    """
    roots = np.sqrt(_checks.probabilities("doubt", doubt, zero=True))
    wanted = _share_or_all("share", share)
    floor = _share_or_all("least", least)
    if roots.size == 0 or floor >= wanted:
        return np.full(roots.size, floor)
    if not roots.any():
        return np.full(roots.size, wanted)
    low, high = 0.0, 1.0 / float(roots[roots > 0].min())
    for _ in range(_SEARCH):
        middle = (low + high) / 2
        low, high = (middle, high) if (middle * roots).clip(floor, 1).mean() <= wanted else (low, middle)
    return np.asarray((low * roots).clip(floor, 1))


def drawn(secret: bytes, keys: Sequence[str] | NDArray[Any], rho: ArrayLike) -> BoolArray:
    """Return which questions are audited: those whose random number is below ρ.

    Parameters
    ----------
    secret : bytes
    keys : sequence of str, length Q
    rho : float[Q]
        In (0, 1].

    Raises
    ------
    InvalidInput
        As `audit_uniforms`, or if ρ is out of range or of another length.
    """
    u = audit_uniforms(secret, keys)
    return np.asarray(u < _checks.probabilities("rho", rho, length=u.size))


def _share_or_all(argument: str, value: float) -> float:
    if not 0 < value <= 1:
        _checks.refuse(argument, f"is {value!r}; a number above 0 and at most 1 is needed")
    return float(value)
