import itertools

from evaluation.scoring import plane
from evaluation.scoring.stored import Measure
from tests.unit.evaluation.scoring.test_listing import row

AXES = ("recall", "precision")


def spread(number):
    """Make systems that lie apart."""
    return [row(n + 1, 0.5, precision=0.1 + 0.8 * n / number) for n in range(number)]


def test_a_system_lies_where_its_recall_and_precision_are():
    first, second = plane.draw(
        [row(1, 0.5, precision=0.9), row(2, 0.5, precision=0.3)], AXES, has_equal_f1=True
    ).dots
    assert first.x == second.x
    assert first.y < second.y  # up is better


def test_an_interval_is_drawn_around_its_estimate():
    (dot,) = plane.draw([row(1, 0.5, precision=0.6)], AXES, has_equal_f1=False).dots
    assert dot.left < dot.x < dot.right
    assert dot.high < dot.y < dot.low


def test_a_line_of_equal_f1_holds_points_of_that_f1():
    drawn = plane.draw(spread(5), AXES, has_equal_f1=True)
    (line,) = [one for one in drawn.lines if one.f1 == 50]
    for point in line.points.split():
        x, y = map(float, point.split(","))
        recall = _value(x, drawn.across)
        precision = _value(y, drawn.up)
        if y > plane.TOP:  # cut off at the frame
            assert abs(2 * recall * precision / (recall + precision) - 50) < 0.5


def _value(at, ticks):
    first, last = ticks[0], ticks[-1]
    return first.number + (last.number - first.number) * (at - first.at) / (last.at - first.at)


def test_a_system_without_one_of_the_measures_is_not_drawn():
    unknown = row(1, 0.5)
    unknown.measures["recall"] = Measure(None, None, None, "too few")
    assert plane.draw([unknown], AXES, has_equal_f1=True) is None


def test_of_many_systems_the_first_have_intervals_and_names_and_all_have_a_dot():
    drawn = plane.draw(spread(200), AXES, has_equal_f1=True)
    assert len(drawn.dots) == 200
    assert sum(dot.left is not None for dot in drawn.dots) == plane.NAMED
    assert not drawn.has_all_intervals


def test_systems_beyond_what_can_be_told_apart_are_counted():
    assert plane.draw(spread(plane.MOST + 7), AXES, has_equal_f1=True).left_out == 7


def test_no_name_covers_another():
    crowded = [row(n + 1, 0.5, precision=0.5 + n / 1000, name=f"a long name {n}") for n in range(12)]
    labels = [dot.label for dot in plane.draw(crowded, AXES, has_equal_f1=True).dots if dot.label]
    assert labels
    for one, other in itertools.combinations(labels, 2):
        assert one.anchor != other.anchor or abs(one.y - other.y) >= 9 or abs(one.x - other.x) > 60
