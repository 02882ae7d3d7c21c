"""Files sent in pieces: by the API, as ready-made clients of the tus protocol do it."""

import base64
import hashlib
import io
import os
import uuid
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from evaluation.kbp.task import TASK as KBP
from evaluation.models import FileCheck, Submission, Upload
from evaluation.submissions import checks, files, uploads
from kbpo import pipeline
from kbpo.core.errors import Busy, Conflict, Gone, InvalidInput, TooLarge
from kbpo.core.storage.folder import path_of
from kbpo.core.uploading import FORM, MOST_BYTES
from tests import written
from tests.factories import CorpusFactory, SubmissionFactory, UserFactory

pytestmark = pytest.mark.django_db
CONTENT = b"run\n:E1\ttype\tPER\n" * 20
SIZE = len(CONTENT)
TUS = {"Tus-Resumable": "1.0.0"}
PIECE = "application/offset+octet-stream"


@pytest.fixture(autouse=True)
def home(settings, tmp_path):
    settings.KBPO_HOME = tmp_path
    return tmp_path


@pytest.fixture
def user(db):
    return UserFactory()


@pytest.fixture
def tus(client, user):
    """Speak the protocol as a signed-in user: ``tus("PATCH", address, body, Upload_Offset=0)``."""
    client.force_login(user)

    def act(method, address, body=b"", content_type=PIECE, tus="1.0.0", **headers):
        given = {name.replace("_", "-"): str(value) for name, value in headers.items()}
        return client.generic(method, address, body, content_type, headers={"Tus-Resumable": tus, **given})

    return act


def metadata(**values):
    return ",".join(f"{key} {base64.b64encode(value.encode()).decode()}" for key, value in values.items())


def announce(tus, size=SIZE, **values):
    answer = tus(
        "POST", "/api/v1/uploads/", Upload_Length=size, Upload_Metadata=metadata(filename="a.kb", **values)
    )
    return answer["Location"].removeprefix("http://testserver")


def begin(user, content=CONTENT, **values):
    return uploads.create(user=user, name="a.kb", size=len(content), **values)


def finish(user, content=CONTENT, **values):
    upload = begin(user, content, **values)
    uploads.append(upload=upload, offset=0, stream=io.BytesIO(content))
    upload.refresh_from_db()
    return upload


def test_a_file_arrives_piece_by_piece(tus):
    address = announce(tus)
    first = tus("PATCH", address, CONTENT[:100], Upload_Offset=0)
    assert (first.status_code, first["Upload-Offset"]) == (204, "100")
    assert tus("HEAD", address)["Upload-Offset"] == "100"
    last = tus("PATCH", address, CONTENT[100:], Upload_Offset=100)
    assert last["Upload-Offset"] == str(len(CONTENT))
    upload = Upload.objects.get()
    assert path_of(upload.place).read_bytes() == CONTENT
    assert upload.digest == hashlib.sha256(CONTENT).hexdigest()


def test_the_server_says_what_it_can(tus):
    answer = tus("OPTIONS", "/api/v1/uploads/")
    assert answer.status_code == 204
    assert (answer["Tus-Version"], answer["Tus-Max-Size"]) == ("1.0.0", str(MOST_BYTES))
    assert answer["Tus-Extension"] == "creation,expiration,termination"


def test_a_new_upload_says_when_it_expires(tus):
    answer = tus("POST", "/api/v1/uploads/", Upload_Length=5)
    assert answer.status_code == 201
    assert answer["Upload-Expires"].endswith("GMT")


@pytest.mark.parametrize("offset", [99, 101])
def test_a_piece_begins_where_the_last_one_ended(tus, offset):
    address = announce(tus)
    tus("PATCH", address, CONTENT[:100], Upload_Offset=0)
    assert tus("PATCH", address, b"x", Upload_Offset=offset).status_code == 409
    assert Upload.objects.get().offset == 100


def test_a_piece_does_not_go_beyond_what_was_announced(tus):
    address = announce(tus, size=10)
    assert tus("PATCH", address, b"x" * 11, Upload_Offset=0).status_code == 413


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"tus": "0.2.2"}, 412),
        ({"content_type": "text/plain"}, 415),
        ({"Upload_Offset": "x"}, 400),
    ],
)
def test_what_is_not_the_protocol_is_refused(tus, changes, status):
    address = announce(tus)
    assert tus("PATCH", address, b"x", **{"Upload_Offset": 0} | changes).status_code == status


@pytest.mark.parametrize(("size", "status"), [(0, 400), ("x", 400), (MOST_BYTES + 1, 413)])
def test_a_size_must_make_sense(tus, size, status):
    assert tus("POST", "/api/v1/uploads/", Upload_Length=size).status_code == status


def test_what_is_thrown_away_is_gone(tus):
    address = announce(tus)
    tus("PATCH", address, b"x", Upload_Offset=0)
    path = path_of(Upload.objects.get().place)
    assert tus("DELETE", address).status_code == 204
    assert tus("HEAD", address).status_code == 404
    assert not path.exists()


@pytest.mark.parametrize("method", ["HEAD", "GET", "PATCH", "DELETE"])
def test_nobody_touches_the_upload_of_another(tus, method):
    upload = begin(UserFactory())
    answer = tus(method, f"/api/v1/uploads/{upload.pk}/", b"x", Upload_Offset=0)
    assert answer.status_code == 404
    assert Upload.objects.filter(pk=upload.pk).exists()


def test_visitors_upload_nothing(client):
    answer = client.post("/api/v1/uploads/", headers={**TUS, "Upload-Length": "5"})
    assert answer.status_code == 401
    assert not Upload.objects.exists()


def test_an_upload_needs_the_pages_token(user):
    from django.test import Client

    client = Client(enforce_csrf_checks=True)
    client.force_login(user)
    assert client.post("/api/v1/uploads/", headers={**TUS, "Upload-Length": "5"}).status_code == 403


def test_a_whole_that_is_not_what_was_announced_is_thrown_away(tus):
    address = announce(tus, sha256=hashlib.sha256(b"else").hexdigest())
    assert tus("PATCH", address, CONTENT, Upload_Offset=0).status_code == 460
    assert not Upload.objects.exists()


def test_a_broken_connection_keeps_what_arrived(user):
    class Breaking(io.BytesIO):
        def read(self, size=-1, /):
            if data := super().read(50):
                return data
            raise OSError("the client is gone")

    upload = begin(user)
    with pytest.raises(OSError, match="gone"):
        uploads.append(upload=upload, offset=0, stream=Breaking(CONTENT[:150]))
    assert upload.offset == 150
    uploads.append(upload=upload, offset=150, stream=io.BytesIO(CONTENT[150:]))
    upload.refresh_from_db()
    assert upload.digest == hashlib.sha256(CONTENT).hexdigest()


def test_two_pieces_never_arrive_at_once(user):
    upload = begin(user)

    class Intruding(io.BytesIO):
        def read(self, size=-1, /):
            with pytest.raises(Busy):
                uploads.append(upload=upload, offset=0, stream=io.BytesIO(b"x"))
            return super().read(size)

    uploads.append(upload=upload, offset=0, stream=Intruding(CONTENT))
    assert path_of(upload.place).read_bytes() == CONTENT


def test_a_user_holds_a_bounded_number_of_uploads(user):
    for _ in range(uploads.MOST_OPEN):
        begin(user)
    with pytest.raises(Conflict, match="discard one"):
        begin(user)
    begin(UserFactory())


def finish_check(user, state="refused"):
    check = checks.start(task=KBP, upload=finish(user), corpus=CorpusFactory(), format="tac2016")
    FileCheck.objects.filter(pk=check.pk).update(state=state)
    return check.upload


def test_a_file_is_checked_as_often_as_its_owner_likes(user):
    oldest, *newer = [finish_check(user) for _ in range(uploads.MOST_OPEN)]
    begin(user)
    assert not path_of(oldest.place).exists()
    assert set(Upload.objects.values_list("pk", flat=True)) > {upload.pk for upload in newer}


def test_a_check_is_not_thrown_away_in_vain(user):
    checked = finish_check(user)
    for _ in range(3):
        uploads.create(user=user, name="a.kb", size=MOST_BYTES)
    with pytest.raises(Conflict):
        uploads.create(user=user, name="a.kb", size=MOST_BYTES)
    assert Upload.objects.filter(pk=checked.pk).exists()


def test_what_waits_to_be_checked_makes_no_room(user):
    waiting = finish_check(user, state="waiting")
    for _ in range(uploads.MOST_OPEN - 1):
        begin(user)
    with pytest.raises(Conflict):
        begin(user)
    assert Upload.objects.filter(pk=waiting.pk).exists()


def test_a_user_holds_a_bounded_number_of_bytes(user):
    for _ in range(3):
        uploads.create(user=user, name="a.kb", size=MOST_BYTES)
    with pytest.raises(Conflict, match="2 GB is the most"):
        uploads.create(user=user, name="a.kb", size=MOST_BYTES)


def test_a_file_that_is_too_large_is_told_to_be_packed(user):
    with pytest.raises(TooLarge, match="Compress it with gzip"):
        uploads.create(user=user, name="a.kb", size=MOST_BYTES + 1)


@pytest.mark.parametrize("name", ["../../etc/passwd", "a\\b\\passwd", "/passwd"])
def test_a_files_name_never_says_where_it_is_kept(user, home, name):
    upload = uploads.create(user=user, name=name, size=5)
    assert upload.name == "passwd"
    assert path_of(upload.place).parent == home / "uploads"


def test_only_a_whole_upload_is_submitted(user):
    upload = begin(user)
    uploads.append(upload=upload, offset=0, stream=io.BytesIO(CONTENT[:9]))
    with pytest.raises(InvalidInput, match="9 of 340 bytes are here"):
        uploads.whole(user=user, pk=upload.pk)


def test_the_upload_of_another_is_never_submitted(user):
    with pytest.raises(InvalidInput, match="choose it again"):
        uploads.whole(user=user, pk=finish(UserFactory()).pk)


def test_uploads_that_nobody_came_back_for_are_removed(user):
    old, new = begin(user), finish(user)
    uploads.append(upload=old, offset=0, stream=io.BytesIO(b"x"))
    Upload.objects.filter(pk=old.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert pipeline.remove_expired() == 1
    assert list(Upload.objects.all()) == [new]
    assert not path_of(old.place).exists()
    assert path_of(new.place).exists()


def test_bytes_without_an_upload_go_into_the_trash_after_a_day(home, user):
    new = finish(user)
    stray, fresh = (home / "uploads" / str(uuid.uuid4()) for _ in range(2))
    for path in (stray, fresh):
        path.write_bytes(b"x")
    written.just_now(fresh)
    for path in (stray, path_of(new.place)):
        os.utime(path, (0, 0))
    assert files.remove_orphans(now=timezone.now()) == 1
    assert (stray.exists(), fresh.exists(), path_of(new.place).exists()) == (False, True, True)


def values(cast, upload, **changes):
    return {
        "corpus": cast.corpus.pk,
        "team": cast.member.teams.get().pk,
        "name": "Finder",
        "format": "tac2016",
        "upload": str(upload.pk),
    } | changes


def test_a_whole_upload_is_submitted_and_gone(cast, sign_in, settings, tmp_path):
    settings.KBPO_HOME = Path(tmp_path)
    upload = finish(cast.member)
    answer = sign_in(cast.member).post("/submissions/new/", values(cast, upload))
    submission = Submission.objects.get()
    assert answer.url == f"/submissions/{submission.pk}/"
    assert submission.file.read() == CONTENT
    assert not Upload.objects.exists()
    assert list((tmp_path / "uploads").iterdir()) == []


def test_a_refused_form_keeps_its_file_without_scripts(cast, sign_in):
    cast.submission(name="Finder")
    client = sign_in(cast.member)
    form = values(cast, Upload()) | {"upload": "", "file": SimpleUploadedFile("f.kb", CONTENT)}
    page = client.post("/submissions/new/", form).content.decode()
    upload = Upload.objects.get()
    assert "f.kb" in page
    assert f'value="{upload.pk}"' in page
    assert client.post("/submissions/new/", values(cast, upload, name="Finder 2")).status_code == 302


def test_the_same_bytes_are_submitted_again_only_when_wanted(cast, sign_in):
    client = sign_in(cast.member)
    client.post("/submissions/new/", values(cast, finish(cast.member)))
    again = finish(cast.member)
    answer = client.post("/submissions/new/", values(cast, again, name="Finder 2"))
    assert answer.status_code == 400
    assert "the same bytes judged again" in answer.content.decode()
    assert (
        client.post("/submissions/new/", values(cast, again, name="Finder 2", again="on")).status_code == 302
    )


@pytest.mark.parametrize("state", ["refused", "cancelled", "failed"])
def test_bytes_that_were_never_judged_are_not_known(cast, sign_in, state):
    cast.submission(name="Before", state=state, digest=hashlib.sha256(CONTENT).hexdigest())
    upload = finish(cast.member)
    client = sign_in(cast.member)
    assert "very same bytes" not in client.get(f"/submissions/new/?upload={upload.pk}").content.decode()
    assert client.post("/submissions/new/", values(cast, upload)).status_code == 302


def test_bytes_are_known_in_the_corpus_that_has_them_alone(cast, sign_in):
    elsewhere = CorpusFactory(tag="elsewhere", name="Elsewhere")
    digest = hashlib.sha256(CONTENT).hexdigest()
    SubmissionFactory(corpus=elsewhere, team=cast.member.teams.get(), state="scored", digest=digest)
    client, upload = sign_in(cast.member), finish(cast.member)
    there = client.get(f"/submissions/new/?upload={upload.pk}&corpus=elsewhere")
    assert len(there.context["form"].same_bytes) == 1
    here = client.get(f"/submissions/new/?upload={upload.pk}&corpus=news")
    assert here.context["form"].same_bytes == []
    assert client.post("/submissions/new/", values(cast, upload)).status_code == 302


def test_the_api_tells_of_the_same_bytes_and_only_of_ones_own(cast, sign_in):
    digest = hashlib.sha256(CONTENT).hexdigest()
    cast.submission(name="Mine", digest=digest)
    for who, names in (("team", ["Mine"]), ("other team", [])):
        upload = finish(cast.people[who])
        found = sign_in(cast.people[who]).get(f"/api/v1/uploads/{upload.pk}/").json()
        assert [one["name"] for one in found["same_bytes"]] == names


def test_the_next_submission_starts_from_the_last(cast, sign_in):
    cast.submission(uploaded_by=cast.member, name="Finder", description="It finds.", state="accepted")
    page = sign_in(cast.member).get("/submissions/new/").content.decode()
    assert 'value="Finder 2"' in page
    assert "It finds." in page


def test_a_name_that_is_free_is_proposed_again(cast, sign_in):
    cast.submission(uploaded_by=cast.member, name="Finder", state="cancelled")
    assert 'value="Finder"' in sign_in(cast.member).get("/submissions/new/").content.decode()


def test_an_unfinished_upload_is_shown_with_how_far_it_is(cast, sign_in):
    upload = begin(cast.member, modified=1234)
    uploads.append(upload=upload, offset=0, stream=io.BytesIO(CONTENT[:9]))
    page = sign_in(cast.member).get("/submissions/new/").content.decode()
    assert 'data-modified="1234"' in page
    assert "choose the same file to go on" in page


def test_an_unfinished_upload_is_thrown_away_by_its_owner_alone(cast, sign_in):
    upload = begin(cast.member)
    sign_in(cast.people["other team"]).post(f"/uploads/{upload.pk}/discard/")
    assert Upload.objects.exists()
    sign_in(cast.member).post(f"/uploads/{upload.pk}/discard/")
    assert not Upload.objects.exists()


class ThrownAwayMeanwhile(io.BytesIO):
    """A piece whose upload is thrown away while it arrives."""

    def __init__(self, upload, content=CONTENT):
        super().__init__(content)
        self.upload = upload

    def read(self, size=-1):
        uploads.discard(upload=Upload.objects.filter(pk=self.upload.pk).first() or self.upload)
        return super().read(size)


@pytest.mark.parametrize("content", [CONTENT[:9], CONTENT], ids=["a piece", "the last piece"])
def test_an_upload_that_is_thrown_away_while_a_piece_arrives_is_gone(user, content):
    upload = begin(user)
    with pytest.raises(Gone, match="thrown away meanwhile"):
        uploads.append(upload=upload, offset=0, stream=ThrownAwayMeanwhile(upload, content))
    assert not path_of(upload.place).exists()


def test_an_upload_that_is_thrown_away_before_a_piece_arrives_is_gone(user, home):
    upload = begin(user)
    uploads.discard(upload=Upload.objects.get())
    with pytest.raises(Gone):
        uploads.append(upload=upload, offset=0, stream=io.BytesIO(CONTENT))
    assert list((home / "uploads").iterdir()) == []


def test_a_whole_upload_that_is_thrown_away_is_neither_submitted_nor_checked(user):
    upload = finish(user)
    uploads.discard(upload=Upload.objects.get())
    with pytest.raises(Gone), uploads.as_file(upload):
        pass
    with pytest.raises(Gone):
        checks.start(task=KBP, upload=upload, corpus=CorpusFactory(), format="tac2016")


def test_the_api_says_that_an_upload_is_gone(tus, monkeypatch):
    address = announce(tus)
    append = uploads.append

    def too_late(**given):
        Upload.objects.all().delete()
        return append(**given)

    monkeypatch.setattr(uploads, "append", too_late)
    assert tus("PATCH", address, CONTENT, Upload_Offset=0).status_code == 404


def test_bytes_that_vanish_while_they_are_looked_at_are_let_be(user, monkeypatch):
    upload = finish(user)
    os.utime(path_of(upload.place), (0, 0))
    monkeypatch.setattr(Path, "rglob", lambda path, pattern: [*path.glob("*"), path / "vanished"])
    monkeypatch.setattr(Path, "is_file", lambda path: True)
    assert files.remove_orphans(now=timezone.now()) == 0


@pytest.mark.parametrize("modified", ["9" * 30, "9" * 5_000, "1.5", "soon"])
def test_a_time_that_is_none_is_refused(tus, modified):
    answer = tus(
        "POST",
        "/api/v1/uploads/",
        Upload_Length=9,
        Upload_Metadata=metadata(filename="a", lastmodified=modified),
    )
    assert answer.status_code == 400
    assert "no number of milliseconds" in answer.json()["detail"]


@pytest.mark.parametrize(("modified", "kept"), [("1234", 1234), ("0", 0), ("-5", None), ("", None)])
def test_a_time_is_kept_where_there_is_one(tus, modified, kept):
    announce(tus, lastmodified=modified)
    assert Upload.objects.get().modified == kept


def test_a_server_killed_before_the_digest_makes_up_for_it(user):
    upload = finish(user)
    Upload.objects.update(digest="")
    assert uploads.whole(user=user, pk=upload.pk).digest == upload.digest


def test_a_form_that_is_too_large_is_refused_before_it_is_read(cast, sign_in):
    answer = sign_in(cast.member).post(
        "/submissions/new/",
        values(cast, Upload()) | {"file": SimpleUploadedFile("f.kb", CONTENT)},
        headers={"content-length": str(MOST_BYTES + FORM + 1)},
    )
    assert answer.status_code == 413
    assert not Upload.objects.exists()


def test_a_whole_file_that_was_left_lying_is_offered_again(cast, sign_in):
    finish(cast.member)
    assert "is here and was not submitted" in sign_in(cast.member).get("/submissions/new/").content.decode()


def test_a_file_that_the_form_names_is_not_said_to_be_left_lying(cast, sign_in):
    upload = finish(cast.member)
    page = sign_in(cast.member).get(f"/submissions/new/?upload={upload.pk}").content.decode()
    assert "Choose another only if you want another" in page
    assert "was not submitted" not in page
