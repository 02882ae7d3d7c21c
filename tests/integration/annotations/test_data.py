"""Who may read a corpus' texts, under which agreement, and the files of its documents."""

import gzip
import hashlib
import json
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError, connection, transaction

from annotations import corpora
from annotations.data import agreements, files, readers
from annotations.models import Corpus, CorpusFiles, DataAgreement
from kbpo.core.errors import Conflict, InvalidInput, NotAllowed
from kbpo.core.storage.folder import path_of
from kbpo.pages import takedowns
from tests.factories import TEXT, CorpusFactory, DocumentFactory, TeamFactory, UserFactory, give

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 23, tzinfo=UTC)


@pytest.fixture(autouse=True)
def home(settings, tmp_path):
    settings.KBPO_HOME = tmp_path
    return tmp_path


@pytest.fixture
def corpus() -> Corpus:
    return CorpusFactory.create(tag="news", texts="agreement", licence="CC0")


@pytest.fixture
def organiser(corpus):
    return give(UserFactory.create(), corpus, "organiser")


@pytest.fixture
def member():
    user = UserFactory.create()
    TeamFactory.create(members=[user])
    return user


def accept(corpus, member, version=1):
    return agreements.accept(corpus=corpus, version=version, team=member.teams.get(), by=member, now=NOW)


def write(corpus, organiser, text="Keep them to yourselves."):
    return agreements.write(corpus=corpus, text=text, by=organiser, now=NOW)


@pytest.mark.parametrize("texts", ["agreement", "operators"])
def test_closed_texts_are_read_by_those_who_run_them_alone(corpus, organiser, member, texts):
    corpus.texts = texts
    write(corpus, organiser)
    assert not readers.may_read(AnonymousUser(), corpus)
    assert not readers.may_read(member, corpus)
    assert not readers.may_read(give(UserFactory.create(), corpus, "paymaster"), corpus)
    assert readers.may_read(organiser, corpus)
    assert readers.may_read(give(UserFactory.create(), corpus, "reviewer"), corpus)
    assert readers.may_read(UserFactory.create(operator=True), corpus)


def test_public_texts_are_read_by_everybody(corpus):
    corpus.texts = "public"
    assert readers.may_read(None, corpus)


def test_without_a_licence_nobody_downloads(corpus):
    corpus.texts, corpus.licence = "public", ""
    assert not readers.may_download(UserFactory.create(operator=True), corpus)
    with pytest.raises(NotAllowed, match="no licence"):
        readers.check_download(None, corpus)


def test_a_team_that_accepts_may_read_until_the_agreement_changes(corpus, organiser, member):
    write(corpus, organiser)
    accepted = accept(corpus, member)
    assert (accepted.agreement.version, accepted.accepted_by) == (1, member)
    assert readers.may_read(member, corpus)
    write(corpus, organiser, "Keep them, and cite us.")
    assert not readers.may_read(member, corpus)
    assert [*agreements.may_accept(corpus, member)] == [*member.teams.all()]


def test_who_leaves_the_team_reads_no_more(corpus, organiser, member):
    write(corpus, organiser)
    accept(corpus, member)
    member.memberships.all().delete()
    assert not readers.may_read(member, corpus)


def test_an_acceptance_does_not_open_texts_that_are_the_operators(corpus, organiser, member):
    write(corpus, organiser)
    accept(corpus, member)
    corpus.texts = "operators"
    assert not readers.may_read(member, corpus)


def test_the_same_text_is_no_other_version(corpus, organiser):
    assert write(corpus, organiser) == write(corpus, organiser, " Keep them to yourselves.\r\n")


def test_a_version_that_holds_no_more_is_not_accepted(corpus, organiser, member):
    write(corpus, organiser)
    write(corpus, organiser, "Another.")
    with pytest.raises(Conflict, match="changed meanwhile"):
        accept(corpus, member)


def test_nobody_accepts_for_a_team_that_is_not_theirs(corpus, organiser, member):
    write(corpus, organiser)
    with pytest.raises(NotAllowed, match="no member"):
        agreements.accept(
            corpus=corpus, version=1, team=TeamFactory.create(members=[organiser]), by=member, now=NOW
        )


def test_a_team_accepts_a_version_once(corpus, organiser, member):
    write(corpus, organiser)
    accept(corpus, member)
    with pytest.raises(Conflict, match="already"):
        accept(corpus, member)


def test_only_who_keeps_the_corpus_writes_its_agreement(corpus, member):
    with pytest.raises(NotAllowed):
        write(corpus, member)


def test_the_database_keeps_a_version_as_it_is(corpus, organiser):
    write(corpus, organiser)
    with pytest.raises(IntegrityError, match="stays as it is"), transaction.atomic():
        DataAgreement.objects.update(text="Do as you like.")


def packed(made: CorpusFiles, name: str) -> list[dict]:
    lines = gzip.decompress(path_of(files.place_of(made, name)).read_bytes()).splitlines()
    return [json.loads(line) for line in lines]


def test_the_files_hold_every_document_and_say_their_digests(corpus):
    DocumentFactory.create(corpus=corpus, doc_id="A", title="One", segmented=True, date=NOW.date())
    DocumentFactory.create(corpus=corpus, doc_id="B", text="Zwei Wörter.")
    assert files.make_files(now=NOW) == 1
    made = files.current(corpus)
    texts, ids = packed(made, files.TEXTS), packed(made, files.IDS)
    assert texts[0] == {
        "doc_id": "A",
        "title": "One",
        "date": "2026-11-23",
        "text": TEXT,
        "sentences": [0, 35],
    }
    assert ids[1]["sha256"] == hashlib.sha256("Zwei Wörter.".encode()).hexdigest()
    content = path_of(files.place_of(made, files.TEXTS)).read_bytes()
    assert (made.texts_digest, made.texts_size) == (hashlib.sha256(content).hexdigest(), len(content))
    assert (made.documents, made.dated, made.shortest, made.longest) == (2, 1, 12, len(TEXT))
    assert made.tokens > made.sentences > 0


def test_files_that_are_there_are_not_made_again_and_lost_ones_come_out_the_same(corpus):
    DocumentFactory.create(corpus=corpus)
    files.make_files(now=NOW)
    before = files.current(corpus)
    assert files.make_files(now=NOW) == 0
    files.forget(corpus)
    assert files.current(corpus) is None
    files.make_files(now=NOW)
    after = files.current(corpus)
    assert (after.texts_digest, after.ids_digest) == (before.texts_digest, before.ids_digest)


def test_documents_that_come_make_them_new(corpus):
    DocumentFactory.create(corpus=corpus)
    files.make_files(now=NOW)
    DocumentFactory.create(corpus=corpus)
    assert files.current(corpus) is None
    assert files.make_files(now=NOW) == 1
    assert files.current(corpus).documents == 2


def test_a_removed_text_is_in_no_file_and_its_digest_neither(corpus, django_capture_on_commit_callbacks):
    document = DocumentFactory.create(corpus=corpus, title="Ada Quill")
    files.make_files(now=NOW)
    with django_capture_on_commit_callbacks(execute=True):
        takedowns.take_down(document=document, reason="asked", by=UserFactory.create(operator=True), now=NOW)
    assert not list(path_of(files.place_of(CorpusFiles.objects.get(), files.TEXTS)).parent.glob("*.gz"))
    files.make_files(now=NOW)
    made = files.current(corpus)
    [text], [row] = packed(made, files.TEXTS), packed(made, files.IDS)
    assert (text["title"], set(text["text"]), len(text["text"])) == ("", {"█"}, len(TEXT))
    assert (row["sha256"], made.removed) == (None, 1)


def test_a_writer_sees_few_documents_at_a_time(corpus, monkeypatch):
    monkeypatch.setattr(files, "BATCH", 2)
    for _ in range(5):
        DocumentFactory.create(corpus=corpus)
    files.make_files(now=NOW)
    assert len(packed(files.current(corpus), files.TEXTS)) == 5


def test_one_corpus_that_fails_does_not_keep_others_from_their_files(corpus, monkeypatch):
    other, make = CorpusFactory.create(), files.make

    def fail(one):
        if one == corpus:
            raise OSError("no room")
        return make(one)

    monkeypatch.setattr(files, "make", fail)
    assert files.make_files(now=datetime.now(UTC)) == 1
    assert files.current(other) is not None
    assert files.make_files(now=datetime.now(UTC)) == 0, "it is not tried again at once"


def test_loading_says_licence_source_and_who_may_read(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text(json.dumps({"doc_id": "A", "text": "One."}))
    said = corpora.Said("About boats.", "CC0", "https://example.org/boats", "operators")
    corpora.load_corpus(path=path, tag="boats", said=said)
    found = Corpus.objects.get(tag="boats")
    assert (found.description, found.licence, found.source, found.texts) == (
        *("About boats.", "CC0", "https://example.org/boats", "operators"),
    )
    with pytest.raises(Conflict, match="its licence is 'CC0', not 'MIT'"):
        corpora.load_corpus(path=path, tag="boats", said=corpora.Said(licence="MIT"))


def test_a_licence_can_be_added_where_there_is_none(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text(json.dumps({"doc_id": "A", "text": "One."}))
    corpora.load_corpus(path=path, tag="boats")
    assert Corpus.objects.get(tag="boats").texts == "public"
    corpora.load_corpus(path=path, tag="boats", said=corpora.Said(licence="CC0"))
    assert Corpus.objects.get(tag="boats").licence == "CC0"


@pytest.mark.parametrize(
    ("field", "value"), [("source", "boats"), ("source", "javascript:1"), ("texts", "all")]
)
def test_what_is_no_address_or_no_rule_is_refused(tmp_path, field, value):
    path = tmp_path / "corpus.jsonl"
    path.write_text(json.dumps({"doc_id": "A", "text": "One."}))
    with pytest.raises(InvalidInput, match=field):
        corpora.load_corpus(path=path, tag="boats", said=corpora.Said(**{field: value}))


def test_the_database_knows_no_other_rule():
    corpus = CorpusFactory.create()
    with pytest.raises(IntegrityError, match="corpus_texts"), transaction.atomic():
        Corpus.objects.filter(pk=corpus.pk).update(texts="all")
    assert connection.in_atomic_block
