from collections.abc import Set as AbstractSet

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.aggregation.majority import Verdict, canonical, relations

OFFERED = ("born", "died", "lives")
ballots = st.lists(st.sets(st.sampled_from(OFFERED)), max_size=9)


def values(votes: list[AbstractSet[str]]) -> dict[str, bool] | None:
    verdicts = relations(OFFERED, votes)
    return verdicts and {option: verdict.value for option, verdict in verdicts.items()}


def test_two_of_three_make_a_relation_and_one_does_not() -> None:
    assert relations(OFFERED, [{"born"}, {"born", "died"}, set()]) == {
        "born": Verdict(True, 2, 3),
        "died": Verdict(False, 1, 3),
        "lives": Verdict(False, 0, 3),
    }


def test_several_relations_may_hold() -> None:
    assert values([{"born", "lives"}] * 3) == {"born": True, "died": False, "lives": True}


def test_two_of_three_for_none_make_all_false() -> None:
    assert values([set(), set(), {"born"}]) == {"born": False, "died": False, "lives": False}


def test_three_who_disagree_settle_nothing() -> None:
    assert values([{"born"}, {"died"}, set()]) is None


def test_a_tie_on_one_relation_settles_nothing_though_another_has_a_majority() -> None:
    assert values([{"born", "died"}, {"born", "died"}, {"born"}, {"born"}]) is None


def test_half_for_none_settles_nothing() -> None:
    assert values([set(), set(), {"born"}, {"died"}]) is None


def test_no_votes_settle_nothing() -> None:
    assert (values([]), canonical([])) == (None, None)


def test_a_lone_vote_settles() -> None:
    assert values([{"died"}]) == {"born": False, "died": True, "lives": False}


def test_a_vote_for_what_was_not_offered_is_an_error() -> None:
    with pytest.raises(ValueError, match="not offered"):
        relations(OFFERED, [{"married"}])


def test_right_or_wrong_goes_with_more_than_half() -> None:
    assert canonical([True, False, True]) == Verdict(True, 2, 3)
    assert canonical([False, False, True]) == Verdict(False, 1, 3)
    assert canonical([True, False]) is None


@given(ballots, st.randoms())
def test_the_order_of_the_votes_does_not_matter(votes: list[set[str]], random: object) -> None:
    shuffled = list(votes)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert relations(OFFERED, shuffled) == relations(OFFERED, votes)


@given(ballots.filter(bool))
def test_unanimous_votes_always_settle_as_they_say(votes: list[set[str]]) -> None:
    assert values([votes[0]] * len(votes)) == {option: option in votes[0] for option in OFFERED}


@given(ballots)
def test_what_is_settled_is_carried_by_more_than_half(votes: list[set[str]]) -> None:
    verdicts = relations(OFFERED, votes)
    none = sum(not vote for vote in votes)
    if verdicts is None:
        return
    assert all((2 * verdict.votes_for > len(votes)) == verdict.value for verdict in verdicts.values())
    assert any(verdict.value for verdict in verdicts.values()) or 2 * none > len(votes)
    assert all(2 * verdict.votes_for != len(votes) for verdict in verdicts.values())


@pytest.mark.parametrize(
    ("votes_for", "votes", "probable"),
    [(3, 3, 729 / 730), (2, 3, 9 / 10), (1, 3, 9 / 10), (3, 5, 9 / 10), (4, 5, 729 / 730), (2, 4, 1 / 2)],
)
def test_a_verdict_is_as_probable_as_its_margin_is_wide(votes_for: int, votes: int, probable: float) -> None:
    assert Verdict(2 * votes_for > votes, votes_for, votes).posterior == pytest.approx(probable)


@given(st.lists(st.booleans(), min_size=1, max_size=9))
def test_a_verdict_is_never_less_probable_than_its_opposite(votes: list[bool]) -> None:
    verdict = canonical(votes)
    assert verdict is None or verdict.posterior >= 0.9 - 1e-9
