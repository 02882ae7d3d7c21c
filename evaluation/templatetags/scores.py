"""How figures and intervals are written and drawn."""

import math
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from html import (
    escape,
)  # Django's says the same, and costs three times as much: lists have thousands of names

from django import template
from django.template.defaultfilters import capfirst
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from evaluation.choices import Choices, Counted
from evaluation.scoring.axis import Axis, Column
from evaluation.scoring.plane import Dot, Plane
from evaluation.scoring.stored import Counts, Measure, Measures
from evaluation.views.listing import Heading

register = template.Library()


@register.filter
def percent(value: float | None, decimals: int = 1) -> str:
    """Write a fraction in per cent with one decimal, or as many as asked; a dash where there is none."""
    return "–" if value is None else f"{100 * value + 0.0:.{decimals}f}".replace("-", "−")


@register.filter
def metric(value: float | None) -> str:
    """Write a metric's value, or a judgement's, with as many decimals as say something; a dash for none.

    Examples
    --------
    >>> metric(0.12345), metric(-1.0), metric(42.0), metric(42.5), metric(1234.5)
    ('0.123', '−1.000', '42', '42.5', '1,234')
    """
    if value is None:
        return "–"
    whole = abs(value) >= 1000 or (float(value).is_integer() and abs(value) >= 10)
    decimals = 3 if abs(value) < 10 else 0 if whole else 1
    return f"{value:,.{decimals}f}".replace("-", "−")


@register.filter
def of_column(headings: Mapping[str, Heading], name: str) -> Heading:
    """Return the heading of a column."""
    return headings[name]


_SEPARATORS = re.compile(r"[-_./:,]+(?=[^\s\-_./:,])")
_WORDS = re.compile(r"[^\s\-_./:,<>]{25,}")


@register.filter
def breakable(name: str) -> SafeString:
    """Write a name so that a line breaks after its hyphens and the like, inside a word only where it must.

    Examples
    --------
    >>> breakable("big_run-2")
    'big_<wbr>run-<wbr>2'
    >>> breakable("a_" + 26 * "x")
    'a_<wbr><span class="unbroken">xxxxxxxxxxxxxxxxxxxxxxxxxx</span>'
    """
    # no separator stands in what a character is escaped by; tags have some, so these come last
    broken = _SEPARATORS.sub(r"\g<0><wbr>", escape(name))
    return SafeString(_WORDS.sub(r'<span class="unbroken">\g<0></span>', broken))


@register.simple_tag
def options(names: Iterable[str], chosen: str) -> SafeString:
    """Write the options of a list, of which one may be chosen: a corpus may have hundreds of teams."""
    return SafeString(
        "".join(f"<option{' selected' if one == chosen else ''}>{escape(one)}</option>" for one in names)
    )


@register.simple_tag
def numbered_options(names: Iterable[tuple[int, str]], chosen: int | str) -> SafeString:
    """Write the options of a list of things that have numbers, of which one may be chosen: maybe hundreds."""
    return SafeString(
        "".join(
            f'<option value="{number}"{" selected" if number == chosen else ""}>{escape(name)}</option>'
            for number, name in names
        )
    )


@register.simple_tag
def counted_options(found: Iterable[tuple[str, str, str, bool]]) -> SafeString:
    """Write the options of a filter: the value and name of each, how much there is, whether it is chosen."""
    return SafeString(
        "".join(
            f'<option value="{escape(value)}"{" selected" if is_chosen else ""}>'
            f"{escape(name)}: {escape(counts)}</option>"
            for value, name, counts, is_chosen in found
        )
    )


@register.simple_tag
def dots(plane: Plane) -> SafeString:
    """Draw the systems of a picture: hundreds, so that no template does."""
    return SafeString("".join(_dot(one) for one in plane.dots))


def _dot(dot: Dot) -> str:
    kinds = ["dot", *(["own"] if dot.is_own else []), *(["baseline"] if dot.is_baseline else [])]
    lines = ""
    if dot.left is None:
        kinds.append("faint")
    else:
        lines = (
            f'<line x1="{dot.left}" x2="{dot.right}" y1="{dot.y}" y2="{dot.y}"/>'
            f'<line x1="{dot.x}" x2="{dot.x}" y1="{dot.low}" y2="{dot.high}"/>'
        )
    mark = (
        f'<rect x="{dot.x - 3:.1f}" y="{dot.y - 3:.1f}" width="6" height="6"/>'
        if dot.is_baseline
        else f'<circle cx="{dot.x}" cy="{dot.y}" r="{2.2 if dot.left is None else 3}"/>'
    )
    label = dot.label
    text = (
        f'<text x="{label.x}" y="{label.y}" text-anchor="{label.anchor}">{escape(label.text)}</text>'
        if label
        else ""
    )
    return f'<g class="{" ".join(kinds)}"><title>{escape(dot.words)}</title>{lines}{mark}{text}</g>'


@register.filter
def of_counts(counts: Counts, choices: Choices) -> list[tuple[Counted, str]]:
    """Write what else a score rests on, each beside what it is called; a dash where it is not estimable."""
    return [(one, _count(counts[name])) for name, one in choices.counts.items()]


def _count(value: float | None) -> str:
    if value is None:
        return "–"
    return (f"{value:,}" if isinstance(value, int) else f"{value:,.2f}").replace("-", "−")


@register.simple_tag
def about(value: float) -> str:
    """Write an expected number with the two figures that can be relied on.

    Examples
    --------
    >>> about(0.2), about(7.4), about(456.3), about(12345.0)
    ('0', 'fewer than 10', 'about 460', 'about 12,000')
    """
    if value < 0.5:
        return "0"
    if value < 10:
        return "fewer than 10"
    digits = len(str(round(value))) - 2
    return f"about {round(value, -digits):,.0f}"


@register.filter
def dollars(cents: int, roughly: str = "") -> str:
    """Write a sum of money; with ``about``, to two figures, and not below a dollar.

    Examples
    --------
    >>> dollars(123456), dollars(-5)
    ('$1,234.56', '−$0.05')
    >>> dollars(123456, "about"), dollars(943, "about"), dollars(7, "about")
    ('about $1,200', 'about $9.40', 'less than $1')
    """
    if roughly:
        whole = cents / 100
        if whole < 1:
            return "less than $1"
        if whole < 10:
            return f"about ${round(whole, 1):.2f}"
        return f"about ${round(whole, 2 - len(str(int(whole)))):,.0f}"
    sign = "−" if cents < 0 else ""
    return f"{sign}${abs(cents) // 100:,}.{abs(cents) % 100:02}"


@register.simple_tag
def figure(measure: Measure) -> SafeString:
    """Write an estimate and its interval, in per cent, for eyes and for screen readers."""
    if measure.estimate is None:
        return format_html(
            '<span class="est" aria-hidden="true">–</span><span class="visually-hidden">{}</span>',
            measure.reason or "not estimable",
        )
    estimate = SafeString(f'<span class="est">{percent(measure.estimate)}</span>')
    if measure.low is None or measure.high is None:
        return estimate
    return SafeString(
        f'{estimate}<span class="visually-hidden">, between </span><span class="range">{percent(measure.low)}'
        f'<span aria-hidden="true">{" to " if measure.low < 0 else "–"}</span>'
        f'<span class="visually-hidden"> and </span>{percent(measure.high)}</span>'
    )


@register.filter
def points(value: float | None) -> str:
    """Write a difference of fractions in points, with its sign and one decimal; a dash where there is none.

    Examples
    --------
    >>> points(-0.012), points(0.07)
    ('−1.2', '+7.0')
    """
    return "–" if value is None else f"{100 * value:+.1f}".replace("-", "−")


@register.filter
def number(value: float | None, decimals: int = 2) -> str:
    """Write a number with its minus and two decimals, or as many as asked; a dash where there is none.

    Examples
    --------
    >>> number(-0.128), number(3.0, 1)
    ('−0.13', '3.0')
    """
    return "–" if value is None else f"{value:.{decimals}f}".replace("-", "−")


@register.filter
def significant(value: float | None, outputs: int) -> str:
    """Write a number with as many figures as so many outputs bear: two, or three from a hundred on.

    Examples
    --------
    >>> significant(0.12345, 25), significant(0.12345, 400), significant(12.3, 25), significant(-3.0, 25)
    ('0.12', '0.123', '12', '−3.0')
    """
    if value is None or not math.isfinite(value):
        return "–"
    digits = 2 if outputs < 100 else 3
    rounded = float(f"{value:.{digits - 1}e}")
    decimals = digits - 1 - (math.floor(math.log10(abs(rounded))) if rounded else 0)
    return number(rounded, max(0, decimals))


@register.simple_tag
def gap(measure: Measure) -> SafeString:
    """Write a difference and its interval, in points."""
    if measure.estimate is None:
        return figure(measure)
    return format_html(
        '<span class="est">{}</span><span class="visually-hidden">, from </span><span class="range">{} to {}'
        "</span>",
        points(measure.estimate),
        points(measure.low),
        points(measure.high),
    )


@register.filter
def value_of(measures: Measures, name: str) -> Measure:
    """Return one of a score's measures."""
    return measures[name]


@register.simple_tag(takes_context=True)
def querystring_of(context: template.Context, name: str, value: object) -> str:
    """Return the address' question with one thing asked otherwise: its name is not known to the template."""
    asked = context["request"].GET.copy()
    asked[name] = str(value)
    return f"?{asked.urlencode()}"


@register.simple_tag
def measured(measures: Measures, column: Column) -> SafeString:
    """Write and draw what a row has in a measure's column."""
    return _measured(measures[column.measure], column)


@lru_cache(maxsize=5000)
def _measured(measure: Measure, column: Column) -> SafeString:
    return SafeString(
        f'<div data-name="{_capitalised(column.name)}">{figure(measure)}'
        f"{intervals(measure, column.axis, column.common)}</div>"
    )


@lru_cache(maxsize=1000)
def _capitalised(name: str) -> str:
    return escape(capfirst(name))


@register.simple_tag
def intervals(measure: Measure, column: Axis, common: Axis) -> SafeString:
    """Draw an interval on its column's axis, and on the common one for screens without columns."""
    return SafeString(interval(measure, column) + interval(measure, common, "common"))


def interval(measure: Measure, axis: Axis, kind: str = "column") -> SafeString:
    """Draw an interval as a thin line with its estimate as a dot, over the axis' ticks."""
    if measure.estimate is None or measure.low is None or measure.high is None:
        return mark_safe("")
    places = axis.draw(measure.low, measure.estimate, measure.high)
    # numbers alone: nothing is to be escaped, and a page has hundreds
    return SafeString(
        f'<svg class="interval {kind}" aria-hidden="true" focusable="false">{_ticks(axis)}'
        f'<line class="line" x1="{places.low}%" x2="{places.high}%" y1="50%" y2="50%"/>'
        f'<circle cx="{places.estimate}%" cy="50%" r="3.5"/></svg>'
    )


@lru_cache(maxsize=1000)
def _ticks(axis: Axis) -> str:
    lines = "".join(f'<line x1="{place:g}%" x2="{place:g}%" y2="100%"/>' for place in axis.places)
    return f'<g class="tick">{lines}</g>'


@register.simple_tag
def scale(axis: Axis) -> SafeString:
    """Draw the axis' numbers, in per cent, for the head of a column."""
    last = len(axis.ticks) - 1
    numbers = format_html_join(
        "",
        '<text x="{}%" y="1em" text-anchor="{}">{}</text>',
        (
            (
                place,
                "start" if index == 0 else "end" if index == last else "middle",
                f"{round(100 * tick)}".replace("-", "−"),
            )
            for index, (tick, place) in enumerate(zip(axis.ticks, axis.places, strict=True))
            if index in (0, last) or last <= 3
        ),
    )
    return format_html('<svg class="scale" aria-hidden="true" focusable="false">{}</svg>', numbers)
