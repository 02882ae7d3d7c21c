"""The picture of scores over time."""

from datetime import UTC, datetime, timedelta

import pytest

from evaluation.scoring.published import timeline
from evaluation.scoring.stored import Measure

FIRST = datetime(2026, 3, 1, 9, 5, tzinfo=UTC)


def draw(*hours: float, until: float, left_out: int = 0) -> timeline.Timeline | None:
    points = [(FIRST + timedelta(hours=at), Measure(0.5, 0.4, 0.6)) for at in hours]
    return timeline.draw(points, name="F1", until=FIRST + timedelta(hours=until), left_out=left_out)


@pytest.mark.parametrize(
    ("until", "words"),
    [(2, ["1 Mar 2026, 09:05", "1 Mar 2026, 11:05"]), (30, ["1 Mar 2026", "2 Mar 2026"])],
)
def test_its_ends_are_told_apart(until: float, words: list[str]) -> None:
    drawn = draw(0, 1, until=until)
    assert drawn is not None
    assert [mark.words for mark in drawn.along] == words


def test_one_score_makes_no_line() -> None:
    assert draw(0, until=5) is None


def test_changes_that_are_not_given_are_counted() -> None:
    drawn = draw(0, 50, 51, until=1_000, left_out=49)
    assert drawn is not None
    assert (len(drawn.dots), drawn.left_out) == (3, 49)
