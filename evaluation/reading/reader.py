"""How the files of a task are read."""

from collections.abc import Callable, Iterable, Mapping, Sized
from dataclasses import dataclass
from typing import Any, BinaryIO

from kbpo.core.errors import InvalidInput
from kbpo_formats.problems import Code
from kbpo_formats.recognising import recognise


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachmentKind:
    """A further file that may be submitted beside one: an attachment.

    Attributes
    ----------
    name : str
        What it is called in addresses, options and rows.
    label, words : str
        What it is called for people, and what it should be.
    format : str
        The format of its codes; one that is not JSON Lines is cut into columns by tabs.
    """

    name: str
    label: str
    words: str
    format: str


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
    attachments : tuple of AttachmentKind
        What may be submitted beside a file. Whatever is read from one is told to the child under its name.
    """

    child: str
    formats: Mapping[str, str]
    codes: Mapping[str, Code]
    no_counts: Mapping[str, Any]
    receive: Callable[[BinaryIO], Sized]
    nothing: Sized
    attachments: tuple[AttachmentKind, ...] = ()

    def recognise(self, stream: BinaryIO) -> str:
        """Return the format that a file seems to have, by how it begins; the file stays where it stands."""
        return recognise(stream, self.formats)

    def check_attachments(self, names: Iterable[str]) -> None:
        """Refuse what goes beside no file of this task.

        Raises
        ------
        InvalidInput
        """
        known = [kind.name for kind in self.attachments]
        for name in names:
            if name not in known:
                take = f"take {' and '.join(known)} alone" if known else "take no second file"
                raise InvalidInput(f"systems of this corpus {take}: leave it out", where=name)

    def format_of(self, attachment: str, format: str) -> str:
        """Return the format of an attachment, by its name; of the file itself, the one that is given."""
        return next((kind.format for kind in self.attachments if kind.name == attachment), format)
