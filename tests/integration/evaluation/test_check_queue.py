"""Files that wait to be checked: whose is read next, and by how many at once."""

from datetime import timedelta
from threading import Event, Thread

import pytest
from django.core.files.base import ContentFile
from django.db import connection
from django.utils import timezone

from evaluation.kbp.task import TASK as KBP
from evaluation.models import FileCheck, Problem, Upload
from evaluation.registry import task_of
from evaluation.submissions import check_queue, checks, uploads
from kbpo import pipeline
from kbpo.core.database.locks import claim
from kbpo.core.errors import TooMany
from tests.factories import UserFactory
from tests.integration.evaluation.test_files import BAD

pytestmark = pytest.mark.django_db
PATIENCE = 20.0  # seconds after which a test gives up on a thread


@pytest.fixture(autouse=True)
def home(settings, tmp_path):
    settings.KBPO_HOME = tmp_path


@pytest.fixture
def send(cast):
    """Have a file checked: ``send(user, "a.kb")``."""

    def act(user, name="a.kb"):
        upload = uploads.keep(user=user, file=ContentFile(BAD.encode(), name=name))
        return checks.start(task=KBP, upload=upload, corpus=cast.corpus, format="tac2016")

    return act


@pytest.fixture
def people(cast):
    return [UserFactory(name=name) for name in ("Ada", "Ben", "Cleo")]


@pytest.fixture
def read(monkeypatch):
    """The names of the files that are read, in this order."""
    names = []
    original = checks._try

    def noted(pk, find_task):
        names.append(FileCheck.objects.get(pk=pk).upload.name)
        return original(pk, find_task)

    monkeypatch.setattr(checks, "_try", noted)
    return names


@pytest.mark.slow
def test_many_files_of_one_person_do_not_keep_others_waiting(send, people, read):
    ada, ben, cleo = people
    for user, name in [(ada, "a1"), (ada, "a2"), (ada, "a3"), (ben, "b1"), (cleo, "c1"), (ben, "b2")]:
        send(user, name)
    assert pipeline.read_checks() == 6
    assert read == ["a1", "b1", "c1", "a2", "b2", "a3"]


def test_who_comes_while_a_file_is_read_has_their_turn_next(send, people, read, monkeypatch):
    ada, ben, _ = people
    send(ada, "a1")
    send(ada, "a2")
    original = checks.read_file

    def meanwhile(**arguments):
        if len(read) == 1:
            send(ben, "b1")
        return original(**arguments)

    monkeypatch.setattr(checks, "read_file", meanwhile)
    pipeline.read_checks()
    assert read == ["a1", "b1", "a2"]


def test_a_person_has_a_bounded_number_of_checks_waiting(send, people, cast, client):
    ada, ben, _ = people
    for _ in range(check_queue.MOST_WAITING):
        send(ada)
    with pytest.raises(TooMany):
        send(ada)
    send(ben)
    client.force_login(ada)
    form = {
        "corpus": cast.corpus.pk,
        "format": "tac2016",
        "upload": str(Upload.objects.filter(user=ada)[0].pk),
    }
    answer = client.post("/check/", form)
    assert answer.status_code == 429
    assert "try again when one of them is done" in answer.content.decode()
    pipeline.read_checks()
    assert client.post("/check/", form).status_code == 302


def test_a_check_that_is_sent_again_takes_its_own_place(send, people):
    checked = [send(people[0]) for _ in range(check_queue.MOST_WAITING)]
    checks.start(task=KBP, upload=checked[0].upload, corpus=checked[0].corpus, format="tac2015")
    assert FileCheck.objects.count() == check_queue.MOST_WAITING


def test_waiting_for_ones_turn_is_never_held_against_a_check(send, people):
    check = send(people[0])
    FileCheck.objects.update(created_at=timezone.now() - timedelta(hours=20))
    pipeline.read_checks()
    check.refresh_from_db()
    assert check.state == "refused"


def test_the_page_of_a_check_says_how_many_come_before_it(send, people, client):
    ada, ben, _ = people
    send(ada)
    second = send(ada)
    send(ben)
    client.force_login(ada)
    assert "2 files before it: people take turns." in client.get(second.get_absolute_url()).content.decode()
    answer = client.get(f"/api/v1/checks/{second.pk}/").json()
    assert answer["work"] == "2 files before it: people take turns."
    pipeline.read_checks()
    assert client.get(f"/api/v1/checks/{second.pk}/").json()["work"] == ""


def beside(act):
    """Do something in a thread with a connection of its own."""

    def run():
        try:
            act()
        finally:
            connection.close()

    thread = Thread(target=run)
    thread.start()
    return thread


@pytest.mark.django_db(transaction=True)
def test_one_file_of_a_person_is_read_at_a_time(send, people, read):
    ada, ben, _ = people
    for user, name in [(ada, "a1"), (ada, "a2"), (ben, "b1")]:
        send(user, name)
    reached, go_on = Event(), Event()

    def hold():
        with claim(f"reading for user {ada.pk}"):
            reached.set()
            go_on.wait(PATIENCE)

    other = beside(hold)
    try:
        assert reached.wait(PATIENCE)
        assert pipeline.read_checks() == 1
        assert read == ["b1"]
    finally:
        go_on.set()
        other.join(PATIENCE)
    assert pipeline.read_checks() == 2


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("how", ["discard", "replace"])
def test_a_check_is_thrown_away_or_begun_anew_while_it_is_read(send, people, monkeypatch, how):
    check = send(people[0])
    reached, go_on = Event(), Event()
    original = checks.read_file

    def slow(**arguments):
        reached.set()
        go_on.wait(PATIENCE)
        return original(**arguments)

    with monkeypatch.context() as patch:
        patch.setattr(checks, "read_file", slow)
        other = beside(lambda: checks._read_next(task_of))
        try:
            assert reached.wait(PATIENCE)
            if how == "discard":
                uploads.discard(upload=check.upload)  # would wait for as long as the file is read
            else:
                checks.start(task=KBP, upload=check.upload, corpus=check.corpus, format="tac2015")
            assert not go_on.is_set()
        finally:
            go_on.set()
            other.join(PATIENCE)
    assert not FileCheck.objects.filter(pk=check.pk).exists()
    assert not Problem.objects.exists()
    assert pipeline.read_checks() == (0 if how == "discard" else 1)
