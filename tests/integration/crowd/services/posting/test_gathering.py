"""Third votes under `curtailed`: gathered for a HIT, and asked of nobody who has voted."""

from typing import Any

import pytest

from annotations import labels
from annotations.models import Corpus, Question, Response
from crowd import posting
from crowd.hits.arrivals import Arrival
from crowd.models import Hit
from crowd.posting import planning
from crowd.providers.prolific import rules
from kbpo.core.errors import Conflict
from tests import arrivals, crowd
from tests.integration.crowd.services.conftest import Desk

pytestmark = pytest.mark.django_db
LIVED = {"relations": [{"predicate": "per:place_of_residence", "subject": 0}]}


@pytest.fixture
def desk(desk: Desk) -> Desk:
    Corpus.objects.update(policy="curtailed")
    desk.corpus.refresh_from_db()
    return desk


def differ(desk: Desk, hits: list[Hit], *, disputed: int) -> list[Question]:
    """Have two workers do each HIT, and differ on the first questions of each; return these."""
    about = [one for hit in hits for one in hit.questions.order_by("pk")[:disputed]]

    def say(question: Question) -> Any:
        return crowd.BORN if question in about else crowd.NONE

    for number, hit in enumerate(hits):
        desk.send(hit, worker=f"A{number}", say=say)
        desk.send(hit, worker=f"B{number}")
    _settle(desk)
    return about


def _settle(desk: Desk) -> None:
    """Have what was sent counted, as answered just now."""
    counted = list(Response.objects.values_list("pk", flat=True))
    desk.collect()
    desk.decide()
    Response.objects.exclude(pk__in=counted).update(answered_at=desk.now)
    labels.settle_questions()


def newest(number: int = 1) -> list[tuple[int, list[Question]]]:
    hits = reversed(Hit.objects.order_by("-pk")[:number])
    return [(hit.places, list(hit.questions.order_by("pk"))) for hit in hits]


def test_a_question_on_which_two_agree_is_settled_and_not_asked_again(desk: Desk) -> None:
    hits = desk.posted(documents=2, votes=2, questions_per_hit=2)
    differ(desk, hits, disputed=0)
    desk.wait(hours=1)
    assert desk.plan() == 1  # the batch is finished
    assert set(Question.objects.values_list("state", flat=True)) == {"settled"}
    assert Hit.objects.count() == 1


def test_a_third_vote_waits_for_others_for_half_an_hour(desk: Desk) -> None:
    hits = desk.posted(documents=2, votes=2, questions_per_hit=2)
    disputed = differ(desk, hits, disputed=1)
    desk.wait(minutes=29)
    assert (desk.plan(), hits[0].batch.hits.count()) == (0, 1)
    desk.wait(minutes=1)
    assert desk.plan() == 1
    assert newest() == [(1, disputed)]
    crowd.check_books()


def test_third_votes_that_fill_a_hit_are_asked_at_once(desk: Desk) -> None:
    hits = desk.posted(documents=8, votes=2, questions_per_hit=2)
    disputed = differ(desk, hits, disputed=1)
    assert desk.plan() == 2
    assert newest(2) == [(1, disputed[:2]), (1, disputed[2:])]
    crowd.check_books()


def test_a_full_hit_on_all_of_which_two_differ_is_given_another_place_at_once(desk: Desk) -> None:
    hits = desk.posted(documents=2, votes=2, questions_per_hit=2)
    differ(desk, hits, disputed=2)
    assert desk.plan() == 1
    assert [hit.places for hit in Hit.objects.all()] == [3]


def test_first_votes_that_are_missing_are_asked_for_at_once(desk: Desk) -> None:
    [hit] = desk.posted(documents=1, votes=2, questions_per_hit=2)
    desk.send(hit)
    desk.wait(days=8)
    desk.collect()
    desk.decide()
    Response.objects.update(answered_at=desk.now)
    assert desk.plan() == 1
    assert newest() == [(1, list(hit.questions.all()))]


def test_half_of_those_who_vote_can_do_every_hit(desk: Desk) -> None:
    """Four people voted, in two pairs: a HIT with a question of each pair would be for nobody."""
    hits = desk.posted(documents=4, votes=2, questions_per_hit=2)
    disputed = differ(desk, hits, disputed=1)
    assert desk.plan() == 0
    desk.wait(minutes=30)
    assert desk.plan() == 2
    assert newest(2) == [(1, [one]) for one in disputed]


def test_nobody_who_voted_is_asked_for_the_third_vote(desk: Desk) -> None:
    hits = desk.posted(documents=8, votes=2, questions_per_hit=2)
    differ(desk, hits, disputed=1)
    desk.plan()
    for hit in Hit.objects.order_by("-pk")[:2]:
        voters = set(
            Response.objects.filter(question__in=hit.questions.all()).values_list(
                "worker__worker_identities__worker_id", flat=True
            )
        )
        assert len(voters) == 4
        for worker in ("A0", "A1", "A2", "A3", "B0", "B1", "B2", "B3", "C"):
            arrival = Arrival(provider="marketplace", assignment_id=f"{hit.pk} {worker}", worker_id=worker)
            if worker in voters:
                with pytest.raises(Conflict, match="You have answered this, or a part of it, before"):
                    arrivals.begin(hit=hit, arrival=arrival, is_verified=True, now=desk.now)
            else:
                arrivals.begin(hit=hit, arrival=arrival, is_verified=True, now=desk.now)


def test_a_hit_of_third_votes_that_is_not_full_pays_for_what_it_asks(desk: Desk) -> None:
    hits = desk.posted(documents=10, votes=2, questions_per_hit=10, reward_cents=90)
    differ(desk, hits, disputed=1)
    desk.wait(minutes=30)
    assert desk.plan() == 1
    assert [hit.reward_cents for hit in Hit.objects.order_by("pk")] == [90, 9]
    crowd.check_books()


def test_it_pays_no_less_than_the_provider_takes(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    hits = desk.posted(documents=10, votes=2, questions_per_hit=10, reward_cents=90)
    differ(desk, hits, disputed=1)
    desk.wait(minutes=30)

    def check_pay(*, reward_cents: int, seconds: int) -> None:
        rules.check_pay(reward_cents, rules.estimated_minutes(seconds, seconds))

    monkeypatch.setattr(desk.provider, "check_pay", check_pay)
    desk.plan()
    assert Hit.objects.latest("pk").reward_cents == 14  # $8.40 an hour, as Prolific counts in whole minutes


def test_what_an_open_batch_gathers_is_asked_by_no_other(desk: Desk) -> None:
    hits = desk.posted(documents=2, votes=2, questions_per_hit=2)
    differ(desk, hits, disputed=1)
    with pytest.raises(Conflict, match="lacks votes that nobody is asked for"):
        desk.open(questions_per_hit=10)


def test_another_batch_asks_disputed_questions_so_that_half_of_those_who_voted_can(desk: Desk) -> None:
    hits = desk.posted(documents=8, votes=2, questions_per_hit=2)
    disputed = differ(desk, hits, disputed=1)
    posting.cancel_batch(batch=hits[0].batch, by=desk.operator, now=desk.now)
    second = desk.open(questions_per_hit=10)
    asked = [list(hit.questions.order_by("pk")) for hit in second.hits.order_by("pk")]
    assert asked == [disputed[:2], disputed[2:]]


@pytest.mark.slow
def test_in_parts_disputed_questions_make_the_hits_that_were_paid_for(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    hits = desk.posted(documents=16, votes=2, questions_per_hit=2)
    disputed = differ(desk, hits, disputed=1)
    posting.cancel_batch(batch=hits[0].batch, by=desk.operator, now=desk.now)
    monkeypatch.setattr(planning, "AT_ONCE", 1)
    second = desk.open(questions_per_hit=10)
    reserved = desk.money()
    while posting.plan_next(now=desk.now):
        pass
    assert [hit.questions.count() for hit in second.hits.all()] == [len(disputed) // 2] * 2
    assert desk.money() == reserved
    crowd.check_books()


def test_a_hit_of_which_one_question_is_asked_elsewhere_by_now_does_not_grow(desk: Desk) -> None:
    """A HIT is split: one of its questions fills another HIT, one waits; then both need a vote again."""
    crowd.ask(desk.corpus, 4)
    Question.objects.update(votes_needed=2)
    batch = desk.open(questions_per_hit=2)
    desk.post()
    one, other = batch.hits.order_by("pk")
    first, _ = one.questions.order_by("pk")
    disputed = [first, *other.questions.order_by("pk")]
    for hit in (one, other):
        desk.send(hit, worker="A", say=lambda question: crowd.BORN if question in disputed else crowd.NONE)
        desk.send(hit, worker="B")
    _settle(desk)
    assert desk.plan() == 1
    assert newest() == [(1, disputed[:2])]
    desk.post()
    posting.pause_batch(batch=batch, by=desk.operator, reason="lunch", now=desk.now)
    desk.send(Hit.objects.latest("pk"), worker="C", say=lambda question: LIVED)
    _settle(desk)
    desk.wait(minutes=40)
    posting.resume_batch(batch=batch, by=desk.operator, now=desk.now)
    assert desk.plan() == 2
    desk.post()
    assert newest(2) == [(2, disputed[:2]), (1, disputed[2:])]
    crowd.check_books()


def test_what_waits_keeps_nothing_waiting_that_is_due(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many HITs a part is looked at: not one whose questions all wait, while first votes are missing."""
    hits = desk.posted(documents=4, votes=2, questions_per_hit=2)
    monkeypatch.setattr(planning, "AT_ONCE", 1)
    differ(desk, hits[:1], disputed=1)
    desk.send(hits[1])
    desk.wait(days=8)
    _settle(desk)
    Response.objects.filter(question__in=hits[0].questions.all()).update(answered_at=desk.now)
    assert desk.plan() == 1
    assert newest() == [(1, list(hits[1].questions.order_by("pk")))]


def test_under_fixed_another_vote_waits_for_nothing(desk: Desk) -> None:
    Corpus.objects.update(policy="fixed")
    hits = desk.posted(documents=2, votes=3, questions_per_hit=2)
    desk.corpus.refresh_from_db()
    first, _ = hits[0].questions.order_by("pk")
    for said in (crowd.BORN, crowd.NONE, LIVED):
        desk.send(hits[0], say=lambda question, said=said: said if question == first else crowd.NONE)
    desk.collect()
    desk.decide()
    Response.objects.update(answered_at=desk.now)
    labels.settle_questions()
    assert desk.plan() == 1
    assert newest() == [(1, [first])]
