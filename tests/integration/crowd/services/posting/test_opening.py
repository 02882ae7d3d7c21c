"""Opening a batch: what lacks votes, put together into HITs, and its money set aside."""

from datetime import timedelta

import pytest

from annotations.models import Question
from annotations.responses import record
from crowd import posting
from crowd.annotators import queue
from crowd.models import Hit, HitBatch, LedgerEntry
from kbpo.core.errors import Conflict, InvalidInput, NotAllowed, OverBudget
from tests import crowd
from tests.factories import CorpusFactory, ResponseFactory, UserFactory
from tests.integration.crowd.services.conftest import Desk

UNIT = 18  # cents: a reward of 15 and its fee


def test_a_relation_question_comes_with_its_companions_in_one_hit(desk: Desk) -> None:
    [question] = crowd.ask(desk.corpus, 1, companions=True)
    batch = desk.open()
    [hit] = batch.hits.all()
    kinds = hit.hit_questions.order_by("position").values_list("question__kind", flat=True)
    assert list(kinds) == ["relation", "canonical", "canonical"]
    assert hit.questions.order_by("hit_questions__position").first() == question
    assert hit.places == 3


def test_money_is_set_aside_with_the_row_and_before_anything_is_posted(desk: Desk) -> None:
    crowd.ask(desk.corpus, 2)
    desk.open()
    assert desk.money() == (2 * 3 * UNIT, 0)
    assert desk.provider.calls == []
    crowd.check_books()


def test_a_batch_that_no_budget_covers_leaves_nothing_behind(desk: Desk) -> None:
    crowd.ask(desk.corpus, 2)
    desk.budget.cap_cents = 6 * UNIT - 1
    desk.budget.save()
    with pytest.raises(OverBudget, match=r"\$1.08 are needed.*\$1.07"):
        desk.open()
    assert not HitBatch.objects.exists()
    assert not Hit.objects.exists()


def test_the_preview_is_what_is_posted(desk: Desk) -> None:
    crowd.ask(desk.corpus, 3, companions=True)
    preview = crowd.preview(
        Question.objects.all(),
        desk.now,
        corpus=desk.corpus,
        kind="relation",
        provider="marketplace",
        reward_cents=15,
    )
    desk.open()
    assert preview == posting.Preview(
        questions=9,
        hits=3,
        places=9,
        cost_cents=9 * UNIT,
        least_cents=15,
        most_cents=15,
        seconds=(30.0,) * 3,
    )
    assert (Hit.objects.count(), desk.money()[0]) == (preview.hits, preview.cost_cents)


def test_only_what_lacks_votes_is_asked_and_only_as_often_as_it_does(desk: Desk) -> None:
    whole, part, done = crowd.ask(desk.corpus, 3)
    ResponseFactory.create(question=part)
    for _ in range(3):
        ResponseFactory.create(question=done)
    ResponseFactory.create(question=whole, is_valid=False)
    batch = desk.open()
    assert {hit.questions.get(): hit.places for hit in batch.hits.all()} == {whole: 3, part: 2}


def test_a_question_that_somebody_holds_in_the_house_lacks_one_vote_less(desk: Desk) -> None:
    [question] = crowd.ask(desk.corpus, 1)
    annotator = UserFactory.create(annotator=True)
    assert queue.next_question(worker=annotator, now=desk.now) == question
    assert desk.open().hits.get().places == 2


def test_the_house_does_not_hand_out_what_is_in_a_hit(desk: Desk) -> None:
    crowd.ask(desk.corpus, 1)
    batch = desk.open()
    annotator = UserFactory.create(annotator=True)
    assert queue.next_question(worker=annotator, now=desk.now) is None
    posting.cancel_batch(batch=batch, by=desk.operator, now=desk.now)
    assert queue.next_question(worker=annotator, now=desk.now) is not None


def test_a_question_is_in_one_batch_at_a_time(desk: Desk) -> None:
    crowd.ask(desk.corpus, 1)
    desk.open()
    with pytest.raises(Conflict, match="lacks votes"):
        desk.open()


def test_a_batch_may_be_about_some_questions_alone(desk: Desk) -> None:
    one, _ = crowd.ask(desk.corpus, 2)
    batch = desk.open(questions=Question.objects.filter(pk=one.pk))
    assert [hit.questions.get() for hit in batch.hits.all()] == [one]


@pytest.mark.parametrize(
    "options",
    [
        {"kind": "faces"},
        {"reward_cents": 0},
        {"questions_per_hit": 101},
        {"lifetime": timedelta(seconds=1)},
        {"auto_approval": timedelta(days=31)},
    ],
)
def test_what_makes_no_sense_is_refused(desk: Desk, options: dict[str, object]) -> None:
    crowd.ask(desk.corpus, 1)
    with pytest.raises(InvalidInput):
        desk.open(**options)


def test_pay_that_the_provider_would_not_take_is_refused_before_anything_is_written(desk: Desk) -> None:
    desk.provider.least_hourly_cents = 800
    crowd.ask(desk.corpus, 1)
    with pytest.raises(InvalidInput, match="4 cents for 20 s are too few"):
        desk.open(reward_cents=4)
    assert not HitBatch.objects.exists()
    assert desk.money() == (0, 0)
    assert desk.open(reward_cents=5).hits.count() == 1


def test_without_a_reward_a_batch_pays_what_the_time_is_worth(desk: Desk) -> None:
    crowd.ask(desk.corpus, 1)
    batch = desk.open(reward_cents=None)
    assert (batch.reward_cents, batch.estimated_seconds) == (9, 20)  # 20 s of $15 an hour are 8.3 cents


def test_only_operators_open_batches(desk: Desk) -> None:
    crowd.ask(desk.corpus, 1)
    with pytest.raises(NotAllowed):
        desk.open(by=UserFactory.create(annotator=True))


def test_a_tutorial_is_one_hit_without_questions(desk: Desk) -> None:
    batch = crowd.open_tutorial(
        corpus=desk.corpus,
        kind="relation",
        provider="marketplace",
        reward_cents=10,
        places=50,
        by=desk.operator,
        now=desk.now,
    )
    desk.post()
    [hit] = batch.hits.all()
    assert (hit.places, hit.fee_cents, hit.questions.count()) == (50, 4, 0)
    [there] = desk.provider.hits.values()
    assert (there.new.qualified_for, there.new.unqualified_for) == (None, "relation tac-kbp@1")
    crowd.check_books()


def test_corpora_do_not_mix(desk: Desk) -> None:
    crowd.ask(desk.corpus, 1)
    crowd.ask(CorpusFactory.create(), 1)
    assert desk.open().hits.count() == 1


def test_an_answer_from_the_house_counts_beside_the_hits(desk: Desk) -> None:
    [question] = crowd.ask(desk.corpus, 1)
    record(question=question, worker=UserFactory.create(annotator=True), answer=crowd.NONE)
    assert desk.open().hits.get().places == 2
    assert LedgerEntry.objects.get().reserved_change_cents == 2 * UNIT
