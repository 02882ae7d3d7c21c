"""Encrypted streams: the right key, all of it, unchanged, or nothing."""

import io
import os
from pathlib import Path

import pytest

from kbpo.core.errors import Conflict, InvalidInput, Unavailable
from kbpo.core.keeping import sealing

CONTENT = os.urandom(300_000)


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    sealing.make_key(path)
    return path


def seal(key: str) -> bytes:
    to = io.BytesIO()
    with sealing.sealed(to, sealing.read_public(key)) as stream:
        stream.write(CONTENT)
    return to.getvalue()


def unseal(data: bytes, key: Path) -> bytes:
    with sealing.opened(io.BytesIO(data), sealing.read_secret(key)) as stream:
        return stream.read()


def test_what_was_sealed_is_opened_with_the_key(key: Path) -> None:
    assert unseal(seal(str(key)), key) == CONTENT


def test_the_public_half_is_enough_to_seal(key: Path, tmp_path: Path) -> None:
    public = str(sealing.read_public(str(key)))
    (tmp_path / "public").write_text(f"{public}\n")
    assert unseal(seal(public), key) == unseal(seal(str(tmp_path / "public")), key) == CONTENT


def test_nothing_of_it_can_be_read_without_the_key(key: Path) -> None:
    assert CONTENT[:64] not in seal(str(key))


def test_another_key_is_refused(key: Path, tmp_path: Path) -> None:
    sealing.make_key(tmp_path / "other")
    with pytest.raises(InvalidInput, match="encrypted for another key"):
        unseal(seal(str(key)), tmp_path / "other")


@pytest.mark.parametrize("length", [0, 10, 100, 65_536, 200_000, -1])
def test_what_was_cut_is_refused(key: Path, length: int) -> None:
    with pytest.raises(InvalidInput, match="was cut or changed"):
        unseal(seal(str(key))[:length], key)


def test_a_cut_at_a_chunk_is_refused_too(key: Path) -> None:
    data = seal(str(key))
    header = len(data) - len(CONTENT) - 5 * 16  # five chunks of 64 KiB, 16 bytes more each
    for chunks in range(5):
        with pytest.raises(InvalidInput):
            unseal(data[: header + chunks * (65_536 + 16)], key)


@pytest.mark.parametrize("place", [0, 50, 150, 250, 100_000, -1])
def test_what_was_changed_is_refused(key: Path, place: int) -> None:
    data = bytearray(seal(str(key)))
    data[place] ^= 1
    with pytest.raises(InvalidInput):
        unseal(bytes(data), key)


def test_what_is_said_of_the_archive_comes_before_an_error_that_it_led_to(key: Path) -> None:
    with (
        pytest.raises(InvalidInput, match="was cut or changed"),
        sealing.opened(io.BytesIO(seal(str(key))[:-9]), sealing.read_secret(key)) as stream,
    ):
        raise ValueError(len(stream.read()))


def test_an_error_in_the_block_is_no_fault_of_the_archive(key: Path) -> None:
    with (
        pytest.raises(ZeroDivisionError),
        sealing.opened(io.BytesIO(seal(str(key))), sealing.read_secret(key)) as stream,
    ):
        raise ZeroDivisionError(stream.read(1))


def test_a_disk_that_is_full_is_said(key: Path) -> None:
    with (
        open("/dev/full", "wb", buffering=0) as full,
        pytest.raises(Unavailable, match="No space left"),
        sealing.sealed(full, sealing.read_public(str(key))) as stream,
    ):
        stream.writelines([CONTENT] * 10)


def test_a_key_is_private_and_never_written_over(key: Path) -> None:
    before = key.read_text()
    assert key.stat().st_mode & 0o777 == 0o600
    with pytest.raises(Conflict, match="never written over"):
        sealing.make_key(key)
    assert key.read_text() == before


@pytest.mark.parametrize(
    "text", ["", "age1", "AGE-SECRET-KEY-1QQQ", "é", "-----BEGIN OPENSSH PRIVATE KEY-----"]
)
def test_what_is_no_key_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "key").write_text(text)
    with pytest.raises(InvalidInput):
        sealing.read_public(str(tmp_path / "key"))
    with pytest.raises(InvalidInput):
        sealing.read_secret(tmp_path / "key")
