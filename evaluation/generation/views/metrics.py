"""What metrics are worth: of a corpus of generated text, by measure and system."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotations.models import Corpus
from evaluation.generation.metrics.registry import METRICS
from evaluation.generation.task import TASK
from evaluation.generation.views import figures
from evaluation.generation.views.report import MeasureReport, Report, measures_of, read_report
from kbpo.core.errors import InvalidInput
from kbpo.core.revalidating import public_page
from kbpo_estimators.generation import FEW


@require_safe
@public_page
def metrics(request: HttpRequest, tag: str) -> HttpResponse:
    """Show what metrics are worth, as published judgements have it."""
    corpus = get_object_or_404(Corpus, tag=tag)
    TASK.check_corpus(corpus)
    report, chosen = choose(request, corpus)
    names = chosen.metrics
    metric = request.GET.get("metric", names[0] if names else "")
    if names and metric not in names:
        raise InvalidInput(f"{metric!r:.80} is none of {', '.join(names)}.", where="metric")
    context = {
        "corpus": corpus,
        "task": TASK,
        "report": report,
        "chosen": chosen,
        "names": [(name, METRICS[name].label if name in METRICS else name) for name in names],
        "metric": metric,
        "few": FEW,
        "rows": [
            (label, [(row, row.metric(name)) for row in chosen.rows])
            for name, label in _labels(chosen).items()
        ],
        "house": None
        if report.house is None
        else next((one for one in report.house.measures if one.measure == chosen.measure), None),
        "correlations": figures.correlations(chosen),
        "efficiencies": figures.efficiencies(chosen),
        "widths": figures.widths(chosen),
        "half_widths": figures.half_widths(chosen.together),
    }
    if metric and (drawn := figures.systems(chosen, metric)) is not None:
        context["systems"], context["between"] = drawn
        context["means"] = [(row, one) for row in chosen.systems if (one := row.metric(metric)) is not None]
        whole = None if chosen.together is None else chosen.together.metric(metric)
        context["within"] = None if whole is None else whole.rho
    return render(request, "evaluation/metrics.html", context)


def choose(request: HttpRequest, corpus: Corpus) -> tuple[Report, MeasureReport]:
    """Read what an address asks for: an epoch and a measure.

    Raises
    ------
    InvalidInput
        There is no such measure.
    Http404
        Nothing of that epoch may be seen.
    """
    known = measures_of(corpus)
    measure = request.GET.get("measure", known[0])
    if measure not in known:
        raise InvalidInput(f"{measure!r:.80} is none of {', '.join(known)}.", where="measure")
    asked = request.GET.get("epoch", "")
    if asked and not (asked.isdecimal() and len(asked) < 10):
        raise InvalidInput(f"{asked!r:.80} is the number of no epoch.", where="epoch")
    report = read_report(corpus, request.user, int(asked) if asked else None)
    if asked and report.epoch is None:
        raise Http404("nothing of that epoch may be seen yet")
    return report, report.measure(measure)


def _labels(chosen: MeasureReport) -> dict[str, str]:
    labels = {one.name: one.label for row in chosen.rows for one in row.metrics}
    return {name: labels[name] for name in chosen.metrics}
