"""A file that names another corpus' documents is offered that corpus, whatever the task of either."""

import gzip
import json

import pytest
from django.core.files.base import ContentFile

from evaluation.submissions.other_corpus import find_other_corpus
from tests.factories import CorpusFactory, DocumentFactory

pytestmark = pytest.mark.django_db
FILES = {
    "kbp": b"".join(b'{"doc_id": "K%d", "predicate": "per:title"}\n' % number for number in range(4)),
    "tac": b'run1\n:A\ttype\tPER\n:A\tmention\t"Ann"\tK1:0-2\n:A\tper:title\t"x"\tK2:0-2,K3:4-5\n',
    "classification": b'{"doc_id": "K1", "label": "spam"}\n{"doc_id": "K2", "label": "ham"}\n',
    "generation": b'{"input_id": "K1", "output": "Ann sails."}\n',
    "gzip": gzip.compress(b'{"input_id": "K1", "output": "Ann sails."}\n'),
}


@pytest.fixture
def elsewhere(db):
    corpus = CorpusFactory(tag="knowledgenet", name="KnowledgeNet")
    for number in range(4):
        DocumentFactory(corpus=corpus, doc_id=f"K{number}")
    return corpus


def refused(cast, content, **fields):
    return cast.submission(state="refused", file=ContentFile(content, name="x"), **fields)


@pytest.mark.parametrize("task", ["kbp", "classification", "generation"])
@pytest.mark.parametrize("kind", FILES)
def test_the_corpus_that_has_the_documents_is_found(cast, elsewhere, task, kind):
    elsewhere.task = task
    elsewhere.save()
    found = find_other_corpus(refused(cast, FILES[kind]))
    assert found is not None
    assert (found.corpus, found.known_here) == (elsewhere, 0)
    assert found.known == found.named > 0


def test_a_file_for_the_corpus_itself_is_offered_none(cast, elsewhere):
    for number in range(4):
        DocumentFactory(corpus=cast.corpus, doc_id=f"K{number}")
    assert find_other_corpus(refused(cast, FILES["kbp"])) is None


def test_documents_that_are_mostly_unknown_everywhere_offer_none(cast, elsewhere):
    content = FILES["generation"] + b"".join(b'{"input_id": "%s"}\n' % name for name in (b"X1", b"X2", b"X3"))
    assert find_other_corpus(refused(cast, content)) is None


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"%PDF-1.7", b"[1, 2]\n", b"\0" * 99),
        *(b'{"doc_id": "\\ud8", "x": 1}\n', b'{"doc_id": "\\ud800"}\n', b'{"doc_id": "\\udc00\\ud800"}\n'),
    ],
)
def test_a_file_that_names_no_documents_offers_none(cast, elsewhere, content):
    assert find_other_corpus(refused(cast, content)) is None


def test_it_is_one_line_above_the_problems_with_a_link(cast, sign_in, elsewhere):
    counts = {"errors": 8668, "problems": {"UNKNOWN_DOCUMENT": 8668}}
    submission = refused(cast, FILES["kbp"], counts=counts, format="jsonl")
    page = sign_in(cast.member).get(f"/submissions/{submission.pk}/").content.decode()
    offered, problems = page.index("These look like documents of"), page.index("8,668 error")
    assert offered < problems
    assert 'href="/submissions/new/?corpus=knowledgenet"' in page
    form = sign_in(cast.member).get("/submissions/new/?corpus=knowledgenet").context["form"]
    assert form["corpus"].value() == elsewhere.pk or form["corpus"].value() == elsewhere


@pytest.mark.parametrize(
    ("kind", "words"), [("generation", "it has the one that"), ("classification", "it has all 2 that")]
)
def test_how_many_documents_it_has_is_said_in_words_that_fit(cast, sign_in, elsewhere, kind, words):
    submission = refused(cast, FILES[kind])
    assert words in sign_in(cast.member).get(f"/submissions/{submission.pk}/").content.decode()


def test_the_api_names_it_to_its_team_alone(cast, sign_in, elsewhere):
    submission = refused(cast, FILES["kbp"])
    found = json.loads(sign_in(cast.member).get(f"/api/v1/submissions/{submission.pk}/").content)
    assert found["looks_like"] == "knowledgenet"


def test_what_was_accepted_is_not_looked_into(cast, elsewhere):
    submission = cast.submission(state="accepted", file=ContentFile(FILES["kbp"], name="x"))
    assert find_other_corpus(submission) is None
