"""What is unknown keeps nothing else from being settled, and says itself that it is not."""

import logging
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotations import labels
from annotations.models import Corpus, Question
from crowd.quality import measures
from tests.factories import CorpusFactory, DocumentFactory, QuestionFactory, ResponseFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def asked() -> list[Question]:
    """Two questions of two corpora, each with all its votes; the first was asked first."""
    people = UserFactory.create_batch(2, annotator=True)
    found = []
    for _ in range(2):
        corpus = CorpusFactory.create(policy="curtailed")
        question = QuestionFactory.create(document=DocumentFactory.create(corpus=corpus), votes_needed=2)
        for user in people:
            ResponseFactory.create(question=question, worker=user)
        found.append(question)
    return found


def settle() -> tuple[int, list[str]]:
    return labels.settle_questions(), list(Question.objects.order_by("pk").values_list("state", flat=True))


@pytest.mark.parametrize(
    ("unknown", "said"),
    [
        ({"kind": "essay"}, "questions of the kind 'essay': none is settled"),
        ({"payload": {"version": 99}}, "is not settled: the question is of version 99"),
    ],
)
def test_a_question_that_cannot_be_read_is_passed_over(
    asked: list[Question], unknown: dict[str, Any], said: str, caplog: pytest.LogCaptureFixture
) -> None:
    Question.objects.filter(pk=asked[0].pk).update(**unknown)
    with caplog.at_level(logging.ERROR):
        assert settle() == (1, ["open", "settled"])
    assert said in caplog.text


@pytest.fixture
def learned(asked: list[Question]) -> Corpus:
    """The first corpus, of an unknown policy."""
    corpus = asked[0].document.corpus
    Corpus.objects.filter(pk=corpus.pk).update(policy="learned")
    return corpus


def test_a_corpus_of_an_unknown_policy_is_passed_over(
    learned: Corpus, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        assert settle() == (1, ["open", "settled"])
    assert f"corpus {learned.tag}: no question is settled, for its policy 'learned' is unknown" in caplog.text


def test_workers_are_measured_by_the_other_corpora(learned: Corpus, asked: list[Question]) -> None:
    assert measures.measure_work(now=asked[0].asked_at) > 0


def test_the_admin_can_put_the_policy_right(learned: Corpus, client: Client) -> None:
    client.force_login(UserFactory.create(operator=True, is_staff=True, is_superuser=True))
    shown = client.get(reverse("admin:annotations_corpus_change", args=[learned.pk]))
    assert shown.status_code == 200
    assert 'name="policy"' in shown.content.decode()
