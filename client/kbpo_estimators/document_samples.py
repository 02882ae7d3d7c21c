"""How the exhaustive documents were drawn, and how sure that makes a mean over them.

Residuals z_d are on the scale of a mean over the corpus' documents. `covariance` is C(a, b): the estimated
covariance of two such means.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from kbpo_estimators import _checks
from kbpo_estimators._checks import BoolArray, FloatArray, IntArray


class DocumentSample(Protocol):
    """A sample of a corpus' documents."""

    @property
    def population(self) -> int:
        """N: the corpus' documents."""
        ...

    def weights(self, n: int) -> FloatArray:
        """Return how many documents of the corpus each of the n sampled ones stands for."""
        ...

    def covariance(self, a: ArrayLike, b: ArrayLike) -> float:
        """Return C(a, b) of two residuals by document."""
        ...

    def factors(self, n: int) -> FloatArray:
        """Return what each document's product counts in C, float[n]: C(a, b) = Σ factor · ab."""
        ...

    def fits(self, n: int) -> bool:
        """Say whether the sample may have n documents."""
        ...

    def take(self, columns: IntArray) -> "DocumentSample":
        """Return the sample that only some of the documents would make."""
        ...

    def is_census(self, n: int) -> bool:
        """Say whether the n sampled documents are all there are."""
        ...


@dataclass(frozen=True, slots=True)
class SimpleRandom:
    """n of N documents, drawn uniformly without replacement.

    C(a, b) = (1 − n/N) Σab / (n(n − 1)).

    Attributes
    ----------
    population : int
        N, at least n.

    Examples
    --------
    >>> SimpleRandom(10).covariance([1.0, -1.0], [1.0, -1.0])
    0.8
    """

    population: int

    def __post_init__(self) -> None:
        _checks.whole("population", self.population, 1)

    def weights(self, n: int) -> FloatArray:
        """Return N/n for each of the n documents."""
        self._refuse_size(n)
        return np.full(n, self.population / n)

    def covariance(self, a: ArrayLike, b: ArrayLike) -> float:
        """Return C(a, b) of two residuals by document, float[n] each, n at least 2."""
        first = _checks.vector("a", a)
        second = _checks.vector("b", b, first.size)
        n = first.size
        self._refuse_size(n)
        return float((1.0 - n / self.population) * (first * second).sum() / (n * (n - 1)))

    def factors(self, n: int) -> FloatArray:
        """Return what each document's product counts in C, float[n], n at least 2."""
        self._refuse_size(n)
        return np.full(n, (1.0 - n / self.population) / (n * (n - 1)))

    def fits(self, n: int) -> bool:
        """Say whether the sample may have n documents: as many as there are, at most."""
        return n <= self.population

    def take(self, columns: IntArray) -> "SimpleRandom":
        """Return the sample that only some of the documents would make: fewer of the same population."""
        return self

    def is_census(self, n: int) -> bool:
        """Say whether the n sampled documents are all there are."""
        return n == self.population

    def _refuse_size(self, n: int) -> None:
        if n < 2:
            _checks.refuse("documents", f"has {n} documents; a variance needs at least two")
        if n > self.population:
            _checks.refuse(
                "population", f"is {self.population}; at least the {n} sampled documents are needed"
            )


@dataclass(frozen=True, slots=True, eq=False)
class TwoPhase:
    """n1 documents drawn uniformly, then others by Poisson sampling that may look at the first.

    With ω = n1/n, documents of the first phase weigh ωN/n1 + 1 − ω, those of the second (1 − ω)/p2: each
    phase estimates every total without bias, and ω mixes the two.
    C(a, b) = ω²(1 − n1/N) Σ_S1 ab / (n1(n1 − 1)) + (1 − ω)² Σ_S2 (1 − p2)/p2² ab / N².

    Attributes
    ----------
    first : bool[m]
        Whether the document belongs to the first phase.
    p2 : float[m]
        The probability with which the second phase took it, in (0, 1]; not looked at in the first phase.
    population : int
        N, at least m.
    planned : int
        n: the documents planned for both phases together, at least n1.
    """

    first: BoolArray
    p2: FloatArray
    population: int
    planned: int

    def __post_init__(self) -> None:
        first = _checks.flags("first", self.first)
        n1 = int(first.sum())
        if n1 < 2:
            _checks.refuse("first", f"has {n1} documents of the first phase; a variance needs at least two")
        _checks.same_length("p2", np.size(self.p2), first.size)
        p2 = np.where(first, 1.0, np.asarray(self.p2, dtype=np.float64))
        _checks.probabilities("p2", p2)
        if _checks.whole("population", self.population, 1) < first.size:
            _checks.refuse(
                "population", f"is {self.population}; at least the {first.size} sampled documents are needed"
            )
        _checks.whole("planned", self.planned, n1)
        object.__setattr__(self, "first", first)
        object.__setattr__(self, "p2", p2)

    @property
    def _n1(self) -> int:
        return int(self.first.sum())

    @property
    def _omega(self) -> float:
        return self._n1 / self.planned

    def weights(self, n: int) -> FloatArray:
        """Return the weight of each document, float[m]; n must be m."""
        _checks.same_length("first", self.first.size, n)
        of_first = self._omega * self.population / self._n1 + 1.0 - self._omega
        return np.where(self.first, of_first, (1.0 - self._omega) / self.p2)

    def covariance(self, a: ArrayLike, b: ArrayLike) -> float:
        """Return C(a, b) of two residuals by document, float[m] each."""
        product = _checks.vector("a", a, self.first.size) * _checks.vector("b", b, self.first.size)
        return float((self.factors(product.size) * product).sum())

    def factors(self, n: int) -> FloatArray:
        """Return what each document's product counts in C, float[m]; n must be m."""
        _checks.same_length("first", self.first.size, n)
        n1, omega = self._n1, self._omega
        uniform = omega**2 * (1.0 - n1 / self.population) / (n1 * (n1 - 1))
        poisson = (1.0 - omega) ** 2 * (1.0 - self.p2) / (self.p2 * self.population) ** 2
        return np.where(self.first, uniform, poisson)

    def fits(self, n: int) -> bool:
        """Say whether the sample has n documents."""
        return n == self.first.size

    def take(self, columns: IntArray) -> "TwoPhase":
        """Return the sample that only some of the documents would make, planned as it was."""
        return TwoPhase(self.first[columns], self.p2[columns], self.population, self.planned)

    def is_census(self, n: int) -> bool:
        """Say whether the first phase already took every document."""
        return n == self._n1 == self.population


def tfidf_scores(
    documents: ArrayLike,
    times: ArrayLike,
    names: ArrayLike,
    frequencies: ArrayLike,
    size: int,
    population: int,
) -> FloatArray:
    """Return each document's aggregate TF-IDF over some names: Σ (1 + ln tf) ln(N/df).

    Parameters
    ----------
    documents, times, names : int[k]
        For each occurrence the document, from 0, how often the name stands there, at least 1, and the name,
        from 0. A document and a name come together once.
    frequencies : int[v]
        df: in how many documents of the corpus each name occurs, at least 1.
    size : int
        Of the result: the number of documents, of which some may contain no name.
    population : int
        N: the corpus' documents.

    Returns
    -------
    float[size]
        At least 0.

    Examples
    --------
    >>> tfidf_scores([0, 1, 1], [1, 1, 1], [0, 0, 1], [2, 1], 3, 4).round(2).tolist()
    [0.69, 2.08, 0.0]
    """
    size, population = _checks.whole("size", size, 1), _checks.whole("population", population, 1)
    df = _checks.integers("frequencies", frequencies, low=1, below=population + 1)
    at = _checks.integers("documents", documents, below=size)
    tf = _checks.integers("times", times, length=at.size, low=1)
    of = _checks.integers("names", names, length=at.size, below=df.size)
    weights = (1.0 + np.log(tf)) * np.log(population / df[of])
    return np.bincount(at, weights=weights, minlength=size).astype(np.float64)


def second_phase_probabilities(scores: ArrayLike, expected: float, floor_share: float = 0.2) -> FloatArray:
    """Return p2: the chance of each document that the first phase left, in proportion to its score.

    p2 = min(1, floor + c·score), with the c for which Σ p2 is `expected`. The floor is the same for all:
    `floor_share` of what a uniform draw would give each. Without any score above 0 the draw is uniform.

    Parameters
    ----------
    scores : float[m]
        At least 0.
    expected : float
        How many documents to draw, on average: above 0 and at most m.
    floor_share : float
        Above 0 and below 1.

    Returns
    -------
    float[m]
        In (0, 1].

    Examples
    --------
    >>> second_phase_probabilities([0.0, 1.0, 3.0, 0.0], 1.0, 0.2).round(3).tolist()
    [0.05, 0.25, 0.65, 0.05]
    """
    score = _checks.vector("scores", scores)
    _checks.not_empty("scores", score.size)
    if score.min() < 0:
        _checks.refuse("scores", f"the value {score.min()} is below 0")
    if not 0 < expected <= score.size:
        _checks.refuse("expected", f"is {expected!r}; between 0 and the {score.size} documents is needed")
    uniform = expected / score.size
    floor = _checks.share("floor_share", floor_share) * uniform
    p2 = np.full(score.size, floor)
    score = score / max(score.max(), np.finfo(np.float64).tiny)
    rising = np.flatnonzero(score > 0)
    # From the largest score down, whoever reaches 1 stays there and the rest share what is left.
    order = rising[np.argsort(-score[rising], kind="stable")]
    left = expected - floor * score.size
    tails = np.cumsum(score[order][::-1])[::-1]
    certain = 0
    while certain < order.size:
        shares = score[order[certain:]] / tails[certain]
        proposed = floor + (left - certain * (1.0 - floor)) * shares
        if proposed[0] <= 1.0:
            p2[order[certain:]] = proposed
            break
        certain += 1
    p2[order[:certain]] = 1.0
    lacking = expected - p2.sum()
    if lacking > 1e-9 * expected:  # too few documents have a score: the others share the rest evenly
        others = np.flatnonzero(p2 < 1.0)
        p2[others] += lacking / others.size
    probabilities: FloatArray = np.minimum(p2, 1.0)
    return probabilities


def draw_documents(doc_ids: Sequence[str], n: int, seed: int) -> list[str]:
    """Draw a simple random sample of documents, without replacement.

    Parameters
    ----------
    doc_ids : sequence of str, length N
        The corpus' documents, each once, in any order: the draw does not depend on it.
    n : int
        How many, from 1 to N.
    seed : int
        For `numpy.random.default_rng`; at least 0.

    Returns
    -------
    list of str
        Of length n, sorted.

    Raises
    ------
    InvalidInput
        If an id is repeated, or n or the seed is out of range.
    """
    ordered = sorted(_checks.strings("doc_ids", doc_ids))
    for one, next_one in itertools.pairwise(ordered):
        if one == next_one:
            _checks.refuse("doc_ids", f"{one!r} occurs more than once; each document is needed once")
    n, seed = _checks.whole("n", n, 1), _checks.whole("seed", seed, 0)
    if n > len(ordered):
        _checks.refuse("n", f"is {n}; there are only {len(ordered)} documents")
    chosen = np.random.default_rng(seed).choice(len(ordered), size=n, replace=False)
    return [ordered[position] for position in sorted(chosen.tolist())]
