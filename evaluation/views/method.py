"""How scores are made, for a researcher who wants to know whether to believe them."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evaluation.estimation import code_version
from evaluation.estimators import coordinated, iid, precision, subsets


@require_safe
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
            "floor": round(coordinated.floor_labels(target)),
            "least_labels": subsets.LEAST_LABELS,
            "folds": coordinated.FOLDS,
            "confidence_needs": precision.CONFIDENCE_NEEDS,
            "key": coordinated.instance_key("DOC_17", "per:spouse", (0, 9), (18, 27)),
            "code_version": code_version(),
        },
    )
