import os
from datetime import UTC, datetime

from kbpo.core.leftovers import written_before

MOMENT = datetime(2026, 11, 20, tzinfo=UTC)


def test_files_are_old_by_when_they_were_written(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    for path, seconds in ((old, -1), (new, 1)):
        path.touch()
        os.utime(path, (0, MOMENT.timestamp() + seconds))
    assert list(written_before(tmp_path.iterdir(), MOMENT)) == [old]


def test_folders_and_what_vanished_are_left_out(tmp_path, monkeypatch):
    (tmp_path / "folder").mkdir()
    assert list(written_before([tmp_path / "folder", tmp_path / "gone"], datetime.now(UTC))) == []
    monkeypatch.setattr(type(tmp_path), "is_file", lambda path: True)  # and gone the moment after
    assert list(written_before([tmp_path / "gone"], datetime.now(UTC))) == []
