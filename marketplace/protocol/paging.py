"""Lists in pages, each page naming the next by a token that only this service can make."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from django.core import signing
from django.db.models import Model, Q, QuerySet

from marketplace.protocol.errors import invalid_parameter

DEFAULT = 10  # results of a page
Row = TypeVar("Row", bound=Model)
_SALT = "marketplace.protocol.paging"


def page(
    rows: QuerySet[Row], params: Mapping[str, Any], *, scope: str, by: tuple[str, ...] = ("-pk",)
) -> tuple[list[Row], str | None]:
    """Cut a page out of a list. Rows that come or go in the meantime move no other row over its edge.

    Parameters
    ----------
    rows : QuerySet
    params : mapping
        ``MaxResults`` and ``NextToken`` of the request.
    scope : str
        What is listed and for whom: a token of another list is refused.
    by : tuple of str
        One or two columns of the order, the last one unique.

    Returns
    -------
    rows : list
    token : str or None
        The ``NextToken``; None on the last page.

    Raises
    ------
    RequestError
        If the token is not of this list.
    """
    size = params.get("MaxResults", DEFAULT)
    if "NextToken" in params:
        rows = rows.filter(_after(by, _read(params["NextToken"], scope)))
    found = list(rows.order_by(*by)[: size + 1])
    if len(found) <= size:
        return found, None
    found = found[:size]
    edge = [_plain(found[-1], column.removeprefix("-")) for column in by]
    return found, signing.dumps([scope, *edge], salt=_SALT)


def answer(
    name: str, found: tuple[list[Row], str | None], write: Callable[[Row], dict[str, Any]]
) -> dict[str, Any]:
    """Return a page as the API does: ``NumResults``, ``NextToken`` and the list."""
    rows, token = found
    return {"NumResults": len(rows), "NextToken": token, name: [write(row) for row in rows]}


def _after(by: tuple[str, ...], edge: list[Any]) -> Q:
    """Say what comes after a row, by one column or by two."""
    after, equal = Q(), Q()
    for column, value in zip(by, edge, strict=True):
        name, direction = column.removeprefix("-"), "lt" if column.startswith("-") else "gt"
        after |= equal & Q(**{f"{name}__{direction}": value})
        equal &= Q(**{name: value})
    return after


def _plain(row: Model, column: str) -> Any:
    value = getattr(row, column)
    return value if isinstance(value, int) else value.isoformat()


def _read(token: str, scope: str) -> list[Any]:
    try:
        found: list[Any] = signing.loads(token, salt=_SALT)
    except signing.BadSignature:
        found = [None]
    if found[0] != scope:
        raise invalid_parameter("NextToken", "is not one that this list gave; begin without one.")
    return found[1:]
