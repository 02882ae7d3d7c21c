import pytest

from annotations.names import find_occurrences
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


def counted(corpus, *names):
    found = [one.name for one in find_occurrences(corpus, names)]
    return {name: found.count(name) for name in names}


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
    assert counted(corpus, name) == {name: documents}


def test_a_very_long_document_is_stored_and_its_beginning_searched(corpus):
    words = " ".join(f"word{number}" for number in range(200_000))
    DocumentFactory(corpus=corpus, text=f"Zeno {words} Yvonne")
    assert counted(corpus, "zeno", "yvonne") == {"zeno": 1, "yvonne": 0}


def in_language(language, *texts):
    corpus = CorpusFactory(language=language)
    for text in texts:
        DocumentFactory(corpus=corpus, text=text)
    DocumentFactory(text=" ".join(texts))
    return corpus


@pytest.mark.parametrize(
    ("name", "documents"),
    [
        ("林华", 2),
        ("华光公司", 1),
        ("林", 3),
        ("光公", 1),
        ("ibm", 1),
        ("北京市", 1),
        ("林华的", 0),
        ("。", 0),
    ],
)
def test_a_chinese_name_is_counted_wherever_its_characters_stand(name, documents):
    corpus = in_language("zh-Hans", "林华在华光公司。", "她是林华，IBM的。林家", "林先生去北\n京市。")
    assert counted(corpus, name) == {name: documents}


@pytest.mark.parametrize(
    ("name", "documents"),
    [("ليلى", 2), ("ليلى الحداد", 2), ("الحداد", 2), ("دمشق", 1), ("حداد", 0), ("،", 0)],
)
def test_an_arabic_name_is_counted_as_whole_words_beside_any_punctuation(name, documents):
    corpus = in_language("ar", "هل رأيت «ليلى الحداد»؟", "ليلى  الحداد، من دمشق.", "الحدادون")
    assert counted(corpus, name) == {name: documents}


@pytest.mark.parametrize(
    ("name", "times"), [("مريم", [3, 1]), ("دمشق", [1]), ("مريم العلي", [1]), ("ريم", [])]
)
def test_an_arabic_name_is_found_behind_letters_that_are_words(name, times):
    corpus = in_language("ar", "سافرت ليلى ومريم، عادت لمريم رسالة. مريم؟", "ولمريم العلي بدمشق.")
    assert [one.times for one in find_occurrences(corpus, [name])] == times
    assert counted(corpus, name) == {name: len(times)}


def test_a_hebrew_name_is_found_behind_letters_that_are_words():
    corpus = in_language("he", "דנה ומרים נסעו לחיפה", "ושבחיפה")
    assert counted(corpus, "מרים", "חיפה") == {"מרים": 1, "חיפה": 2}


def test_names_with_marks_that_combine_are_counted_as_whole_words():
    corpus = in_language("hi", "वह दिल्ली में था।", "दिल्लीवासी")
    assert counted(corpus, "दिल्ली") == {"दिल्ली": 1}


def test_a_spanish_name_is_counted_in_any_case():
    corpus = in_language("es", "¿JOSÉ ÁVILA?", "«José Ávila»", "Josefina Ávila")
    assert counted(corpus, "josé ávila") == {"josé ávila": 2}


def test_occurrences_in_other_languages_are_each_counted():
    spanish = in_language("es", "Ana, Ana; ana y Anabel.")
    assert [one.times for one in find_occurrences(spanish, ["ana"])] == [3]
    chinese = in_language("zh", "林华林华，林 华。")
    assert [one.times for one in find_occurrences(chinese, ["林华", "林"])] == [3, 3]
