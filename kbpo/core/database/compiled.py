"""Queries that Django puts into SQL once, and not each time that they are asked.

To put a query of a few joins into SQL takes longer than to ask it. Where a page asks the same of other rows
again and again, that is a good part of what it takes.
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection, transaction
from django.db.models import BooleanField, Expression, F, Field, Func, QuerySet
from django.db.models.expressions import Combinable
from django.db.models.query import ModelIterable, get_related_populators
from django.db.models.sql import UpdateQuery
from django.db.transaction import TransactionManagementError

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


class IsOneOf(Func):
    """Whether a column's value is one of a list that is given; a list has no place in ``__in``.

    Parameters
    ----------
    column : str
    given : Given
    """

    template, arg_joiner = "%(expressions)s)", " = ANY("

    def __init__(self, column: str, given: Given) -> None:
        super().__init__(F(column), given, output_field=BooleanField())


class Compiled(Generic[R]):
    """A query whose values are `Given`: it returns what the same query with the values in it would.

    Parameters
    ----------
    make : callable
        Returns the query: of models, with related ones, annotations and without some columns as need be, or
        of tuples of values. It is called once, at the first use.

    Examples
    --------
    >>> named = Compiled(lambda: Corpus.objects.filter(tag=Given("tag")))  # doctest: +SKIP
    >>> named.first(tag="demo")  # doctest: +SKIP
    <Corpus: Demo>
    """

    def __init__(self, make: Callable[[], QuerySet[Any, R]]) -> None:
        self._make = make

    def all(self, **values: object) -> list[R]:
        """Ask with these values.

        Raises
        ------
        TransactionManagementError
            If it locks rows, outside of a transaction.
        """
        ready = self._ready
        if ready.locks and connection.get_autocommit():
            raise TransactionManagementError("rows are locked within a transaction alone")
        given: list[Any] = [_given(one, values) for one in ready.parameters]
        with connection.cursor() as cursor:
            cursor.execute(ready.statement, given)
            return ready.build(cursor.fetchall())

    def first(self, **values: object) -> R | None:
        """Return the first row of the answer; None where there is none."""
        return next(iter(self.all(**values)), None)

    @cached_property
    def _ready(self) -> "_Ready":
        """Do once what Django's `ModelIterable` and `ValuesListIterable` do each time.

        Nothing of it holds the connection of whoever comes first: that is of a thread, which may end.
        """
        query = self._make()
        locks = query.query.select_for_update
        compiler: Any = query.query.get_compiler(DEFAULT_DB_ALIAS)
        statement, parameters = compiler.as_sql()
        info, select = compiler.klass_info, compiler.select
        converters = tuple(compiler.get_converters([column for column, _, _ in select]).items())

        def convert(rows: list[tuple[Any, ...]]) -> list[Any]:
            return [converted(row) for row in rows] if converters else rows

        def converted(row: tuple[Any, ...]) -> tuple[Any, ...]:
            values = list(row)
            for place, (functions, expression) in converters:
                for function in functions:
                    values[place] = function(values[place], expression, connection)
            return tuple(values)

        if not issubclass(query._iterable_class, ModelIterable):
            return _Ready(statement, tuple(parameters), locks, convert)
        first, last = info["select_fields"][0], info["select_fields"][-1]
        names = [column.target.attname for column, _, _ in select[first : last + 1]]
        populators: Callable[..., list[Any]] = get_related_populators  # its type is that of a later Django
        related = populators(info, select, DEFAULT_DB_ALIAS)
        annotations = tuple(compiler.annotation_col_map.items())

        def build(rows: list[tuple[Any, ...]]) -> list[Any]:
            found = []
            for row in convert(rows):
                one = info["model"].from_db(DEFAULT_DB_ALIAS, names, row[first : last + 1])
                for populator in related:
                    populator.populate(row, one)
                for name, place in annotations:
                    setattr(one, name, row[place])
                found.append(one)
            return found

        return _Ready(statement, tuple(parameters), locks, build)


class _Ready(NamedTuple):
    """A query in SQL, whether it locks rows, and what makes its answer of the rows that come."""

    statement: str
    parameters: tuple[object, ...]
    locks: bool
    build: Callable[[list[tuple[Any, ...]]], list[Any]]


class _Value(Given):
    """What a column is set to."""

    def __init__(self, field: "Field[Any, Any]") -> None:
        super().__init__(field.name)
        self.set_of = field


class CompiledUpdate:
    """An update whose values, those of columns too, are given each time.

    Parameters
    ----------
    make : callable
        Returns the query of the rows, whose values are `Given`. It is called once, at the first use.
    *columns : str
        Set to what is given by their names.
    **expressions : Expression
        What other columns are set to.

    Examples
    --------
    >>> ended = CompiledUpdate(lambda: Corpus.objects.filter(tag=Given("of")), "closes_at")  # doctest: +SKIP
    >>> ended.do(of="demo", closes_at=now)  # doctest: +SKIP
    1
    """

    def __init__(
        self, make: Callable[[], QuerySet[Any, Any]], *columns: str, **expressions: Combinable
    ) -> None:
        self._make, self._columns, self._expressions = make, columns, expressions

    def do(self, **values: object) -> int:
        """Set the columns; return of how many rows."""
        statement, parameters = self._ready
        given: list[Any] = [_given(one, values) for one in parameters]
        with transaction.mark_for_rollback_on_error(), connection.cursor() as cursor:
            cursor.execute(statement, given)
            return int(cursor.rowcount)

    @cached_property
    def _ready(self) -> tuple[str, tuple[object, ...]]:
        rows = self._make()
        query: Any = rows.query.chain(UpdateQuery)
        fields = {name: rows.model._meta.get_field(name) for name in self._columns}
        query.add_update_values({name: _Value(field) for name, field in fields.items()} | self._expressions)
        query.clear_select_clause()
        statement, parameters = query.get_compiler(DEFAULT_DB_ALIAS).as_sql()
        return statement, tuple(parameters)


def _given(one: object, values: Mapping[str, object]) -> object:
    if isinstance(one, _Value):
        return one.set_of.get_db_prep_save(values[one.name], connection)
    return values[one.name] if isinstance(one, Given) else one
