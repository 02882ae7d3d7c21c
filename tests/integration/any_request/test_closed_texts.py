"""Of a corpus whose texts are closed nobody sees a word who may not: every address of the site, asked."""

import gzip
import io
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import pytest
from django.db import transaction
from django.test import Client

from annotations.data import files
from annotations.models import Corpus, Document
from evaluation.models import ClassPrediction, Submission
from kbpo import pipeline
from kbpo.accounts.models import User
from tests import factories as make
from tests.integration.any_request.asking import ask, encoded, routes
from tests.integration.any_request.site import Site, is_of_hits
from tests.integration.any_request.test_access import SIGNING_IN

pytestmark = pytest.mark.django_db
TITLE = "A gazette of Xanadu"
WORDS = ("Port Hallow", "Quill Press", TITLE)
CORPORA = ("news", "letters", "summaries")
#: Not those of workers, who see what they are asked about, nor the admin, which is the operators'.
NAMES = sorted(
    name for name, _ in routes() if not is_of_hits(name) and not name.startswith(("admin:", *SIGNING_IN))
)
FILES = ("corpus.jsonl.gz", "documents.jsonl.gz", "sample-2016.kb", "sample-2015.kb", "sample.jsonl")
DOWNLOADS = ("data_file", "api_data_file")
SHOWN = (
    *("documents", "document", "entities", "entity", "system", "items", "api_documents", "api_document"),
    *(
        "outputs",
        "output_pair",
    ),  # those that a metric likes need more judgements: tests of outputs see to them
)


@contextmanager
def texts_for(texts: str) -> Iterator[None]:
    """Have the site with texts that are open, or closed in one way or the other; undone in the end."""
    with transaction.atomic():
        Document.objects.update(title=TITLE)
        letters = Corpus.objects.get(tag="letters")
        letter = make.DocumentFactory.create(corpus=letters, title=TITLE)
        ClassPrediction.objects.create(
            submission=Submission.objects.get(corpus=letters),
            unit=make.UnitFactory.create(corpus=letters, key=letter.doc_id),
            document=letter,
            label="good",
            confidence=1.0,
            probability=1.0,
            line=1,
        )
        Corpus.objects.filter(tag__in=CORPORA).update(texts=texts, licence="CC0")
        pipeline.make_corpus_files()
        yield
        transaction.set_rollback(True)


def readable(body: bytes) -> str:
    """Unpack a body as far as it is packed."""
    if body.startswith(b"\x1f\x8b"):
        return gzip.decompress(body).decode()
    if body.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            return "".join(archive.read(name).decode() for name in archive.namelist())
    return body.decode("utf-8", "replace")


def seen(site: Site, client: Client, names: Iterable[str] = NAMES) -> dict[str, set[str]]:
    """Ask addresses, and say where the words of documents came back."""
    found: dict[str, set[str]] = {}

    def look(name: str, method: str, address: str, body: bytes = b"") -> None:
        answer = ask(client, method, address, body, "application/x-www-form-urlencoded")
        assert answer.status < 500, (name, answer.fault)
        if words := {words for words in WORDS if words in readable(answer.body)}:
            found.setdefault(name, set()).update(words)

    for name in names:
        query = encoded(site.queries.get(name, {})).decode()
        look(name, "GET", f"{site.address(name)}?{query}")
        if name in site.forms:
            look(name, "POST", f"{site.address(name)}?{query}", encoded(site.forms[name]))
    look("documents", "GET", f"{site.address('documents')}?q=founded")
    for tag in CORPORA:
        for name in FILES:
            look("data_file", "GET", f"/corpora/{tag}/data/{name}")
            look("api_data_file", "GET", f"/api/v1/corpora/{tag}/data/{name}")
    return found


def signed_in(user: User | None = None) -> Client:
    client = Client()
    client.force_login(user or make.UserFactory.create())
    return client


@pytest.mark.parametrize("texts", ["operators", pytest.param("agreement", marks=pytest.mark.slow)])
def test_a_stranger_sees_no_word_of_closed_texts_at_any_address(texts: str, site: Site) -> None:
    with texts_for(texts):
        assert seen(site, signed_in()) == {}
        assert seen(site, Client(), SHOWN) == {}


def test_open_texts_are_seen_where_closed_ones_are_looked_for(site: Site) -> None:
    with texts_for("public"):
        assert seen(site, Client(), SHOWN).keys() == {*SHOWN, *DOWNLOADS}


@pytest.mark.slow
def test_a_visitor_sees_texts_nowhere_else(site: Site) -> None:
    with texts_for("public"):
        assert seen(site, Client()).keys() == {*SHOWN, *DOWNLOADS}


@pytest.mark.slow
def test_a_team_sees_no_word_of_closed_texts_in_what_it_submitted(site: Site) -> None:
    with texts_for("operators"):
        assert seen(site, signed_in(site.people["member"])) == {}


def test_who_annotates_sees_the_text_that_they_judge(site: Site) -> None:
    with texts_for("operators"):
        answer = ask(signed_in(site.people["annotator"]), "GET", site.address("annotate_question"))
        assert "Port Hallow" in readable(answer.body)


def test_operators_and_those_who_run_a_corpus_have_its_texts(site: Site) -> None:
    with texts_for("operators"):
        organiser = make.give(make.UserFactory.create(), Corpus.objects.get(tag="news"), "organiser")
        for user in (organiser, site.people["operator"]):
            answer = ask(signed_in(user), "GET", f"/corpora/news/data/{files.TEXTS}")
            assert "Port Hallow" in readable(answer.body)
