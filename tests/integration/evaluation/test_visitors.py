"""What somebody without an account is shown, and may check."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from annotations.models import Corpus, Document, DocumentAnnotation, Label, Question
from evaluation.kbp.claims import row_of
from evaluation.kbp.explorer import showcase
from evaluation.models import DocumentSample, FileCheck, Prediction, RetiredDocument, Submission, Upload
from evaluation.reading import isolated
from evaluation.submissions import visiting
from kbpo.core import rate_limits
from tests.factories import (
    CorpusFactory,
    DocumentFactory,
    EpochFactory,
    InstanceFactory,
    LabelFactory,
    PredictionFactory,
    QuestionFactory,
    SampleBatchFactory,
    ScoreFactory,
)
from tests.integration.evaluation.test_files import BAD, GOOD

pytestmark = pytest.mark.django_db


@pytest.fixture
def open_corpus(cast, settings, tmp_path) -> Corpus:
    """Make the corpus' texts everybody's, with one document."""
    settings.KBPO_HOME = tmp_path
    cast.corpus.texts, cast.corpus.licence = Corpus.Texts.PUBLIC, "CC BY 4.0"
    cast.corpus.save()
    DocumentFactory(corpus=cast.corpus, doc_id="DOC", sentences=True)
    return cast.corpus


@pytest.fixture
def judged(cast, open_corpus):
    """A claim of a released epoch on which three people said yes; what comes back is its question."""
    batch = SampleBatchFactory(
        epoch=EpochFactory(corpus=open_corpus, released=True), submission=cast.submission(state="scored")
    )
    ScoreFactory(batch=batch)
    document = DocumentFactory(corpus=open_corpus, sentences=True)
    PredictionFactory(submission=batch.submission, instance=InstanceFactory(document=document))
    question = QuestionFactory(document=document, published=True)
    LabelFactory(question=question, votes_for=3)
    return question


def send(client, corpus, content: str = GOOD, **changes):
    file = SimpleUploadedFile("finder.kb", content.encode())
    return client.post("/check/", {"corpus": corpus.pk, "format": "", "file": file} | changes)


def test_the_first_page_shows_a_judged_claim_with_its_votes_and_the_interval(client, judged):
    page = client.get("/").content.decode()
    assert "A real claim" in page
    assert (page.count("</span> yes"), page.count("</span> no<")) == (3, 0)
    assert "60.0" in page
    assert "120 of its claims, drawn at random, were judged" in page


@pytest.mark.parametrize(
    ("change", "value"), [("texts", Corpus.Texts.AGREEMENT), ("texts", Corpus.Texts.OPERATORS)]
)
def test_no_text_that_is_not_everybodys_is_shown_on_the_first_page(client, judged, change, value):
    Corpus.objects.update(**{change: value})
    assert "An example, made up" in client.get("/").content.decode()


def test_nothing_sealed_is_shown_on_the_first_page(client, judged):
    type(judged).objects.update(published_at=None)
    assert "An example, made up" in client.get("/").content.decode()


def test_a_hidden_systems_claim_is_not_shown_on_the_first_page(client, judged):
    Submission.objects.update(is_public=False)
    assert "An example, made up" in client.get("/").content.decode()


@pytest.mark.parametrize(
    ("model", "change"),
    [
        (Corpus, {"texts": Corpus.Texts.AGREEMENT}),
        (Submission, {"is_public": False}),
        (Submission, {"state": Submission.State.WITHDRAWN}),
        (Question, {"published_at": None}),
        (Label, {"votes_for": 4, "votes": 5}),
        (Label, {"votes_for": 2}),
        (Document, {"text": "□□□"}),
    ],
)
def test_a_claim_that_was_shown_is_looked_at_again_each_time(client, judged, model, change):
    assert "A real claim" in client.get("/").content.decode()
    model.objects.update(**change)
    assert "A real claim" not in client.get("/").content.decode()


def annotate(question, *, retired, found):
    """Store expert annotation of the claim's document, with or without its relation."""
    annotation = DocumentAnnotation.objects.create(
        document=question.document, digest="0" * 64, completed_at=timezone.now()
    )
    claim = row_of(Prediction.objects.select_related("instance").get()).relation()
    if found:
        spans = {"subject_start": claim.subject.start, "subject_end": claim.subject.end}
        spans |= {"object_start": claim.object.start, "object_end": claim.object.end}
        annotation.relations.create(predicate=claim.predicate, **spans)
    if retired:
        sample = DocumentSample.objects.create(corpus=question.document.corpus, size=1, population=2)
        RetiredDocument.objects.create(sample=sample, document=question.document, probability=0.5)


@pytest.mark.parametrize(("found", "is_shown"), [(True, True), (False, False)])
def test_a_claim_on_which_people_and_published_experts_differ_is_not_shown(client, judged, found, is_shown):
    annotate(judged, retired=True, found=found)
    assert ("A real claim" in client.get("/").content.decode()) == is_shown


def test_annotations_that_are_sealed_have_no_say_in_what_is_shown(client, judged):
    annotate(judged, retired=False, found=False)
    assert "A real claim" in client.get("/").content.decode()


def test_a_claim_that_was_chosen_is_not_chosen_again(client, judged, monkeypatch):
    client.get("/")
    monkeypatch.setattr(showcase, "_candidates", None)
    assert "A real claim" in client.get("/").content.decode()


def test_the_claim_of_the_first_page_takes_a_bounded_number_of_queries(
    client, judged, django_assert_max_num_queries
):
    with django_assert_max_num_queries(26):  # one asks whether what was read may be kept for the next visitor
        client.get("/")


def test_who_is_signed_in_is_not_told_what_this_is(cast, client, judged):
    client.force_login(cast.member)
    assert "Three people read it" not in client.get("/").content.decode()


@pytest.mark.parametrize(
    ("content", "words"), [(GOOD, "It would be accepted"), (BAD, "It would be refused: it has errors")]
)
def test_a_visitor_checks_a_file_and_nothing_is_kept(client, open_corpus, content, words):
    assert words in send(client, open_corpus, content).content.decode()
    assert not FileCheck.objects.exists()
    assert not Upload.objects.exists()


def test_a_visitor_is_told_the_line_of_a_fault(client, open_corpus):
    page = send(client, open_corpus, BAD).content.decode()
    assert "likes" in page
    assert re.search(r'<th scope="row" class="num">\s*<span class="phone">Line</span> 8\b', page)


def test_a_visitor_whose_file_names_another_corpus_documents_is_offered_that(client, open_corpus):
    other = CorpusFactory(tag="knowledge", name="KnowledgeNet", texts=Corpus.Texts.PUBLIC)
    DocumentFactory(corpus=other, doc_id="OTHER")
    page = send(client, open_corpus, GOOD.replace("DOC:", "OTHER:")).content.decode()
    assert "These look like documents of <strong>KnowledgeNet</strong>" in page
    assert '<a href="/check/?corpus=knowledge">' in page


def test_what_could_not_be_read_is_said_at_the_top_and_not_counted(client, open_corpus):
    page = send(client, open_corpus, GOOD.replace("\t", "    ")).content.decode()
    assert '<p class="note bad">The file is in columns with spaces between them' in page
    assert "<dt>Lines</dt>" not in page


def test_the_menu_leads_a_visitor_to_the_page_for_submitting(client, open_corpus):
    assert f'href="{reverse("upload")}"' in client.get("/about/").content.decode()


def test_a_visitors_file_is_small(client, open_corpus, monkeypatch):
    monkeypatch.setattr(visiting, "MOST_BYTES", 100)
    response = send(client, open_corpus)
    assert response.status_code == 413
    assert "without an account it may have 100" in response.content.decode()


def test_visitors_check_nothing_against_texts_that_are_not_everybodys(client, open_corpus):
    Corpus.objects.update(texts=Corpus.Texts.AGREEMENT)
    response = send(client, open_corpus)
    assert response.status_code == 400
    assert "no corpus whose texts are public" in response.content.decode()


def test_visitors_of_a_network_check_few_files_an_hour(client, open_corpus, monkeypatch):
    rule = rate_limits.policy("checks for this test", 3600, network=1, account=1, total=100)
    monkeypatch.setattr("evaluation.views.check.VISITOR_FILE_CHECKS", rule)
    assert send(client, open_corpus, "").status_code == 400
    assert send(client, open_corpus, "").status_code == 429


def test_a_visitor_whose_file_is_not_read_in_time_is_told_to_try_again(client, open_corpus, monkeypatch):
    monkeypatch.setattr(visiting, "LIMITS", isolated.Limits(seconds=0.001))
    answer = send(client, open_corpus)
    assert answer.status_code == 423
    assert "was not read within 0.001 seconds" in answer.content.decode()


@pytest.mark.slow
def test_a_visitor_waits_while_the_files_of_others_are_read(client, open_corpus, monkeypatch):
    monkeypatch.setattr(visiting, "AT_ONCE", 0)
    assert send(client, open_corpus).status_code == 423


def test_help_offers_newcomers_the_files_of_a_public_corpus(client, open_corpus):
    page = client.get("/help/").content.decode()
    assert 'id="steps"' in page
    assert f"/corpora/{open_corpus.tag}/data/kit.zip" in page
    assert "classes.jsonl" in page
