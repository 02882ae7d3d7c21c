"""The check of the locks sees what is wrong with them."""

import pytest

from requirements.check import LOCKS, ROOT, differences, main, problems, read_lock

HASH = "0" * 64
LOCK = f"""\
# This file was made by a tool:
#    make lock
alpha==1.2 \\
    --hash=sha256:{HASH} \\
    --hash=sha256:{"1" * 64}
    # via kbp-online (pyproject.toml:runtime)
beta-two==3 ; python_full_version < '3.13' \\
    --hash=sha256:{"2" * 64}
    # via alpha
"""


def found(lock: str, *declared: str) -> list[str]:
    return list(problems(declared, read_lock(lock)))


def test_packages_are_read_with_versions_hashes_and_who_asks() -> None:
    locked = read_lock(LOCK)
    assert {name: (one.version, len(one.hashes), one.is_direct) for name, one in locked.items()} == {
        "alpha": ("1.2", 2, True),
        "beta-two": ("3", 1, False),
    }


def test_a_lock_of_what_is_declared_is_right() -> None:
    assert found(LOCK, "Alpha[extra]>=1") == []


def test_a_declaration_that_is_not_locked_is_seen() -> None:
    assert found(LOCK, "alpha", "gamma") == ["gamma is declared and not locked"]


def test_a_version_that_is_not_declared_is_seen() -> None:
    assert found(LOCK, "alpha<1") == ["alpha is locked to 1.2, and declared as alpha<1"]


def test_a_declaration_that_was_taken_away_is_seen() -> None:
    assert found(LOCK) == ["alpha is locked as if it were declared, and is not"]


def test_a_package_without_hashes_is_seen() -> None:
    assert found("alpha==1.2\n    # via beta\n") == ["alpha has no hashes"]


def test_a_package_without_one_version_is_seen() -> None:
    assert found(f"alpha>=1.2 --hash=sha256:{HASH}\n".replace(" --", " \\\n    --")) == [
        "alpha is locked to no version"
    ]


@pytest.mark.parametrize(
    "line",
    [
        "--index-url https://packages.example.org/simple",
        "--find-links /srv/wheels",
        "-r other.txt",
        "gamma @ https://packages.example.org/gamma-1.tar.gz",
        "file:///srv/wheels/gamma-1.tar.gz",
        "gamma==1 \\\n    --hash=md5:0",
    ],
)
def test_options_and_addresses_are_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"is no package|is an address|is no hash"):
        read_lock(LOCK + line + "\n")


def test_the_two_locks_must_have_the_same_versions_and_hashes() -> None:
    whole = read_lock(LOCK)
    assert list(differences(whole, whole)) == []
    assert list(differences(read_lock(LOCK.replace("==1.2", "==1.3")), whole)) == ["alpha is not the same"]
    assert list(differences(read_lock(LOCK.replace(HASH, "f" * 64)), whole)) == ["alpha is not the same"]
    assert list(differences(read_lock(LOCK.replace("beta-two", "beta")), whole)) == ["beta is missing"]


def test_the_projects_own_locks_are_right(capsys: pytest.CaptureFixture[str]) -> None:
    assert (main(), capsys.readouterr().err) == (0, "")


@pytest.mark.parametrize("path", LOCKS)
def test_the_projects_own_locks_name_no_address(path: str) -> None:
    assert "://" not in (ROOT / path).read_text(encoding="utf-8")
