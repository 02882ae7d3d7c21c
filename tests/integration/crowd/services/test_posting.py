"""Posting: planned with its money, posted once, whatever is lost; paused, extended, taken back, cancelled."""

from datetime import timedelta

import pytest

from annotations.models import Question, Response
from annotations.responses import record
from crowd import posting, queue
from crowd.models import Hit, HitBatch, HitQuestion, LedgerEntry, Reservation
from crowd.providers.base import NotEnoughMoney, Refused
from kbpo.core.errors import Conflict, InvalidInput, NotAllowed, OverBudget
from tests import crowd
from tests.factories import CorpusFactory, ResponseFactory, UserFactory
from tests.fake_provider import LOST
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
    preview = posting.preview(
        questions=Question.objects.all(),
        kind="relation",
        provider="marketplace",
        reward_cents=15,
        now=desk.now,
    )
    desk.open()
    assert preview == posting.Preview(questions=9, hits=3, places=9, cost_cents=9 * UNIT)
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


def test_only_operators_open_batches(desk: Desk) -> None:
    crowd.ask(desk.corpus, 1)
    with pytest.raises(NotAllowed):
        desk.open(by=UserFactory.create(annotator=True))


# Posting once


def test_what_is_posted_is_written_down(desk: Desk) -> None:
    [hit] = desk.posted()
    assert (hit.state, hit.provider_id, hit.posted_at, hit.posted_places) == ("posted", "HIT1", desk.now, 3)
    assert hit.expires_at == desk.now + timedelta(days=7)
    [there] = desk.provider.hits.values()
    assert there.new.annotation == hit.annotation
    assert there.new.url.endswith(f"/hits/{hit.annotation}/")
    assert there.new.qualified_for == "relation"


def test_a_hit_whose_answer_was_lost_is_found_by_its_token(desk: Desk) -> None:
    crowd.ask(desk.corpus, 1)
    desk.open()
    desk.provider.after["publish"] = [LOST]
    desk.post()
    hit = Hit.objects.get()
    assert (hit.state, hit.error) == ("planned", "the answer was lost")
    assert hit.next_look_at is not None
    assert desk.now < hit.next_look_at < desk.now + timedelta(minutes=1)
    assert desk.post() == 0  # not yet
    desk.wait(minutes=1)
    desk.post()
    assert crowd.states([hit]) == ["posted"]
    assert list(desk.provider.hits) == ["HIT1"]


def test_after_a_day_it_is_found_by_its_annotation(desk: Desk) -> None:
    crowd.ask(desk.corpus, 1)
    desk.open()
    desk.provider.after["publish"] = [LOST]
    desk.post()
    desk.provider.forget_tokens()
    desk.wait(hours=25)
    desk.post()
    assert Hit.objects.get().provider_id == "HIT1"
    assert list(desk.provider.hits) == ["HIT1"]
    assert desk.provider.calls == ["publish", "published_since"]


def test_after_a_day_what_never_arrived_is_posted(desk: Desk) -> None:
    crowd.ask(desk.corpus, 1)
    desk.open()
    desk.provider.before["publish"] = [LOST]
    desk.post()
    desk.wait(hours=25)
    desk.post()
    assert Hit.objects.get().state == "posted"


def test_a_hit_of_a_killed_worker_is_taken_up_when_its_lease_has_run_out(desk: Desk) -> None:
    crowd.ask(desk.corpus, 1)
    desk.open()
    assert posting._claim(desk.now) is not None  # and then the worker was killed
    assert desk.post() == 0
    desk.wait(minutes=11)
    assert desk.post() == 1


def test_waits_grow_while_the_provider_is_away(desk: Desk) -> None:
    crowd.ask(desk.corpus, 1)
    desk.open()
    desk.provider.before["publish"] = [LOST] * 12
    waits = []
    for _ in range(12):
        assert desk.post() == 1
        hit = Hit.objects.get()
        assert hit.next_look_at is not None
        waits.append(hit.next_look_at - desk.now)
        desk.now = hit.next_look_at
    assert waits[0] <= timedelta(seconds=2)
    assert timedelta(minutes=7) < waits[-1] <= timedelta(minutes=15)
    assert desk.post() == 1
    assert crowd.states([hit]) == ["posted"]


def test_what_the_provider_refuses_fails_with_its_reason_and_frees_money_and_questions(desk: Desk) -> None:
    [question] = crowd.ask(desk.corpus, 1)
    desk.open()
    desk.provider.before["publish"] = [Refused("the title is too loud")]
    desk.post()
    hit = Hit.objects.get()
    assert (hit.state, hit.error) == ("failed", "the title is too loud")
    assert desk.money() == (0, 0)
    annotator = UserFactory.create(annotator=True)
    assert queue.next_question(worker=annotator, now=desk.now) == question
    Reservation.objects.all().delete()
    desk.plan()
    assert Hit.objects.count() == 1  # another would be refused again
    assert desk.open().hits.count() == 1
    crowd.check_books()


def test_a_refusal_after_a_lost_answer_does_not_lose_the_hit(desk: Desk) -> None:
    crowd.ask(desk.corpus, 1)
    desk.open()
    desk.provider.after["publish"] = [LOST]
    desk.post()
    desk.provider.before["publish"] = [Refused("something else")]
    desk.wait(minutes=1)
    desk.post()
    assert Hit.objects.get().provider_id == "HIT1"


def test_an_empty_account_pauses_the_batch_and_says_so(desk: Desk) -> None:
    crowd.ask(desk.corpus, 2)
    batch = desk.open()
    desk.provider.before["publish"] = [NotEnoughMoney("$0.54 is needed and $0.00 available")]
    desk.post()
    batch.refresh_from_db()
    assert batch.state == "paused"
    assert "$0.54 is needed" in batch.paused_because
    assert desk.provider.calls == ["publish"]
    posting.resume_batch(batch=batch, by=desk.operator, now=desk.now)
    desk.post()
    assert crowd.states(list(Hit.objects.all())) == ["posted", "posted"]


# Asked again


def test_what_expired_is_asked_again_in_a_new_hit(desk: Desk) -> None:
    [hit] = desk.posted(votes=2)
    desk.send(hit)
    desk.wait(days=8)
    desk.collect()
    desk.decide()
    assert crowd.states([hit]) == ["closed"]
    assert desk.money() == (0, UNIT)  # the empty place was given back
    assert desk.plan() == 1
    new = Hit.objects.latest("pk")
    assert (new.places, list(new.questions.all())) == (1, list(hit.questions.all()))
    crowd.check_books()


def test_one_vote_more_is_one_place_more_in_the_same_hit(desk: Desk) -> None:
    [hit] = desk.posted(votes=2)
    desk.send(hit), desk.send(hit)
    desk.collect()
    desk.decide()
    assert crowd.states([hit]) == ["closed"]
    Question.objects.update(votes_needed=3)
    assert desk.plan() == 1
    desk.provider.after["extend"] = [LOST]  # and it is done all the same
    desk.post()
    desk.wait(minutes=1)
    desk.post()
    assert desk.provider.hits["HIT1"].places == 3
    desk.send(hit)
    desk.collect()
    desk.decide()
    assert Response.objects.filter(is_valid=True).count() == 3
    assert crowd.states([hit]) == ["closed"]
    assert list(desk.provider.hits) == ["HIT1"]
    crowd.check_books()


def test_a_hit_of_nine_places_is_not_extended_to_ten(desk: Desk) -> None:
    [hit] = desk.posted(votes=9)
    for _ in range(9):
        desk.send(hit)
    desk.collect()
    desk.decide()
    Question.objects.update(votes_needed=10)
    assert desk.plan() == 1
    assert Hit.objects.latest("pk").places == 1
    assert Hit.objects.count() == 2


def test_an_extension_that_is_refused_is_asked_in_a_new_hit(desk: Desk) -> None:
    [hit] = desk.posted(votes=2)
    desk.send(hit), desk.send(hit)
    desk.collect()
    desk.decide()
    Question.objects.update(votes_needed=3)
    desk.plan()
    desk.provider.before["extend"] = [Refused("no")]
    desk.post()
    desk.collect()
    assert crowd.states([hit]) == ["closed"]
    assert desk.money() == (0, 2 * UNIT)
    assert desk.plan() == 1
    assert Hit.objects.latest("pk") != hit
    crowd.check_books()


def test_a_budget_that_is_used_up_pauses_the_batch(desk: Desk) -> None:
    [hit] = desk.posted(votes=1)
    desk.send(hit)
    desk.collect()
    desk.decide()
    desk.budget.refresh_from_db()
    desk.budget.cap_cents = UNIT
    desk.budget.save()
    Question.objects.update(votes_needed=2)
    assert desk.plan() == 0
    batch = HitBatch.objects.get()
    assert batch.state == "paused"
    assert "$0.18 are needed" in batch.paused_because
    crowd.check_books()


def test_a_batch_is_finished_when_its_questions_have_their_votes(desk: Desk) -> None:
    [hit] = desk.posted(votes=1)
    desk.send(hit)
    desk.collect()
    desk.decide()
    desk.plan()
    assert HitBatch.objects.get().state == "open"  # it is not settled yet
    Question.objects.update(state="settled", settled_at=desk.now)
    desk.plan()
    assert HitBatch.objects.get().state == "finished"


# Operators


def test_a_paused_batch_posts_nothing_and_a_resumed_one_goes_on(desk: Desk) -> None:
    crowd.ask(desk.corpus, 1)
    batch = posting.pause_batch(batch=desk.open(), by=desk.operator, reason="Lunch", now=desk.now)
    assert "Lunch" in batch.paused_because
    assert desk.post() == 0
    posting.resume_batch(batch=batch, by=desk.operator, now=desk.now)
    assert desk.post() == 1


def test_what_a_paused_batch_has_out_is_collected(desk: Desk) -> None:
    [hit] = desk.posted(votes=1)
    posting.pause_batch(batch=hit.batch, by=desk.operator, reason="Lunch", now=desk.now)
    desk.send(hit)
    desk.collect()
    assert Response.objects.count() == 1


def test_an_expired_batch_takes_its_hits_back_and_frees_what_is_left(desk: Desk) -> None:
    [hit] = desk.posted(votes=3)
    desk.send(hit)
    batch = posting.expire_batch(batch=hit.batch, by=desk.operator, now=desk.now)
    desk.post()
    desk.collect()
    desk.decide()
    assert crowd.states([hit, batch]) == ["closed", "paused"]
    assert desk.money() == (0, UNIT)
    posting.resume_batch(batch=batch, by=desk.operator, now=desk.now)
    assert desk.plan() == 1
    crowd.check_books()


def test_who_is_at_it_may_finish_when_a_batch_is_taken_back(desk: Desk) -> None:
    [hit] = desk.posted(votes=2)
    desk.provider.hits["HIT1"].held = 1
    posting.expire_batch(batch=hit.batch, by=desk.operator, now=desk.now)
    desk.post()
    desk.collect()
    assert crowd.states([hit]) == ["posted"]
    assert desk.money() == (2 * UNIT, 0)
    desk.provider.hits["HIT1"].held = 0
    desk.send(hit)
    desk.collect()
    desk.decide()
    assert crowd.states([hit]) == ["closed"]
    assert desk.money() == (0, UNIT)


def test_a_batch_can_be_found_for_longer(desk: Desk) -> None:
    [hit] = desk.posted()
    until = desk.now + timedelta(days=30)
    posting.extend_batch(batch=hit.batch, by=desk.operator, until=until, now=desk.now)
    desk.post()
    hit.refresh_from_db()
    assert hit.expires_at == desk.provider.hits["HIT1"].expires_at == until


def test_a_cancelled_batch_posts_nothing_and_gives_its_money_back(desk: Desk) -> None:
    crowd.ask(desk.corpus, 2)
    batch = desk.open()
    posting.cancel_batch(batch=batch, by=desk.operator, now=desk.now)
    assert desk.post() == 0
    assert crowd.states(list(Hit.objects.all())) == ["cancelled", "cancelled"]
    assert desk.money() == (0, 0)
    assert not HitQuestion.objects.filter(is_active=True).exists()
    crowd.check_books()


def test_a_cancelled_batch_pays_what_was_done(desk: Desk) -> None:
    [hit] = desk.posted(votes=3)
    desk.send(hit)
    posting.cancel_batch(batch=hit.batch, by=desk.operator, now=desk.now)
    desk.post()
    desk.collect()
    desk.decide()
    assert crowd.states([hit]) == ["closed"]
    assert desk.money() == (0, UNIT)
    assert desk.plan() == 0
    crowd.check_books()


@pytest.mark.parametrize("arrived", [True, False])
def test_a_hit_that_may_be_out_is_looked_for_when_its_batch_is_cancelled(desk: Desk, arrived: bool) -> None:
    crowd.ask(desk.corpus, 1)
    batch = desk.open()
    (desk.provider.after if arrived else desk.provider.before)["publish"] = [LOST]
    desk.post()
    posting.cancel_batch(batch=batch, by=desk.operator, now=desk.now)
    assert desk.post() == 0  # it may still be on its way
    desk.wait(minutes=30)
    while desk.post():
        pass
    desk.collect()
    assert Hit.objects.get().state == ("closed" if arrived else "cancelled")
    assert desk.money() == (0, 0)
    assert all(hit.expires_at <= desk.now for hit in desk.provider.hits.values())
    crowd.check_books()


def test_a_hit_that_is_cancelled_while_it_is_posted_is_taken_back(desk: Desk) -> None:
    crowd.ask(desk.corpus, 1)
    batch = desk.open()
    publish = desk.provider.publish

    def publish_and_cancel(new: object) -> object:
        posting.cancel_batch(batch=batch, by=desk.operator, now=desk.now)
        return publish(new)  # type: ignore[arg-type]

    desk.provider.publish = publish_and_cancel  # type: ignore[method-assign,assignment]
    desk.post()
    desk.collect()
    assert Hit.objects.get().state == "closed"
    assert desk.provider.hits["HIT1"].expires_at <= desk.now
    crowd.check_books()


def test_what_is_cancelled_stays_cancelled(desk: Desk) -> None:
    crowd.ask(desk.corpus, 1)
    batch = desk.open()
    posting.cancel_batch(batch=batch, by=desk.operator, now=desk.now)
    for act in (posting.cancel_batch, posting.resume_batch, posting.expire_batch):
        with pytest.raises(Conflict, match="cancelled"):
            act(batch=batch, by=desk.operator, now=desk.now)


def test_a_tutorial_is_one_hit_without_questions(desk: Desk) -> None:
    batch = posting.open_tutorial(
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
    assert (there.new.qualified_for, there.new.unqualified_for) == (None, "relation")
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
