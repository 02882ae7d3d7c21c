"""A corpus' files by the API: listed as they are, sent to who may have them, gone on with after a break."""

import hashlib

import pytest

from annotations.models import Corpus
from kbpo import __version__, pipeline
from tests import factories as make
from tests.integration.api.conftest import Program, token

pytestmark = pytest.mark.django_db
TEXTS = "corpora/news/data/corpus.jsonl.gz"


@pytest.fixture(autouse=True)
def news():
    corpus = make.CorpusFactory.create(tag="news", licence="CC BY 4.0")
    make.DocumentFactory.create(corpus=corpus, doc_id="A", segmented=True)
    pipeline.make_corpus_files()
    return corpus


def body(answer):
    return b"".join(answer) if answer.streaming else answer.content


def test_files_are_listed_as_they_are_sent():
    listed = {one["name"]: one for one in Program().get("corpora/news/data/")["results"]}
    assert {"corpus.jsonl.gz", "documents.jsonl.gz", "ontology.json", "kit.zip", "sample.jsonl"} <= set(
        listed
    )
    for name, one in listed.items():
        answer = Program()("GET", f"corpora/news/data/{name}")
        sent = body(answer)
        assert answer.status_code == 200
        if one["digest"]:
            assert (one["size"], one["digest"]) == (len(sent), hashlib.sha256(sent).hexdigest())
            assert answer.headers["ETag"] == f'"{one["digest"]}"'


def test_closed_texts_are_listed_and_not_sent(user):
    Corpus.objects.update(texts="operators")
    listed = {one["name"]: one["is_open"] for one in Program().get("corpora/news/data/")["results"]}
    assert (listed["corpus.jsonl.gz"], listed["documents.jsonl.gz"]) == (False, True)
    refused = Program(token(user))("GET", TEXTS)
    assert (refused.status_code, refused.json()["status"]) == (403, 403)


def test_a_files_digest_opens_nothing_to_who_may_not_read_it(user):
    digest = Program()("GET", TEXTS).headers["ETag"]
    Corpus.objects.update(texts="operators")
    assert Program(token(user))("GET", TEXTS, If_None_Match=digest).status_code == 403
    assert Program()("GET", TEXTS, Range="bytes=1-", If_Range=digest).status_code == 403


def test_a_token_has_the_texts_that_its_person_may_have():
    Corpus.objects.update(texts="operators")
    operator = make.UserFactory.create(operator=True)
    assert Program(token(operator))("GET", TEXTS).status_code == 200


def test_the_rest_of_a_file_is_sent_to_who_has_the_beginning():
    whole = Program()("GET", TEXTS)
    sent, etag = body(whole), whole.headers["ETag"]
    rest = Program()("GET", TEXTS, Range="bytes=10-", If_Range=etag)
    assert (rest.status_code, body(rest)) == (206, sent[10:])
    assert rest.headers["Content-Range"] == f"bytes 10-{len(sent) - 1}/{len(sent)}"
    assert rest.headers["Content-Length"] == str(len(sent) - 10)


@pytest.mark.parametrize(
    "headers",
    [
        {"Range": "bytes=10-", "If_Range": '"another"'},
        {"Range": "bytes=1000000-"},
        {"Range": "bytes=-5"},
        {"Range": "lines=1-"},
    ],
)
def test_all_of_a_file_is_sent_where_there_is_no_such_rest(headers):
    answer = Program()("GET", TEXTS, **headers)
    assert (answer.status_code, body(answer)) == (200, body(Program()("GET", TEXTS)))


def test_every_answer_says_the_versions():
    for address in ("corpora/", "me/"):
        headers = Program()("GET", address).headers
        assert (headers["KBPO-Version"], headers["KBPO-Oldest-Client"]) == (__version__, "0.6.0")
