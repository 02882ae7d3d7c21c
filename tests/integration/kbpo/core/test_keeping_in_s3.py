"""Keeping what is in an S3-compatible store: trash, backups, the mark; and a process that sees another."""

import io
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from evaluation.models import StageWork, Submission
from evaluation.submissions import files, uploads
from kbpo import pipeline
from kbpo.core.errors import Conflict, StoreAway
from kbpo.core.health import readiness
from kbpo.core.keeping import installation, sealing, trash
from kbpo.core.keeping.archive import FILES, Reader
from kbpo.core.keeping.backup import Made, backup
from kbpo.core.keeping.models import Installation
from kbpo.core.keeping.restore import _put_files
from kbpo.core.storage import s3, store
from tests.factories import SubmissionFactory, UserFactory
from tests.stores import Moto, full_store

pytestmark = pytest.mark.django_db
FOLDERS = ("media/submissions", "media/trash")
ORPHAN = "media/submissions/news/orphan.kb"


@pytest.fixture(scope="module")
def server() -> Iterator[Moto]:
    moto = Moto()
    yield moto
    moto.start()
    moto.stop()


@pytest.fixture
def moto(server: Moto, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Moto:
    monkeypatch.setattr(s3, "TRIES", 1)
    server.start()
    settings.FILE_STORE = server.bucket()
    settings.KBPO_HOME, settings.MEDIA_ROOT = tmp_path, tmp_path / "media"
    return server


def later(hours: float) -> datetime:
    return timezone.now() + timedelta(hours=hours)


def put(place: str, content: bytes = b"run\n") -> None:
    store().put(place, io.BytesIO(content))


def places(*folders: str) -> list[str]:
    return [one.place for folder in folders or FOLDERS for one in store().listed(folder)]


@pytest.mark.slow
def test_orphans_go_into_the_trash_come_back_and_are_deleted_in_the_end(moto: Moto) -> None:
    put(ORPHAN)
    named = f"media/{SubmissionFactory().file.name}"
    assert files.remove_orphans(now=later(25)) == 1
    (thrown,) = trash.thrown()
    assert (thrown.places, ORPHAN in places()) == ((ORPHAN,), False)
    assert trash.put_back(name=thrown.name) == 1
    assert trash.thrown() == []
    assert files.remove_orphans(now=later(25)) == 1
    assert trash.empty(now=later(24 * 40), named=files.named) == 1
    assert places() == [named]


def test_nothing_is_put_back_over_another_object(moto: Moto) -> None:
    put(ORPHAN)
    files.remove_orphans(now=later(25))
    put(ORPHAN, b"another")
    with pytest.raises(Conflict, match=f"s3://.*{ORPHAN} is there"):
        trash.put_back(name=trash.thrown()[0].name)


@pytest.mark.slow
def test_pieces_of_an_upload_are_no_orphans_while_its_row_is_there(moto: Moto) -> None:
    upload = uploads.create(user=UserFactory(), name="a.kb", size=9)
    uploads.append(upload=upload, offset=0, stream=io.BytesIO(b"abc"))
    assert files.remove_orphans(now=later(25)) == 0
    upload.delete()
    assert files.remove_orphans(now=later(25)) == 1


@pytest.fixture
def key(tmp_path: Path) -> Path:
    sealing.make_key(tmp_path / "key")
    return tmp_path / "key"


def made(archive: Path, key: Path) -> Made:
    return backup(to=archive, key=str(key), folders=files.FOLDERS, named=files.named, now=timezone.now())


def members(archive: Path, key: Path) -> dict[str, bytes]:
    with archive.open("rb") as source, sealing.opened(source, sealing.read_secret(key)) as stream:
        found = {name: b"".join(iter(part.read, b"")) for name, part in Reader(stream).members()}
    return {name.removeprefix(FILES): data for name, data in found.items() if name.startswith(FILES)}


@pytest.mark.slow
def test_a_backup_holds_what_is_in_the_store(moto: Moto, key: Path, tmp_path: Path) -> None:
    submission = SubmissionFactory()
    assert made(tmp_path / "backup.age", key).missing == ()
    assert members(tmp_path / "backup.age", key) == {f"media/{submission.file.name}": submission.file.read()}


def test_what_is_deleted_while_a_backup_is_written_is_named(
    moto: Moto, key: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = f"media/{SubmissionFactory().file.name}"
    listed = s3.S3.listed

    def vanish(self: s3.S3, folder: str) -> Iterator[Any]:
        found = list(listed(self, folder))
        self.delete(place)
        return iter(found)

    monkeypatch.setattr(s3.S3, "listed", vanish)
    assert made(tmp_path / "backup.age", key).missing == (place,)


def test_what_is_restored_is_moved_to_its_place_and_what_was_in_the_way_into_the_trash(moto: Moto) -> None:
    put("media/.restore-1/home/uploads/a", b"the same")
    put("home/uploads/a", b"the same")
    put(f"media/.restore-1/{ORPHAN}", b"restored")
    put(ORPHAN, b"in the way")
    put("media/.restore-1/home/uploads/b", b"new")
    assert _put_files("media/.restore-1", timezone.now()) == 1
    assert trash.thrown()[0].places == (ORPHAN,)
    with store().open(ORPHAN) as stream:
        assert stream.read() == b"restored"
    assert places("home/uploads") == ["home/uploads/a", "home/uploads/b"]


# A process that sees another store


@pytest.mark.parametrize("other", ["another bucket", "folders"])
def test_a_process_that_sees_another_store_refuses_and_touches_no_row(
    moto: Moto, settings: Any, other: str
) -> None:
    SubmissionFactory(state=Submission.State.UPLOADED)
    installation.look(now=timezone.now())
    right = settings.FILE_STORE
    settings.FILE_STORE = moto.bucket() if other == "another bucket" else None
    with pytest.raises(StoreAway, match="not the database's") as refused:
        pipeline.validate_submissions()
    assert "has no installation.json" in refused.value.detail
    assert "the same FILE_STORE" in refused.value.detail
    with pytest.raises(StoreAway, match="not the database's"):
        uploads.create(user=UserFactory(), name="a.kb", size=9)
    assert not StageWork.objects.exists()
    assert files.remove_orphans(now=later(48)) == 0
    (check,) = readiness.look_at_installation()
    assert (check.is_ok, check.words) == (False, "the files are not the database's")
    settings.FILE_STORE = right
    assert pipeline.validate_submissions() == 1
    assert StageWork.objects.get().attempts == 1


def test_a_store_of_another_database_is_refused(moto: Moto) -> None:
    installation.look(now=timezone.now())
    Installation.objects.update(name="00000000-0000-0000-0000-000000000001")
    with pytest.raises(StoreAway, match="not the database's"):
        installation.require_ours()
    installation.join()
    installation.require_ours()


def test_a_new_store_is_no_other(moto: Moto) -> None:
    installation.require_ours()
    assert readiness.look_at_installation()[0].is_ok


# Readiness


def test_the_store_is_looked_at_by_writing(moto: Moto, settings: Any) -> None:
    assert [check.is_ok for check in readiness.look_at_files()] == [True]
    assert list(s3.connected(settings.FILE_STORE)._keys("files/")) == []


@pytest.mark.slow
def test_a_store_that_is_away_is_said_within_a_look(moto: Moto) -> None:
    moto.stop()
    for look in (readiness.look_at_files, readiness.look_at_installation):
        with pytest.raises(StoreAway):
            look()
    installation.require_ours()  # whoever wants a file is told so


@pytest.mark.slow
def test_a_full_store_is_said(moto: Moto, settings: Any) -> None:
    with full_store() as address:
        settings.FILE_STORE = address
        (check,) = readiness.look_at_files()
    assert (check.is_ok, "full" in check.words) == (False, True)
