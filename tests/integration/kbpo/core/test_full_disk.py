"""A full disk is said as what it is, and nothing half-written stays."""

import base64
import errno
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.test import Client

from evaluation.models import Upload
from evaluation.submissions import uploads
from kbpo.core import disk
from kbpo.core.errors import NoRoom
from kbpo.core.storage import folder
from kbpo.core.storage.folder import path_of
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db

FULL = OSError(errno.ENOSPC, "No space left on device")
TUS = {"Tus-Resumable": "1.0.0"}


@pytest.fixture
def client() -> Client:
    client = Client()
    client.force_login(UserFactory.create())
    return client


def announce(client: Client, size: int) -> Any:
    name = base64.b64encode(b"a.kb").decode()
    headers = {**TUS, "Upload-Length": str(size), "Upload-Metadata": f"filename {name}"}
    return client.post("/api/v1/uploads/", headers=headers)


def send(client: Client, upload: Upload, offset: int, data: bytes) -> Any:
    headers = {**TUS, "Upload-Offset": str(offset)}
    address = f"/api/v1/uploads/{upload.pk}/"
    return client.patch(address, data, "application/offset+octet-stream", headers=headers)


def test_a_piece_that_does_not_fit_leaves_what_was_there_before_it(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    announce(client, 9)
    upload = Upload.objects.get()
    assert send(client, upload, 0, b"abc").status_code == 204

    def half(file: Any, data: bytes) -> None:
        file.write(data[: len(data) // 2])
        raise FULL

    with monkeypatch.context() as patch:
        patch.setattr(folder, "_write_all", half)
        answer = send(client, upload, 3, b"defghi")
    assert (answer.status_code, "disk is full" in answer.json()["detail"]) == (507, True)
    assert path_of(upload.place).read_bytes() == b"abc"
    assert send(client, upload, 3, b"defghi").status_code == 204
    assert path_of(upload.place).read_bytes() == b"abcdefghi"


def test_an_upload_that_would_not_fit_is_refused_when_it_is_announced(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(size: int) -> None:
        raise NoRoom("There is no room.")

    monkeypatch.setattr(uploads, "require_room", refuse)
    assert announce(client, 9).status_code == 507
    assert not Upload.objects.exists()


@pytest.mark.parametrize(
    ("accept", "answered"), [("text/html", "text/html"), ("application/json", "application/problem+json")]
)
def test_a_form_whose_file_does_not_fit_is_answered(
    client: Client, monkeypatch: pytest.MonkeyPatch, accept: str, answered: str
) -> None:
    def full(self: object, raw_data: bytes, start: int) -> None:
        raise FULL

    monkeypatch.setattr(TemporaryFileUploadHandler, "receive_data_chunk", full)
    monkeypatch.setattr("django.core.files.uploadhandler.MemoryFileUploadHandler.receive_data_chunk", full)
    client.raise_request_exception = False
    answer = client.post(
        "/teams/new/", {"file": SimpleUploadedFile("a.kb", b"abc")}, headers={"Accept": accept}
    )
    assert (answer.status_code, answer.headers["Content-Type"].split(";")[0]) == (507, answered)


def test_other_faults_of_files_are_no_full_disk() -> None:
    assert disk.is_no_space(FULL)
    assert not disk.is_no_space(OSError(errno.EIO, "I/O error"))
