"""How much goes into the trash at once, and where files may be."""

from pathlib import Path

import pytest
from django.conf import LazySettings

from kbpo.core.errors import InvalidInput
from kbpo.core.keeping import trash
from kbpo.core.storage.folder import path_of


@pytest.mark.parametrize(
    ("orphans", "among", "few"),
    [(0, 0, True), (3, 3, True), (4, 4, False), (5, 100, True), (6, 100, False), (104, 1_000, False)],
)
def test_only_a_small_share_goes_at_once(orphans: int, among: int, few: bool) -> None:
    assert trash.is_few(orphans, among) is few


def test_a_place_names_a_file_below_its_root(settings: LazySettings, tmp_path: Path) -> None:
    settings.KBPO_HOME, settings.MEDIA_ROOT = tmp_path / "home", tmp_path / "media"
    assert path_of("media/submissions/a.kb") == tmp_path / "media" / "submissions" / "a.kb"
    assert path_of("home/uploads/b") == tmp_path / "home" / "uploads" / "b"


@pytest.mark.parametrize(
    "place", ["media/../secret_key", "home//etc/passwd", "etc/passwd", "media", "media/", ""]
)
def test_a_place_outside_the_folders_is_refused(place: str) -> None:
    with pytest.raises(InvalidInput, match="no place"):
        path_of(place)
