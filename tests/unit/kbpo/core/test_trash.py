"""How much goes into the trash at once, and where files may be."""

from pathlib import Path

import pytest
from django.conf import LazySettings

from kbpo.core.errors import InvalidInput
from kbpo.core.keeping import trash
from kbpo.core.storage.folder import path_of, place_of


@pytest.mark.parametrize(
    ("orphans", "among", "few"),
    [(0, 0, True), (3, 3, True), (4, 4, False), (5, 100, True), (6, 100, False), (104, 1_000, False)],
)
def test_only_a_small_share_goes_at_once(orphans: int, among: int, few: bool) -> None:
    assert trash.is_few(orphans, among) is few


def test_a_place_leads_back_to_its_file(settings: LazySettings, tmp_path: Path) -> None:
    settings.KBPO_HOME, settings.MEDIA_ROOT = tmp_path, tmp_path / "media"
    for path in (tmp_path / "media" / "submissions" / "a.kb", tmp_path / "uploads" / "b"):
        assert path_of(place_of(path)) == path


@pytest.mark.parametrize(
    "place", ["media/../secret_key", "home//etc/passwd", "etc/passwd", "media", "media/", ""]
)
def test_a_place_outside_the_folders_is_refused(place: str) -> None:
    with pytest.raises(InvalidInput, match="no place"):
        path_of(place)


def test_a_file_outside_the_folders_is_refused(settings: LazySettings, tmp_path: Path) -> None:
    settings.KBPO_HOME, settings.MEDIA_ROOT = tmp_path, tmp_path / "media"
    with pytest.raises(InvalidInput, match="none of the folders"):
        place_of(Path("/etc/passwd"))
