"""Figures of what metrics are worth, as SVG: their numbers are in the tables beside them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from evaluation.generation.explorer.drawing import round_numbers
from evaluation.generation.views.report import JudgedRow, MeasureReport

WIDTH, HEIGHT = 400, 280
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 16, 14, 42
_NAMED = 12  # points that are named in a figure
_GAMMAS = (0.25, 0.5, 1.0, 2.0, 4.0)
_JUDGEMENTS = (20, 50, 100, 200, 500, 1000)
_QUANTILE = 1.959964
_ROW = 20  # of a metric, in the figure's units
_LABELS = 150  # wide


@dataclass
class _Plane:
    """A plane with two axes, and what is drawn in it."""

    x: tuple[float, float]
    y: tuple[float, float]
    is_log: bool = False
    height: int = HEIGHT
    left: int = _LEFT
    right: int = _RIGHT
    marks: list[SafeString] = field(default_factory=list)

    def at(self, x: float, y: float) -> tuple[str, str]:
        """Return a place in the figure's units."""
        across = _share(x, self.x, is_log=self.is_log)
        up = _share(y, self.y, is_log=False)
        return (
            f"{self.left + across * (WIDTH - self.left - self.right):.1f}",
            f"{self.height - _BOTTOM - up * (self.height - _TOP - _BOTTOM):.1f}",
        )

    def tick_x(self, value: float, text: str) -> None:
        """Draw a tick of the lower axis."""
        (x, low), (_, high) = self.at(value, self.y[0]), self.at(value, self.y[1])
        self._line((x, low), (x, high), "tick")
        self.text(x, f"{float(low) + 15:.1f}", text, "middle")

    def tick_y(self, value: float, text: str) -> None:
        """Draw a tick of the left axis."""
        start, end = self.at(self.x[0], value), self.at(self.x[1], value)
        self._line(start, end, "tick")
        self.text(f"{float(start[0]) - 6:.1f}", f"{float(start[1]) + 4:.1f}", text, "end")

    def titles(self, x: str, y: str = "") -> None:
        """Name the axes."""
        self.text(f"{(self.left + WIDTH - self.right) / 2:.0f}", f"{self.height - 6}", x, "middle")
        if y:
            self.text(f"{self.left}", "10", y, "start")

    def curve(self, points: Sequence[tuple[float, float]], kind: str) -> None:
        """Draw a line through points."""
        inside = [one for one in points if self.y[0] <= one[1] <= self.y[1]]
        at = " ".join(",".join(self.at(*one)) for one in inside)
        self.marks.append(format_html('<polyline class="{}" points="{}"/>', kind, at))

    def span(self, y: float, low: float, high: float, kind: str) -> None:
        """Draw an interval across."""
        self._line(self.at(low, y), self.at(high, y), kind)

    def point(self, x: float, y: float, kind: str, title: str) -> None:
        """Draw a point that says what it is."""
        self.marks.append(
            format_html(
                '<circle class="{}" cx="{}" cy="{}" r="4"><title>{}</title></circle>',
                kind,
                *self.at(x, y),
                title,
            )
        )

    def text(self, x: str, y: str, text: str, anchor: str) -> None:
        """Write something."""
        self.marks.append(format_html('<text x="{}" y="{}" text-anchor="{}">{}</text>', x, y, anchor, text))

    def name(self, x: float, y: float, text: str) -> None:
        """Write something beside a point, on the side that has room."""
        at = self.at(x, y)
        is_far = float(at[0]) > (self.left + WIDTH) / 2
        aside = float(at[0]) + (-8 if is_far else 8)
        self.text(f"{aside:.1f}", f"{float(at[1]) + 4:.1f}", _cut(text), "end" if is_far else "start")

    def svg(self, words: str) -> SafeString:
        """Return the figure."""
        return format_html(
            '<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>',
            WIDTH,
            self.height,
            words,
            format_html_join("", "{}", ((mark,) for mark in self.marks)),
        )

    def _line(self, start: tuple[str, str], end: tuple[str, str], kind: str) -> None:
        self.marks.append(
            format_html('<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>', kind, *start, *end)
        )


def correlations(report: MeasureReport) -> SafeString | None:
    """Draw ρ of each metric: of all outputs with its interval, and of each system."""
    names = [
        name
        for name in report.metrics
        if any((one := row.metric(name)) and one.rho is not None for row in report.rows)
    ]
    if not names:
        return None
    height = _TOP + _BOTTOM + _ROW * len(names)
    plane = _Plane((-1.0, 1.0), (0.0, float(len(names))), height=height, left=_LABELS)
    for tick in (-1.0, -0.5, 0.0, 0.5, 1.0):
        plane.tick_x(tick, f"{tick:g}".replace("-", "−"))
    plane.titles("ρ with what people say")
    for number, name in enumerate(names):
        y = len(names) - number - 0.5
        label = next(one.label for row in report.rows if (one := row.metric(name)))
        _, at = plane.at(0.0, y)
        plane.text(f"{_LABELS - 8}", f"{float(at) + 4:.1f}", _cut(label), "end")
        for row in report.systems:
            found = row.metric(name)
            if found is not None and found.rho is not None:
                plane.point(found.rho, y, "one", f"{row.name}: {found.rho:.2f}")
        whole = report.together.metric(name) if report.together else None
        if whole is not None and whole.rho is not None:
            if whole.rho_low is not None and whole.rho_high is not None:
                plane.span(y, whole.rho_low, whole.rho_high, "reach")
            plane.point(whole.rho, y, "all", f"All outputs: {whole.rho:.2f}")
    return plane.svg(f"How metrics go with {report.name}, by system. The numbers are in the table.")


def systems(report: MeasureReport, name: str) -> tuple[SafeString, float | None] | None:
    """Draw each system's mean judgement against the mean of a metric; with their correlation.

    None where fewer than two systems have it.
    """
    found = [(row, one) for row in report.systems if (one := row.metric(name)) is not None]
    if len(found) < 2:
        return None
    xs, ys = [one.mean for _, one in found], [row.mean for row, _ in found]
    plane = _Plane(_around(xs), _around(ys))
    for axis, ticks in ((plane.tick_x, round_numbers(*plane.x)), (plane.tick_y, round_numbers(*plane.y))):
        for tick in ticks:
            axis(tick, f"{tick:.3g}".replace("-", "−"))
    plane.titles(f"mean {found[0][1].label}", f"mean {report.name}")
    for row, one in found:
        plane.point(one.mean, row.mean, "all", f"{row.name}: {one.mean:.3g}, {row.mean:.3g}")
        if len(found) <= _NAMED:
            plane.name(one.mean, row.mean, row.name)
    drawn = plane.svg(f"Systems by the mean of {found[0][1].label} and of {report.name}.")
    return drawn, _correlation(xs, ys)


def efficiencies(report: MeasureReport) -> SafeString | None:
    """Draw what a judgement is worth by ρ, for some γ, and where each system is with its best metric."""
    known = []
    for row in report.rows:
        best = row.best
        if row.variances is not None and best is not None and best.rho is not None:
            known.append((row, best, abs(best.rho)))
    if not known:
        return None
    most = 5.0
    plane = _Plane((0.0, 1.0), (1.0, most), right=42)
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        plane.tick_x(tick, f"{tick:g}")
    for worth in (1, 2, 3, 4, 5):
        plane.tick_y(worth, str(worth))
    plane.titles("ρ of the metric", "a judgement is worth")
    for gamma in _GAMMAS:
        steps = [number / 50 for number in range(51)]
        points = [(rho, (1 + gamma) / (1 - rho**2 + gamma)) for rho in steps]
        plane.curve(points, "curve")
        x, y = plane.at(*points[-1])
        plane.text(f"{float(x) + 4:.1f}", f"{float(y) + 4:.1f}", f"γ {gamma:g}", "start")
    for row, best, of_best in known:
        worth_of = most if best.efficiency is None else min(most, best.efficiency)
        kind = "all" if row.submission is None else "one"
        plane.point(min(1.0, of_best), worth_of, kind, f"{row.name}, {best.label}: {worth_of:.2f}")
    return plane.svg(f"What a judgement of {report.name} is worth, by metric and by people’s noise.")


def widths(report: MeasureReport) -> SafeString | None:
    """Draw the half-width of a 95% interval by judgements: with no metric, the best, and a perfect one."""
    curves = half_widths(report.together)
    if not curves:
        return None
    top = max(value for _, values in curves for _, value in values)
    plane = _Plane((_JUDGEMENTS[0], _JUDGEMENTS[-1]), (0.0, top * 1.05), is_log=True)
    for count in _JUDGEMENTS:
        plane.tick_x(count, str(count))
    for tick in round_numbers(*plane.y):
        plane.tick_y(tick, f"{tick:.3g}")
    plane.titles("judgements", "half-width, points")
    for kind, (_, values) in zip(("plain", "best", "bound"), curves, strict=True):
        plane.curve(values, f"curve {kind}")
    return plane.svg(f"How wide intervals of {report.name} are, by judgements. The table has the numbers.")


def half_widths(row: JudgedRow | None) -> list[tuple[str, list[tuple[float, float]]]]:
    """Return half-widths of 95% intervals in points, by numbers of judgements, each of another output.

    Returns
    -------
    list of (str, list of (float, float))
        With no metric, the best, and a perfect one; empty where variances are not known.
    """
    if row is None or row.variances is None or row.unexplained is None:
        return []
    people, outputs = row.variances.sigma2_a, row.variances.sigma2_f
    best = row.best.label if row.best else "no metric"
    return [
        (name, [(float(n), 100 * _QUANTILE * math.sqrt((people + left) / n)) for n in _JUDGEMENTS])
        for name, left in (("No metric", outputs), (best, row.unexplained), ("A perfect metric", 0.0))
    ]


def _share(value: float, ends: tuple[float, float], *, is_log: bool) -> float:
    low, high = ends
    if is_log:
        value, low, high = math.log(value), math.log(low), math.log(high)
    return min(1.0, max(0.0, (value - low) / (high - low)))


def _around(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    room = 0.12 * (high - low) or 0.1 * abs(high) or 0.1
    return low - room, high + room


def _correlation(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Return Pearson's correlation; None of fewer than three, or where one does not vary."""
    if len(xs) < 3:
        return None
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    across, up = (sum((one - mean) ** 2 for one in of) for of, mean in ((xs, mx), (ys, my)))
    along = sum((x - mx) * (y - my) for x, y in zip(xs, ys, strict=True))
    return along / math.sqrt(across * up) if across > 0 and up > 0 else None


def _cut(text: str) -> str:
    return text if len(text) <= 25 else f"{text[:24]}…"
