from pathlib import Path

import pytest
from django.core.cache.backends.redis import RedisCache

from kbpo.core import running_code


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have other code, of two files."""
    monkeypatch.setattr(running_code, "ROOT", tmp_path)
    for name in ("kbpo/views.py", "templates/page.html", "tests/test_views.py", "requirements/runtime.txt"):
        path = tmp_path / name
        path.parent.mkdir()
        path.write_text("as before")
    return tmp_path


def digest() -> str:
    return running_code.code_digest.__wrapped__()


@pytest.mark.parametrize(
    "name", ["kbpo/views.py", "templates/page.html", "kbpo/more.py", "requirements/runtime.txt"]
)
def test_a_change_of_what_makes_pages_is_another_digest(code: Path, name: str) -> None:
    before = digest()
    assert digest() == before
    (code / name).write_text("as after")
    assert digest() != before


def test_a_renamed_file_is_another_digest(code: Path) -> None:
    before = digest()
    (code / "kbpo/views.py").rename(code / "kbpo/pages.py")
    assert digest() != before


def test_what_makes_no_page_does_not_matter(code: Path) -> None:
    before = digest()
    (code / "tests/test_views.py").write_text("as after")
    for folder in ("kbpo/__pycache__", "kbpo/kbpo.egg-info"):
        (code / folder).mkdir()
        (code / folder / "views.pyc").write_text("made of it")
    assert digest() == before


def test_this_code_has_one() -> None:
    assert all((running_code.ROOT / part).is_dir() for part in running_code.PARTS)
    assert (running_code.ROOT / running_code.LIBRARIES).is_file()
    assert running_code.code_digest() == running_code.code_digest() == digest()


def test_versions_do_not_read_what_others_keep(monkeypatch: pytest.MonkeyPatch) -> None:
    cache = RedisCache("redis://127.0.0.1:1", {"KEY_FUNCTION": "kbpo.core.running_code.cache_key"})
    keys = []
    for version in ("one", "two"):
        monkeypatch.setattr(running_code, "code_digest", lambda version=version: version)
        keys.append(cache.make_key("page", version=1))
    assert keys == ["one:1:page", "two:1:page"]
