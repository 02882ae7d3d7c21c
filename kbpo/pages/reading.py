"""What an address asks for, read once for all views."""

from typing import TypeVar

from django.core.paginator import Page, Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest

Row = TypeVar("Row", bound=Model)


def paged(request: HttpRequest, rows: "QuerySet[Row]", size: int) -> "Page[Row]":
    """Return the page of rows that the address asks for; the first or last where there is none such."""
    return Paginator(rows, size).get_page(request.GET.get("page"))


def number(request: HttpRequest, name: str) -> int | None:
    """Read a whole number from the address; None where there is none, or something else."""
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else None
