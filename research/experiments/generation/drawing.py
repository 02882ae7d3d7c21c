"""The figure: convergence, efficiency by the metric and by people's noise, and lengths of intervals."""

from collections.abc import Callable, Mapping
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from research.experiments import figures

_LINES = (("mean", "grey", "o"), ("plugged in", "vermillion", "v"), ("repeated bigrams", "blue", "D"))
_METRICS = (("grey", "o"), ("vermillion", "v"), ("blue", "D"), ("green", "s"))
_PROMPTS = (
    ("edit", "blue", "-"),
    ("redundancy", "green", "-"),
    ("any", "vermillion", "--"),
    ("average", "vermillion", ":"),
    ("overall", "purple", "-"),
    ("fluency", "grey", "-"),
)


def draw(numbers: Mapping[str, Any]) -> Callable[[Figure], None]:
    """Return what draws the figure of a study's numbers."""

    def drawn(figure: Figure) -> None:
        figure.set_size_inches(figures.WIDTH, 6.2)
        (left, middle, right), below = figure.subplots(2, 3)
        converging = numbers["converging"]
        for name, colour, marker in _LINES:
            left.plot(
                converging["outputs"],
                converging[name],
                color=figures.COLOURS[colour],
                marker=marker,
                markersize=3,
                label=name,
            )
        left.set_xscale("log")
        left.set_yscale("log")
        for axis, ticks in ((left.xaxis, (25, 50, 100, 200, 400)), (left.yaxis, (0.02, 0.05, 0.1))):
            axis.set_major_locator(FixedLocator(ticks))
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            axis.set_minor_locator(NullLocator())
        left.set_title("seq2seq, edit")
        left.set_xlabel("judged outputs")
        left.set_ylabel("root mean squared error")
        left.legend(fontsize=7)
        cost = numbers["cost"]
        for measure, colour, dashes in _PROMPTS:
            how = {"color": figures.COLOURS[colour], "linestyle": dashes, "label": measure}
            middle.plot(cost["rho"], cost[measure]["data efficiency"], **how)
            right.plot(cost["rho"], cost[measure]["judgements"], **how)
        middle.set_title("judgements that one is worth")
        right.set_title("judgements for ±.05 at 95%")
        for axes in (middle, right):
            axes.set_xlabel("ρ of the metric")
        middle.legend(fontsize=7)
        right.set_ylim(bottom=0)
        for axes, panel in zip(below, numbers["lengths"], strict=True):
            for (name, lengths), (colour, marker) in zip(panel["lengths"].items(), _METRICS, strict=False):
                axes.plot(
                    panel["judgements"],
                    lengths,
                    color=figures.COLOURS[colour],
                    marker=marker,
                    markersize=3,
                    label=name or "mean",
                )
            axes.set_xscale("log")
            axes.xaxis.set_major_locator(FixedLocator((25, 50, 100, 200, 400)))
            axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            axes.xaxis.set_minor_locator(NullLocator())
            axes.set_ylim(bottom=0)
            axes.set_title(f"{panel['system']}, {panel['measure']}")
            axes.set_xlabel("judgements")
            axes.legend(fontsize=7)
        below[0].set_ylabel("length of 80% intervals")

    return drawn
