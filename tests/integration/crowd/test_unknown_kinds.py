"""A kind of work or of question without an interface is refused at every entrance, in words that say so."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotations.models import Question
from crowd.annotators import queue
from crowd.interfaces.registry import find_tutorial, interface_of
from crowd.models import Assignment, Hit, HitBatch
from crowd.pages.registry import pages_of
from crowd.posting import planning
from crowd.pricing.terms import BatchTerms
from crowd.quality import checking, gold
from crowd.simulation import simulated_crowd
from kbpo.core.errors import InvalidInput
from tests import crowd
from tests.factories import AssignmentFactory, CorpusFactory, HitFactory, QuestionFactory, UserFactory
from tests.integration.hits.conftest import HIT_HOST, address, html_of
from tests.ontologies import TAC

pytestmark = pytest.mark.django_db

KIND = "essay"
WORK = "'essay'; it must be relation or entities"
QUESTION = "'essay'; there are interfaces for relation, canonical, entities"


@pytest.fixture
def hit() -> Hit:
    return HitFactory.create(batch__kind=KIND)


@pytest.fixture
def assignment(hit: Hit) -> Assignment:
    return AssignmentFactory.create(hit=hit, sent=True)


@pytest.fixture
def question() -> Question:
    """A question as it would be read of a database in which somebody has put it."""
    question = QuestionFactory.create()
    question.kind = KIND
    return question


@pytest.fixture
def desk(client: Client, settings: Any) -> Client:
    settings.HIT_BASE_URL = "http://127.0.0.1:9"
    settings.MTURK_IS_BUILT_IN = True
    settings.MTURK_KEYS = ("a key", "its secret")
    client.force_login(crowd.operator())
    return client


def test_terms_of_such_work_cannot_be_made() -> None:
    corpus = CorpusFactory.create()
    with pytest.raises(InvalidInput, match=WORK):
        BatchTerms(corpus=corpus, kind=KIND, provider="marketplace")
    with pytest.raises(InvalidInput, match=WORK):
        replace(BatchTerms(corpus=corpus, kind="relation", provider="marketplace"), kind=KIND)


def test_such_work_has_no_price(hit: Hit) -> None:
    with pytest.raises(InvalidInput, match=WORK):
        planning.rewards_of(hit.batch, [])


def test_a_hit_of_such_work_has_no_page(hit: Hit) -> None:
    shown = Client(headers={"host": HIT_HOST}).get(address(hit))
    assert shown.status_code == 400
    assert "it must be relation or entities" in html_of(shown)
    assert not Assignment.objects.exists()


def test_nothing_is_asked_as_gold_in_such_work_and_nothing_is_flagged(assignment: Assignment) -> None:
    with pytest.raises(InvalidInput, match=WORK):
        gold.draw(assignment.hit, Random(0))
    with pytest.raises(InvalidInput, match=WORK):
        checking.flags(assignment=assignment)


def test_such_work_is_not_taught() -> None:
    with pytest.raises(InvalidInput, match="no tutorial for 'essay'; there are some for relation, entities"):
        find_tutorial(KIND, TAC)


def test_annotators_find_no_tutorial_of_it(client: Client) -> None:
    client.force_login(UserFactory.create(annotator=True))
    assert client.get(reverse("annotate_tutorial_of", args=[KIND])).status_code == 404


@pytest.mark.parametrize("name", ["desk_open", "desk_tutorial"])
def test_the_desk_opens_no_such_work(desk: Client, name: str) -> None:
    shown = desk.get(reverse(name), {"kind": KIND, "corpus": CorpusFactory.create().tag})
    assert shown.status_code == 400
    assert "essay is not one of the available choices" in html_of(shown)
    assert not HitBatch.objects.exists()


def test_the_desk_says_that_it_does_not_know_such_a_batch(desk: Client, hit: Hit) -> None:
    shown = desk.get(reverse("desk_batch", args=[hit.batch.pk]))
    assert shown.status_code == 400
    assert "it must be relation or entities" in html_of(shown)


def test_the_desk_lists_no_workers_by_such_questions(desk: Client) -> None:
    shown = desk.get(reverse("desk_workers"), {"kind": KIND})
    assert shown.status_code == 400
    assert "is none of relation, canonical, entities" in html_of(shown)


def test_the_queue_does_not_hold_such_a_question(question: Question) -> None:
    with pytest.raises(InvalidInput, match=QUESTION):
        queue.held_for(question)


def test_such_a_question_has_no_page_and_no_interface() -> None:
    with pytest.raises(InvalidInput, match=QUESTION):
        pages_of(KIND)
    with pytest.raises(InvalidInput, match=QUESTION):
        interface_of(KIND)


def test_nobody_is_simulated_who_answers_it(question: Question) -> None:
    gold = {question.document.doc_id: object()}
    with pytest.raises(InvalidInput):
        simulated_crowd.truth(question, gold)  # type: ignore[arg-type]
