"""Organisers make and run corpora on pages."""

import gzip
import json
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotations.models import Corpus, CorpusMaker, CorpusRole
from evaluation.kbp.task import TASK as KBP
from evaluation.submissions import submitting
from kbpo.accounts.models import User
from kbpo.core.errors import Conflict
from kbpo.pages import corpora
from tests.factories import CorpusFactory, TeamFactory, UserFactory, give
from tests.integration.desk.conftest import text_of

pytestmark = pytest.mark.django_db
CLASSES = b"""
name = "letters"
version = 1
[[class]]
name = "praise"
guideline = "The writer is content."
[[class]]
name = "blame"
guideline = "The writer is not."
"""
DOCUMENT = {"doc_id": "DOC-A", "title": "A", "text": "Ada Quill was born in Port Hallow."}


def file(*lines: object, packed: bool = False) -> SimpleUploadedFile:
    content = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    return SimpleUploadedFile("texts.jsonl", gzip.compress(content) if packed else content)


@pytest.fixture
def maker(client: Client) -> User:
    user = UserFactory.create()
    CorpusMaker.objects.create(user=user, given_at=timezone.now())
    client.force_login(user)
    return user


@pytest.fixture
def organiser(corpus: Corpus, client: Client) -> User:
    user = give(UserFactory.create(), corpus, "organiser")
    client.force_login(user)
    return user


def make(client: Client, **changes: object) -> object:
    given = {"tag": "small", "name": "Small", "language": "en", "policy": "fixed", "task": "kbp"}
    given |= {"file": file(DOCUMENT)}
    return client.post(reverse("desk_new_corpus"), given | changes)


def act(client: Client, corpus: Corpus, action: str, **given: object) -> object:
    return client.post(reverse("desk_corpus_act", args=[corpus.tag, action]), given)


def test_who_makes_a_corpus_is_its_organiser_and_its_epoch_is_open(client: Client, maker: User) -> None:
    assert make(client, file=file(DOCUMENT, packed=True)).status_code == 302
    made = Corpus.objects.get(tag="small")
    assert (made.documents.count(), made.epochs.count(), made.policy) == (1, 1, "fixed")
    assert CorpusRole.objects.get(corpus=made).user == maker
    assert "DOC-A" in text_of(client.get(reverse("documents", args=["small"])))


def test_nobody_makes_a_corpus_out_of_another_ones(client: Client, maker: User, corpus: Corpus) -> None:
    response = make(client, tag=corpus.tag)
    assert response.status_code == 409
    assert not corpus.documents.exists()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"file": SimpleUploadedFile("a", b"{")}, "line 1"),
        ({"file": SimpleUploadedFile("a", b"[" * 200_000)}, "not JSON"),
        ({"file": file({"doc_id": "x"})}, "text is empty"),
        ({"language": "??"}, "??"),
        ({"tag": "a tag"}, "slug"),
    ],
)
def test_a_wrong_corpus_is_refused_in_words_and_nothing_is_there(client, maker, changes, words) -> None:
    response = make(client, **changes)
    assert response.status_code == 400
    assert words in text_of(response)
    assert not Corpus.objects.exists()


def test_a_corpus_of_classes_is_made_and_shows_them(client: Client, maker: User) -> None:
    assert (
        make(client, task="classification", classes=SimpleUploadedFile("c.toml", CLASSES)).status_code == 302
    )
    made = Corpus.objects.get(tag="small")
    assert (made.task, made.classes.names) == ("classification", ["praise", "blame"])
    assert "The writer is content." in text_of(client.get(reverse("corpus", args=["small"])))
    at_the_desk = text_of(client.get(reverse("desk_corpus", args=["small"])))
    assert "Gold" not in at_the_desk
    assert "nnotated in full" not in at_the_desk


def test_a_corpus_has_the_ontology_that_was_chosen(client: Client, maker: User, monkeypatch) -> None:
    assert make(client, ontology="tac-kbp@1").status_code == 302
    assert Corpus.objects.get(tag="small").ontology_id == "tac-kbp@1"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"task": "chess"}, "not one of the available choices"),
        ({"ontology": "mine@7"}, "not one of the available choices"),
        ({"task": "classification"}, "name a file of its classes"),
        ({"task": "classification", "classes": SimpleUploadedFile("c", b"name = 7")}, "version is None"),
        (
            {"task": "classification", "classes": SimpleUploadedFile("c", b"\xff")},
            "the file of classes: is not UTF-8",
        ),
        ({"classes": SimpleUploadedFile("c", b"name = 7")}, "which has no classes"),
    ],
)
def test_what_does_not_go_with_the_task_is_refused(client, maker, changes, words) -> None:
    response = make(client, **changes)
    assert response.status_code == 400
    assert words in text_of(response)
    assert not Corpus.objects.exists()


def test_a_file_that_unpacks_to_more_than_may_be_is_refused(client: Client, maker: User) -> None:
    bomb = SimpleUploadedFile("a.gz", gzip.compress(b"\n" * (corpora.UNPACKED.lines + 1)))
    response = make(client, file=bomb)
    assert response.status_code == 400
    assert "load it in parts" in text_of(response)


def test_a_file_that_is_too_large_is_refused(client: Client, maker: User, monkeypatch) -> None:
    monkeypatch.setattr(corpora, "MOST_BYTES", 10)
    assert make(client).status_code == 413


def test_an_organiser_loads_more_texts_and_what_is_there_stays(client, organiser, corpus) -> None:
    assert act(client, corpus, "texts", file=file(DOCUMENT)).status_code == 302
    changed = act(client, corpus, "texts", file=file({**DOCUMENT, "text": "Another."}))
    assert changed.status_code == 409
    assert corpus.documents.get().text == DOCUMENT["text"]


def test_an_organiser_loads_gold_and_the_documents_are_drawn(client, organiser, corpus) -> None:
    act(client, corpus, "texts", file=file(DOCUMENT))
    gold = {"doc_id": "DOC-A", "mentions": [], "relations": []}
    assert act(client, corpus, "gold", file=file(gold)).status_code == 302
    assert corpus.document_samples.get().size == 1


def test_an_organiser_changes_words_contact_and_quota(client, organiser, corpus) -> None:
    given = {"name": "New name", "description": "x", "weekly_quota": "7", "weekly_quota_of_person": "8"}
    assert act(client, corpus, "details", **given, contact="ada@example.org").status_code == 302
    corpus.refresh_from_db()
    assert (corpus.name, corpus.weekly_quota, corpus.contact) == ("New name", 7, "ada@example.org")


@pytest.mark.parametrize("name", ["N\u0435ws", "N\u202eews"])
def test_a_corpus_is_not_given_a_name_that_looks_like_another_or_is_not_seen(client, organiser, corpus, name):
    CorpusFactory.create(tag="other", name="News")
    given = {"name": name, "description": "x", "weekly_quota": "7", "weekly_quota_of_person": "8"}
    assert act(client, corpus, "details", **given, contact="ada@example.org").status_code == 400
    before = corpus.name
    corpus.refresh_from_db()
    assert corpus.name == before


@pytest.mark.parametrize(
    ("changes", "words"), [({"opens_at": 1}, "not open"), ({"closes_at": -1}, "is closed")]
)
def test_nothing_is_submitted_before_a_corpus_opens_or_after_it_closes(corpus, changes, words) -> None:
    for field, days in changes.items():
        setattr(corpus, field, timezone.now() + timedelta(days=days))
    corpus.save()
    user = UserFactory.create()
    with pytest.raises(Conflict, match=words):
        submitting.upload(
            user=user,
            team=TeamFactory.create(members=[user]),
            corpus=corpus,
            task=KBP,
            name="late",
            file=SimpleUploadedFile("a.kb", b"run\n"),
        )


DATA = {
    "texts": "operators",
    "licence": "CC BY 4.0",
    "source": "https://example.org/news",
    "citation": "Quill 1961",
    "made": "By hand.",
    "annotated": "By two.",
}


def test_an_organiser_says_who_reads_the_texts_and_what_they_are(corpus, organiser, client):
    page = client.post(reverse("desk_corpus_act", args=[corpus.tag, "data"]), DATA, follow=True)
    assert "What is said of its texts is changed." in text_of(page)
    corpus.refresh_from_db()
    assert {name: getattr(corpus, name) for name in DATA} == DATA


def test_an_address_that_is_none_is_refused_where_it_is_typed(corpus, organiser, client):
    wrong = {**DATA, "source": "javascript:alert(1)"}
    page = client.post(reverse("desk_corpus_act", args=[corpus.tag, "data"]), wrong)
    assert page.status_code == 400
    assert "Enter a valid URL." in text_of(page)


def test_an_organiser_writes_the_agreement_version_by_version(corpus, organiser, client):
    address = reverse("desk_corpus_act", args=[corpus.tag, "agreement"])
    for number, text in ((1, "Be kind."), (2, "Be kind, and cite us.")):
        page = client.post(address, {"text": text}, follow=True)
        assert f"Version {number} of the agreement holds." in text_of(page)
    assert list(corpus.agreements_on_data.values_list("text", "written_by")) == [
        ("Be kind.", organiser.pk),
        ("Be kind, and cite us.", organiser.pk),
    ]
