from evaluation.scoring.axis import Axis
from evaluation.scoring.stored import Measure
from evaluation.templatetags.scores import figure, interval, percent, scale

AXIS = Axis(0.4, 0.7, (0.4, 0.5, 0.6, 0.7))


def test_a_fraction_is_written_in_per_cent_with_one_decimal():
    assert percent(0.7125) == "71.2"


def test_a_missing_figure_is_a_dash():
    assert percent(None) == "–"


def test_a_figure_can_be_heard_as_well_as_seen():
    heard = figure(Measure(0.55, 0.5, 0.61)).replace('<span aria-hidden="true">–</span>', "")
    for tag in ('<span class="est">', '<span class="visually-hidden">', '<span class="range">', "</span>"):
        heard = heard.replace(tag, "")
    assert heard == "55.0, between 50.0 and 61.0"


def test_a_figure_that_is_not_estimable_says_why():
    assert "no documents" in figure(Measure(None, None, None, "no documents"))


def test_a_reason_is_escaped():
    assert "<b>" not in figure(Measure(None, None, None, "<b>"))


def test_the_interval_is_drawn_where_the_axis_says():
    drawn = interval(Measure(0.55, 0.4, 0.7), AXIS)
    assert 'x1="0.0%" x2="100.0%"' in drawn
    assert 'cx="50.0%"' in drawn


def test_what_is_not_estimable_is_not_drawn():
    assert interval(Measure(None, None, None, "why"), AXIS) == ""


def test_the_scale_numbers_its_ticks():
    assert [text in scale(AXIS) for text in (">40<", ">50<", ">60<", ">70<")] == [True] * 4
