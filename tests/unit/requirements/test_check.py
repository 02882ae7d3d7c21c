"""The check of the locks sees what is wrong with them."""

import pytest

from requirements.check import LOCKS, ROOT, differences, gaps, main, problems, pythons, read_lock, superfluous

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


# What is needed where

BRINGS = {
    "alpha": [
        "beta-two; python_version < '3.13'",
        "delta; extra == 'fast'",
        "winter; sys_platform == 'win32'",
    ],
    "beta-two": [],
    "delta": [],
}


def lacks(lock: str, *declared: str) -> list[str]:
    return list(gaps(declared, read_lock(lock), requires=lambda name, version: BRINGS.get(name, [])))


def with_marker(marker: str) -> str:
    return LOCK.replace("alpha==1.2 ", f"alpha==1.2 ; {marker} ")


def test_a_lock_with_all_that_is_brought_has_no_gap() -> None:
    assert lacks(LOCK, "alpha") == []


def test_a_package_that_another_brings_and_no_lock_has_is_seen() -> None:
    lock = LOCK[: LOCK.index("beta-two")]
    assert lacks(lock, "alpha") == ["beta-two is needed and not locked for Python 3.11 on linux x86_64"]


def test_what_an_extra_brings_is_needed_too() -> None:
    assert lacks(LOCK, "alpha[fast]") == ["delta is needed and not locked for Python 3.11 on linux x86_64"]


def test_what_nothing_brings_any_more_is_seen() -> None:
    lock = read_lock(LOCK)
    assert list(superfluous(["alpha"], lock, requires=lambda name, version: [])) == [
        "beta-two is locked, and nothing needs it"
    ]
    assert list(superfluous(["alpha", "beta-two"], lock, requires=lambda name, version: [])) == []


def test_a_marker_that_leaves_out_a_supported_machine_is_seen() -> None:
    assert lacks(with_marker("sys_platform == 'linux'"), "alpha") == [
        "alpha is needed and not locked for Python 3.11 on darwin x86_64"
    ]


def test_a_marker_that_is_declared_and_lost_in_the_lock_is_seen() -> None:
    declared = "alpha; python_version < '3.13'"
    assert lacks(LOCK, declared) == [
        "alpha is locked, and not declared, for Python 3.13 on linux x86_64",
    ]
    assert lacks(with_marker("python_full_version < '3.13'"), declared) == []


@pytest.mark.parametrize(
    ("requires_python", "makefile", "said"),
    [
        (">=3.11,<3.14", "(3, 11) <= sys.version_info[:2] <= (3, 13)", []),
        (">=3.10,<3.14", "(3, 11) <= sys.version_info[:2] <= (3, 13)", ["pyproject.toml"]),
        (">=3.11,<3.14", "(3, 11) <= sys.version_info[:2] <= (3, 14)", ["the Makefile"]),
        (">=3.11,<3.14", "", ["the Makefile"]),
    ],
)
def test_all_name_the_same_pythons(requires_python: str, makefile: str, said: list[str]) -> None:
    found = list(pythons(requires_python, makefile))
    assert [one.startswith(start) for one, start in zip(found, said, strict=True)] == [True] * len(said)
