"""Expected times have one source: what operators agree to, what workers are told, and what limits go by."""

from datetime import timedelta

import pytest

from annotations import questions
from annotations.models import Question
from crowd.interfaces.registry import find_interface
from crowd.posting import publishing
from crowd.pricing import expected, timing
from crowd.pricing.terms import BatchTerms
from kbpo.core.durations import in_words
from kbpo.pages import opening
from tests.factories import DocumentFactory, ResponseFactory
from tests.integration.crowd.services.conftest import Desk

WORDS = 1830
MINUTES = "about 24 minutes"


@pytest.fixture
def document(desk: Desk) -> Question:
    """The question for the mentions of a document of so many words."""
    made = DocumentFactory.create(corpus=desk.corpus, text=("Nobody " * WORDS).strip(), segmented=True)
    questions.ask_entities([made.pk])
    return Question.objects.get()


def terms(desk: Desk) -> BatchTerms:
    return BatchTerms(corpus=desk.corpus, kind="entities", provider="marketplace", reward_cents=325)


def test_everybody_is_told_the_same_time_for_a_document(desk: Desk, document: Question) -> None:
    plan = opening.plan(opening.Wanted(terms=terms(desk), submission=None), by=desk.operator, now=desk.now)
    hit = desk.open(kind="entities", reward_cents=325).hits.get()
    takes = expected.of_hit(hit)
    interface = find_interface("entities")
    in_house = expected.of_question(document, interface, timing.measure(desk.corpus))
    offer = publishing._offer(hit)
    assert takes is not None
    assert offer.estimated_seconds is not None
    said = {
        "operator, least": in_words(plan.least_time),
        "operator, most": in_words(plan.most_time),
        "worker": takes.words.removesuffix(" (an estimate)"),
        "annotator": in_house.words.removesuffix(" (an estimate)"),
        "provider": in_words(timedelta(seconds=offer.estimated_seconds)),
    }
    assert set(said.values()) == {MINUTES}, said


def test_a_measured_time_is_no_estimate(desk: Desk, document: Question) -> None:
    answer = {"version": 1, "mentions": [], "entities": []}
    settled = Question.objects.get(pk=document.pk)
    ResponseFactory.create_batch(20, question=settled, answer=answer, seconds=WORDS * 0.5)
    Question.objects.update(votes_needed=23)
    plan = opening.plan(opening.Wanted(terms=terms(desk), submission=None), by=desk.operator, now=desk.now)
    takes = expected.of_hit(desk.open(kind="entities", reward_cents=325).hits.get())
    assert not plan.is_estimate
    assert takes == expected.ExpectedTime(WORDS * 0.5, is_measured=True)
    assert takes.words == "about 15 minutes"


@pytest.mark.parametrize(("words", "hours"), [(1830, 2.0), (9000, 4.875)])
def test_the_time_allowed_is_two_and_a_half_times_what_the_longest_takes(
    desk: Desk, words: int, hours: float
) -> None:
    made = DocumentFactory.create(corpus=desk.corpus, text=("Nobody " * words).strip(), segmented=True)
    questions.ask_entities([made.pk])
    batch = desk.open(kind="entities", reward_cents=325)
    assert batch.duration_seconds == hours * 3600


def test_a_tutorial_is_announced_as_it_is_paid(desk: Desk) -> None:
    assert expected.of_tutorial().words == "about 6 minutes (an estimate)"
    assert timing.suggested_reward(expected.of_tutorial().seconds) == 150
