"""The metrics that may correct judgements: at most those that were fixed when the epoch opened."""

from collections.abc import Mapping, Sequence

from annotations.models import Prompt
from evaluation.generation.metrics import stored
from evaluation.models import Submission
from evaluation.units import FloatArray


def read_candidates(
    submissions: Sequence[Submission], prompt: Prompt | None
) -> list[Mapping[str, FloatArray]]:
    """Read by name, for each submission, the columns that it has, in the order of its file."""
    if prompt is None or not prompt.metric:
        return [{} for _ in submissions]
    return stored.read(submissions, [prompt.metric])
