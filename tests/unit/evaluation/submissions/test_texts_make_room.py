"""Text files of a machine: what was used longest ago makes room."""

import os
import time

import pytest

from evaluation.submissions import texts

HOUR = 3600


@pytest.fixture
def folder(settings, tmp_path):
    settings.KBPO_HOME = tmp_path
    (tmp_path / "texts").mkdir()
    now = time.time()
    for hours in (5, 3, 2, 0):
        path = tmp_path / "texts" / f"{hours}.sqlite"
        path.write_bytes(bytes(10))
        os.utime(path, (now - hours * HOUR,) * 2)
    return tmp_path / "texts"


def left(folder):
    return sorted(path.stem for path in folder.iterdir())


@pytest.mark.parametrize(
    ("room", "stay"),
    [(40, ["0", "2", "3", "5"]), (30, ["0", "2", "3"]), (15, ["0"]), (0, ["0"])],
)
def test_the_longest_unused_go_and_what_is_in_use_stays(folder, room, stay):
    assert texts.make_room(room=room) == 4 - len(stay)
    assert left(folder) == stay


def test_the_file_that_was_just_made_stays(folder):
    texts.make_room(room=0, besides=folder / "5.sqlite")
    assert left(folder) == ["0", "5"]
