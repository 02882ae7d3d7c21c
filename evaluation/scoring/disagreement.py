"""How much judges' errors may matter where no audit has measured them: by how often votes disagree."""

from dataclasses import dataclass

from annotations.models import Corpus
from kbpo.core.database.bulk import read_rows

LEAST_VOTES = 100
"""With fewer votes behind labels of either value nothing is said."""

_SUMS = """
SELECT label.value = 1, SUM(label.votes)::bigint,
    SUM(CASE WHEN label.value = 1 THEN label.votes - label.votes_for ELSE label.votes_for END)::bigint
FROM evaluation_sampledunit AS sampled
JOIN evaluation_epoch AS epoch ON epoch.id = sampled.epoch_id
JOIN annotations_label AS label ON label.question_id = sampled.question_id AND label.claim = sampled.claim
WHERE epoch.corpus_id = %s AND label.source = 'majority' AND label.value IN (0, 1)
GROUP BY 1
"""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """How often votes contradict the labels that they led to.

    Attributes
    ----------
    of_true, of_false : float
        The share of the votes on what is labelled 1, and on what is labelled 0.
    share : float
        Of all of them.
    """

    of_true: float
    of_false: float
    share: float

    def seen(self, precision: float) -> float:
        """Return what a precision looks like by the majority of three who err so often, each by himself.

        Two or three of three err with the probability 3e² − 2e³.

        Examples
        --------
        >>> round(Disagreement(0.1, 0.1, 0.1).seen(0.1), 4)
        0.1224
        """
        return precision * (1.0 - _majority(self.of_true)) + (1.0 - precision) * _majority(self.of_false)

    @property
    def seen_of_a_tenth(self) -> float:
        """What a precision of .1 looks like."""
        return self.seen(0.1)

    @property
    def seen_of_a_half(self) -> float:
        """What a precision of .5 looks like."""
        return self.seen(0.5)


def _majority(error: float) -> float:
    return 3.0 * error**2 - 2.0 * error**3


def read_disagreement(corpus: Corpus) -> Disagreement | None:
    """Count the votes behind the labels of a corpus' samples; None where there are too few."""
    found = {is_true: (int(votes), int(against)) for is_true, votes, against in read_rows(_SUMS, [corpus.pk])}
    if len(found) < 2 or min(votes for votes, _ in found.values()) < LEAST_VOTES:
        return None
    (true, against_true), (false, against_false) = found[True], found[False]
    return Disagreement(
        against_true / true, against_false / false, (against_true + against_false) / (true + false)
    )
