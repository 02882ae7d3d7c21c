"""How the files of a task are read."""

from collections.abc import Callable, Mapping, Sized
from dataclasses import dataclass
from typing import Any, BinaryIO

from kbpo_formats.problems import Code
from kbpo_formats.recognising import recognise


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """How the files of a task are read: in a process of their own.

    Attributes
    ----------
    child : str
        The module that the process runs, which calls `evaluation.reading.child.main`.
    formats : mapping of str to str
        What files may be written in, with names for people; the first is recommended.
    codes : mapping of str to Code
        What can be wrong with a file, by name.
    no_counts : mapping
        The counts of a file of which nothing was read.
    receive : callable
        Reads the predictions that the child sent.
    nothing : Sized
        What is received of a file that is refused.
    """

    child: str
    formats: Mapping[str, str]
    codes: Mapping[str, Code]
    no_counts: Mapping[str, Any]
    receive: Callable[[BinaryIO], Sized]
    nothing: Sized

    def recognise(self, stream: BinaryIO) -> str:
        """Return the format that a file seems to have, by how it begins; the file stays where it stands."""
        return recognise(stream, self.formats)
