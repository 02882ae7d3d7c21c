"""Uploads by tuspy, an unmodified client of the tus protocol."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer
from tusclient.client import TusClient
from tusclient.exceptions import TusCommunicationError
from tusclient.storage.filestorage import FileStorage

from evaluation.models import Upload
from evaluation.submissions import uploads
from kbpo.accounts import tokens
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db(transaction=True)
CONTENT = b"run\n:E1\ttype\tPER\n" * 2000
PIECE = 10_000


@pytest.fixture
def client_of_tus(settings: Any, tmp_path: Path, live_server: LiveServer) -> TusClient:
    settings.KBPO_HOME = tmp_path / "home"
    made = tokens.make(
        user=UserFactory.create(), name="tuspy", scopes=[tokens.SUBMIT], days=7, now=timezone.now()
    )
    return TusClient(f"{live_server.url}/api/v1/uploads/", headers={"Authorization": f"Bearer {made.secret}"})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.kb"
    path.write_bytes(CONTENT)
    return path


def test_a_file_arrives_whole(client_of_tus: TusClient, path: Path) -> None:
    client_of_tus.uploader(str(path), chunk_size=PIECE, metadata={"filename": "a.kb"}).upload()
    upload = Upload.objects.get()
    assert (upload.name, upload.size, upload.offset) == ("a.kb", len(CONTENT), len(CONTENT))
    assert uploads.whole(user=upload.user, pk=upload.pk).digest == hashlib.sha256(CONTENT).hexdigest()


def test_an_upload_goes_on_where_it_was_broken_off(
    client_of_tus: TusClient, path: Path, tmp_path: Path
) -> None:
    kept = FileStorage(str(tmp_path / "uploads.json"))
    given: dict[str, Any] = {
        "chunk_size": PIECE,
        "metadata": {"filename": "a.kb"},
        "store_url": True,
        "url_storage": kept,
    }
    client_of_tus.uploader(str(path), **given).upload(stop_at=PIECE)
    assert Upload.objects.get().offset == PIECE
    again = client_of_tus.uploader(str(path), **given)
    assert again.offset == PIECE
    again.upload()
    kept.close()
    assert Upload.objects.get().digest == hashlib.sha256(CONTENT).hexdigest()


def test_a_client_without_a_token_is_refused(client_of_tus: TusClient, path: Path) -> None:
    client_of_tus.headers.clear()
    with pytest.raises(TusCommunicationError, match="401"):
        client_of_tus.uploader(str(path), metadata={"filename": "a.kb"}).upload()
    assert not Upload.objects.exists()
