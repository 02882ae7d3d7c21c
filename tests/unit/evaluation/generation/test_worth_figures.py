"""What is told of metrics: what stands in the way, and figures of it."""

from evaluation.generation.choices import NAMES
from evaluation.generation.views import figures
from evaluation.generation.views.report import METRIC, PEOPLE, JudgedRow, MeasureReport, MetricRow
from evaluation.models import Submission
from kbpo_estimators.generation import Variances


def metric(name: str, rho: float | None, efficiency: float | None, mean: float = 0.5) -> MetricRow:
    return MetricRow(name, name, mean, rho, rho, rho, efficiency, efficiency, efficiency)


def row(*metrics: MetricRow, people: float = 0.3, mean: float = 0.0, name: str = "") -> JudgedRow:
    submission = Submission(pk=1, name=name) if name else None
    if submission:
        vars(submission)["known_name"] = name
    return JudgedRow(submission, mean, Variances(sigma2_a=people, sigma2_f=0.4), 100, 130, metrics)


def report(*rows: JudgedRow) -> MeasureReport:
    together = next((one for one in rows if one.submission is None), None)
    named = [one for one in rows if one.submission is not None]
    return MeasureReport("overall", NAMES["overall"], False, together, named)


def test_the_question_stands_in_the_way_where_people_leave_more_than_the_best_metric() -> None:
    poor, good = metric("poor", 0.1, 1.01), metric("good", 0.8, 1.6)
    assert row(poor).bottleneck == METRIC  # σ_f²(1 − ρ²) = .396
    assert row(poor, good).bottleneck == PEOPLE  # .144
    assert JudgedRow(None, 0.0, None, 100, 100, [good]).bottleneck == ""


def test_the_best_metric_is_that_by_which_a_judgement_is_worth_most() -> None:
    assert row(metric("a", 0.9, 1.5), metric("b", 1.1, None)).best.name == "b"
    assert row().best is None


def test_a_cap_has_an_end_only_where_people_differ() -> None:
    assert round(row().cap, 3) == round(1 + 0.4 / 0.3, 3)
    assert row(people=0.0).cap is None


def test_a_perfect_metric_leaves_what_people_leave() -> None:
    none, best, perfect = figures.half_widths(row(metric("good", 0.8, 1.6)))
    assert [one[0] for one in (none, best, perfect)] == ["No metric", "good", "A perfect metric"]
    at_100 = [dict(values)[100.0] for _, values in (none, best, perfect)]
    assert [round(one, 2) for one in at_100] == [16.4, 13.06, 10.74]


def test_figures_are_left_out_where_there_is_nothing_to_draw() -> None:
    nothing = report()
    assert figures.correlations(nothing) is figures.efficiencies(nothing) is figures.widths(nothing) is None
    assert figures.systems(report(row(metric("a", 0.1, 1.0), name="one")), "a") is None


def test_a_system_s_name_is_text_in_a_figure() -> None:
    rows = [row(metric("a", 0.5, 1.1, mean), name="<b>one", mean=mean) for mean in (0.1, 0.2, 0.4)]
    drawn, between = figures.systems(report(*rows), "a")
    assert "<b>" not in drawn
    assert "&lt;b&gt;one" in drawn
    assert round(between, 6) == 1.0


def test_figures_have_no_inline_style() -> None:
    whole = report(row(metric("a", 0.5, 1.1)), row(metric("a", -0.2, 1.0), name="one"))
    for drawn in (figures.correlations(whole), figures.efficiencies(whole), figures.widths(whole)):
        assert "style" not in drawn
        assert 'role="img" aria-label="' in drawn
