"""Accepted files written anew: asked for, made once, kept, and gone with what they are made of."""

import gzip
import hashlib
import os
from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from django.utils import timezone

from evaluation.kbp.task import TASK as KBP
from evaluation.models import FileCheck, NormalisedFile
from evaluation.reading import isolated
from evaluation.submissions import check_queue, checks, files, lifecycle, normalised, submitting, uploads
from kbpo import pipeline
from kbpo.core.database.locks import claim
from kbpo.core.errors import Conflict, StoreAway, TooMany
from kbpo.core.storage.folder import path_of
from tests import written
from tests.factories import DocumentFactory, UserFactory
from tests.integration.evaluation.test_check_queue import PATIENCE, beside
from tests.integration.evaluation.test_files import BAD, EVERYBODY, GOOD, SEEN_BY

pytestmark = pytest.mark.django_db
in_transactions = pytest.mark.django_db(transaction=True)  # files go when these are over


@pytest.fixture(autouse=True)
def home(settings, tmp_path, cast):
    settings.KBPO_HOME = tmp_path
    DocumentFactory(corpus=cast.corpus, doc_id="DOC", sentences=True)
    return tmp_path


@pytest.fixture
def submit_file(cast):
    """Submit a file and have it read."""

    def act(content=GOOD, name="Finder"):
        submission = submitting.upload(
            task=KBP,
            user=cast.member,
            team=cast.member.teams.get(),
            corpus=cast.corpus,
            name=name,
            file=ContentFile(content.encode()),
        )
        pipeline.validate_submissions()
        submission.refresh_from_db()
        return submission

    return act


@pytest.fixture
def check(cast):
    """Have a file checked."""

    def act(content=GOOD):
        upload = uploads.keep(user=cast.member, file=ContentFile(content.encode(), name="finder.kb"))
        check = checks.start(task=KBP, upload=upload, corpus=cast.corpus, format="tac2016")
        pipeline.read_checks()
        check.refresh_from_db()
        return check

    return act


@pytest.fixture
def good(submit_file):
    """An accepted file that was submitted."""
    return submit_file()


@pytest.fixture(params=["submission", "check"])
def either(request, submit_file, check):
    """An accepted file that was submitted, and one that is only checked."""
    return (submit_file if request.param == "submission" else check)()


@pytest.fixture
def member(cast, client):
    """The one whose files they are; signed in."""
    client.force_login(cast.member)
    return cast.member


@pytest.fixture
def children(monkeypatch):
    """How many children wrote a file: one entry each."""
    begun = []
    original = isolated.normalise

    def noted(*args, **kwargs):
        begun.append(1)
        original(*args, **kwargs)

    monkeypatch.setattr(isolated, "normalise", noted)
    return begun


def address(file):
    return f"{file.get_absolute_url()}accepted.gz"


def page(client, file):
    return client.get(file.get_absolute_url()).content.decode()


def made(file, user):
    """Have a file written anew."""
    found = normalised.ask(file=file, user=user)
    pipeline.normalise_files()
    found.refresh_from_db()
    return found


def kept(home):
    return sorted((home / "normalised").glob("*"))


def test_a_file_is_asked_for_waited_for_and_downloaded(either, member, client, children):
    assert client.get(address(either)).status_code == 409
    assert "Write the accepted claims as a file" in page(client, either)

    assert client.post(address(either)).url == f"{either.get_absolute_url()}#file"
    waiting = client.get(address(either))
    assert (waiting.status_code, waiting["Retry-After"]) == (202, "1")
    assert "being written as a file without faults; that takes about 1 s" in page(client, either)
    assert children == []  # no page reads a file

    pipeline.advance()
    assert "Download the accepted claims" in page(client, either)
    answer = client.get(address(either))
    written = b"".join(answer.streaming_content)
    assert (answer.status_code, int(answer["Content-Length"])) == (200, len(written))
    assert b":E2\tDOC:0-33\t0.8" in gzip.decompress(written)


def test_its_digest_is_told_and_the_rest_of_it_sent_to_who_has_the_beginning(either, member, client):
    kind = "checks" if isinstance(either, FileCheck) else "submissions"
    file = f"/api/v1/{kind}/{either.pk}/file/"
    assert client.post(file).json()["digest"] == ""
    pipeline.normalise_files()
    digest = client.post(file).json()["digest"]
    for where in (file, address(either)):
        whole = client.get(where)
        content = b"".join(whole.streaming_content)
        assert (hashlib.sha256(content).hexdigest(), whole["ETag"]) == (digest, f'"{digest}"')
        rest = client.get(where, headers={"range": "bytes=9-", "if-range": whole["ETag"]})
        assert (rest.status_code, b"".join(rest.streaming_content)) == (206, content[9:])
        assert client.get(where, headers={"if-none-match": whole["ETag"]}).status_code == 304
    assert digest in page(client, either)


def test_it_is_made_once_however_often_it_is_asked_for(good, member, client, children):
    client.post(address(good))
    client.post(address(good))
    pipeline.normalise_files()
    client.post(address(good))
    assert pipeline.normalise_files() == 0
    for _ in range(2):
        assert b"".join(client.get(address(good)).streaming_content)
    assert children == [1]


def test_it_is_the_same_bytes_when_it_is_made_again(good, member):
    first = path_of(made(good, member).place).read_bytes()
    normalised.discard(file=good)
    assert path_of(made(good, member).place).read_bytes() == first


def test_the_api_tells_of_it_and_its_version_changes_with_it(either, member, client):
    kind = "checks" if isinstance(either, FileCheck) else "submissions"

    def told():
        answer = client.get(f"/api/v1/{kind}/{either.pk}/").json()
        return answer["normalised"], answer["version"]

    states = [told()]
    normalised.ask(file=either, user=member)
    states.append(told())
    pipeline.normalise_files()
    states.append(told())
    assert [state for state, _ in states] == ["", "waiting", "ready"]
    assert len({version for _, version in states}) == 3


def test_others_do_not_learn_of_it(submit_file, cast, client):
    submission = submit_file()
    lifecycle.give_go_ahead(submission=submission, user=cast.member)
    normalised.ask(file=submission, user=cast.member)
    assert client.get(f"/api/v1/submissions/{submission.pk}/").json()["normalised"] == ""


@pytest.mark.parametrize("who", EVERYBODY)
def test_it_is_asked_for_by_those_who_see_the_file(either, cast, sign_in, who):
    answer = sign_in(cast.people[who]).post(address(either))
    assert NormalisedFile.objects.exists() == (who in SEEN_BY)
    assert who in SEEN_BY or answer.status_code == 404 or "login" in answer.url


@pytest.mark.parametrize("kind", ["submission", "check"])
def test_a_refused_file_is_not_written_anew(submit_file, check, cast, kind):
    file = (submit_file if kind == "submission" else check)(BAD)
    with pytest.raises(Conflict, match="not accepted"):
        normalised.ask(file=file, user=cast.member)


def test_a_deleted_file_is_not_written_anew(submit_file, cast):
    submission = submit_file()
    lifecycle.delete_file(submission=submission, user=cast.member)
    submission.refresh_from_db()
    with pytest.raises(Conflict, match="was deleted"):
        normalised.ask(file=submission, user=cast.member)


def throw_away(file, user, how):
    if how == "deleted":
        lifecycle.delete_file(submission=file, user=user)
    elif how == "discarded":
        uploads.discard(upload=file.upload)
    else:
        checks.start(task=KBP, upload=file.upload, corpus=file.corpus, format="tac2016")


WAYS = ["deleted", "discarded", "replaced"]


@in_transactions
@pytest.mark.parametrize("how", WAYS)
def test_it_goes_with_the_file_that_it_is_made_of(submit_file, check, member, home, how):
    file = submit_file() if how == "deleted" else check()
    made(file, member)
    assert len(kept(home)) == 1
    throw_away(file, member, how)
    assert kept(home) == []
    assert not NormalisedFile.objects.exists()


@in_transactions
@pytest.mark.parametrize("how", WAYS)
def test_what_is_thrown_away_while_it_is_made_leaves_nothing(
    submit_file, check, member, home, monkeypatch, how
):
    file = submit_file() if how == "deleted" else check()
    normalised.ask(file=file, user=member)
    original = isolated.normalise

    def meanwhile(*args, **kwargs):
        throw_away(file, member, how)
        original(*args, **kwargs)

    monkeypatch.setattr(isolated, "normalise", meanwhile)
    assert pipeline.normalise_files() == 0
    assert kept(home) == []
    assert not NormalisedFile.objects.exists()


@pytest.mark.parametrize("lost", ["before it is in its place", "before that is said"])
def test_a_worker_that_is_lost_on_the_way_has_it_made_again(good, member, home, lost):
    found = normalised.ask(file=good, user=member)
    NormalisedFile.objects.update(attempts=1)
    path_of(found.place).parent.mkdir()
    junk = path_of(found.place) if lost == "before that is said" else path_of(found.place).with_name("0" * 32)
    junk.write_bytes(b"half a f")
    pipeline.normalise_files()
    assert gzip.decompress(path_of(found.place).read_bytes())
    files.remove_orphans(now=timezone.now() + timedelta(days=2))
    assert kept(home) == [path_of(found.place)]


@pytest.mark.parametrize(
    ("lost", "state"), [(normalised.ATTEMPTS - 1, "ready"), (normalised.ATTEMPTS, "failed")]
)
def test_as_many_workers_may_die_of_it_and_no_more(good, member, lost, state):
    found = normalised.ask(file=good, user=member)
    NormalisedFile.objects.update(attempts=lost)
    pipeline.normalise_files()
    found.refresh_from_db()
    assert found.state == state


def test_a_failure_is_told_and_it_can_be_asked_for_again(good, member, client, monkeypatch, home):
    def broken(*args, **kwargs):
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(isolated, "normalise", broken)
        made(good, member)
    assert "That is our fault" in page(client, good)
    assert client.get(address(good)).status_code == 409
    assert kept(home) == []
    assert made(good, member).state == "ready"


def test_one_that_was_lost_from_the_disk_can_be_asked_for_again(good, member, client, children):
    path_of(made(good, member).place).unlink()
    assert client.get(address(good)).status_code == 409
    assert "Write the accepted claims as a file" in page(client, good)
    assert path_of(made(good, member).place).exists()
    assert children == [1, 1]


def test_one_that_is_deleted_just_before_it_is_sent_is_refused_in_words(good, member, client, monkeypatch):
    path_of(made(good, member).place).unlink()
    monkeypatch.setattr(NormalisedFile, "is_here", True)
    assert client.get(address(good)).status_code == 409
    assert page(client, good)


@in_transactions
def test_one_file_of_a_person_is_read_at_a_time_be_it_for_a_check_or_for_this(submit_file, cast):
    normalised.ask(file=submit_file(), user=cast.member)

    def try_beside():
        other = beside(lambda: moved.append(pipeline.normalise_files()))
        other.join(PATIENCE)

    moved = []
    with claim(f"reading for user {cast.member.pk}"):
        try_beside()
    try_beside()
    assert moved == [0, 1]


@pytest.mark.slow
def test_people_take_turns(submit_file, cast, monkeypatch):
    other = UserFactory(operator=True)
    systems = [submit_file(name=name) for name in ("a1", "a2", "b1")]
    for submission, user in zip(systems, (cast.member, cast.member, other), strict=True):
        normalised.ask(file=submission, user=user)
    names = []
    original = normalised.write
    monkeypatch.setattr(
        normalised, "write", lambda *, file, **rest: (names.append(file.name), original(file=file, **rest))
    )
    pipeline.normalise_files()
    assert names == ["a1", "b1", "a2"]


def test_a_person_has_a_bounded_number_waiting(submit_file, member, client):
    systems = [submit_file(name=f"system {n}") for n in range(check_queue.MOST_WAITING + 1)]
    for submission in systems[:-1]:
        normalised.ask(file=submission, user=member)
    normalised.ask(file=systems[0], user=member)  # one that waits already is no further one
    with pytest.raises(TooMany):
        normalised.ask(file=systems[-1], user=member)
    answer = client.post(address(systems[-1]))
    assert answer.status_code == 429
    assert "try again when one of them is done" in answer.content.decode()


def test_bytes_that_no_row_names_go_after_a_day(home, good, member):
    found = made(good, member)
    orphan = path_of(found.place).with_name("0" * 32)
    orphan.write_bytes(b"x")
    written.just_now(orphan)
    assert files.remove_orphans(now=timezone.now()) == 0
    for path in kept(home):
        os.utime(path, (0, 0))
    assert files.remove_orphans(now=timezone.now()) == 1
    assert kept(home) == [path_of(found.place)]


def test_a_store_that_is_away_costs_no_try_and_the_file_is_made_later(good, member, monkeypatch):
    found = normalised.ask(file=good, user=member)

    def away():
        raise StoreAway("The store of files cannot be reached.")

    with monkeypatch.context() as patch:
        patch.setattr(normalised, "store", away)
        for _ in range(normalised.ATTEMPTS + 1):
            with pytest.raises(StoreAway):
                pipeline.normalise_files()
    found.refresh_from_db()
    assert (found.state, found.attempts) == ("waiting", 0)
    assert pipeline.normalise_files() == 1
    assert path_of(found.place).exists()
