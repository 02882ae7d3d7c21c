"""The locks agree with pyproject.toml, from which `make lock` writes them."""

import re
import tomllib

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.conftest import ROOT

LOCKED = re.compile(
    r"^([A-Za-z0-9._-]+)==(\S+)(.*) \\$((?:\n    --hash=sha256:[0-9a-f]{64}(?: \\)?$)+)", re.M
)
GROUPS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]


def locked(name: str) -> dict[str, tuple[str, ...]]:
    """Return each locked package's version, marker and hashes."""
    text = (ROOT / name).read_text(encoding="utf-8")
    found = {canonicalize_name(package): tuple(rest) for package, *rest in LOCKED.findall(text)}
    assert len(found) == len(re.findall(r"^[^\s#]", text, re.M)), (
        f"{name} has a line without version and hash"
    )
    return found


def unlocked(groups: dict[str, list[str]], name: str) -> list[str]:
    """Return the declared requirements that a lock lacks, or holds in a version that was not declared."""
    lock = locked(name)
    declared = [Requirement(line) for lines in groups.values() for line in lines]
    return [
        str(one)
        for one in declared
        if not one.specifier.contains(lock.get(canonicalize_name(one.name), ("0",))[0])
        or canonicalize_name(one.name) not in lock
    ]


def test_every_declared_requirement_is_locked() -> None:
    assert unlocked(GROUPS, "requirements.txt") == [], "run make lock"


def test_every_requirement_of_a_server_is_locked_as_everywhere_else() -> None:
    assert unlocked({"runtime": GROUPS["runtime"]}, "requirements/runtime.txt") == [], "run make lock"
    server, everywhere = locked("requirements/runtime.txt"), locked("requirements.txt")
    assert {name: server[name] for name in server} == {name: everywhere.get(name) for name in server}
