"""Of a corpus whose texts are closed nobody sees a word who may not: every address of the site, asked."""

import gzip
import io
import zipfile
from collections.abc import Iterator

import pytest
from django.db import transaction
from django.test import Client

from annotations.data import files
from annotations.models import Corpus, Document
from evaluation.models import ClassPrediction, Submission
from kbpo import pipeline
from tests import factories as make
from tests.integration.any_request.asking import ask, encoded, routes
from tests.integration.any_request.site import Site, is_of_hits

pytestmark = pytest.mark.django_db
TITLE = "A gazette of Xanadu"
WORDS = ("Port Hallow", "Quill Press", TITLE)
CORPORA = ("news", "letters")
#: Not those of workers: they see what they are asked about; nor the admin, which is the operators'.
NAMES = sorted(name for name, _ in routes() if not is_of_hits(name) and not name.startswith("admin:"))
FILES = ("corpus.jsonl.gz", "documents.jsonl.gz", "sample-2016.kb", "sample-2015.kb", "sample.jsonl")
SHOWN = {"documents", "document", "entities", "entity", "system", "items", "data_file"}


@pytest.fixture(params=["public", "operators", "agreement"])
def texts(request, site: Site) -> Iterator[str]:
    """The site with texts that are open, or closed in one way or the other; undone in the end."""
    with transaction.atomic():
        Document.objects.update(title=TITLE)
        letters = Corpus.objects.get(tag="letters")
        letter = make.DocumentFactory.create(corpus=letters, title=TITLE)
        classed = Submission.objects.get(corpus=letters)
        unit = make.UnitFactory.create(corpus=letters, key=letter.doc_id)
        ClassPrediction.objects.create(
            submission=classed,
            unit=unit,
            document=letter,
            label="good",
            confidence=1.0,
            probability=1.0,
            line=1,
        )
        Corpus.objects.filter(tag__in=CORPORA).update(texts=request.param, licence="CC0")
        pipeline.make_corpus_files()
        yield request.param
        transaction.set_rollback(True)


def readable(body: bytes) -> str:
    """Unpack a body as far as it is packed."""
    if body.startswith(b"\x1f\x8b"):
        return gzip.decompress(body).decode()
    if body.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            return "".join(archive.read(name).decode() for name in archive.namelist())
    return body.decode("utf-8", "replace")


def seen(site: Site, client: Client) -> dict[str, set[str]]:
    """Ask every address, and say where the words of documents came back."""
    found: dict[str, set[str]] = {}

    def look(name: str, method: str, address: str, body: bytes = b"") -> None:
        answer = ask(client, method, address, body, "application/x-www-form-urlencoded")
        assert answer.status < 500, (name, answer.fault)
        if words := {words for words in WORDS if words in readable(answer.body)}:
            found.setdefault(name, set()).update(words)

    for name in NAMES:
        query = encoded(site.queries.get(name, {})).decode()
        look(name, "GET", f"{site.address(name)}?{query}")
        look(name, "POST", f"{site.address(name)}?{query}", encoded(site.forms.get(name, {})))
    look("documents", "GET", f"{site.address('documents')}?q=founded")
    for tag in CORPORA:
        for name in FILES:
            look("data_file", "GET", f"/corpora/{tag}/data/{name}")
    return found


def test_a_stranger_sees_no_word_of_closed_texts_at_any_address(texts: str, site: Site) -> None:
    stranger = Client()
    stranger.force_login(make.UserFactory.create())
    for client in (Client(), stranger):
        found = seen(site, client)
        if texts == "public":
            assert found.keys() == SHOWN, "else this test would see nothing in closed texts, either"
        else:
            assert found == {}


def test_a_team_sees_no_word_of_closed_texts_in_what_it_submitted(texts: str, site: Site) -> None:
    member = Client()
    member.force_login(site.people["member"])  # type: ignore[arg-type]
    found = seen(site, member)
    if texts == "public":
        assert found
    else:
        assert found == {}


def test_who_annotates_sees_the_text_that_they_judge(texts: str, site: Site) -> None:
    annotator = Client()
    annotator.force_login(site.people["annotator"])  # type: ignore[arg-type]
    assert "Port Hallow" in readable(ask(annotator, "GET", site.address("annotate_question")).body)


def test_operators_and_those_who_run_a_corpus_see_its_texts(texts: str, site: Site) -> None:
    organiser = make.give(make.UserFactory.create(), Corpus.objects.get(tag="news"), "organiser")
    for user in (organiser, site.people["operator"]):
        client = Client()
        client.force_login(user)  # type: ignore[arg-type]
        assert "Port Hallow" in readable(ask(client, "GET", f"/corpora/news/data/{files.TEXTS}").body)
