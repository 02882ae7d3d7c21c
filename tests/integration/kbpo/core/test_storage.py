"""What every store of files does, be it folders or S3; and what one says that is gone, full or silent."""

import hashlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command

from kbpo.core.commands import Refused
from kbpo.core.errors import Busy, InvalidInput, StoreAway, StoreFull
from kbpo.core.storage import Store, s3, store
from kbpo.core.storage.s3 import S3, Address
from tests.stores import KEYS, Moto, free_port, full_store, silent_store

pytestmark = pytest.mark.django_db
PLACE, OTHER = "media/submissions/news/a.kb", "media/trash/1/a.kb"
UPLOAD = "home/uploads/1"


@pytest.fixture(scope="module")
def moto() -> Iterator[Moto]:
    server = Moto()
    yield server
    server.stop()


@pytest.fixture(params=["folders", "s3"])
def files(request: pytest.FixtureRequest, settings: Any, tmp_path: Path) -> Store:
    settings.KBPO_HOME, settings.MEDIA_ROOT = tmp_path, tmp_path / "media"
    if request.param == "s3":
        settings.FILE_STORE = request.getfixturevalue("moto").bucket()
    return store()


def put(files: Store, place: str = PLACE, content: bytes = b"content", **options: bool) -> None:
    files.put(place, io.BytesIO(content), **options)


def content(files: Store, place: str = PLACE) -> bytes:
    with files.open(place) as stream:
        return stream.read()


def places(files: Store, folder: str = "media") -> list[str]:
    # A folder has others beside: only what is below a root's own folders counts.
    return [one.place for top in ("submissions", "trash") for one in files.listed(f"{folder}/{top}")]


@pytest.mark.parametrize("region", ["us-east-1", "eu-central-1"])
def test_a_bucket_that_is_missing_is_made_once(moto: Moto, region: str) -> None:
    files = S3(Address(f"kbpo-{uuid4().hex[:12]}", "site/", moto.url, region, KEYS))
    with pytest.raises(StoreAway):
        put(files)
    files.prepare()
    put(files)
    files.prepare()
    assert content(files) == b"content"


def test_an_upgrade_says_that_the_store_is_away(settings: Any) -> None:
    settings.FILE_STORE = Address("kbpo", "site/", f"http://127.0.0.1:{free_port()}", "us-east-1", KEYS)
    with pytest.raises(Refused, match="store of files was not there within 0 s: s3://kbpo/site/ at"):
        call_command("upgrade", "--wait", "0")


def test_what_was_put_is_read(files: Store) -> None:
    put(files)
    found = files.look(PLACE)
    assert content(files) == b"content"
    assert found is not None
    assert (found.place, found.size, found.written_at.tzinfo is not None) == (PLACE, 7, True)


def test_a_file_is_replaced_as_a_whole(files: Store) -> None:
    put(files)
    with files.open(PLACE) as before:
        assert before.read(3) == b"con"
        put(files, content=b"another")
    assert content(files) == b"another"


def test_a_new_file_replaces_none(files: Store) -> None:
    put(files)
    with pytest.raises(FileExistsError):
        put(files, content=b"another", new=True)
    assert content(files) == b"content"


def test_what_is_not_there_is_not_found(files: Store) -> None:
    assert files.look(PLACE) is None
    with pytest.raises(FileNotFoundError):
        files.open(PLACE)
    with pytest.raises(FileNotFoundError):
        files.copy(PLACE, OTHER)
    with pytest.raises(FileNotFoundError):
        files.move(PLACE, OTHER)
    files.delete(PLACE)


@pytest.mark.slow
def test_a_stream_that_breaks_leaves_nothing(files: Store) -> None:
    class Breaking(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if data := super().read(3):
                return data
            raise OSError("the client is gone")

    with pytest.raises(OSError, match="gone"):
        files.put(PLACE, Breaking(b"content"))
    assert places(files) == []


def test_a_draft_is_there_once_it_is_kept(files: Store) -> None:
    with files.draft(PLACE) as draft:
        draft.file.write(b"content")
        assert files.look(PLACE) is None
        draft.keep(OTHER)
    assert (content(files, OTHER), places(files)) == (b"content", [OTHER])


def test_a_draft_that_is_not_kept_leaves_nothing(files: Store) -> None:
    with files.draft(PLACE) as draft:
        draft.file.write(b"content")
    assert places(files) == []


def test_a_file_is_sought_in(files: Store) -> None:
    put(files, content=bytes(range(256)) * 20_000)
    with files.open(PLACE) as stream:
        assert stream.seek(0, io.SEEK_END) == 5_120_000
        assert stream.read() == b""
        assert stream.seek(4_000_001) == 4_000_001
        assert stream.read(3) == bytes([1, 2, 3])
        stream.seek(0)
        assert stream.read(2) == bytes([0, 1])


def test_a_copy_stays_when_the_file_goes(files: Store) -> None:
    put(files)
    files.copy(PLACE, OTHER)
    files.delete(PLACE)
    assert (content(files, OTHER), places(files)) == (b"content", [OTHER])


def test_a_copy_replaces_none(files: Store) -> None:
    put(files)
    put(files, OTHER, b"another")
    with pytest.raises(FileExistsError):
        files.copy(PLACE, OTHER)
    assert content(files, OTHER) == b"another"


def test_a_file_is_moved(files: Store) -> None:
    put(files)
    files.move(PLACE, OTHER)
    assert (content(files, OTHER), places(files)) == (b"content", [OTHER])


@pytest.mark.slow
def test_files_below_a_place_are_listed_in_order(files: Store) -> None:
    for name in ("b/2", "a", "b/1"):
        put(files, f"media/submissions/{name}")
    put(files, "media/submissions-of-others")
    assert places(files) == [f"media/submissions/{name}" for name in ("a", "b/1", "b/2")]
    assert places(files, "home") == []


@pytest.mark.parametrize(
    "place", ["", "media", "media/", "/media/a", "etc/passwd", "media/../a", "media//a", "media/./a"]
)
def test_no_file_is_outside(files: Store, place: str) -> None:
    with pytest.raises(InvalidInput, match="no place"):
        put(files, place)


@pytest.mark.slow
def test_a_file_arrives_in_pieces_and_is_whole_at_the_end(
    files: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(s3, "PART", 4)
    for number, piece in enumerate((b"ab", b"cdefghi", b"j")):
        with files.arriving(UPLOAD) as arriving:
            assert arriving.here == (0, 2, 9)[number]
            arriving.add(piece)
        assert files.arrived(UPLOAD) == (2, 9, 10)[number]
    for _ in range(2):  # whoever finishes it may be killed before that is noted
        with files.arriving(UPLOAD) as arriving:
            assert arriving.finish() == hashlib.sha256(b"abcdefghij").hexdigest()
    assert content(files, UPLOAD) == b"abcdefghij"
    assert files.arrived(UPLOAD) == 10
    assert [one.place for one in files.listed("home/uploads")] == [UPLOAD]


def test_what_arrived_before_a_break_is_kept(files: Store) -> None:
    def send() -> None:
        with files.arriving(UPLOAD) as arriving:
            arriving.add(b"abc")
            raise OSError("the client is gone")

    with pytest.raises(OSError, match="gone"):
        send()
    assert files.arrived(UPLOAD) == 3


def test_pieces_are_discarded(files: Store) -> None:
    with files.arriving(UPLOAD) as arriving:
        arriving.add(b"abc")
    files.discard(UPLOAD)
    assert (files.arrived(UPLOAD), list(files.listed("home/uploads"))) == (0, [])


def test_one_at_a_time_adds_to_a_file_in_folders(settings: Any, tmp_path: Path) -> None:
    settings.KBPO_HOME = tmp_path
    with store().arriving(UPLOAD), pytest.raises(Busy), store().arriving(UPLOAD):
        pass


def test_bytes_that_were_sent_twice_count_once(moto: Moto) -> None:
    files = S3(moto.bucket())
    for name, sent in (("0-2", b"ab"), ("0-4", b"abcd"), ("2-2", b"cd"), ("4-1", b"e"), ("9-1", b"j")):
        put(files, f"{UPLOAD}.parts/{name}", sent)
    assert files.arrived(UPLOAD) == 5
    with files.arriving(UPLOAD) as arriving:
        arriving.finish()
    assert content(files, UPLOAD) == b"abcde"


def test_a_body_that_breaks_off_is_read_on_from_there(moto: Moto) -> None:
    files = S3(moto.bucket())
    put(files, content=b"0123456789" * 1000)
    with files.open(PLACE) as stream:
        raw: Any = stream.raw  # type: ignore[attr-defined]
        raw._body.close()
        assert stream.read() == b"0123456789" * 1000


@pytest.mark.slow
def test_a_store_that_is_gone_is_said_and_comes_back() -> None:
    server = Moto()
    files = S3(server.bucket(), connecting=0.2, answering=0.2, tries=2)
    put(files)
    stream = files.open(PLACE)
    server.stop()
    with pytest.raises(StoreAway, match="Nothing is lost") as refused:
        put(files, OTHER)
    assert server.url not in str(refused.value)
    assert server.url in refused.value.detail
    for ask in (files.open, files.look, files.delete, lambda place: list(files.listed("media/a"))):
        with pytest.raises(StoreAway):
            ask(PLACE)
    server.start()
    assert (stream.read(), content(files)) == (b"content", b"content")
    server.stop()


def test_a_store_without_the_bucket_is_said_and_no_missing_file(moto: Moto) -> None:
    address = moto.bucket()
    elsewhere = S3(type(address)("another", "", address.endpoint_url, keys=address.keys))
    with pytest.raises(StoreAway, match="refuses"):
        elsewhere.open(PLACE)


def test_a_full_store_is_said() -> None:
    with full_store() as address, pytest.raises(StoreFull, match="make room"):
        put(S3(address))


def test_a_silent_store_is_waited_for_a_bounded_number_of_times() -> None:
    with silent_store() as (address, taken):
        with pytest.raises(StoreAway, match="cannot be reached"):
            content(S3(address, connecting=0.1, answering=0.1, tries=2))
        assert taken() == 2
