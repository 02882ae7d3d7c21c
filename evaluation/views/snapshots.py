"""Snapshots of leaderboards: those of a corpus, one of them, and its files."""

import csv
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotations.models import Corpus
from evaluation.archives import making
from evaluation.models import Edition
from evaluation.registry import task_of
from evaluation.scoring.published import citing, freezing, snapshots
from evaluation.scoring.published.snapshots import CHOSEN, Board, Row
from evaluation.task import Task
from evaluation.views.board import fit_columns
from evaluation.views.epochs import Line
from kbpo.core.revalidating import public_page

PAGE = 50
"""Systems on a page."""
SYSTEM = "system"
"""What of an address names a system whose page of rows is meant."""


@require_safe
@public_page
def all_snapshots(request: HttpRequest, tag: str) -> HttpResponse:
    """List the snapshots of a corpus."""
    corpus = get_object_or_404(Corpus, tag=tag)
    context = {"corpus": corpus, "snapshots": freezing.leaderboards(corpus)}
    return render(request, "evaluation/snapshots.html", context)


@require_safe
@public_page
def snapshot(request: HttpRequest, tag: str, number: str) -> HttpResponse:
    """Show a snapshot: its numbers as they were, with the names that systems have today."""
    found = find(tag, number)
    task = task_of(found.epoch.corpus)
    board = snapshots.read_board(found, task.choices, viewer=request.user, asked=asked_of(request))
    choices = task.choices
    context = {
        "snapshot": found,
        "corpus": found.epoch.corpus,
        "task": task,
        "board": board,
        "archive": _archive(found),
        "page": _page(board, request),
        "columns": fit_columns(choices, (row.measures for row in board.rows)),
        "level": board.chosen["level"],
        "choosing": _choosing(board, task),
        "epochs": board.head["epochs"],
        "codes": board.head["codes"],
        "ranked_by": choices.measures[choices.parts[board.chosen["part"]].ranked_by]
        if board.chosen["part"] in choices.parts
        else "",
        "query": urlencode(asked_of(request)),
        "citation": citing.cite_snapshot(found, request.build_absolute_uri("/")[:-1]),
    }
    return render(request, "evaluation/snapshot.html", context)


@require_safe
@public_page
def snapshot_csv(request: HttpRequest, tag: str, number: str) -> HttpResponse:
    """Send one table of a snapshot, with the names that systems have today."""
    found = find(tag, number)
    choices = task_of(found.epoch.corpus).choices
    board = snapshots.read_board(found, choices, viewer=request.user, asked=asked_of(request))
    lines = csv_lines(snapshots.csv_columns(choices), snapshots.csv_rows(board, choices))
    response = HttpResponse("".join(lines), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{tag}-snapshot-{number}.csv"'
    return response


def find(tag: str, number: str) -> Edition:
    """Find a snapshot, or answer 404."""
    found = snapshots.find_snapshot(tag, number)
    if found is None:
        raise Http404("no such snapshot")
    return found


def _archive(snapshot: Edition) -> Edition | None:
    """Return the archive of the released epoch that a snapshot is of, if it may be downloaded."""
    if snapshot.reason != Edition.Reason.RELEASE:
        return None
    found = making.newest(snapshot.epoch)
    removed = making.removed_documents(snapshot.epoch)
    return found if found is not None and making.is_given(found, removed) else None


def asked_of(request: HttpRequest) -> Mapping[str, Any]:
    """Return what of a snapshot an address asks for."""
    return {name: request.GET[name] for name in CHOSEN if request.GET.get(name)}


def led_to(request: HttpRequest, tag: str, system: int | None = None) -> HttpResponse | None:
    """Return the way to the snapshot that an address of a board or a system asks for; None if for none.

    Parameters
    ----------
    request : HttpRequest
    tag : str
        The corpus'.
    system : int, optional
        Whose line is meant.
    """
    said = request.GET.get("snapshot", "")
    if not said:
        return None
    found = find(tag, said)
    kept = {name: value for name, value in asked_of(request).items() if value.replace("_", "").isalnum()}
    if system is not None:
        kept[SYSTEM] = system
    asked = f"?{urlencode(kept)}" if kept else ""
    place = "" if system is None else f"#system-{system}"
    return redirect(f"{reverse('snapshot', args=[tag, found.number])}{asked}{place}")


def csv_lines(columns: tuple[str, ...], rows: Iterator[dict[str, Any]]) -> Iterator[str]:
    """Yield the lines of a CSV file."""
    writer = csv.DictWriter(Line(), fieldnames=columns)
    yield writer.writeheader()
    for row in rows:
        yield writer.writerow(row)


def _page(board: Board, request: HttpRequest) -> "Page[Row]":
    """Return the page of rows that an address asks for, by its number or by a system that is on it."""
    asked = request.GET.get("page")
    places = [str(row.named.submission) for row in board.rows]
    if asked is None and request.GET.get(SYSTEM) in places:
        asked = str(1 + places.index(request.GET[SYSTEM]) // PAGE)
    return Paginator(board.rows, PAGE).get_page(asked)


def _choosing(board: Board, task: Task) -> list[tuple[str, str, list[tuple[Any, str, bool]]]]:
    """Return what of the snapshot there is to look at: by name, heading and values with their names."""
    choices = task.choices
    headings = {
        "level": ("Intervals", {level: f"{level}%" for level in board.offered["level"]}),
        "part": ("Judged", {name: one.name for name, one in choices.parts.items()}),
        "weighting": ("Average", choices.weightings),
        "estimator": (choices.estimated_name(board.head["design"]).capitalize(), choices.estimators),
        "standard": (choices.standards_choose.capitalize(), choices.standards),
    }
    return [
        (
            name,
            heading,
            [
                (value, names.get(value, str(value)), value == board.chosen[name])
                for value in sorted(board.offered[name], key=[*names, *board.offered[name]].index)
            ],
        )
        for name, (heading, names) in headings.items()
        if len(board.offered[name]) > 1
    ]
