"""The data page: what it offers, whom it lets download, and that what it gives works."""

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotations.data import agreements
from annotations.models import Corpus
from demo import letters
from evaluation.kbp.starting import samples
from evaluation.registry import TASKS, task_of
from evaluation.starting import small_files
from evaluation.submissions import submitting
from kbpo import pipeline
from kbpo_formats.ontologies.reading import read_ontology
from tests.factories import TEXT, CorpusFactory, DocumentFactory, TeamFactory, UserFactory

pytestmark = pytest.mark.django_db
LETTERS, NOTES = "letters", "notes"
EVERY_SAMPLE = [(name, format) for name, task in TASKS.items() for format in task.reader.formats]


@pytest.fixture(autouse=True)
def home(settings, tmp_path):
    settings.KBPO_HOME = tmp_path / "home"


@pytest.fixture
def news() -> Corpus:
    corpus = CorpusFactory.create(tag="news", name="News", licence="CC BY 4.0")
    DocumentFactory.create(corpus=corpus, doc_id="A", segmented=True)
    DocumentFactory.create(
        corpus=corpus,
        doc_id="B",
        text="Tom Reed was born in Lyon. His brother Max Reed lives in Bonn. Reed Brothers hired Ann Lee.",
        segmented=True,
    )
    pipeline.make_corpus_files()
    return corpus


@pytest.fixture
def of_letters(tmp_path) -> Corpus:
    folder = tmp_path / "letters"
    folder.mkdir()
    letters.build(folder)
    options = ("--task", "classification", "--classes", str(folder / "letters.toml"), "--licence", "CC0")
    call_command("load_corpus", str(folder / "letters.jsonl"), "--corpus", LETTERS, *options, verbosity=0)
    pipeline.make_corpus_files()
    return Corpus.objects.get(tag=LETTERS)


@pytest.fixture
def of_notes(tmp_path) -> Corpus:
    path = tmp_path / "inputs.jsonl"
    known = {
        "references": ["It sails."],
        "passages": [{"text": "A ferry."}, {"text": "It sails at nine. It is red."}],
    }
    asked = ({"input_id": f"I{n}", "question": "When? " * (n + 1), **known} for n in range(2))
    path.write_text("".join(json.dumps(one) + "\n" for one in asked))
    options = ("--task", "generation", "--prompt", "answer", "--licence", "CC0")
    call_command("load_corpus", str(path), "--corpus", NOTES, *options, verbosity=0)
    pipeline.make_corpus_files()
    return Corpus.objects.get(tag=NOTES)


def get(client, corpus, name):
    return client.get(reverse("data_file", args=[corpus.tag, name]))


def body(response) -> bytes:
    return b"".join(response) if response.streaming else response.content


def page(client, corpus) -> str:
    response = client.get(reverse("data", args=[corpus.tag]))
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def read(corpus, content: bytes, format: str = "", **attachments: bytes):
    task = task_of(corpus)
    return submitting.read_file(
        task=task,
        stream=io.BytesIO(content),
        corpus=corpus,
        format=format or task.reader.recognise(io.BytesIO(content)),
        attachments={name: io.BytesIO(data) for name, data in attachments.items()},
    )


def test_every_format_of_every_task_has_a_sample():
    assert {name: [*task.samples] for name, task in TASKS.items()} == {
        name: [*task.reader.formats, *(kind.format for kind in task.reader.attachments)]
        for name, task in TASKS.items()
    }


@pytest.mark.parametrize(("task", "format"), EVERY_SAMPLE)
def test_a_sample_is_accepted_without_a_warning(task, format, client, news, of_letters, of_notes):
    corpus = {one.task: one for one in (news, of_letters, of_notes)}[task]
    samples = TASKS[task].samples
    content = body(get(client, corpus, samples[format].name))
    beside = {
        kind.name: body(get(client, corpus, samples[kind.format].name))
        for kind in TASKS[task].reader.attachments
    }
    reading = read(corpus, content, format, **beside)
    assert (reading.accepted, list(reading.problems)) == (True, [])


def test_a_corpus_without_documents_has_no_sample(client):
    empty = CorpusFactory.create(licence="CC0")
    assert list(samples.write_tac(empty)) == []
    assert get(client, empty, "sample-2016.kb").status_code == 404


@pytest.mark.parametrize("tag", ["news", LETTERS, NOTES])
def test_the_kit_reads_the_corpus_and_writes_a_file_that_is_accepted(tag, client, request, tmp_path):
    corpus = request.getfixturevalue({"news": "news", LETTERS: "of_letters", NOTES: "of_notes"}[tag])
    with zipfile.ZipFile(io.BytesIO(body(get(client, corpus, "kit.zip")))) as archive:
        archive.extractall(tmp_path)
    folder = tmp_path / f"{tag}-kit"
    (folder / "corpus.jsonl.gz").write_bytes(body(get(client, corpus, "corpus.jsonl.gz")))
    kinds = [kind.name for kind in task_of(corpus).reader.attachments]
    command = [sys.executable, "-I", "baseline.py", "corpus.jsonl.gz", "out", *kinds]
    subprocess.run(command, cwd=folder, check=True, env={})
    beside = {name: Path(folder, name).read_bytes() for name in kinds}
    reading = read(corpus, Path(folder, "out").read_bytes(), **beside)
    assert (reading.accepted, list(reading.problems)) == (True, [])
    if tag == "news":
        assert '"predicate": "per:city_of_birth"' in Path(folder, "out").read_text()
        assert reading.counts["instances"] > 1
    if tag == NOTES:
        assert json.loads(Path(folder, "out").read_text().splitlines()[0])["output"] == "It sails at nine."


def test_the_kit_claims_something_where_it_finds_nothing(client, tmp_path):
    corpus = CorpusFactory.create(tag="plain", licence="CC0")
    DocumentFactory.create(corpus=corpus, text="nothing of note, and no name.", segmented=True)
    pipeline.make_corpus_files()
    with zipfile.ZipFile(io.BytesIO(body(get(client, corpus, "kit.zip")))) as archive:
        archive.extractall(tmp_path)
    folder = tmp_path / "plain-kit"
    (folder / "corpus.jsonl.gz").write_bytes(body(get(client, corpus, "corpus.jsonl.gz")))
    subprocess.run(
        [sys.executable, "-I", "baseline.py", "corpus.jsonl.gz", "out"], cwd=folder, check=True, env={}
    )
    assert read(corpus, Path(folder, "out").read_bytes()).accepted


def test_kit_and_ontology_are_the_same_bytes_each_time(news):
    one, other = (small_files(news, task_of(news)) for _ in range(2))
    assert {name: file.digest for name, file in one.items()} == {
        name: file.digest for name, file in other.items()
    }
    assert one["ontology.json"].digest == news.ontology.digest
    assert read_ontology(one["ontology.toml"].content).reference == news.ontology_id


def test_the_texts_can_be_loaded_as_another_corpus(client, news, tmp_path):
    path = tmp_path / "again.jsonl.gz"
    path.write_bytes(body(get(client, news, "corpus.jsonl.gz")))
    call_command("load_corpus", str(path), "--corpus", "again", verbosity=0)
    assert list(Corpus.objects.get(tag="again").documents.values_list("text", flat=True)) == list(
        news.documents.values_list("text", flat=True)
    )


def test_a_file_says_its_digest_and_is_not_sent_again(client, news):
    first = get(client, news, "corpus.jsonl.gz")
    assert first["ETag"] == f'"{news.files.texts_digest}"'
    address = reverse("data_file", args=["news", "corpus.jsonl.gz"])
    assert client.get(address, headers={"If-None-Match": first["ETag"]}).status_code == 304


def test_a_file_that_is_not_made_yet_says_when_to_come_again(client, news):
    DocumentFactory.create(corpus=news)
    response = get(client, news, "corpus.jsonl.gz")
    assert (response.status_code, response["Retry-After"]) == (202, "30")
    assert "being made" in page(client, news)


def test_without_a_licence_texts_are_read_and_not_downloaded(client, news):
    Corpus.objects.update(licence="")
    assert get(client, news, "corpus.jsonl.gz").status_code == 403
    assert get(client, news, "sample-2016.kb").status_code == 403
    assert get(client, news, "documents.jsonl.gz").status_code == 200
    assert client.get(reverse("document", args=["news", "A"])).status_code == 200
    assert "has named no licence" in page(client, news)


def test_texts_that_are_not_given_out_have_ids_digests_and_a_source(client, news):
    Corpus.objects.update(texts="operators", source="https://example.org/texts")
    assert get(client, news, "corpus.jsonl.gz").status_code == 403
    assert get(client, news, "documents.jsonl.gz").status_code == 200
    shown = page(client, news)
    assert "https://example.org/texts" in shown
    assert "corpus.jsonl.gz</a>" not in shown
    closed = client.get(reverse("document", args=["news", "A"]))
    assert closed.status_code == 403
    assert reverse("data", args=["news"]) in closed.content.decode()


def test_a_team_accepts_the_agreement_on_the_page_and_downloads(client, news):
    Corpus.objects.update(texts="agreement")
    news.refresh_from_db()
    agreements.write(corpus=news, text="Be kind.", by=UserFactory.create(operator=True), now=news.created_at)
    member = UserFactory.create()
    team = TeamFactory.create(members=[member], name="Wren")
    assert "Sign in</a> to accept it" in page(client, news)
    client.force_login(member)
    assert "Be kind." in page(client, news)
    assert get(client, news, "corpus.jsonl.gz").status_code == 403
    address = reverse("data_accept", args=["news"])
    assert client.post(address, {"version": 1, "team": team.pk}).status_code == 400, "they must say so"
    client.post(address, {"version": 1, "team": team.pk, "sure": "on"})
    sent = get(client, news, "corpus.jsonl.gz")
    assert (sent.status_code, sent["Cache-Control"]) == (200, "private, no-cache")
    assert "Wren has accepted it" in page(client, news)


def test_problems_depend_on_texts_only_where_everybody_reads_them(news):
    wrong = f'run\n:E1\ttype\tPER\n:E1\tmention\t"Adam"\tA:{TEXT.index("Ada")}-8\n'
    for texts, said in (("public", [True]), ("agreement", []), ("operators", [])):
        news.texts = texts
        problems = read(news, wrong.encode()).problems
        found = [one for one in problems if one.code == "MENTION_TEXT_DIFFERS"]
        assert ["'Ada Quill'" in one.message for one in found] == said


def test_the_page_of_an_empty_corpus_says_what_is_missing(client):
    empty = CorpusFactory.create(tag="empty")
    pipeline.make_corpus_files()
    shown = page(client, empty)
    assert "0 documents" in shown
    assert "none is named" in shown


def test_the_datasheet_has_computed_numbers_and_the_organisers_words(client, news):
    Corpus.objects.update(made="From a ferry’s drawer.", citation="Quill 1961", contact="ada@example.org")
    shown = page(client, news)
    for words in (
        "2 documents",
        "From a ferry’s drawer.",
        "Quill 1961",
        "mailto:ada@example.org",
        "CC BY 4.0",
    ):
        assert words in shown
