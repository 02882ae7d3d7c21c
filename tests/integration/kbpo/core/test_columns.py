import numpy as np
import pytest
from django.db import IntegrityError, transaction

from evaluation.models import Unit, UnitColumn
from kbpo.core.database.bulk import copy_rows, insert_row, read_columns, read_rows
from kbpo.core.errors import InvalidInput
from tests.factories import CorpusFactory, SampleBatchFactory

pytestmark = pytest.mark.django_db


def test_columns_come_as_arrays_of_their_types():
    query = "SELECT i, i / 4.0, mod(i, 2) = 0, i * 10000000000 FROM generate_series(%s::int, %s::int) AS i"
    found = read_columns(query, [1, 3], {"id": "int", "p": "float8", "even": "bool", "large": "bigint"})
    assert found["id"].tolist() == [1, 2, 3]
    assert found["p"].tolist() == [0.25, 0.5, 0.75]
    assert found["even"].tolist() == [False, True, False]
    assert found["large"].tolist() == [10**10, 2 * 10**10, 3 * 10**10]
    assert found["p"].dtype == np.float64


def test_every_double_comes_through_unchanged():
    values = [5e-324, 0.1, -0.0, 1.7976931348623157e308]
    found = read_columns("SELECT unnest(%s::float8[])", [values], {"x": "float8"})
    assert [value.hex() for value in found["x"].tolist()] == [value.hex() for value in values]


def test_no_rows_are_empty_columns():
    found = read_columns("SELECT 1, 2 WHERE false", [], {"a": "int", "b": "float8"})
    assert [column.size for column in found.values()] == [0, 0]


@pytest.mark.parametrize(
    "query", ["SELECT 1, NULL::int", "SELECT NULL::int, 2 UNION ALL SELECT NULL::int, 3"]
)
def test_a_null_is_refused_by_its_column(query):
    with pytest.raises(InvalidInput, match="null"):
        read_columns(query, [], {"a": "int", "b": "int"})


def test_a_type_without_a_fixed_width_is_refused():
    with pytest.raises(InvalidInput, match="text"):
        read_columns("SELECT 'a'", [], {"a": "text"})


def test_bytes_come_back_as_they_were_inserted():
    batch = SampleBatchFactory()
    insert_row(UnitColumn, {"batch_id": batch.pk, "name": "a", "data": b"\0\xff'%s"})
    query = "SELECT name, data FROM evaluation_unitcolumn WHERE batch_id = %s"
    assert read_rows(query, [batch.pk]) == [("a", b"\0\xff'%s")]


def test_copied_rows_are_rows_like_others():
    copy_rows(Unit, ("corpus_id", "key"), [(CorpusFactory().pk, "a\tb")])
    assert Unit.objects.get().key == "a\tb"


def test_copied_rows_obey_the_constraints():
    rows = [(CorpusFactory().pk, "")]
    with pytest.raises(IntegrityError), transaction.atomic():
        copy_rows(Unit, ("corpus_id", "key"), rows)
