"""How scores are made, for a researcher who wants to know whether to believe them."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotations.policies.single import SECOND_SHARE
from evaluation.generation import house
from evaluation.kbp.keys import instance_key
from evaluation.kbp.task import TASK
from evaluation.scoring.estimation import code_version
from kbpo.core.revalidating import public_page
from kbpo_estimators import control, coordinated, iid, precision, subsets
from kbpo_estimators.generation import FEW, OWN_NOISE

#: In the order in which a reader asks: is it needed, is it better, does it hold, can it be played.
EXPERIMENTS = (
    "pooling_bias",
    "bias_variance",
    "sample_size",
    "designs",
    "pilot",
    "documents",
    "annotators",
    "coverage",
    "ranks",
    "adversary",
    "published_labels",
    "label_noise",
    "generation",
)

_VIEW_BOX = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')


@cache
def experiments() -> list[dict[str, Any]]:
    """Read the stored results of the experiments: figures and numbers, beside the paper's."""
    folder = settings.ROOT / "static" / "experiments"
    found = [json.loads((folder / f"{name}.json").read_text("utf-8")) for name in EXPERIMENTS]
    return [
        {
            **numbers,
            "figure": f"experiments/{numbers['experiment']}.svg",
            "size": _size(folder / f"{numbers['experiment']}.svg"),
            "compared": [{**row, "shown": _figure(row["here"])} for row in numbers["compared"]],
        }
        for numbers in found
    ]


def _size(figure: Path) -> tuple[int, int]:
    """Return width and height of an SVG in its units, so that the page keeps its place free."""
    with figure.open(encoding="utf-8") as file:
        found = _VIEW_BOX.search(file.read(2000))
    assert found is not None, f"{figure} has no viewBox"
    return round(float(found[1])), round(float(found[2]))


def _figure(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3f}"
    return str(value)


@require_safe
@public_page
def method(request: HttpRequest) -> HttpResponse:
    """Show what is estimated, from which samples, and how far it can be trusted."""
    target = coordinated.target_variance()
    return render(
        request,
        "evaluation/method.html",
        {
            "half_width": coordinated.DEFAULT_HALF_WIDTH,
            "level": round(100 * coordinated.DEFAULT_LEVEL),
            "lone_labels": iid.draws_needed(target),
            "floor": round(coordinated.floor_labels(target, coordinated.QUADRATIC_FLOOR)),
            "least_labels": subsets.LEAST_LABELS,
            "ranked_from": TASK.choices.ranked_from,
            "folds": coordinated.FOLDS,
            "confidence_needs": precision.CONFIDENCE_NEEDS,
            "both_need": precision.both_need(precision.CONFIDENCE_NEEDS),
            "key": instance_key("DOC_17", "per:spouse", (0, 9), (18, 27)),
            "generated": {
                "twice": round(100 * SECOND_SHARE),
                "slope_needs": control.SLOPE_NEEDS,
                "house_few": house.FEW,
                "own_noise": OWN_NOISE,
                "few": FEW,
            },
            "code_version": code_version(TASK),
            "experiments": experiments(),
        },
    )
