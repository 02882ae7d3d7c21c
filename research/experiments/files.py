"""The files that an experiment writes: its numbers as JSON, its figure as SVG."""

import json
import math
from collections.abc import Mapping
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from research.experiments import figures
from research.experiments.outcome import Outcome

DIGITS = 6


def write(name: str, outcome: Outcome, folder: Path) -> list[Path]:
    """Write what came out.

    Parameters
    ----------
    name : str
        Of the experiment: the files' name.
    outcome : Outcome
    folder : Path
        Made if it is missing.

    Returns
    -------
    list of Path
        What was written.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.{kind}" for kind in ("json", "svg")]
    paths[0].write_text(
        json.dumps(_plain(as_document(name, outcome)), ensure_ascii=False, allow_nan=False, indent=1) + "\n",
        encoding="utf-8",
    )
    with figures.style():
        figure = Figure(layout="constrained")
        FigureCanvasAgg(figure)
        outcome.draw(figure)
        figure.savefig(paths[1], metadata={"Date": None})
    return paths


def as_document(name: str, outcome: Outcome) -> dict[str, object]:
    """Return an outcome as what its JSON file holds."""
    return {
        "experiment": name,
        "title": outcome.title,
        "says": outcome.says,
        "compared": [
            {"what": one.what, "reported": one.reported or None, "here": one.here} for one in outcome.compared
        ],
        "numbers": outcome.numbers,
    }


def _plain(value: object) -> object:
    """Return a value with its numbers rounded, and null where nothing could be estimated."""
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None
    return value
