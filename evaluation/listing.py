"""How a task's predictions are told to programs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from rest_framework.serializers import Serializer

from evaluation.models import Submission


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """How a task's predictions are listed.

    Attributes
    ----------
    find : callable
        Selects a submission's predictions, of a document if its id is given. A mapping has what else is
        asked for, by name; it refuses what is none of its own.
    key : str
        The whole number of a prediction by which pages go: an index begins with the submission, and has it.
        Whoever asks reads it in cursors, and sees the order: it tells of no other system.
    show : callable
        Puts predictions of one submission beside what is published of them, in a fixed number of queries;
        the last argument says whether who asks may read the corpus' texts.
    serializer : type
        What writes one that `show` returned.
    """

    find: Callable[[Submission, Mapping[str, str]], "QuerySet[Any]"]
    key: str
    show: Callable[[Submission, Sequence[Any], bool], Sequence[Any]]
    serializer: type[Serializer[Any]]
