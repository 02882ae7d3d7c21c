"""The three designs of samples, and how the coordinated ones grow when a system arrives.

A corpus has one design. `Corpus.design` says whether its samples are coordinated or independent.
`Task.growth` says how the coordinated design of a task grows, and each epoch stores it.

Coordinated, with the quadratic sum
    For claims and outputs, which systems share in part. Each unit has one secret random number per epoch and
    is in the sample if that number is below π. Each system contributes a term, the π that it would need by
    itself, and π is the root of the sum of their squares. Every system meets its target, the order of arrival
    does not matter, and the labels that serve many systems become surer.
Coordinated, with the maximum
    For classified items, which all systems share. π is the largest that any system needs, given the labels
    that are there. Under the quadratic sum each arrival would buy labels of the same items again; under the
    maximum forty systems cost as many labels as one.
Independent draws (``iid``)
    The design of Chaganty, Paranjape, Liang and Manning (2017), for comparison with the paper. Each system
    gets draws with replacement from its own weights, as many as its target needs in addition to the draws of
    the systems before it (`kbpo_estimators.iid`).

The formulas are in docs/estimation.md, 3.2.
"""

from dataclasses import dataclass

import numpy as np

from evaluation.models import Epoch
from evaluation.units import BoolArray, FloatArray
from kbpo_estimators import coordinated

QUADRATIC, MAXIMUM = Epoch.Growth.QUADRATIC, Epoch.Growth.MAXIMUM


@dataclass(frozen=True, eq=False)
class Before:
    """An epoch's design of some units before an arrival.

    Attributes
    ----------
    pi : float[n]
        Their inclusion probabilities; 0 where one was never in a design.
    squares : float[n]
        Their sums of squares under the quadratic sum; 0 otherwise.
    """

    pi: FloatArray
    squares: FloatArray


@dataclass(frozen=True, eq=False)
class Arrival:
    """The change of a design by one arrival.

    Attributes
    ----------
    pi : float[n]
        Inclusion probabilities of the system's units after it.
    lam : float
        The least scale of p that meets the target.
    floor : float
        b, the expected number of labels spread uniformly.
    squares : float[n] or None
        The sums of squares after it; None under the maximum.
    flat_term : float[n] or None
        The system's term, were every label as uncertain as one can be: π with s² = ¼ is made of these, on
        which rests what must rest on no label. None under the maximum.
    """

    pi: FloatArray
    lam: float
    floor: float
    squares: FloatArray | None
    flat_term: FloatArray | None

    def changed(self, before: Before) -> BoolArray:
        """Return the units whose design it changed, bool[n]."""
        grown = self.pi > before.pi
        return grown if self.squares is None else np.asarray(grown | (self.squares > before.squares))


def arrive(
    growth: str,
    *,
    before: Before,
    p: FloatArray,
    known: BoolArray,
    target_variance: float,
    variance: FloatArray | None = None,
    most: float = coordinated.LABEL_VARIANCE,
) -> Arrival:
    """Grow a coordinated design for a system.

    Parameters
    ----------
    growth : str
        `QUADRATIC` or `MAXIMUM`.
    before : Before
        The design of the system's units.
    p : float[n]
        Its distribution; sums to 1.
    known : bool[n]
        Units whose labels were published before the upload: they count exactly.
    target_variance : float
        V*, the variance that its precision may have at most.
    variance : float[n] or None
        s² as it is planned, for the quadratic sum; None for ¼ throughout.
    most : float
        The largest that s² may be.
    """
    if growth == MAXIMUM:
        floor = coordinated.floor_labels(target_variance, coordinated.MAXIMUM_FLOOR)
        pi, lam = coordinated.top_up(np.where(known, 1.0, before.pi), p, target_variance, floor / len(p))
        return Arrival(pi, lam, floor, None, None)
    floor = coordinated.floor_labels(target_variance, coordinated.QUADRATIC_FLOOR)

    def grown(s2: FloatArray | None) -> coordinated.QuadraticSum:
        return coordinated.quadratic_sum(
            before.pi,
            before.squares,
            p,
            target_variance,
            variance=s2,
            most=most,
            known=known,
            floor=floor / len(p),
        )

    found = grown(variance)
    flat = found if variance is None else grown(None)
    return Arrival(found.pi, found.lam, floor, found.squares, flat.term)
