"""Questions that do not settle, at the desk."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotations.models import Corpus, Question, Response
from crowd.models import Hit
from kbpo.pages.stalled import stalled
from tests.factories import QuestionFactory, ResponseFactory
from tests.integration.desk.conftest import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("account")]


def question_of(hit: Hit) -> Question:
    return hit.questions.get()


def test_what_was_just_posted_gets_on(post: Any) -> None:
    post()
    assert not stalled(now=timezone.now()).exists()


def test_what_was_silent_for_a_day_does_not(post: Any) -> None:
    hit = post()
    assert list(stalled(now=timezone.now() + timedelta(days=2))) == [question_of(hit)]


def test_a_vote_within_a_day_shows_that_it_gets_on(post: Any) -> None:
    hit = post()
    Hit.objects.update(posted_at=timezone.now() - timedelta(days=2))
    assert stalled(now=timezone.now()).exists()
    ResponseFactory.create(question=question_of(hit))
    assert not stalled(now=timezone.now()).exists()


def test_what_three_votes_did_not_settle_comes_first(post: Any) -> None:
    silent, split = post(), post()
    Hit.objects.filter(pk=silent.pk).update(posted_at=timezone.now() - timedelta(days=2))
    for _ in range(3):
        ResponseFactory.create(question=question_of(split))
    assert list(stalled(now=timezone.now())) == [question_of(split), question_of(silent)]


def test_what_was_never_asked_or_is_settled_is_not_listed(post: Any) -> None:
    QuestionFactory.create()
    hit = post()
    Question.objects.filter(hits=hit).update(state="settled", settled_at=timezone.now())
    assert not stalled(now=timezone.now() + timedelta(days=2)).exists()


def test_an_operator_sends_questions_to_an_expert(desk: Client, post: Any) -> None:
    one, other = post(), post()
    Hit.objects.update(posted_at=timezone.now() - timedelta(days=2))
    page = text_of(desk.get(reverse("desk_questions")))
    assert "0 of 3 none with workers" in page
    response = desk.post(reverse("desk_questions"), {"question": question_of(one).pk}, follow=True)
    assert "One question is for an expert now" in text_of(response)
    assert question_of(one).state == Question.State.EXPERT
    assert question_of(other).state == Question.State.OPEN


def test_work_on_a_question_that_went_to_an_expert_is_still_counted(
    desk: Client, post: Any, send: Any
) -> None:
    hit = post()
    desk.post(reverse("desk_questions"), {"question": question_of(hit).pk})
    assignment = send(hit)
    assert assignment.state == "submitted"
    assert Response.objects.filter(question=question_of(hit)).count() == 1


@pytest.mark.parametrize("given", [{}, {"question": "no"}, {"question": "999999"}])
def test_sending_nothing_is_refused_in_words(desk: Client, given: dict[str, str]) -> None:
    response = desk.post(reverse("desk_questions"), given)
    assert response.status_code == 400
    assert "Choose the questions" in text_of(response)


def test_others_send_nothing(client: Client, post: Any) -> None:
    hit = post()
    assert client.post(reverse("desk_questions"), {"question": question_of(hit).pk}).status_code == 302
    assert question_of(hit).state == Question.State.OPEN


def test_what_waits_for_a_third_vote_is_not_stalled(post: Any) -> None:
    hit = post()
    Corpus.objects.update(policy="curtailed")
    ResponseFactory.create_batch(2, question=question_of(hit))
    assert not stalled(now=timezone.now()).exists()
    ResponseFactory.create(question=question_of(hit))
    assert list(stalled(now=timezone.now())) == [question_of(hit)]
