"""Whether the locks are what pyproject.toml asks for; needs no network: ``python -m requirements.check``.

``requirements.txt`` holds everything, ``requirements/runtime.txt`` what a server needs of it; ``make lock``
writes both.
"""

import itertools
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.markers import Marker, default_environment
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
LOCKS = {"requirements.txt": ("runtime", "embedded", "dev"), "requirements/runtime.txt": ("runtime",)}
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")
ASKED_FOR = re.compile(r"\(pyproject\.toml:[a-z]+\)")
PYTHONS = ((3, 11), (3, 12), (3, 13))
MACHINES = (("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "x86_64"), ("darwin", "arm64"))


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


def environments() -> Iterator[dict[str, str]]:
    """Go through the Pythons and machines that the locks are for, as markers see them."""
    for (major, minor), (system, machine) in itertools.product(PYTHONS, MACHINES):
        yield {
            **{name: str(value) for name, value in default_environment().items()},
            "python_version": f"{major}.{minor}",
            "python_full_version": f"{major}.{minor}.9",
            "implementation_version": f"{major}.{minor}.9",
            "os_name": "posix",
            "sys_platform": system,
            "platform_system": system.capitalize(),
            "platform_machine": machine,
        }


def installed(name: str, version: str) -> Sequence[str]:
    """Return what a package that is installed in that version brings; nothing of one that is not."""
    try:
        found = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return []
    return (found.requires or []) if found.version == version else []


def gaps(
    declared: Sequence[str],
    locked: Mapping[str, Locked],
    *,
    requires: Callable[[str, str], Iterable[str]] = installed,
) -> Iterator[str]:
    """Go through what is needed on some supported machine and not installed there by a lock, or the reverse.

    Parameters
    ----------
    declared : sequence of str
        The requirements that it is made for.
    locked : mapping of str to Locked
    requires : callable
        Returns what a package in a version brings.
    """
    where: dict[str, str] = {}
    beyond: dict[str, str] = {}
    for environment in environments():
        machine = "Python {python_version} on {sys_platform} {platform_machine}".format_map(environment)
        needed = _needed(declared, locked, requires, environment)
        for name in needed:
            if name not in locked or not _applies(locked[name].requirement.marker, environment):
                where.setdefault(name, machine)
        for name, one in locked.items():
            if one.is_direct and name not in needed and _applies(one.requirement.marker, environment):
                beyond.setdefault(name, machine)
    yield from (f"{name} is needed and not locked for {machine}" for name, machine in where.items())
    yield from (f"{name} is locked, and not declared, for {machine}" for name, machine in beyond.items())


def superfluous(
    declared: Sequence[str],
    locked: Mapping[str, Locked],
    *,
    requires: Callable[[str, str], Iterable[str]] = installed,
) -> Iterator[str]:
    """Go through what a lock installs on this machine and nothing needs; parameters are those of `gaps`."""
    environment = {name: str(value) for name, value in default_environment().items()}
    needed = _needed(declared, locked, requires, environment)
    for name, one in locked.items():
        if name not in needed and _applies(one.requirement.marker, environment):
            yield f"{name} is locked, and nothing needs it"


def _needed(
    declared: Sequence[str],
    locked: Mapping[str, Locked],
    requires: Callable[[str, str], Iterable[str]],
    environment: Mapping[str, str],
) -> set[str]:
    waiting = [Requirement(line) for line in declared]
    waiting = [one for one in waiting if _applies(one.marker, environment)]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        one = waiting.pop()
        key = canonicalize_name(one.name), frozenset(one.extras)
        if key in seen:
            continue
        seen.add(key)
        version = locked[key[0]].version if key[0] in locked else ""
        for line in requires(key[0], version):
            brought = Requirement(line)
            if any(_applies(brought.marker, {**environment, "extra": extra}) for extra in ("", *one.extras)):
                waiting.append(brought)
    return {name for name, _ in seen}


def _applies(marker: Marker | None, environment: Mapping[str, str]) -> bool:
    return marker is None or marker.evaluate({"extra": "", **environment})


def pythons(requires_python: str, makefile: str) -> Iterator[str]:
    """Say where pyproject.toml, the Makefile and this check name different Pythons."""
    asked = SpecifierSet(requires_python)
    if [(3, minor) for minor in range(30) if asked.contains(f"3.{minor}.9")] != list(PYTHONS):
        yield f"pyproject.toml wants Python {requires_python}, which is not what the locks are checked for"
    bounds = re.search(r"\((\d+), (\d+)\) <= sys\.version_info\[:2\] <= \((\d+), (\d+)\)", makefile)
    named = tuple(map(int, bounds.groups())) if bounds else ()
    if named != (*PYTHONS[0], *PYTHONS[-1]):
        yield "the Makefile takes other Pythons than the locks are checked for"


def main() -> int:
    """Print what is wrong with the locks; return the exit status."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)
    groups = project["dependency-groups"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    found, locks = list(pythons(project["project"]["requires-python"], makefile)), {}
    for path, names in LOCKS.items():
        try:
            locks[path] = read_lock((ROOT / path).read_text(encoding="utf-8"))
        except ValueError as error:
            found.append(f"{path}: {error}")
            continue
        declared = [line for name in names for line in groups[name]]
        found += [f"{path}: {problem}" for problem in problems(declared, locks[path])]
        found += [f"{path}: {problem}" for problem in gaps(declared, locks[path])]
        found += [f"{path}: {problem}" for problem in superfluous(declared, locks[path])]
    if len(locks) == len(LOCKS):
        whole, part = LOCKS
        found += [f"{part} and {whole}: {problem}" for problem in differences(locks[part], locks[whole])]
    for problem in found:
        print(f"{problem}; run 'make lock'", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
