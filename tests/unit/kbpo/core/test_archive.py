"""The tar file of a backup: nothing is missing, nothing is more than was written."""

import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from kbpo.core.errors import InvalidInput
from kbpo.core.keeping.archive import Reader, Writer


@pytest.fixture
def archive(tmp_path: Path) -> bytes:
    (tmp_path / "file").write_bytes(b"run\n")
    to = io.BytesIO()
    writer = Writer(to)
    writer.head({"made_at": "now"})
    writer.part("team", 1, 2, b"1\ta\n2\tb\n")
    with (tmp_path / "file").open("rb") as stream:
        writer.file("media/submissions/c/0.kb", stream, 4)
    writer.end()
    return to.getvalue()


def read(data: bytes) -> dict[str, bytes]:
    reader = Reader(io.BytesIO(data))
    return {name: b"".join(iter(stream.read, b"")) for name, stream in reader.members()}


def changed(data: bytes, change: Callable[[str, bytes], tuple[str, bytes] | None]) -> bytes:
    to = io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(data)) as old, tarfile.open(fileobj=to, mode="w") as new:
        for member in old:
            file = old.extractfile(member)
            assert file is not None
            if (kept := change(member.name, file.read())) is not None:
                info = tarfile.TarInfo(kept[0])
                info.size = len(kept[1])
                new.addfile(info, io.BytesIO(kept[1]))
    return to.getvalue()


def test_what_was_written_is_read(archive: bytes) -> None:
    found = read(archive)
    assert list(found) == ["tables/team/000001.copy.gz", "files/media/submissions/c/0.kb"]
    assert found["files/media/submissions/c/0.kb"] == b"run\n"


def test_an_archive_that_is_not_changed_passes_through(archive: bytes) -> None:
    assert read(changed(archive, lambda name, data: (name, data))) == read(archive)


@pytest.mark.parametrize(
    "change",
    [
        lambda name, data: None if name == "contents.json" else (name, data),
        lambda name, data: None if name == "backup.json" else (name, data),
        lambda name, data: (name, b"{") if name == "backup.json" else (name, data),
        lambda name, data: (
            (name, json.dumps({"format": 2}).encode()) if name == "backup.json" else (name, data)
        ),
    ],
)
def test_an_archive_that_lacks_something_or_says_another_thing_is_refused(archive: bytes, change) -> None:
    with pytest.raises(InvalidInput, match="archive"):
        read(changed(archive, change))


@pytest.mark.parametrize("data", [b"", b"x" * 10_000, b"\0" * 10_240])
def test_what_is_no_archive_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidInput, match="no backup"):
        read(data)
