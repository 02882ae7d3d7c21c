"""Statistics for Postgres' planner: made with what was loaded, and never in anybody's way."""

import pytest
from django.db import connection, transaction

from evaluation.models import NameCount
from kbpo.core.database.analysing import LEAST, analyse
from kbpo.core.database.bulk import copy_rows
from tests.factories import CorpusFactory
from tests.statistics_of_tables import forget, known_rows

pytestmark = pytest.mark.django_db


def load(number: int) -> int:
    corpus = CorpusFactory()
    return copy_rows(
        NameCount, ("corpus_id", "name", "documents"), ((corpus.pk, name, 1) for name in range(number))
    )


@pytest.fixture(autouse=True)
def never_analysed():
    forget(NameCount)


def test_what_the_same_transaction_has_loaded_is_known():
    analyse({NameCount: load(LEAST + 1)})
    assert known_rows(NameCount) == LEAST + 1


def test_a_few_rows_are_not_worth_it():
    analyse({NameCount: load(LEAST)})
    assert known_rows(NameCount) == -1


def test_a_large_table_is_analysed_once_it_has_grown_by_a_tenth():
    analyse({NameCount: load(1_000)})
    analyse({NameCount: load(140)})
    assert known_rows(NameCount) == 1_000
    analyse({NameCount: load(160)})
    assert known_rows(NameCount) == 1_300


def test_an_error_is_logged_and_leaves_the_transaction_as_it_was(caplog, monkeypatch):
    load(7)
    monkeypatch.setattr(NameCount._meta, "db_table", "no_such_table")
    analyse({NameCount: 1_000})
    monkeypatch.undo()
    assert "no_such_table was not analysed" in caplog.text
    assert NameCount.objects.count() == 7


@pytest.mark.django_db(transaction=True)
def test_nobody_waits_for_who_is_just_analysing(caplog):
    other = connection.copy()
    with transaction.atomic():
        rows = load(1_000)
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '1s'")
        other.set_autocommit(False)
        try:
            with other.cursor() as cursor:
                cursor.execute("LOCK TABLE evaluation_namecount IN SHARE UPDATE EXCLUSIVE MODE")
            analyse({NameCount: rows})
        finally:
            other.rollback()  # which the server has answered; a connection closed keeps its locks a while
            other.close()
        assert known_rows(NameCount) == -1
        assert not caplog.records  # as there would be of a lock that was waited for
        analyse({NameCount: rows})
        assert known_rows(NameCount) == rows
