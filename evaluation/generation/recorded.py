"""A file of judgements that were recorded elsewhere: one a line. Pure."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotations.texts import jsonlines
from annotations.texts.inputs import ANSWER
from annotations.texts.records import read_id, read_text, shown
from kbpo.core.errors import InvalidInput
from kbpo_estimators.generation.scales import MOST_EDITS
from kbpo_formats.ontologies.faults import Fault, Faulty

MOST_FAULTS = 50
"""That are said at once."""
LONGEST_WORKER = 64


@dataclass(frozen=True, slots=True)
class Recorded:
    """A judgement.

    Attributes
    ----------
    line : int
    input_id : str
    systems : tuple of str
        All that wrote what it judges.
    worker : str
    seconds : float or None
    said : mapping
        What it says, by the names of the fields.
    """

    line: int
    input_id: str
    systems: tuple[str, ...]
    worker: str
    seconds: float | None
    said: Mapping[str, Any]


class Collected:
    """Faults of a file, by line."""

    def __init__(self, path: Path | str) -> None:
        self._name, self._found = Path(path).name, list[Fault]()

    def add(self, line: int, message: str) -> None:
        """Note one; raise where there are many."""
        self._found.append(Fault(line, message))
        if len(self._found) >= MOST_FAULTS:
            self._found.append(Fault(line, "here reading ended: mend these first"))
            self.refuse()

    def refuse(self) -> None:
        """Raise `Faulty` if there is any."""
        if self._found:
            raise Faulty(self._found, where=self._name)


def read_recorded(path: Path | str, prompt: str) -> list[Recorded]:
    """Read a file of judgements.

    Each line has `input_id`, `systems`, `worker` and `seconds` (may be null). Of the quality of a text it has
    `overall`, `fluency` (or `grammar`) and `redundancy`, each 1, 0 or -1, `hter`, and `edit` (may be null);
    of an answer `plausible`, and `passages`, the verdict on each: 1, -1 or 0. Other fields are left alone.

    Raises
    ------
    InvalidInput
        If the file cannot be read; `Faulty` with whatever is wrong with its lines.
    """
    read = _answer if prompt == ANSWER else _quality
    faults = Collected(path)
    found = []
    for number, value in jsonlines.read(path):
        try:
            found.append(_read(number, value, read))
        except InvalidInput as error:
            faults.add(number, str(error))
    faults.refuse()
    if not found:
        raise InvalidInput("the file holds no judgements; it must hold one a line", where=Path(path).name)
    return found


def _read(
    line: int, value: Mapping[str, Any], read: Callable[[Mapping[str, Any]], dict[str, Any]]
) -> Recorded:
    input_id = read_id(value, "", "input_id")
    systems = value.get("systems")
    if (
        not isinstance(systems, list)
        or not systems
        or not all(isinstance(one, str) and one for one in systems)
    ):
        raise InvalidInput(f"systems is {shown(systems)}; it must be a list of names, at least one")
    worker = value.get("worker")
    if isinstance(worker, bool) or not isinstance(worker, (int, str)) or not str(worker).strip():
        raise InvalidInput(f"worker is {shown(worker)}; it must be a number or a name")
    name = str(worker).strip()
    if len(name) > LONGEST_WORKER or not name.isprintable():
        raise InvalidInput(
            f"worker is {shown(worker)}; it must print, and have {LONGEST_WORKER} characters at most"
        )
    seconds = None if value.get("seconds") is None else _number(value, "seconds")
    return Recorded(line, input_id, tuple(dict.fromkeys(systems)), name, seconds, read(value))


def _quality(value: Mapping[str, Any]) -> dict[str, Any]:
    fluency = "grammar" if "fluency" not in value and "grammar" in value else "fluency"
    edit = value.get("edit")
    if edit is not None and not isinstance(edit, str):
        raise InvalidInput(f"edit is {shown(edit)}; it must be a text or null")
    hter = _number(value, "hter")
    if hter > MOST_EDITS:
        raise InvalidInput(f"hter is {hter:g}; more than {MOST_EDITS:,.0f} edits a word cannot be")
    return {
        "fluency": _level(value, fluency),
        "redundancy": _level(value, "redundancy"),
        "overall": _level(value, "overall"),
        "hter": hter,
        "edit": None if edit is None else read_text({"edit": edit.replace("\0", "")}, "edit", ""),
    }


def _answer(value: Mapping[str, Any]) -> dict[str, Any]:
    plausible, passages = value.get("plausible"), value.get("passages")
    if not isinstance(plausible, bool):
        raise InvalidInput(f"plausible is {shown(plausible)}; it must be true or false")
    if plausible and not isinstance(passages, list):
        raise InvalidInput(f"passages is {shown(passages)}; it must be a list of verdicts")
    verdicts = passages if plausible and isinstance(passages, list) else []
    for verdict in verdicts:
        if isinstance(verdict, bool) or verdict not in (1, 0, -1):
            raise InvalidInput(f"passages has the verdict {shown(verdict)}; each must be 1, -1 or 0")
    return {"plausible": plausible, "passages": [int(verdict) for verdict in verdicts]}


def _level(value: Mapping[str, Any], name: str) -> int:
    level = value.get(name)
    if isinstance(level, bool) or level not in (1, 0, -1):
        raise InvalidInput(f"{name} is {shown(level)}; it must be 1, 0 or -1")
    return int(level)


def _number(value: Mapping[str, Any], name: str) -> float:
    number = value.get(name)
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise InvalidInput(f"{name} is {shown(number)}; it must be a number")
    if not math.isfinite(number) or number < 0:
        raise InvalidInput(f"{name} is {number}; it must be a number from 0 on")
    return float(number)
