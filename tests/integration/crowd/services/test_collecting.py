"""Collecting: every answer counted once, or kept with what is wrong; HITs ended when nothing can come."""

import ast
import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations import conflicts
from annotations.models import Response
from annotations.ontologies import load_guidelines
from crowd import budget, collecting, page_names, posting, qualifying, review
from crowd.collecting import identify
from crowd.hits import places
from crowd.models import Assignment, Hit
from crowd.quality import checking
from kbpo.accounts.models import User, WorkerIdentity
from kbpo.core.errors import Conflict
from tests import crowd
from tests.arrivals import sealed
from tests.factories import QuestionFactory, TeamFactory, UserFactory
from tests.fake_provider import LOST
from tests.integration.crowd.services.conftest import Desk

UNIT = 18


@pytest.fixture
def hit(desk: Desk) -> Hit:
    return desk.posted(votes=3)[0]


def test_an_answer_becomes_a_vote_of_its_worker(desk: Desk, hit: Hit) -> None:
    ident = desk.send(hit, "W7")
    assert desk.collect() == 1
    response = Response.objects.get()
    assert (response.question, response.answer["none"], response.seconds) == (hit.questions.get(), True, 12.0)
    identity = WorkerIdentity.objects.get(provider="marketplace", worker_id="W7")
    assert response.worker == identity.user
    assignment = desk.assignment(ident)
    assert (assignment.state, assignment.worker, assignment.problem, assignment.flag) == (
        "submitted",
        identity,
        "",
        "",
    )
    assert list(assignment.responses.all()) == [response]


def test_looking_again_changes_nothing(desk: Desk, hit: Hit) -> None:
    desk.send(hit)
    desk.collect()
    before = list(Assignment.objects.values())
    assert desk.collect() == 0
    assert list(Assignment.objects.values()) == before
    assert Response.objects.count() == 1


def test_the_row_that_the_page_made_is_the_row_that_is_collected(desk: Desk, hit: Hit) -> None:
    begun = Assignment.objects.create(
        hit=hit, provider_id="A1", provider_worker_id="W7", begun_at=desk.now, draft={"x": 1}
    )
    desk.send(hit, "W7", ident="A1")
    desk.collect()
    begun.refresh_from_db()
    assert (begun.state, begun.draft, Assignment.objects.count()) == ("submitted", {"x": 1}, 1)


def test_an_id_that_comes_back_with_another_worker_is_other_work(desk: Desk, hit: Hit) -> None:
    Assignment.objects.create(hit=hit, provider_id="A1", provider_worker_id="W6", begun_at=desk.now)
    desk.send(hit, "W7", ident="A1")
    desk.collect()
    states = dict(Assignment.objects.values_list("provider_worker_id", "state"))
    assert states == {"W6": "begun", "W7": "submitted"}
    assert Response.objects.count() == 1


def test_a_worker_of_whom_nothing_is_known_becomes_a_person_who_cannot_sign_in(db: None) -> None:
    identity = identify(provider="mturk", worker_id="A3XYZ")
    user = identity.user
    assert user.email == "a3xyz@mturk.invalid"
    assert (user.is_annotator, user.is_active, user.has_usable_password()) == (True, False, False)
    assert identify(provider="mturk", worker_id="A3XYZ") == identity
    assert User.objects.count() == 1


def test_an_address_that_is_taken_keeps_nobody_from_being_known(db: None) -> None:
    squatter = UserFactory.create(email="a3xyz@mturk.invalid")
    identity = identify(provider="mturk", worker_id="A3XYZ")
    assert identity.user != squatter
    assert identify(provider="mturk", worker_id="A3XYZ") == identity
    assert identify(provider="mturk", worker_id="a3xyz") != identity


@pytest.mark.parametrize(("version", "counts"), [(1, True), (2, False)])
def test_an_answer_whose_page_is_not_known_says_under_which_guidelines_it_was_given(
    desk: Desk, hit: Hit, tmp_path: Path, version: int, counts: bool
) -> None:
    (tmp_path / "own.toml").write_text('[types]\nPER = "People alone."\n', encoding="utf-8")
    load_guidelines(path=tmp_path / "own.toml", corpus=hit.batch.corpus)
    answer = json.loads(crowd.answer_json(hit.questions.all()))
    ident = desk.send(hit, text=json.dumps({**answer, "guidelines": version}))
    desk.collect()
    assert list(Response.objects.values_list("guidelines__version", flat=True)) == [1] * counts
    assert ("version 2 of the guidelines" in desk.assignment(ident).problem) == (not counts)


# Answers that cannot be counted


@pytest.mark.parametrize(
    "seal", [{}, {"seal": ""}, {"seal": "made-up"}, {"seal": "\u00e9"}], ids=["none", "empty", "false", "odd"]
)
def test_an_answer_that_went_past_our_page_is_kept_for_a_person_and_no_vote(
    desk: Desk, hit: Hit, seal: dict[str, str]
) -> None:
    text = crowd.answer_json(hit.questions.all())
    work = desk.provider.send(hit.provider_id or "", "A1", "W7", {"answer": text})
    desk.provider.hits[hit.provider_id or ""].works["A1", "W7"] = replace(
        work, fields={"answer": text} | seal
    )
    desk.collect()
    assignment = desk.assignment("A1")
    assert "did not go through the task's page" in assignment.problem
    assert assignment.flag
    assert text in assignment.raw
    assert assignment.decision == ""
    assert not Response.objects.exists()


@pytest.mark.parametrize("changed", ["hit", "assignment_id", "worker_id", "text"])
def test_the_seal_of_other_work_is_none(desk: Desk, changed: str) -> None:
    hit, other = desk.posted(documents=2, questions_per_hit=1)
    text = crowd.answer_json(hit.questions.all())
    made_for = {"hit": hit, "assignment_id": "A1", "worker_id": "W7", "text": text}
    made_for |= {"hit": other} if changed == "hit" else {changed: "x"} if changed != "hit" else {}
    seal = sealed(**made_for)["seal"]  # type: ignore[arg-type]
    desk.provider.send(hit.provider_id or "", "A1", "W7", {"answer": text, "seal": seal})
    desk.collect()
    assert "did not go through the task's page" in desk.assignment("A1").problem
    assert not Response.objects.exists()


def test_what_the_page_had_sent_before_needs_no_seal(desk: Desk, hit: Hit) -> None:
    """As from pages that were open when answers began to be sealed."""
    text = crowd.answer_json(hit.questions.all())
    stored = {"hit": hit, "provider_id": "A1", "provider_worker_id": "W7", "begun_at": desk.now}
    Assignment.objects.create(**stored, answer=json.loads(text))
    desk.provider.send(hit.provider_id or "", "A1", "W7", {"answer": text, "seal": ""})
    desk.collect()
    assert desk.assignment("A1").problem == ""
    assert Response.objects.count() == 1


def test_an_answer_names_its_questions_as_its_page_does(desk: Desk, hit: Hit) -> None:
    places.settle(hit)
    data = json.loads(crowd.answer_json(hit.questions.all()))
    text = json.dumps(page_names.conceal(hit, data))
    assert str(hit.questions.get().pk) != json.loads(text)["answers"][0]["question"]
    desk.send(hit, "W7", text=text)
    desk.collect()
    assert Response.objects.get().question == hit.questions.get()


HUGE = f'{{"question": QUESTION, "seconds": {"9" * 400}, "answer": {{"none": true}}}}'


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"version": 1}', "null", f'{{"version": 1, "answers": [{HUGE}]}}'],
    ids=lambda text: text[:40],
)
def test_an_unreadable_answer_is_kept_and_flagged_and_no_vote(desk: Desk, hit: Hit, text: str) -> None:
    text = text.replace("QUESTION", str(hit.questions.get().pk))
    ident = desk.send(hit, text=text)
    desk.collect()
    assignment = desk.assignment(ident)
    assert assignment.problem
    assert assignment.flag.startswith("An answer could not be counted")
    assert ast.literal_eval(assignment.raw)["answer"] == text
    assert assignment.state == "submitted"
    assert not Response.objects.exists()


def test_what_the_page_sent_us_stands_in_for_an_answer_that_is_unreadable(desk: Desk, hit: Hit) -> None:
    question = hit.questions.get()
    stored = {"version": 1, "answers": [{"question": question.pk, "answer": crowd.NONE}]}
    Assignment.objects.create(hit=hit, provider_id="A1", provider_worker_id="W7", answer=stored)
    desk.send(hit, "W7", ident="A1", text="garbled")
    desk.collect()
    assert Response.objects.get().question == question
    assert desk.assignment("A1").problem == ""


def test_an_answer_to_another_question_is_no_vote(desk: Desk, hit: Hit) -> None:
    other = QuestionFactory.create()
    ident = desk.send(hit, text=crowd.answer_json([other]))
    desk.collect()
    assert "not asked here" in desk.assignment(ident).problem
    assert not Response.objects.exists()


def test_a_worker_who_has_answered_before_gives_no_second_vote(desk: Desk, hit: Hit) -> None:
    identity = identify(provider="marketplace", worker_id="W7")
    Response.objects.create(question=hit.questions.get(), worker=identity.user, answer={"none": True})
    ident = desk.send(hit, "W7")
    desk.collect()
    assignment = desk.assignment(ident)
    assert "answered by this worker before" in assignment.problem
    assert not assignment.responses.exists()
    assert Response.objects.count() == 1


def test_a_worker_whose_team_competes_gives_no_vote_and_is_paid(desk: Desk, hit: Hit) -> None:
    user = identify(provider="marketplace", worker_id="W7").user
    conflicts.add_competitor(corpus=desk.corpus, team=TeamFactory.create(members=[user]))
    ident = desk.send(hit, "W7")
    desk.collect()
    assert "competes" in desk.assignment(ident).problem
    review.approve(assignment=desk.assignment(ident), by=desk.operator, now=desk.now)
    crowd.tell(desk.now)
    assert desk.assignment(ident).state == "approved"
    assert desk.money() == (2 * UNIT, UNIT)


def test_of_several_answers_those_count_that_can(desk: Desk) -> None:
    crowd.ask(desk.corpus, 1, companions=True)
    hit = desk.open().hits.get()
    desk.post()
    user = identify(provider="marketplace", worker_id="W7").user
    taken = hit.questions.order_by("pk").first()
    assert taken is not None
    Response.objects.create(question=taken, worker=user, answer={"none": True})
    ident = desk.send(hit, "W7")
    desk.collect()
    assignment = desk.assignment(ident)
    assert assignment.responses.count() == 2
    assert assignment.problem == f"Question {taken.pk} was answered by this worker before."


def test_a_vote_that_did_not_count_is_asked_of_somebody_else(desk: Desk) -> None:
    [hit] = desk.posted(votes=1)
    desk.send(hit, text="garbled")
    desk.collect()
    assert desk.plan() == 1
    desk.post()
    desk.send(hit)
    desk.collect()
    assert Response.objects.filter(is_valid=True).count() == 1
    crowd.check_books()


# Flags


@pytest.fixture
def suspicious(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    words: list[str] = []
    found = checking.flags

    def flags(*, assignment: Assignment) -> tuple[str, ...]:
        return (*found(assignment=assignment), *words)

    monkeypatch.setattr(checking, "flags", flags)
    return words


def test_flagged_work_settles_nothing_until_a_person_has_looked(desk: Desk, suspicious: list[str]) -> None:
    [hit] = desk.posted(votes=1)
    suspicious.append("Four times as fast as others")
    ident = desk.send(hit)
    desk.collect()
    assert desk.assignment(ident).flag == "Four times as fast as others"
    assert not Response.objects.get().is_valid
    assert desk.plan() == 0  # nor is it asked of somebody else meanwhile
    with pytest.raises(Conflict):
        desk.open()
    review.approve(assignment=desk.assignment(ident), by=desk.operator, now=desk.now)
    crowd.tell(desk.now)
    assert Response.objects.get().is_valid


def test_gold_is_recorded_and_changes_nothing(desk: Desk, hit: Hit) -> None:
    gold = QuestionFactory.create(settled=True)
    Assignment.objects.create(hit=hit, provider_id="A1", provider_worker_id="W7", gold=gold)
    asked = [*hit.questions.all(), gold]
    desk.send(hit, "W7", ident="A1", text=crowd.answer_json(asked))
    desk.collect()
    assert set(desk.assignment("A1").responses.values_list("question", flat=True)) == {q.pk for q in asked}
    gold.refresh_from_db()
    assert gold.state == "settled"


# The end of a HIT


def test_a_full_hit_frees_its_questions_and_is_closed_when_all_is_decided(desk: Desk, hit: Hit) -> None:
    for _ in range(3):
        desk.send(hit)
    desk.collect()
    hit.refresh_from_db()
    assert (hit.state, hit.ended_at) == ("posted", desk.now)
    assert not hit.hit_questions.filter(is_active=True).exists()
    desk.decide()
    assert crowd.states([hit]) == ["closed"]
    crowd.check_books()


def test_a_hit_that_expires_empty_gives_everything_back(desk: Desk, hit: Hit) -> None:
    desk.wait(days=8)
    desk.collect()
    assert crowd.states([hit]) == ["closed"]
    assert desk.money() == (0, 0)
    crowd.check_books()


def test_a_hit_that_is_gone_at_the_provider_ends(desk: Desk, hit: Hit) -> None:
    desk.provider.hits.clear()
    desk.collect()
    assert crowd.states([hit]) == ["closed"]
    assert hit.error == "no HIT HIT1"
    assert desk.money() == (0, 0)


def cap(desk: Desk, cents: int) -> None:
    desk.budget.refresh_from_db()
    desk.budget.cap_cents = cents
    desk.budget.save()


def hide(desk: Desk, ident: str) -> Any:
    """Have the provider lose sight of work for a while; return what shows it again."""
    hit = desk.provider.hits["HIT1"]
    [key] = [key for key in hit.works if key[0] == ident]
    hit.unlisted[key] = hit.works.pop(key)

    def show() -> None:
        hit.works[key] = hit.unlisted.pop(key)

    return show


def test_the_money_for_work_that_is_sent_and_not_listed_yet_is_kept(desk: Desk, hit: Hit) -> None:
    show = hide(desk, desk.send(hit))
    posting.expire_batch(batch=hit.batch, by=desk.operator, now=desk.now)
    desk.post()
    cap(desk, 3 * UNIT)
    desk.collect()
    assert crowd.states([hit]) == ["posted"]
    assert desk.money() == (3 * UNIT, 0)
    show()
    desk.collect()
    desk.decide()
    assert crowd.states([hit]) == ["closed"]
    assert desk.money() == (0, UNIT)
    crowd.check_books()


def test_work_that_is_never_listed_is_not_waited_for_forever(desk: Desk, hit: Hit) -> None:
    hide(desk, desk.send(hit))
    desk.wait(days=8)
    desk.collect()
    assert crowd.states([hit]) == ["closed"]
    assert desk.money() == (0, 0)


def late(desk: Desk, hit: Hit) -> str:
    """Send work of which the provider knows nothing when its HIT is over, and have it collected then."""
    desk.send(hit)
    ident = desk.send(hit)
    works = desk.provider.hits["HIT1"].works
    work = works.pop((ident, f"W{desk.sent}"))
    desk.wait(days=8)
    desk.collect()
    works[ident, work.worker_id] = work
    return ident


def test_work_that_comes_after_the_end_is_counted_and_its_money_set_aside_again(desk: Desk, hit: Hit) -> None:
    late(desk, hit)
    desk.collect()
    assert Response.objects.filter(is_valid=True).count() == 2
    assert desk.money() == (2 * UNIT, 0)
    crowd.check_books()
    desk.decide()
    assert desk.money() == (0, 2 * UNIT)
    crowd.check_books()


def test_late_work_locks_its_questions_before_the_budgets(desk: Desk, hit: Hit) -> None:
    late(desk, hit)
    with CaptureQueriesContext(connection) as queries:
        desk.collect()
    order = ["crowd_hit", "annotations_question", "crowd_budget"]
    assert [table for table in crowd.locked(queries) if table in order] == order


def test_work_that_no_budget_has_room_for_is_owed_and_paid_when_there_is(desk: Desk, hit: Hit) -> None:
    ident = late(desk, hit)
    cap(desk, UNIT)
    desk.collect()
    crowd.check_books()
    assert desk.assignment(ident).is_covered is False
    assert "are needed" in desk.assignment(ident).error
    assert budget.owed() == budget.Owed(assignments=1, bonuses=0, cents=UNIT)
    assert desk.decide() == 2  # one is approved; the provider does not hear of the other
    assert desk.provider.calls.count("approve") == 1
    assert desk.money() == (0, UNIT)
    crowd.check_books()
    cap(desk, 2 * UNIT)
    desk.wait(hours=2)
    desk.decide()
    assert desk.assignment(ident).state == "approved"
    assert desk.money() == (0, 2 * UNIT)
    assert budget.owed() == budget.Owed(assignments=0, bonuses=0, cents=0)
    assert crowd.states([hit]) == ["closed"]
    crowd.check_books()


def test_work_that_is_owed_may_be_rejected(desk: Desk, hit: Hit) -> None:
    ident = late(desk, hit)
    cap(desk, UNIT)
    desk.collect()
    review.reject(assignment=desk.assignment(ident), by=desk.operator, reason="Random", now=desk.now)
    desk.decide()
    assert desk.money() == (0, UNIT)
    assert budget.owed().assignments == 0
    crowd.check_books()


def test_the_place_of_rejected_work_keeps_its_money_where_the_provider_fills_it_again(
    desk: Desk, hit: Hit
) -> None:
    desk.provider.reopens_rejected = True
    ident = desk.send(hit)
    desk.collect()
    cap(desk, 3 * UNIT)
    review.reject(assignment=desk.assignment(ident), by=desk.operator, reason="Random", now=desk.now)
    crowd.tell(desk.now)
    desk.provider.hits["HIT1"].places += 1  # by itself
    assert desk.money() == (3 * UNIT, 0)
    crowd.check_books()
    for _ in range(3):
        desk.send(hit)
    desk.collect()
    desk.decide()
    assert desk.money() == (0, 3 * UNIT)
    assert crowd.states([hit]) == ["closed"]
    crowd.check_books()


def test_what_the_provider_approved_by_itself_is_paid_here(desk: Desk, hit: Hit) -> None:
    ident = desk.send(hit)
    desk.collect()
    desk.provider.decide(ident, "approved")
    desk.collect()
    assert desk.assignment(ident).state == "approved"
    assert desk.money() == (2 * UNIT, UNIT)
    crowd.check_books()


def test_what_was_approved_before_it_was_seen_is_counted_and_paid(desk: Desk, hit: Hit) -> None:
    ident = desk.send(hit)
    desk.provider.decide(ident, "approved")
    desk.collect()
    assert desk.assignment(ident).state == "approved"
    assert Response.objects.get().is_valid
    crowd.check_books()


def test_what_was_rejected_by_other_hands_costs_nothing_and_does_not_count(desk: Desk, hit: Hit) -> None:
    ident = desk.send(hit)
    desk.provider.decide(ident, "rejected")
    desk.collect()
    assert desk.assignment(ident).state == "rejected"
    assert not Response.objects.filter(is_valid=True).exists()
    assert desk.money() == (2 * UNIT, 0)
    crowd.check_books()


# When a HIT is looked at


def look(desk: Desk) -> Any:
    return collecting.collect_next(now=desk.now, due_by=desk.now, rng=Random(0))


def test_looks_grow_rare_while_nothing_comes_and_stop_growing_at_half_an_hour(desk: Desk, hit: Hit) -> None:
    pauses = []
    for _ in range(40):
        hit.refresh_from_db()
        assert hit.next_look_at is not None
        pauses.append(hit.next_look_at - desk.now)
        desk.now = hit.next_look_at
        assert look(desk) == 0
    assert pauses[0] == timedelta(seconds=10)
    assert timedelta(minutes=27) <= pauses[-1] <= timedelta(minutes=33)


def test_a_hit_is_looked_at_soon_after_something_came(desk: Desk, hit: Hit) -> None:
    desk.wait(hours=5)
    look(desk)
    desk.send(hit)
    desk.wait(minutes=40)
    assert look(desk) == 1
    hit.refresh_from_db()
    assert hit.next_look_at is not None
    assert hit.next_look_at - desk.now < timedelta(seconds=6)


def test_a_page_that_has_sent_an_answer_has_its_hit_looked_at(desk: Desk, hit: Hit) -> None:
    desk.wait(hours=5)
    look(desk)
    collecting.look_soon(hit_id=hit.pk, now=desk.now)
    hit.refresh_from_db()
    assert hit.next_look_at == desk.now + collecting.SOONEST


def test_a_look_that_fails_is_tried_again_later(desk: Desk, hit: Hit) -> None:
    desk.send(hit)
    desk.provider.before["collect"] = [LOST]
    desk.collect()
    hit.refresh_from_db()
    assert hit.error == "the answer was lost"
    assert not Response.objects.exists()
    desk.wait(minutes=1)
    assert look(desk) == 1
    hit.refresh_from_db()
    assert hit.error == ""


def test_a_kill_between_two_answers_loses_neither(
    desk: Desk, hit: Hit, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.send(hit), desk.send(hit)
    take_in = collecting._take_in
    taken: list[int] = []

    def killed(*arguments: Any) -> int:
        if taken:
            raise KeyboardInterrupt
        taken.append(1)
        return take_in(*arguments)

    monkeypatch.setattr(collecting, "_take_in", killed)
    with pytest.raises(KeyboardInterrupt):
        desk.collect()
    monkeypatch.setattr(collecting, "_take_in", take_in)
    assert Response.objects.count() == 1
    assert desk.collect() == 0  # its lease holds
    desk.wait(minutes=11)
    assert desk.collect() == 1
    assert Response.objects.count() == 2


def test_a_tutorial_is_settled_when_it_is_collected(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    settled = []
    monkeypatch.setattr(qualifying, "settle_tutorial", lambda *, assignment, now: settled.append(assignment))
    batch = crowd.open_tutorial(
        corpus=desk.corpus,
        kind="relation",
        provider="marketplace",
        reward_cents=10,
        places=5,
        by=desk.operator,
        now=desk.now,
    )
    desk.post()
    ident = desk.send(batch.hits.get(), text="{}")
    desk.collect()
    assert settled == [desk.assignment(ident)]
    assert desk.assignment(ident).flag == ""


def test_two_questions_of_a_worker_who_is_unknown_make_one_person(desk: Desk) -> None:
    first, second = desk.posted(documents=2, votes=1)
    desk.send(first, "W7"), desk.send(second, "W7")
    desk.collect()
    assert Response.objects.values("worker").distinct().count() == 1
    assert budget.audit().balances
