"""Removing: what was closed long ago leaves the provider's books, once, whatever is lost."""

from random import Random

from crowd import posting, review
from crowd.models import Hit
from crowd.providers.base import Refused
from tests import crowd
from tests.fake_provider import LOST
from tests.integration.crowd.services.conftest import Desk


def closed(desk: Desk) -> Hit:
    [hit] = desk.posted(votes=1)
    desk.send(hit)
    desk.collect()
    desk.decide()
    assert crowd.states([hit]) == ["closed"]
    return hit


def remove(desk: Desk) -> bool:
    return posting.remove_next(now=desk.now, rng=Random(0))


def test_a_closed_hit_is_kept_for_a_month_and_then_removed_once(desk: Desk) -> None:
    hit = closed(desk)
    desk.wait(days=30)
    assert not remove(desk)
    desk.wait(days=2)
    assert remove(desk)
    assert not remove(desk)
    hit.refresh_from_db()
    assert (hit.removed_at, hit.can_grow, hit.error) == (desk.now, False, "")
    assert desk.provider.hits == {}
    crowd.check_books()


def test_a_removal_whose_answer_was_lost_is_found_done(desk: Desk) -> None:
    hit = closed(desk)
    desk.wait(days=32)
    desk.provider.after["remove"] = [LOST]
    assert remove(desk)
    assert not remove(desk)  # not yet
    desk.wait(minutes=1)
    assert remove(desk)
    hit.refresh_from_db()
    assert hit.removed_at == desk.now


def test_a_removal_that_is_declined_is_tried_again_later(desk: Desk) -> None:
    hit = closed(desk)
    desk.wait(days=32)
    desk.provider.before["remove"] = [Refused("not now")]
    assert remove(desk)
    hit.refresh_from_db()
    assert (hit.removed_at, hit.error) == (None, "not now")
    assert not remove(desk)
    desk.wait(hours=2)
    assert remove(desk)
    assert desk.provider.hits == {}


def test_what_is_still_out_or_not_decided_is_not_removed(desk: Desk) -> None:
    [hit] = desk.posted(votes=1)
    desk.send(hit)
    desk.collect()
    desk.wait(days=60)
    assert not remove(desk)
    assert list(desk.provider.hits) == ["HIT1"]


def test_a_hit_with_a_bonus_to_pay_is_kept_until_it_is_paid(desk: Desk) -> None:
    hit = closed(desk)
    assignment = crowd.only(hit)
    review.promise_bonus(assignment=assignment, cents=5, reason="thanks", message="Thanks", now=desk.now)
    desk.wait(days=32)
    assert not remove(desk)
    assert review.pay_next_bonus(now=desk.now, rng=Random(0))
    assert remove(desk)
