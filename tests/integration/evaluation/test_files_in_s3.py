"""The way of a file in an S3-compatible store: sent, checked, submitted, read, written anew."""

import gzip
import io

import pytest

from evaluation.kbp.task import TASK as KBP
from evaluation.models import StageWork, Submission, Upload
from evaluation.submissions import checks, normalised, submitting, uploads
from kbpo import pipeline
from kbpo.core.errors import StoreAway
from kbpo.core.storage import s3, store
from tests.factories import DocumentFactory
from tests.integration.evaluation.test_files import GOOD
from tests.stores import Moto

pytestmark = pytest.mark.django_db
CONTENT = GOOD.encode()


@pytest.fixture
def moto(settings, tmp_path, cast, monkeypatch):
    """A store of the test's own, and a disk that nobody else has."""
    monkeypatch.setattr(s3, "TRIES", 1)
    monkeypatch.setattr(s3, "PART", 16)
    server = Moto()
    settings.FILE_STORE = server.bucket()
    settings.KBPO_HOME, settings.MEDIA_ROOT = tmp_path, tmp_path / "media"
    DocumentFactory(corpus=cast.corpus, doc_id="DOC", sentences=True)
    yield server
    server.stop()


def send(user):
    upload = uploads.create(user=user, name="a.kb", size=len(CONTENT))
    for start in range(0, len(CONTENT), 40):
        uploads.append(upload=upload, offset=start, stream=io.BytesIO(CONTENT[start : start + 40]))
    upload.refresh_from_db()
    return upload


def submit(cast, **values):
    team = cast.member.teams.get()
    return submitting.submit_upload(
        user=cast.member, sent=send(cast.member), team=team, corpus=cast.corpus, task=KBP, name="A", **values
    )


def places():
    found = [*store().listed("media/submissions"), *store().listed("home/uploads")]
    return [one.place for one in (*found, *store().listed("home/normalised"))]


@pytest.mark.slow
def test_a_file_is_sent_submitted_read_and_downloaded(moto, cast, sign_in, tmp_path):
    submission = submit(cast)
    assert places() == [f"media/{submission.file.name}"]
    assert pipeline.validate_submissions() == 1
    submission.refresh_from_db()
    assert submission.state == Submission.State.ACCEPTED
    client = sign_in(cast.member)
    assert "Ada Quill" in client.get(f"/submissions/{submission.pk}/lines/?line=3").content.decode()
    normalised.ask(file=submission, user=cast.member)
    assert pipeline.normalise_files() == 1
    address = f"/api/v1/submissions/{submission.pk}/file/"
    whole = client.get(address)
    sent = b"".join(whole.streaming_content)
    assert gzip.decompress(sent)
    rest = client.get(address, headers={"Range": "bytes=7-", "If-Range": whole["ETag"]})
    assert (rest.status_code, b"".join(rest.streaming_content)) == (206, sent[7:])
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and "texts" not in path.parts]


@pytest.mark.slow
def test_the_same_bytes_of_two_are_two_files(moto, cast):
    first = submit(cast)
    second = submitting.submit_upload(
        user=cast.member,
        sent=send(cast.member),
        team=cast.member.teams.get(),
        corpus=cast.corpus,
        task=KBP,
        name="B",
    )
    first.file.delete(save=False)
    assert second.file.read() == CONTENT


@pytest.mark.slow
def test_a_piece_is_refused_while_the_store_is_away_and_taken_when_it_is_back(moto, cast):
    upload = uploads.create(user=cast.member, name="a.kb", size=len(CONTENT))
    uploads.append(upload=upload, offset=0, stream=io.BytesIO(CONTENT[:40]))
    moto.stop()
    with pytest.raises(StoreAway, match="Nothing is lost"):
        uploads.append(upload=upload, offset=40, stream=io.BytesIO(CONTENT[40:]))
    moto.start()
    uploads.append(upload=upload, offset=40, stream=io.BytesIO(CONTENT[40:]))
    with store().open(Upload.objects.get().place) as stream:
        assert stream.read() == CONTENT


@pytest.mark.slow
def test_reading_waits_for_the_store_and_no_try_counts(moto, cast):
    submission = submit(cast)
    moto.stop()
    for _ in range(12):
        with pytest.raises(StoreAway):
            pipeline.validate_submissions()
        work = StageWork.objects.get()
        assert (work.attempts, work.errors, "127.0.0.1" in work.error) == (0, 0, True)
        StageWork.objects.update(not_before=None)
    moto.start()
    assert pipeline.validate_submissions() == 1
    submission.refresh_from_db()
    assert submission.state == Submission.State.ACCEPTED


@pytest.mark.slow
def test_a_check_waits_for_the_store_and_no_try_counts(moto, cast):
    check = checks.start(task=KBP, upload=send(cast.member), corpus=cast.corpus, format="tac2016")
    moto.stop()
    for _ in range(12):
        with pytest.raises(StoreAway):
            pipeline.read_checks()
    moto.start()
    assert pipeline.read_checks() == 1
    check.refresh_from_db()
    assert (check.state, check.attempts) == ("accepted", 1)


@pytest.mark.slow
def test_a_page_that_needs_the_store_says_so_while_it_is_away(moto, cast, sign_in):
    upload = send(cast.member)
    client = sign_in(cast.member)
    moto.stop()
    answer = client.get(f"/api/v1/uploads/{upload.pk}/")
    assert (answer.status_code, "Nothing is lost" in answer.json()["detail"]) == (503, True)
    assert "127.0.0.1" not in answer.content.decode()
