"""Statistics for Postgres' planner: made with what was loaded, and never in anybody's way."""

import pytest
from django.db import connection, transaction

from annotations.models import NameFrequency
from kbpo.core.database.analysing import LEAST, analyse
from kbpo.core.database.bulk import copy_rows
from tests.factories import CorpusFactory
from tests.statistics_of_tables import forget, known_rows

pytestmark = pytest.mark.django_db


def load(number: int) -> int:
    corpus = CorpusFactory()
    names = (f"{corpus.tag} {one}" for one in range(number))
    return copy_rows(
        NameFrequency,
        ("corpus_id", "name", "documents", "among"),
        ((corpus.pk, name, 1, 2) for name in names),
    )


@pytest.fixture(autouse=True)
def never_analysed():
    forget(NameFrequency)


def test_what_the_same_transaction_has_loaded_is_known():
    analyse({NameFrequency: load(LEAST + 1)})
    assert known_rows(NameFrequency) == LEAST + 1


def test_a_few_rows_are_not_worth_it():
    analyse({NameFrequency: load(LEAST)})
    assert known_rows(NameFrequency) == -1


def test_a_large_table_is_analysed_once_it_has_grown_by_a_tenth():
    analyse({NameFrequency: load(1_000)})
    analyse({NameFrequency: load(140)})
    assert known_rows(NameFrequency) == 1_000
    analyse({NameFrequency: load(160)})
    assert known_rows(NameFrequency) == 1_300


def test_an_error_is_logged_and_leaves_the_transaction_as_it_was(caplog, monkeypatch):
    load(7)
    monkeypatch.setattr(NameFrequency._meta, "db_table", "no_such_table")
    analyse({NameFrequency: 1_000})
    monkeypatch.undo()
    assert "no_such_table was not analysed" in caplog.text
    assert NameFrequency.objects.count() == 7


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
                cursor.execute("LOCK TABLE annotations_namefrequency IN SHARE UPDATE EXCLUSIVE MODE")
            analyse({NameFrequency: rows})
        finally:
            other.rollback()  # which the server has answered; a connection closed keeps its locks a while
            other.close()
        assert known_rows(NameFrequency) == -1
        assert not caplog.records  # as there would be of a lock that was waited for
        analyse({NameFrequency: rows})
        assert known_rows(NameFrequency) == rows
