"""Places in the quota are planned so that no window holds too many, and none is promised twice."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.submissions import places
from evaluation.submissions.places import WINDOW, Place, left, plan

NOW = datetime(2026, 11, 2, 10, tzinfo=UTC)
DAY = timedelta(days=1)


def place(*limited: str, also: Sequence[str] = (), size: int = 2) -> Place:
    return Place(frozenset([*limited, *also]), dict.fromkeys(limited, size))


def test_while_there_is_room_it_is_now() -> None:
    assert plan([place("a"), place("a")], [], NOW) == [NOW, NOW]


def test_who_waits_gets_the_place_that_is_free_first_and_the_next_gets_the_next() -> None:
    taken = [(NOW - 6 * DAY, place("a")), (NOW - 2 * DAY, place("a"))]
    assert plan([place("a"), place("a"), place("a")], taken, NOW) == [NOW + DAY, NOW + 5 * DAY, NOW + 8 * DAY]


def test_a_place_is_free_again_to_the_second() -> None:
    assert plan([place("a", size=1)], [(NOW - WINDOW, place("a"))], NOW) == [NOW]
    second = timedelta(seconds=1)
    assert plan([place("a", size=1)], [(NOW - WINDOW + second, place("a"))], NOW) == [NOW + second]


def test_one_person_with_five_teams_has_one_persons_places() -> None:
    mine = [place(f"team {number}", "me") for number in range(5)]
    assert plan(mine, [], NOW) == [NOW, NOW, NOW + WINDOW, NOW + WINDOW, NOW + 2 * WINDOW]


def test_what_a_colleague_uploads_for_my_team_counts_as_mine_but_does_not_wait_for_me() -> None:
    theirs = place("team", "colleague", also=["me"])
    assert plan([theirs, theirs, place("other", "me")], [], NOW)[-1] == NOW + WINDOW
    assert plan([place("other", "me"), place("other", "me"), theirs], [], NOW)[-1] == NOW


def test_a_limit_of_none_is_looked_at_again_in_a_week() -> None:
    assert plan([place("a", size=0)], [], NOW) == [NOW + WINDOW]


def test_an_earlier_time_is_not_given_where_it_would_take_a_promised_place() -> None:
    # b's place of tomorrow is promised; c counts against b, though c itself is not limited by b
    taken = [(NOW - 6 * DAY, place("b", size=1))]
    promised, counts = place("b", size=1), place("c", also=["b"], size=1)
    assert plan([promised, counts], taken, NOW) == [NOW + DAY, NOW + DAY]  # in this order


def test_how_many_are_left_is_the_least_of_all_limits() -> None:
    taken = [(NOW - DAY, place("team", "somebody")), (NOW - 8 * DAY, place("team", "me"))]
    assert left(place("team", "me"), taken, NOW) == 1
    assert left(place("other", "me"), taken, NOW) == 2


SIZES = {"t1": 1, "t2": 2, "p1": 1, "p2": 3}
holders = st.sampled_from(sorted(SIZES))
some_places = st.builds(
    lambda limited, also: Place(frozenset(limited | also), {one: SIZES[one] for one in limited}),
    st.sets(holders, min_size=1, max_size=2),
    st.sets(holders, max_size=2),
)


@given(waiting=st.lists(some_places, max_size=8))
def test_whoever_takes_a_planned_place_finds_one_left(waiting: list[Place]) -> None:
    times = plan(waiting, [], NOW)
    in_order = sorted(zip(times, range(len(times)), waiting, strict=True), key=lambda one: one[:2])
    taken: list[tuple[datetime, Place]] = []
    for time, _, one in in_order:
        assert left(one, taken, time) >= 1
        taken.append((time, one))


def test_planning_one_more_costs_no_more_than_those_that_it_has_to_do_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def looks(waiting: list[Place]) -> int:
        found: list[int] = []
        with monkeypatch.context() as patch:
            patch.setattr(
                places, "bisect_right", lambda *given, **by: (found.append(1), bisect(*given, **by))[1]
            )
            plan(waiting, [], NOW)
        return len(found)

    bisect = places.bisect_right
    one_team, teams = (
        ([place("a")] * 40, [place("a")] * 80),
        [[place(f"{number}") for number in range(size) for _ in range(3)] for size in (40, 80)],
    )
    assert looks(one_team[1]) < 5 * looks(one_team[0])  # the square of a team's, not the cube
    assert looks(teams[1]) < 2.5 * looks(teams[0])  # and no more for what others wait for
