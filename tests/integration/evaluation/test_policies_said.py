"""Pages say by how many people a corpus is judged."""

import pytest

from tests.factories import (
    CorpusFactory,
    EpochFactory,
    PredictionFactory,
    QuestionFactory,
    SubmissionFactory,
    TeamFactory,
    UserFactory,
)

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        ("fixed", "Three people answer each question, more if they do not agree, then an expert."),
        ("curtailed", "Two people answer each question; where they differ a third does, in a second round"),
    ],
)
def test_a_corpus_page_says_who_judges(client, policy, words):
    CorpusFactory(tag="news", policy=policy)
    assert words in client.get("/corpora/news/").content.decode()


@pytest.mark.parametrize(("policy", "is_said"), [("fixed", False), ("curtailed", True)])
def test_agreement_says_that_it_goes_by_first_answers(client, policy, is_said):
    corpus = CorpusFactory(tag="news", policy=policy)
    corpus.agreements.create(kind="relation", questions=3, kappa=0.8, kappa_low=0.7, kappa_high=0.9)
    page = client.get("/corpora/news/").content.decode()
    assert ("It goes by the first two answers to each question" in page) == is_said


@pytest.mark.parametrize(("policy", "is_said"), [("fixed", False), ("curtailed", True)])
def test_who_is_to_have_a_system_judged_is_told_of_two_rounds(client, policy, is_said):
    member = UserFactory()
    corpus = CorpusFactory(policy=policy)
    EpochFactory(corpus=corpus)
    submission = SubmissionFactory(corpus=corpus, state="accepted", team=TeamFactory(members=[member]))
    PredictionFactory.create_batch(30, submission=submission)
    QuestionFactory.create_batch(10, document__corpus=corpus, settled=True)
    client.force_login(member)
    page = client.get(f"/submissions/{submission.pk}/").content.decode()
    assert "Before it is judged" in page
    assert "about about" not in page
    assert ("in two rounds: a claim on which two people differ waits for a third" in page) == is_said
