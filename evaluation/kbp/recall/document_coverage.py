"""How well the exhaustive documents cover names that are rare, of medium frequency, and frequent."""

from dataclasses import dataclass

import numpy as np
from scipy import stats

from evaluation.kbp.divisions import bands
from evaluation.models import DocumentSample

AT_LEAST = (1, 2, 3, 5)
"""Documents: what is said of a name in one alone cannot be compared with anything."""


@dataclass(frozen=True, slots=True)
class Share:
    """The share of a band's names in at least so many sampled documents, and under a uniform draw."""

    at_least: int
    sampled: float
    uniform: float


@dataclass(frozen=True, slots=True)
class BandCoverage:
    """How a sample covers the names of a frequency band.

    Attributes
    ----------
    name : str
        Of the band, by documents of the corpus: "at most 3".
    names : int
    documents, uniform : float
        Sampled documents that a name stands in, on average; and expected of a uniform draw of as many.
    shares : tuple of Share
    """

    name: str
    names: int
    documents: float
    uniform: float
    shares: tuple[Share, ...]


def band_coverage(sample: DocumentSample) -> list[BandCoverage]:
    """Compare a sample in two phases with a uniform draw of as many documents, by band of names.

    The names are those that people found in the first phase: they stand in at least one sampled document.
    So the uniform draw is given them too: it takes the first phase's share, and then draws uniformly on.

    Returns
    -------
    list of BandCoverage
        The rarest first; empty bands are left out. None at all before the second phase is drawn.
    """
    rows = sample.names.order_by("name").values_list("documents", "sampled", "first")
    if not rows:
        return []
    documents, sampled, first = np.array(rows, dtype=np.int64).T
    drawn = sample.documents.filter(phase=2).count()
    assert sample.first_size is not None, "a sample in one phase has no names"
    rest = sample.population - sample.first_size
    labels, tops = bands(documents.tolist())
    band = np.searchsorted(tops, documents, side="left")
    found = []
    for number, label in enumerate(labels):
        own = band == number
        if not own.any():
            continue
        left = stats.hypergeom(rest, (documents - first)[own], drawn)
        found.append(
            BandCoverage(
                label,
                int(own.sum()),
                float(sampled[own].mean()),
                float((first + drawn * (documents - first) / max(rest, 1))[own].mean()),
                tuple(
                    Share(
                        least,
                        float((sampled[own] >= least).mean()),
                        float(left.sf(least - 1 - first[own]).mean()),
                    )
                    for least in AT_LEAST
                ),
            )
        )
    return found
