"""Room on disks: refused before it runs out, and shown before that."""

import errno
from collections import namedtuple
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core.files.base import ContentFile

from kbpo.core import disk
from kbpo.core.errors import NoRoom
from kbpo.core.files import StoredFiles

Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def free(monkeypatch: pytest.MonkeyPatch, settings: LazySettings, tmp_path: Path):
    settings.KBPO_HOME = tmp_path
    settings.MEDIA_ROOT = tmp_path / "media"

    def set_free(bytes_free: int) -> None:
        monkeypatch.setattr(disk.shutil, "disk_usage", lambda path: Usage(10**12, 0, bytes_free))

    return set_free


@pytest.mark.parametrize(
    ("bytes_free", "is_low", "is_full"),
    [(disk.LOW, False, False), (disk.LOW - 1, True, False), (disk.RESERVE, True, True)],
)
def test_operators_are_warned_before_a_disk_is_full(free, bytes_free, is_low, is_full):
    free(bytes_free)
    assert {(space.is_low, space.is_full) for space in disk.spaces()} == {(is_low, is_full)}
    assert (disk.warn_if_low() > 0) == is_low


def test_what_would_not_fit_is_refused_before_it_is_sent(free):
    free(disk.RESERVE + 1000)
    disk.require_room(1000)
    with pytest.raises(NoRoom, match="1,001 bytes"):
        disk.require_room(1001)


def test_a_disk_is_looked_at_once(settings, tmp_path):
    settings.KBPO_HOME = settings.MEDIA_ROOT = tmp_path / "not" / "there"
    devices = [space.folder for space in disk.spaces()]
    assert len(devices) == len(set(devices)) <= 2


def test_a_file_that_does_not_fit_leaves_nothing_behind(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path

    class Filling(ContentFile):
        parts = iter([b"some"])

        def read(self, size=-1):
            if part := next(self.parts, b""):
                return part
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        StoredFiles().save("a.kb", Filling(b"something"))
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_was_there_stays_when_another_of_its_name_does_not_fit(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    storage = StoredFiles()
    storage.save("a.kb", ContentFile(b"first"))
    assert storage.save("a.kb", ContentFile(b"second")) != "a.kb"
    assert (tmp_path / "a.kb").read_bytes() == b"first"
