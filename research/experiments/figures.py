"""How figures look: plain axes, the Okabe-Ito palette, every series with a mark of its own."""

from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes

WIDTH = 7.5
"""Inches: the column of a page."""

COLOURS = {
    "blue": "#0072B2",
    "vermillion": "#D55E00",
    "green": "#009E73",
    "purple": "#CC79A7",
    "grey": "#767676",
}
MARKS: dict[str, dict[str, Any]] = {
    name: {"color": COLOURS[colour], "marker": marker, "linestyle": "", "markersize": 4}
    for name, colour, marker in (
        ("pooled", "vermillion", "v"),
        ("simple", "grey", "o"),
        ("joint", "purple", "s"),
        ("coordinated", "blue", "D"),
    )
}

SETTINGS: Any = {
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": COLOURS["grey"],
    "axes.titlesize": 9,
    "legend.frameon": False,
    "svg.fonttype": "none",  # text stays text, for readers and for search
    "svg.hashsalt": "kbpo",  # the same figure is the same file
}


def style() -> Any:
    """Return a context in which figures look like this."""
    return rc_context(SETTINGS)


def diagonal(axes: Axes) -> None:
    """Draw where an estimate would be right, and make both axes alike."""
    top = max(axes.get_xlim()[1], axes.get_ylim()[1])
    axes.plot([0, top], [0, top], color=COLOURS["grey"], linewidth=0.8, zorder=0)
    axes.set_xlim(0, top)
    axes.set_ylim(0, top)
    axes.set_aspect("equal")
