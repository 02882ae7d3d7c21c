"""What one system wrote, beside its metrics and what people said; and two systems side by side."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotations.data.readers import may_read
from annotations.models import Corpus
from evaluation.generation import subsets
from evaluation.generation.explorer import asked as asking
from evaluation.generation.explorer import pairs
from evaluation.generation.explorer.asked import Asked
from evaluation.generation.explorer.drawing import draw
from evaluation.generation.explorer.finding import System, find, fit_all, read_systems
from evaluation.generation.explorer.published import read_judged
from evaluation.generation.explorer.scatter import FEW, scatter
from evaluation.generation.explorer.shown import show
from evaluation.generation.task import TASK
from evaluation.models import Epoch, Submission
from evaluation.submissions.visibility import SAMPLED, systems_of
from evaluation.submissions.visibility import find as find_submission
from kbpo.core.errors import InvalidInput
from kbpo.core.revalidating import public_page


@require_safe
@public_page
def outputs(request: HttpRequest, tag: str, pk: int) -> HttpResponse:
    """Show what a system wrote, filtered, ordered and paged; once judgements are published, those."""
    corpus, submission = _find(request, tag, pk)
    (system,) = read_systems([submission])
    is_open = may_read(request.user, corpus)
    asked = _read(request, system, is_open)
    line = None
    if asked.order in asking.BY_LINE and asked.metric:
        systems = _beside(request, corpus, system, asked.metric)
        of_all = read_judged([one.submission for one in systems], asked.measure)
        line = fit_all(systems, of_all, asked.metric)
    page, judged = find(system, asked, request.GET.get("page", "1"), line=line)
    shown = show(
        system,
        list(page.object_list),
        judged,
        metric=asked.metric,
        is_open=is_open,
        is_whole=bool(asked.input_id),
    )
    divisions = [
        (name, subsets.SUBSETS[division].title, subsets.NAMES[division], asked.subsets.get(name, ""))
        for name, division in asking.DIVISIONS.items()
        if is_open or name != "word"
    ]
    orders = {
        name: words
        for name, words in asking.ORDERS.items()
        if (judged.size or name not in asking.OF_JUDGED) and (asked.metric or name == asking.FILE)
    }
    context = {
        **_about(corpus, submission, is_open=is_open),
        "page": page,
        "outputs": shown,
        "asked": asked,
        "metrics": system.metric_names,
        "metric_name": system.metric_names.get(asked.metric, ""),
        "measures": system.measures,
        "judged": judged.size,
        "judged_choices": asking.JUDGED,
        "orders": orders,
        "divisions": divisions,
        "is_refined": bool(asked.subsets or asked.input_id)
        or not (asked.values.is_open and asked.judgements.is_open),
    }
    return render(request, "evaluation/outputs.html", context)


@require_safe
@public_page
def metric(request: HttpRequest, tag: str, pk: int) -> HttpResponse:
    """Show a metric of what a system wrote against what people said of it, where that is published."""
    corpus, submission = _find(request, tag, pk)
    (system,) = read_systems([submission])
    is_open = may_read(request.user, corpus)
    asked = _read(request, system, is_open)
    systems = _beside(request, corpus, system, asked.metric)
    judged = read_judged([one.submission for one in systems], asked.measure)
    found = scatter(system, systems, judged, asked.metric, asked.measure) if asked.metric else None
    extremes = []
    if found is not None:
        for order, places in ((asking.OVER, found.liked), (asking.UNDER, found.disliked)):
            some = show(system, places.tolist(), judged[0], metric=asked.metric, is_open=is_open)
            extremes.append((order, some))
    context = {
        **_about(corpus, submission, is_open=is_open),
        "asked": asked,
        "metrics": system.metric_names,
        "metric_name": system.metric_names.get(asked.metric, ""),
        "measures": system.measures,
        "measure_name": system.measures[asked.measure],
        "found": found,
        "judged": found is not None,
        "drawing": draw(found, metric=asked.metric, measure=asked.measure) if found else None,
        "extremes": extremes,
        "few": FEW,
    }
    return render(request, "evaluation/metric.html", context)


@require_safe
@public_page
def pair(request: HttpRequest, tag: str) -> HttpResponse:
    """Show the inputs for which two systems wrote something else, side by side."""
    corpus = get_object_or_404(Corpus, tag=tag)
    TASK.check_corpus(corpus)
    first, second = (_read_system(request, corpus, name) for name in ("a", "b"))
    if first == second:
        raise InvalidInput("a and b must name two different systems by number.", where="a, b")
    a, b = read_systems([first, second])
    is_open = may_read(request.user, corpus)
    asked = _read(request, a, is_open, but=("order", "judged"))
    order = request.GET.get("order") or pairs.FILE
    both = pairs.read_pair(a, b, asked.measure)
    chosen = asked.metric if asked.metric in both.metrics else next(iter(both.metrics), "")
    only_judged = request.GET.get("judged") == "yes"
    page = both.find(metric=chosen, order=order, only_judged=only_judged, page=request.GET.get("page", "1"))
    is_judged = bool(both.judged.any())
    context = {
        **_about(corpus, first, is_open=is_open),
        "first": first,
        "second": second,
        "page": page,
        "pairs": both.show(page, metric=chosen, is_open=is_open),
        "inputs": both.first.size,
        "different": int(both.differs.sum()),
        "judged": int((both.judged & both.differs).sum()),
        "judged_choices": pairs.JUDGED,
        "asked": replace(asked, metric=chosen, order=order, judged="yes" if only_judged else ""),
        "metrics": both.metrics,
        "metric_name": both.metrics.get(chosen, ""),
        "measures": a.measures,
        "orders": {
            name: words.format(a=first.shown_name, b=second.shown_name)
            for name, words in pairs.ORDERS.items()
            if (is_judged or name not in (pairs.JUDGED_FIRST, pairs.JUDGED_SECOND))
            and (chosen or name == pairs.FILE)
        },
    }
    return render(request, "evaluation/pair.html", context)


def _find(request: HttpRequest, tag: str, pk: int) -> tuple[Corpus, Submission]:
    corpus = get_object_or_404(Corpus, tag=tag)
    TASK.check_corpus(corpus)
    return corpus, find_submission(request.user, pk=pk, corpus=corpus)


def _beside(request: HttpRequest, corpus: Corpus, system: System, metric: str) -> list[System]:
    """Return a system, and all others that may be seen, these with one metric alone."""
    others = (
        systems_of(request.user, corpus)
        .filter(state__in=SAMPLED)
        .exclude(pk=system.submission.pk)
        .select_related("team")
        .order_by("pk")
    )
    found = list(others) if metric else []
    return [system, *(read_systems(found, [metric]) if found else [])]


def _read(request: HttpRequest, system: System, is_open: bool, *, but: Collection[str] = ()) -> Asked:
    return asking.read(
        {name: value for name, value in request.GET.dict().items() if name not in but},
        metrics=system.columns,
        declared=system.declared,
        measures=system.measures,
        is_open=is_open,
    )


def _read_system(request: HttpRequest, corpus: Corpus, name: str) -> Submission:
    asked = request.GET.get(name, "")
    if not (asked.isascii() and asked.isdecimal() and len(asked) <= 18):
        raise InvalidInput(f"{asked[:40]!r} is not the number of a system.", where=name)
    return find_submission(request.user, pk=int(asked), corpus=corpus)


def _about(corpus: Corpus, submission: Submission, *, is_open: bool) -> dict[str, Any]:
    batch = getattr(submission, "batch", None)
    return {
        "corpus": corpus,
        "submission": submission,
        "is_open": is_open,
        "is_scored": submission.scores.exists(),
        "epoch": batch.epoch if batch else None,
        "released": Epoch.objects.filter(corpus=corpus, released_at__isnull=False).exists(),
    }
