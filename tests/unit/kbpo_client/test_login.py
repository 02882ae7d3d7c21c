"""A token is kept for its site alone, where nobody else can read it."""

from pathlib import Path

import pytest

from kbpo_client import WrongUsage, login

HERE, THERE = "https://kbpo.example.org", "https://other.example.org"


@pytest.mark.parametrize(
    ("platform", "environ", "folder"),
    [
        ("linux", {}, "/home/ada/.config/kbpo"),
        ("linux", {"XDG_CONFIG_HOME": "/etc/xdg"}, "/etc/xdg/kbpo"),
        ("darwin", {}, "/home/ada/Library/Application Support/kbpo"),
        ("win32", {"APPDATA": "/roaming"}, "/roaming/kbpo"),
        ("linux", {"KBPO_CONFIG": "/own"}, "/own"),
    ],
)
def test_it_lies_where_the_platform_keeps_such_things(platform, environ, folder):
    assert login.folder(environ, platform, Path("/home/ada")) == Path(folder)


def test_nobody_else_can_read_it(tmp_path):
    path = login.keep(tmp_path / "new", site=HERE, token="kbpo_a")
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    login.keep(tmp_path / "new", site=HERE, token="kbpo_b")
    assert path.stat().st_mode & 0o777 == 0o600


def test_each_site_has_its_token_and_the_last_one_is_meant(tmp_path):
    environ = {"KBPO_CONFIG": str(tmp_path)}
    login.keep(tmp_path, site=THERE, token="kbpo_b")
    login.keep(tmp_path, site=f"{HERE}/", token="kbpo_a")
    assert login.choose(environ) == (HERE, "kbpo_a")
    assert login.choose(environ, site=THERE) == (THERE, "kbpo_b")
    assert login.choose(environ, site="https://third.example.org") == ("https://third.example.org", "")


def test_what_is_given_comes_before_the_environment_and_that_before_what_is_kept(tmp_path):
    login.keep(tmp_path, site=HERE, token="kbpo_a")
    environ = {"KBPO_CONFIG": str(tmp_path), "KBPO_SITE": THERE, "KBPO_TOKEN": "kbpo_e"}
    assert login.choose(environ) == (THERE, "kbpo_e")
    assert login.choose(environ, site=HERE, token="kbpo_g") == (HERE, "kbpo_g")


def test_without_any_site_it_says_how_to_name_one(tmp_path):
    with pytest.raises(WrongUsage, match="KBPO_SITE"):
        login.choose({"KBPO_CONFIG": str(tmp_path)})


@pytest.mark.parametrize("content", ["", "[]", '{"site": 1}'])
def test_a_damaged_file_is_told(tmp_path, content):
    (tmp_path / login.FILE).write_text(content)
    with pytest.raises(WrongUsage, match="log in again"):
        login.read(tmp_path)
