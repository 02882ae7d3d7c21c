"""The axes of a board's columns, with measures whose scale has no end."""

from annotations.texts.inputs import QUALITY
from evaluation.generation.choices import CHOICES
from evaluation.scoring.stored import Measure
from evaluation.views.board import fit_columns

CHOSEN = CHOICES[QUALITY]


def test_an_interval_without_an_end_hides_no_other():
    measured = [{"edit": Measure(0.4, 0.3, 0.5)}, {"edit": Measure(1.5, 0.1, 5_000.0)}]
    (column,) = [one for one in fit_columns(CHOSEN, measured) if one.measure == "edit"]
    assert (column.axis.low, column.axis.high) == (0.0, 3.0)
    assert column.axis.draw(0.1, 1.5, 5_000.0).high == 100.0


def test_a_measure_that_nobody_has_has_no_column():
    measured = [{"edit": Measure(0.4, 0.3, 0.5), "overall": Measure(None, None, None)}]
    assert [one.measure for one in fit_columns(CHOSEN, measured)] == ["edit"]


def test_where_nobody_has_any_figure_every_column_stays():
    assert [one.measure for one in fit_columns(CHOSEN, [])] == list(CHOSEN.measures)
