"""Three crowds to test with: how often their members err, and on which questions everybody errs more.

With 30 workers and three votes a label, 2.8% of the labels of two answers are wrong in *alike*, 3.0% in
*mixed* and 8.1% in *hard*.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from kbpo.core.errors import InvalidInput

ERROR = 0.1
"""How often the members of *alike* err, unless another error is given."""
CARELESS = 0.2
"""The share of careless workers in *mixed* and *hard*."""


@dataclass(frozen=True)
class Crowd:
    """People who err.

    Attributes
    ----------
    name : str
    careful, careless : pair of float
        How often they err, from the best to the worst of them.
    hard : float
        The share of questions on which everybody errs more.
    more : float
        By how much.
    """

    name: str
    careful: tuple[float, float]
    careless: tuple[float, float]
    hard: float = 0.0
    more: float = 0.0

    def errors(self, workers: int) -> NDArray[np.float64]:
        """Return how often each worker errs on a question that is not hard, float[workers]."""
        last = round(CARELESS * workers)
        return np.concatenate([np.linspace(*self.careful, workers - last), np.linspace(*self.careless, last)])

    def error(self, of_worker: float, luck: float) -> float:
        """Return how often a worker errs on one question.

        Parameters
        ----------
        of_worker : float
        luck : float
            The question's random number in [0, 1), the same for all workers.
        """
        return min(1.0, of_worker + self.more) if luck < self.hard else of_worker


def alike(error: float = ERROR) -> Crowd:
    """Return people who all err equally often.

    Raises
    ------
    InvalidInput
        If the error is no probability.
    """
    if not 0 <= error <= 1:
        raise InvalidInput(f"the error is {error}; it must be a probability, from 0 to 1", where="error")
    return Crowd("alike", (error, error), (error, error))


CROWDS: Mapping[str, Crowd] = MappingProxyType(
    {
        "alike": alike(),
        "mixed": Crowd("mixed", (0.02, 0.10), (0.20, 0.36)),
        "hard": Crowd("hard", (0.02, 0.10), (0.20, 0.36), hard=0.2, more=0.25),
    }
)
