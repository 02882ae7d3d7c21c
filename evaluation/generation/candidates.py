"""The metrics that may correct judgements: those that were fixed when the epoch opened, and no others."""

from collections.abc import Mapping, Sequence

from annotations.models import Prompt
from evaluation.generation.house import HOUSE
from evaluation.generation.metrics import freezing, stored
from evaluation.models import Epoch, Submission
from evaluation.units import FloatArray, IntArray

Candidates = Mapping[str, FloatArray | Mapping[str, FloatArray]]
"""By name a column of a system's outputs, or one for each measure, as `Given` takes them."""


def read_candidates(
    epoch: Epoch, submissions: Sequence[Submission], prompt: Prompt | None
) -> list[Candidates]:
    """Read those that each submission has, in the order of its file.

    They are the data set's declared metric, the same for all measures, and the epoch's house metric, which
    foretells each measure. Both rest on nothing that was judged in the epoch.
    """
    declared = prompt.metric if prompt is not None else ""
    columns = stored.read(submissions, [declared]) if declared else [{} for _ in submissions]
    foretold = freezing.read(epoch, submissions)
    return [
        {**own, **({HOUSE: house} if house else {})} for own, house in zip(columns, foretold, strict=True)
    ]


def in_order(candidates: Candidates, places: IntArray) -> Candidates:
    """Return candidates of outputs in another order than the file's.

    Parameters
    ----------
    candidates : mapping
    places : int[n]
        Where each output stands in the file.
    """
    return {
        name: {measure: column[places] for measure, column in one.items()}
        if isinstance(one, Mapping)
        else one[places]
        for name, one in candidates.items()
    }
