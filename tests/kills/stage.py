"""A stage that is killed over and over."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Stage:
    """A stage of the pipeline, and what it is killed over.

    Attributes
    ----------
    act : callable
        The stage.
    modules : tuple of str
        Ends of the names of files.
    begin, again, look, report : callable
        Done once; before each life; after each death; in the end, when it returns what there is.
    """

    act: Callable[[], int]
    modules: tuple[str, ...]
    begin: Callable[[], None]
    again: Callable[[], None]
    look: Callable[[], None]
    report: Callable[[], Any]
