"""What is wrong with a file, with the line of each fault; pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kbpo_formats.errors import InvalidInput
from kbpo_formats.ontologies.toml_lines import Path


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """One thing that is wrong: the line, from 1, and what is wrong and would be right."""

    line: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}"


class Faulty(InvalidInput):
    """A file that was refused.

    Parameters
    ----------
    faults : iterable of Fault
        At least one.
    where : str
        The file.

    Attributes
    ----------
    faults : tuple of Fault
        Each once, by line.
    """

    def __init__(self, faults: Iterable[Fault], *, where: str = "") -> None:
        self.faults = tuple(sorted(set(faults)))
        super().__init__("; ".join(map(str, self.faults)), where=where)


class Faults:
    """Collects what is wrong with a file.

    Parameters
    ----------
    lines : mapping of path to int
        As `toml_lines.find_lines` finds them.
    """

    def __init__(self, lines: Mapping[Path, int]) -> None:
        self._lines = lines
        self._found: list[Fault] = []

    def add(self, path: Path, message: str) -> None:
        """Note a fault of what stands at a path, or of what it is missing from."""
        self._found.append(Fault(self.line(path), message))

    def line(self, path: Path) -> int:
        """Return the line on which what stands at a path begins, or what it would stand in."""
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 1)

    def refuse(self, *, where: str = "") -> None:
        """Raise `Faulty` if anything was noted."""
        if self._found:
            raise Faulty(self._found, where=where)
