import pytest

from annotations.models import NameFrequency
from annotations.names import count_documents
from tests.factories import CorpusFactory, DocumentFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def corpus():
    corpus = CorpusFactory()
    for text in (
        "Ada Quill met Ben.",
        "ADA  QUILL again; New York.",
        "Ada, not Quill. York is new.",
        "Straße, 東京 and Q-7.",
    ):
        DocumentFactory(corpus=corpus, text=text)
    DocumentFactory(text="Ada Quill elsewhere")
    return corpus


@pytest.mark.parametrize(
    ("name", "documents"),
    [
        ("ada quill", 2),
        ("ada", 3),
        ("new york", 1),
        ("quil", 0),
        ("straße", 1),
        ("東京", 1),
        ("q-7", 1),
        ("??", 0),
        ("it's & | ! <-> :*", 0),
        ("x" * 200, 0),
    ],
)
def test_documents_with_the_words_in_this_order_are_counted(corpus, name, documents):
    assert count_documents(corpus, [name]) == {name: documents}


def test_a_name_is_searched_for_once(corpus, django_assert_num_queries):
    count_documents(corpus, ["ada"])
    with django_assert_num_queries(2):  # the number of documents, and the counts that are kept
        assert count_documents(corpus, ["ada"]) == {"ada": 3}


def test_a_corpus_that_grew_is_counted_again(corpus):
    count_documents(corpus, ["ada"])
    DocumentFactory(corpus=corpus, text="Ada")
    assert count_documents(corpus, ["ada"]) == {"ada": 4}
    assert NameFrequency.objects.filter(corpus=corpus, name="ada").count() == 1


def test_a_very_long_document_is_stored_and_its_beginning_searched(corpus):
    words = " ".join(f"word{number}" for number in range(200_000))
    DocumentFactory(corpus=corpus, text=f"Zeno {words} Yvonne")
    assert count_documents(corpus, ["zeno", "yvonne"]) == {"zeno": 1, "yvonne": 0}


def test_no_names_cost_nothing(corpus):
    assert count_documents(corpus, []) == {}
