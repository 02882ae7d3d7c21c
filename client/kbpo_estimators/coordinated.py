"""The coordinated design: Poisson sampling with permanent random numbers.

Each instance has one random number for the whole epoch, made from a secret that is committed to in advance.
It is labelled if that number is below its inclusion probability π, which only ever grows, when systems
arrive. So systems share their labels, and every π is known exactly.
"""

import hmac
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from kbpo_estimators import _checks
from kbpo_estimators._checks import FloatArray, IntArray

Keys = Sequence[str] | NDArray[Any]

LABEL_VARIANCE = 0.25
"""s²: the largest variance that a label of 0 or 1 can have."""
QUADRATIC_FLOOR, MAXIMUM_FLOOR = 0.25, 0.5
"""The share of a lone system's labels that the floor spreads, under the quadratic sum and the maximum."""
DEFAULT_HALF_WIDTH = 0.03
DEFAULT_LEVEL = 0.80
FOLDS = 5


def _first_words(secret: bytes, keys: Keys, prefix: str = "") -> NDArray[np.uint64]:
    if not isinstance(secret, bytes) or not secret:
        _checks.refuse("secret", "is not a non-empty bytes object; the epoch's secret is needed")
    digests = [
        hmac.digest(secret, (prefix + key).encode(), "sha256") for key in _checks.strings("keys", keys)
    ]
    # Of 32 bytes each, the first 8.
    return np.frombuffer(b"".join(digests), dtype=">u8")[::4].astype(np.uint64)


def uniforms(secret: bytes, keys: Keys) -> FloatArray:
    """Return the permanent random number of each instance.

    u is the top 53 bits of HMAC-SHA256(secret, key), times 2⁻⁵³, so every value is an exact double and
    anyone with the secret gets the same ones.

    Parameters
    ----------
    secret : bytes
        The epoch's secret.
    keys : sequence of str, length n
        One for each unit, as its task makes them; hashed as UTF-8.

    Returns
    -------
    float[n]
        In [0, 1).

    Raises
    ------
    InvalidInput
        If the secret is empty or not bytes, or a key is not a string.
    """
    return np.asarray((_first_words(secret, keys) >> np.uint64(11)) * 2.0**-53, dtype=np.float64)


def folds(secret: bytes, keys: Keys, k: int = FOLDS) -> IntArray:
    """Return the fold of each instance for cross-fitting.

    The fold is the first 8 bytes of HMAC-SHA256(secret, "fold|" + key), as a big-endian integer, modulo k.
    It is independent of the random number that `uniforms` makes from the same key.

    Parameters
    ----------
    secret : bytes
        The epoch's secret.
    keys : sequence of str, length n
        One for each unit, as its task makes them; hashed as UTF-8.
    k : int
        The number of folds, at least 2.

    Returns
    -------
    int[n]
        From 0 to k − 1.

    Raises
    ------
    InvalidInput
        As `uniforms`, and if k is below 2.
    """
    k = _checks.whole("k", k, 2)
    return (_first_words(secret, keys, "fold|") % np.uint64(k)).astype(np.int64)


def document_folds(secret: bytes, doc_ids: Keys, k: int = FOLDS) -> IntArray:
    """Return the fold of each document, by which planned variances are cross-fitted.

    As `folds` does for units, of HMAC-SHA256(secret, "document fold|" + id). Every document has one, so that
    a planned variance does not tell which documents are annotated in full.
    """
    k = _checks.whole("k", k, 2)
    return (_first_words(secret, doc_ids, "document fold|") % np.uint64(k)).astype(np.int64)


def target_variance(half_width: float = DEFAULT_HALF_WIDTH, level: float = DEFAULT_LEVEL) -> float:
    """Return V* = (h/z)²: the variance whose normal interval has this half-width at this level.

    Parameters
    ----------
    half_width : float
        h, in (0, 1).
    level : float
        The confidence level, in (0, 1).

    Returns
    -------
    float

    Raises
    ------
    InvalidInput
        If one of them lies outside.

    Examples
    --------
    >>> round(0.25 / target_variance(0.03, 0.80))
    456
    """
    half_width, level = _checks.share("half_width", half_width), _checks.share("level", level)
    return float((half_width / ndtri((1 + level) / 2)) ** 2)


def floor_labels(target_variance: float, share: float) -> float:
    """Return b: the labels that a system's uniform floor spreads over its instances, a share of s²/V*.

    The floor that `top_up` and `quadratic_sum` take is b/|X_m|. It keeps every instance's probability well
    above zero, so that other weightings, and recall, can be estimated from the same labels.

    Parameters
    ----------
    target_variance : float
        V*, above 0.
    share : float
        Of the labels that a lone system needs: `QUADRATIC_FLOOR` or `MAXIMUM_FLOOR`.

    Returns
    -------
    float
        A number of labels, not rounded.
    """
    return share * LABEL_VARIANCE / _checks.positive("target_variance", target_variance)


def variance_weights(pi: ArrayLike) -> FloatArray:
    """Return (1 − π)/π²: what each sampled instance's squared contribution counts in a variance.

    Parameters
    ----------
    pi : float[S]
        The inclusion probabilities of a sample, in (0, 1].

    Returns
    -------
    float[S]

    Examples
    --------
    >>> variance_weights([0.5, 1.0]).tolist()
    [2.0, 0.0]
    """
    probabilities = _checks.probabilities("pi", pi)
    return (1.0 - probabilities) / probabilities**2


def top_up(
    pi: ArrayLike, p: ArrayLike, target_variance: float, floor: float = 0.0
) -> tuple[FloatArray, float]:
    """Grow the inclusion probabilities just enough for one more system.

    π′(x) = max(π(x), min(1, λp(x)), min(1, floor)) where p(x) > 0, and π(x) elsewhere, with the least λ ≥ 0
    at which Σ p² s² (1/π′ − 1) ≤ V*. This is the cheapest design that meets the target given π.

    Parameters
    ----------
    pi : float[N]
        The inclusion probabilities so far, in [0, 1]; 0 where no system has been. An instance that is
        already known to the arriving system counts as 1.
    p : float[N]
        The arriving system's weights, 0 outside its instances; they sum to 1.
    target_variance : float
        V*, above 0.
    floor : float
        b/|X_m|, at least 0; a value above 1 counts as 1.

    Returns
    -------
    new_pi : float[N]
        Never below `pi`, and above 0 wherever p is.
    lam : float
        λ: the least double at which the target is met, and 0 if it is met without. The target is checked
        with exact sums and correctly rounded operations alone, so neither the order of the instances nor
        the machine changes a bit.

    Raises
    ------
    InvalidInput
        If an argument is outside its range, the lengths differ, or p does not sum to 1.

    Examples
    --------
    A lone system with uniform weights on ten instances, all to be sampled at 1/2:

    >>> pi, lam = top_up([0.0] * 10, [0.1] * 10, 0.025)
    >>> [round(x, 9) for x in pi.tolist()[:2]], round(lam, 9)
    ([0.5, 0.5], 5.0)
    """
    current = _checks.probabilities("pi", pi, zero=True)
    weights = _checks.distribution("p", p, length=current.size, zero=True)
    target = _checks.positive("target_variance", target_variance)
    _refuse_floor(floor)

    mine = weights > 0
    own = weights[mine]
    base = np.maximum(current[mine], min(1.0, floor))

    def grown(lam: float) -> FloatArray:
        with np.errstate(over="ignore"):
            return np.maximum(base, np.minimum(1.0, lam * own))

    lam = _least_lambda(grown, own, LABEL_VARIANCE, target, float(own.min()))
    new_pi = current.copy()
    new_pi[mine] = grown(lam)
    return new_pi, lam


@dataclass(frozen=True, slots=True, eq=False)
class QuadraticSum:
    """A design that has grown for one more system by the quadratic sum.

    Attributes
    ----------
    pi : float[N]
        The inclusion probabilities: never below those before, and above 0 wherever the system's p is.
    squares : float[N]
        Σ_m min(1, 2λ_m p_m s_m)² over the systems so far.
    term : float[N]
        min(1, 2λps): what the system alone would have; 1 where an instance is known to it, 0 where p is 0.
    lam : float
        λ: the least double at which the system alone meets the target.
    """

    pi: FloatArray
    squares: FloatArray
    term: FloatArray
    lam: float


def quadratic_sum(
    pi: ArrayLike,
    squares: ArrayLike,
    p: ArrayLike,
    target_variance: float,
    *,
    variance: ArrayLike | None = None,
    most: float = LABEL_VARIANCE,
    known: ArrayLike | None = None,
    floor: float = 0.0,
) -> QuadraticSum:
    """Grow the inclusion probabilities for one more system, as if it were sampled by itself.

    π′² = min(1, Σ_m min(1, 2λ_m p_m s_m)²), the floor as a maximum afterwards, and never less than π. λ_m is
    the least at which Σ p² s² (1/π − 1) ≤ V* where π is the system's own term alone. So whoever arrives meets
    its target, and every later arrival makes what is shared surer for all. Squares are summed in the order of
    arrival; for planned variances that do not depend on it, another order changes rounding alone.

    Parameters
    ----------
    pi : float[N]
        The inclusion probabilities so far, in [0, 1]; 0 where no system has been.
    squares : float[N]
        The sum of squares so far, at least 0; its root may be below `pi`, which holds floors too.
    p : float[N]
        The arriving system's weights, 0 outside its instances; they sum to 1.
    target_variance : float
        V*, above 0.
    variance : float[N], optional
        s²: how uncertain the label of each instance is planned to be, above 0; ¼ where left out. It must
        rest on no label of the epoch's sample.
    most : float
        The largest that s² may be: ¼ for labels of 0 and 1.
    known : bool[N], optional
        The instances that are known to the system: they are certain.
    floor : float
        b/|X_m|, at least 0; a value above 1 counts as 1.

    Returns
    -------
    QuadraticSum
        λ is sought with exact sums and correctly rounded operations alone, as by `top_up`.

    Raises
    ------
    InvalidInput
        If an argument is outside its range, the lengths differ, or p does not sum to 1.

    Examples
    --------
    Two systems claim the same ten instances; each alone would have them sampled at 1/2:

    >>> first = quadratic_sum([0.0] * 10, [0.0] * 10, [0.1] * 10, 0.025)
    >>> second = quadratic_sum(first.pi, first.squares, [0.1] * 10, 0.025)
    >>> first.pi.round(3).tolist()[:2], second.pi.round(3).tolist()[:2]
    ([0.5, 0.5], [0.707, 0.707])
    """
    current = _checks.probabilities("pi", pi, zero=True)
    before = _checks.vector("squares", squares, current.size)
    if (before < 0).any():
        _checks.refuse("squares", f"has the value {before.min()!s}; a sum of squares is at least 0")
    weights = _checks.distribution("p", p, length=current.size, zero=True)
    target = _checks.positive("target_variance", target_variance)
    _refuse_floor(floor)
    s2 = np.full(current.size, LABEL_VARIANCE)
    if variance is not None:
        s2 = _checks.vector("variance", variance, current.size)
        if ((s2 <= 0) | (s2 > most)).any():
            wrong = s2[(s2 <= 0) | (s2 > most)][0]
            _checks.refuse("variance", f"has the value {wrong!s}; that of a label lies in (0, {most:g}]")
    certain = np.zeros(current.size, dtype=np.bool_)
    if known is not None:
        certain = _checks.flags("known", known, current.size)

    mine = weights > 0
    own, own_s2, own_certain = weights[mine], s2[mine], certain[mine]
    share = own * (2.0 * np.sqrt(own_s2))

    def alone(lam: float) -> FloatArray:
        with np.errstate(over="ignore"):
            return np.where(own_certain, 1.0, np.minimum(1.0, lam * share))

    lam = _least_lambda(alone, own, own_s2, target, float(share.min()))
    term = np.zeros(current.size)
    term[mine] = alone(lam)
    new_squares = before + np.where(certain, 0.0, term * term)  # certain ones need no share of anybody's
    new_pi = current.copy()
    grown = np.maximum(current, np.sqrt(np.minimum(1.0, new_squares)))
    new_pi[mine] = np.where(own_certain, 1.0, np.maximum(grown[mine], min(1.0, floor)))
    return QuadraticSum(new_pi, new_squares, term, lam)


def _refuse_floor(floor: float) -> None:
    if not (math.isfinite(floor) and floor >= 0):
        _checks.refuse("floor", f"is {floor!r}; a finite number of at least 0 is needed")


def _least_lambda(
    grown: Callable[[float], FloatArray],
    own: FloatArray,
    s2: FloatArray | float,
    target: float,
    least_share: float,
) -> float:
    """Return the least double λ at which Σ p² s² (1/π − 1) ≤ V*, π = grown(λ).

    A system's every probability is 1 once λ is 1/`least_share`.
    """

    def terms(lam: float) -> FloatArray:
        # An instance that cannot be sampled is an infinite term: p is multiplied last, so never 0 · ∞.
        with np.errstate(divide="ignore", over="ignore"):
            return own * (own * (s2 * (1.0 / grown(lam) - 1.0)))

    def meets(lam: float) -> bool:
        return math.fsum(terms(lam).tolist()) <= target

    if meets(0.0):
        return 0.0
    with np.errstate(over="ignore", divide="ignore"):
        everything = float(np.float64(2.0) / least_share)
    guess = _least_double(lambda lam: float(terms(lam).sum()) <= target, 0, _bits(everything))
    return _double(_least_double_near(meets, guess))


def _bits(value: float) -> int:
    # Doubles that are not negative are ordered as their bit patterns.
    return int(np.float64(value).view(np.int64))


def _double(bits: int) -> float:
    return float(np.int64(bits).view(np.float64))


def _least_double(meets: Callable[[float], bool], low: int, high: int) -> int:
    """Return the least bit pattern in (low, high] that `meets`, which fails at low and holds from some on."""
    while high - low > 1:
        middle = (low + high) // 2
        if meets(_double(middle)):
            high = middle
        else:
            low = middle
    return high


def _least_double_near(meets: Callable[[float], bool], guess: int) -> int:
    """Return what `_least_double` would over all doubles, asking only near the guess."""
    low = high = guess
    step = 1
    while not meets(_double(high)):
        # Where the guess's sums were rounded down to the target, it is next to 0, and this goes a long way.
        low, high, step = high, min(high + step, _bits(math.inf)), 2 * step
    while low > 0 and meets(_double(low)):
        low, high, step = max(0, low - step), low, 2 * step
    return _least_double(meets, low, high)
