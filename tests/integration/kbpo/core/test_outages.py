import pytest
from django.db import OperationalError, connection

from kbpo.core.database.outages import is_outage


@pytest.mark.django_db
def test_a_statement_that_takes_too_long_is_no_outage() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = '1ms'")
        with pytest.raises(OperationalError) as caught:
            cursor.execute("SELECT pg_sleep(1)")
    assert not is_outage(caught.value)


@pytest.mark.django_db(transaction=True)
def test_a_session_that_the_server_ends_is_an_outage() -> None:
    with connection.cursor() as cursor, pytest.raises(OperationalError) as caught:
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    connection.close()
    assert is_outage(caught.value)
