"""Queries that Django puts into SQL once, and not each time that they are asked.

To put a query of a few joins into SQL takes longer than to ask it. Where a page asks the same of other rows
again and again, that is a good part of what it takes.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import Expression, QuerySet
from django.db.models.query import ModelIterable, get_related_populators

R = TypeVar("R")


class Given(Expression):
    """A value that is given each time that a compiled query is asked.

    Parameters
    ----------
    name : str
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        """Stand where the value will."""
        return "%s", [self]


class Compiled(Generic[R]):
    """A query whose values are `Given`: it returns what the same query with the values in it would.

    Parameters
    ----------
    make : callable
        Returns the query: of models, with related ones and without some columns as need be, or of tuples of
        values. It is called once, at the first use.

    Examples
    --------
    >>> named = Compiled(lambda: Corpus.objects.filter(tag=Given("tag")))  # doctest: +SKIP
    >>> named.first(tag="demo")  # doctest: +SKIP
    <Corpus: Demo>
    """

    def __init__(self, make: Callable[[], QuerySet[Any, R]]) -> None:
        self._make = make

    def all(self, **values: object) -> list[R]:
        """Ask with these values."""
        statement, parameters, build = self._ready
        given: list[Any] = [values[one.name] if isinstance(one, Given) else one for one in parameters]
        with connection.cursor() as cursor:
            cursor.execute(statement, given)
            return build(cursor.fetchall())

    def first(self, **values: object) -> R | None:
        """Return the first row of the answer; None where there is none."""
        return next(iter(self.all(**values)), None)

    @cached_property
    def _ready(self) -> tuple[str, tuple[object, ...], Callable[[list[tuple[Any, ...]]], list[Any]]]:
        """Do once what Django's `ModelIterable` and `ValuesListIterable` do each time."""
        query = self._make()
        compiler: Any = query.query.get_compiler(DEFAULT_DB_ALIAS)
        statement, parameters = compiler.as_sql()
        info, select = compiler.klass_info, compiler.select
        converters = compiler.get_converters([column for column, _, _ in select])

        def convert(rows: list[tuple[Any, ...]]) -> list[Any]:
            return list(map(tuple, compiler.apply_converters(rows, converters))) if converters else rows

        if not issubclass(query._iterable_class, ModelIterable):
            return statement, tuple(parameters), convert
        first, last = info["select_fields"][0], info["select_fields"][-1]
        names = [column.target.attname for column, _, _ in select[first : last + 1]]
        populators: Callable[..., list[Any]] = get_related_populators  # its type is that of a later Django
        related = populators(info, select, DEFAULT_DB_ALIAS)

        def build(rows: list[tuple[Any, ...]]) -> list[Any]:
            found = []
            for row in convert(rows):
                one = info["model"].from_db(DEFAULT_DB_ALIAS, names, row[first : last + 1])
                for populator in related:
                    populator.populate(row, one)
                found.append(one)
            return found

        return statement, tuple(parameters), build
