"""Whether the locks are what pyproject.toml asks for; needs no network: ``python -m requirements.check``.

``requirements.txt`` holds everything, ``requirements/runtime.txt`` what a server needs of it; ``make lock``
writes both.
"""

import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
LOCKS = {"requirements.txt": ("runtime", "embedded", "dev"), "requirements/runtime.txt": ("runtime",)}
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")
ASKED_FOR = re.compile(r"\(pyproject\.toml:[a-z]+\)")


@dataclass(frozen=True)
class Locked:
    """A package in a lock.

    Parameters
    ----------
    requirement : Requirement
        As it is written, with its marker.
    version : str
        Empty unless there is exactly one.
    hashes : frozenset of str
    is_direct : bool
        Whether a declaration asks for it, not only another package.
    """

    requirement: Requirement
    version: str
    hashes: frozenset[str]
    is_direct: bool


def read_lock(text: str) -> dict[str, Locked]:
    """Return a lock's packages by their normalised names.

    Raises
    ------
    ValueError
        If a line is neither a package with hashes nor a comment, naming it: an option, or an address.
    """
    locked: dict[str, Locked] = {}
    for entry in re.split(r"\n(?=[^\s#])", "\n" + text):
        lines = [line.strip().removesuffix("\\").strip() for line in entry.splitlines()]
        written = [line for line in lines if line and not line.startswith("#")]
        if not written:
            continue
        first, *hashes = written
        try:
            requirement = Requirement(first)
        except InvalidRequirement:
            raise ValueError(f"{first!r} is no package") from None
        if requirement.url:
            raise ValueError(f"{first!r} is an address")
        if wrong := [line for line in hashes if not HASH.fullmatch(line)]:
            raise ValueError(f"{wrong[0]!r} is no hash")
        exact = re.fullmatch(r"==([^*,]+)", str(requirement.specifier))
        locked[canonicalize_name(requirement.name)] = Locked(
            requirement=requirement,
            version=exact[1] if exact else "",
            hashes=frozenset(hashes),
            is_direct=any(ASKED_FOR.search(line) for line in lines if line.startswith("#")),
        )
    return locked


def problems(declared: Sequence[str], locked: dict[str, Locked]) -> Iterator[str]:
    """Go through what is wrong with a lock.

    Parameters
    ----------
    declared : sequence of str
        The requirements that it is made for.
    locked : dict of str to Locked
        Of `read_lock`.
    """
    for name, one in locked.items():
        if not one.version:
            yield f"{name} is locked to no version"
        if not one.hashes:
            yield f"{name} has no hashes"
    asked = {canonicalize_name(Requirement(line).name): Requirement(line) for line in declared}
    for name, requirement in asked.items():
        if name not in locked:
            yield f"{name} is declared and not locked"
        elif locked[name].version and not requirement.specifier.contains(locked[name].version):
            yield f"{name} is locked to {locked[name].version}, and declared as {requirement}"
    for name in sorted(name for name, one in locked.items() if one.is_direct and name not in asked):
        yield f"{name} is locked as if it were declared, and is not"


def differences(part: dict[str, Locked], whole: dict[str, Locked]) -> Iterator[str]:
    """Go through where a lock of a part is not of one mind with the lock of the whole."""
    for name, one in part.items():
        if name not in whole:
            yield f"{name} is missing"
        elif (one.version, one.hashes) != (whole[name].version, whole[name].hashes):
            yield f"{name} is not the same"


def main() -> int:
    """Print what is wrong with the locks; return the exit status."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        groups = tomllib.load(file)["dependency-groups"]
    found, locks = [], {}
    for path, names in LOCKS.items():
        try:
            locks[path] = read_lock((ROOT / path).read_text(encoding="utf-8"))
        except ValueError as error:
            found.append(f"{path}: {error}")
            continue
        declared = [line for name in names for line in groups[name]]
        found += [f"{path}: {problem}" for problem in problems(declared, locks[path])]
    if len(locks) == len(LOCKS):
        whole, part = LOCKS
        found += [f"{part} and {whole}: {problem}" for problem in differences(locks[part], locks[whole])]
    for problem in found:
        print(f"{problem}; run 'make lock'", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
