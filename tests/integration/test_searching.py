from collections.abc import Callable

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotations import searching
from annotations.models import Corpus, Document
from annotations.searching import excerpts, search_documents
from kbpo.core.errors import InvalidInput
from tests.factories import CorpusFactory, DocumentFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def corpus() -> Corpus:
    corpus = CorpusFactory(tag="news")
    texts = {
        "QUILL": "Ada Quill was born in Port Hallow.",
        "MOSS": "Ben Moss met Ada in Hallow, by the port.",
        "NONE": "Nothing & nobody happened here.",
    }
    for doc_id, text in texts.items():
        DocumentFactory(corpus=corpus, doc_id=doc_id, title=f"The {doc_id.lower()} papers", text=text)
    DocumentFactory(text="Ada Quill elsewhere")
    return corpus


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("", ["QUILL", "MOSS", "NONE"]),
        ("ada", ["QUILL", "MOSS"]),
        ('"port hallow"', ["QUILL"]),
        ("port hallow", ["QUILL", "MOSS"]),
        ("ada -quill", ["MOSS"]),
        ("born or met", ["QUILL", "MOSS"]),
        ("nothing ada", []),
        ("none pap", ["NONE"]),
        ("qui", ["QUILL"]),
        ("%", []),
        ("'\\\"&|!:*", []),
    ],
)
def test_documents_are_found_by_words_phrases_ids_and_titles(
    corpus: Corpus, words: str, found: list[str]
) -> None:
    assert [document.doc_id for document in search_documents(corpus, words)] == found


def test_a_passage_marks_what_was_found(corpus: Corpus) -> None:
    document = corpus.documents.get(doc_id="QUILL")
    passage = excerpts([document.pk], "ada hallow")[document.pk]
    assert "".join(segment.text for segment in passage) == "Ada Quill was born in Port Hallow"
    assert [segment.text for segment in passage if segment.inner] == ["Ada", "Hallow"]


def test_a_document_found_by_its_title_has_no_passage(corpus: Corpus) -> None:
    assert excerpts([corpus.documents.get(doc_id="MOSS").pk], "moss papers") == {}


def test_the_page_shows_passages_as_text(corpus: Corpus, client: Client) -> None:
    page = client.get("/corpora/news/documents/", {"q": "happened"}).content.decode()
    assert "Nothing &amp; nobody" in page


def test_a_search_that_is_too_long_is_refused(corpus: Corpus, client: Client) -> None:
    response = client.get("/corpora/news/documents/", {"q": "x" * 201})
    assert response.status_code == 400
    assert "at most 200 characters" in response.content.decode()


def test_a_search_costs_as_many_queries_for_many_documents(
    corpus: Corpus, client: Client, django_assert_max_num_queries: Callable[..., object]
) -> None:
    for _ in range(20):
        DocumentFactory(corpus=corpus, text="Ada again")
    with django_assert_max_num_queries(12):  # type: ignore[attr-defined]
        client.get("/corpora/news/documents/", {"q": "ada"})


@pytest.fixture
def chinese() -> Corpus:
    corpus = CorpusFactory(tag="zh", language="zh")
    DocumentFactory(corpus=corpus, doc_id="LIN", title="林华", text="林华在华光公司工作。" + "她很忙。" * 50)
    DocumentFactory(corpus=corpus, doc_id="WANG", title="王明", text="王明离开了华光公司。")
    return corpus


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("华光", ["LIN", "WANG"]),
        ("华光 -林华", ["WANG"]),
        ('"光公司" 林', ["LIN"]),
        ("王 林", []),
        ("wang", ["WANG"]),
        ("-林", []),
        ('"', []),
    ],
)
def test_chinese_documents_are_found_by_what_stands_in_them(
    chinese: Corpus, words: str, found: list[str]
) -> None:
    assert [document.doc_id for document in search_documents(chinese, words)] == found


def test_a_chinese_passage_marks_what_was_found(chinese: Corpus) -> None:
    document = chinese.documents.get(doc_id="LIN")
    passage = excerpts([document.pk], "华光 公司", chinese.written_in)[document.pk]
    assert [segment.text for segment in passage if segment.inner] == ["华光", "公司"]
    assert len("".join(segment.text for segment in passage)) < 100


def test_an_arabic_document_is_found_beside_its_own_punctuation() -> None:
    corpus = CorpusFactory(language="ar")
    document = DocumentFactory(corpus=corpus, text="مقدمة طويلة جدا " * 10 + "هل رأيت ليلى؟ نعم، رأيتها.")
    assert list(search_documents(corpus, "ليلى")) == [document]
    passage = excerpts([document.pk], "ليلى", corpus.written_in)[document.pk]
    assert "".join(segment.text for segment in passage).startswith(("مقدمة ", "طويلة ", "جدا "))


def test_a_search_that_looks_at_too_many_texts_says_so(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    never = Document.objects.extra(where=["pg_sleep(60) IS NULL"])
    monkeypatch.setattr(searching, "_with_words", lambda words: never)
    monkeypatch.setattr(searching, "LONGEST_LOOKED", 0.01)
    with pytest.raises(InvalidInput, match="add a rarer word"):
        list(search_documents(corpus, '"of the"'))
    assert list(search_documents(corpus, "")), "the connection is as it was"


def test_words_are_found_by_the_index_alone(corpus: Corpus) -> None:
    with CaptureQueriesContext(connection) as asked, transaction.atomic():
        list(search_documents(corpus, "lake"))
        with connection.cursor() as cursor:
            cursor.execute("SHOW enable_seqscan")
            assert cursor.fetchone() == ("on",), "what is set is set for one statement"
    assert any("enable_seqscan = off" in query["sql"] for query in asked.captured_queries)
