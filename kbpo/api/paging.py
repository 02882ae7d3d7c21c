"""Pages of lists: each says where the next begins, so that a page costs the same wherever it is."""

import base64
import binascii
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

from django.db.models import Model, QuerySet
from django.utils import timezone
from drf_spectacular.utils import inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kbpo.api.base import answer
from kbpo.core.errors import InvalidInput
from kbpo.core.numbers import whole_number

USUAL, MOST = 100, 250  # rows of a page
LARGEST = 2**63 - 1

Row = TypeVar("Row")
M = TypeVar("M", bound=Model)


class PageQuery(serializers.Serializer[Any]):
    """Where a page begins, and how long it is."""

    cursor = serializers.CharField(
        required=False, max_length=200, help_text="From `next` of the page before; the first page has none."
    )
    limit = serializers.IntegerField(
        required=False, default=USUAL, min_value=1, max_value=MOST, help_text="Rows of a page."
    )


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """Some rows of a list.

    Attributes
    ----------
    results : sequence
    next : str or None
        The address of the next page; None for the last.
    """

    results: Sequence[Row]
    next: str | None


def read_query(serializer: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    """Read what the address asks for; a `ValidationError` names each field that is wrong."""
    read = serializer(data=request.query_params)
    read.is_valid(raise_exception=True)
    return dict(read.validated_data)


def page_of(
    found: QuerySet[M],
    request: Request,
    asked: dict[str, Any],
    *,
    key: str = "pk",
    newest_first: bool = False,
) -> Page[M]:
    """Return a page of a query, from its key onwards.

    Parameters
    ----------
    found : QuerySet
    asked : dict
        As `PageQuery` read it.
    key : str
        A whole number of its rows, that no two have in common; it needs an index.
    newest_first : bool
        Whether the largest comes first.
    """
    start = read_cursor(asked)
    if start is not None:
        found = found.filter(**{f"{key}__{'lt' if newest_first else 'gt'}": start[0]})
    rows = list(found.order_by(f"{'-' if newest_first else ''}{key}")[: asked["limit"] + 1])
    return cut(rows, request, asked, lambda row: (getattr(row, key),))


def answer_page(
    row: type[serializers.Serializer[Any]], found: QuerySet[Any], request: Request, **order: Any
) -> Response:
    """Answer with the page of a query that a `PageQuery` asks for, in an order as of `page_of`."""
    page = page_of(found, request, read_query(PageQuery, request), **order)
    return answer(page_serializer(row)(page, context={"request": request, "now": timezone.now()}))


def answer_all(row: type[serializers.Serializer[Any]], found: Iterable[Any]) -> Response:
    """Answer with all rows on one page."""
    return answer(page_serializer(row)(Page(list(found), None)))


def cut(
    rows: Sequence[Row], request: Request, asked: dict[str, Any], key: Callable[[Row], tuple[int, ...]]
) -> Page[Row]:
    """Return the page of rows of which there is one more than asked for where another page follows."""
    limit = asked["limit"]
    if len(rows) <= limit:
        return Page(rows, None)
    shown = rows[:limit]
    query = request._request.GET.copy()
    query["cursor"] = write_cursor(*key(shown[-1]))
    return Page(shown, request.build_absolute_uri(f"{request.path}?{query.urlencode()}"))


def write_cursor(*numbers: int) -> str:
    """Write where a page ended."""
    text = ".".join(map(str, numbers)).encode()
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


def read_cursor(asked: dict[str, Any], parts: int = 1) -> tuple[int, ...] | None:
    """Read where a page begins; None for the first.

    Raises
    ------
    InvalidInput
        If it is none that `write_cursor` wrote.
    """
    given = asked.get("cursor", "")
    if not given:
        return None
    try:
        text = base64.urlsafe_b64decode(f"{given}{'=' * (-len(given) % 4)}".encode("ascii")).decode("ascii")
    except (binascii.Error, ValueError):
        text = ""
    numbers = [whole_number(part, LARGEST) for part in text.split(".")]
    found = tuple(number for number in numbers if number is not None)
    if len(found) != len(numbers) or len(found) != parts:
        raise InvalidInput("it is none that a page gave as `next`: begin without one", where="cursor")
    return found


@lru_cache
def page_serializer(row: type[serializers.BaseSerializer[Any]]) -> type[serializers.Serializer[Any]]:
    """Return what writes a page whose rows a serializer writes."""
    name = row.__name__.removesuffix("Serializer")
    fields = {
        "next": serializers.URLField(allow_null=True, help_text="The next page; null for the last."),
        "results": row(many=True),
    }
    return type(inline_serializer(name=f"{name}Page", fields=fields))
