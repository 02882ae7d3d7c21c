"""Options of commands that take a file and what comes beside it: one for each attachment of a task."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import CommandParser

from evaluation.registry import TASKS


def add_options(parser: CommandParser) -> None:
    """Add them."""
    for name, words in _known().items():
        parser.add_argument(f"--{name}", type=Path, metavar="FILE", help=words)


@contextmanager
def opened(options: Mapping[str, Any]) -> Iterator[Mapping[str, BinaryIO]]:
    """Open the files that were named.

    Raises
    ------
    OSError
        If one cannot be read.
    """
    with ExitStack() as stack:
        named = {name: options.get(name) for name in _known()}
        yield {name: stack.enter_context(path.open("rb")) for name, path in named.items() if path}


def _known() -> Mapping[str, str]:
    """Return the attachments of all tasks, with what each is."""
    return {
        kind.name: f"Of {task.label}: {kind.label[:1].lower()}{kind.label[1:]}."
        for task in TASKS.values()
        for kind in task.reader.attachments
    }
