"""Claims: one at a time, free at once when whoever had it is gone, and no session of the database needed."""

import threading

import pytest
from django.db import connection, transaction

from kbpo.core.database.locks import claim

pytestmark = pytest.mark.django_db


def elsewhere(name: str) -> bool:
    """Say whether another thread, with connections of its own, can claim something."""
    found = []

    def look() -> None:
        try:
            with claim(name) as is_ours:
                found.append(is_ours)
        finally:
            connection.close()

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    return found[0]


def the_spare():
    """Return the one connection that is kept for claims."""
    connection.close_spares()
    with claim("one"):
        pass
    (spare,) = connection.spares
    return spare


def test_what_is_claimed_is_nobody_elses_until_the_block_ends():
    with claim("one") as is_ours:
        assert (is_ours, elsewhere("one"), elsewhere("another")) == (True, False, True)
    assert elsewhere("one")


def test_the_same_thread_may_claim_it_once_more_and_keeps_it_to_the_end_of_the_first():
    with claim("one"):
        with claim("one") as is_ours:
            assert is_ours
        assert not elsewhere("one")
    assert elsewhere("one")


def test_claims_within_claims_end_by_themselves():
    with claim("one"):
        with claim("two") as is_ours:
            assert is_ours
        assert (elsewhere("one"), elsewhere("two")) == (False, True)


def test_an_error_lets_go():
    with pytest.raises(ZeroDivisionError), claim("one"):
        raise ZeroDivisionError
    assert elsewhere("one")


def test_what_is_rolled_back_does_not_touch_a_claim():
    with transaction.atomic(), claim("one"):
        transaction.set_rollback(True)
        assert not elsewhere("one")


def test_no_session_holds_a_lock_so_a_pooler_may_share_them():
    def held() -> list[tuple[str, bool]]:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT state, xact_start IS NOT NULL FROM pg_locks JOIN pg_stat_activity USING (pid)"
                " WHERE locktype = 'advisory' AND datname = current_database()"
            )
            return cursor.fetchall()

    with claim("one"):
        assert held() == [("idle in transaction", True)]
    assert held() == []


def test_a_connection_that_was_ended_while_it_lay_idle_is_replaced():
    spare = the_spare()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [spare.connection.info.backend_pid])
    with claim("one") as is_ours:
        assert is_ours
    assert spare not in connection.spares


def test_who_holds_a_claim_for_hours_is_not_ended_for_its_idleness():
    spare = the_spare()
    with claim("one"), spare.cursor() as cursor:
        cursor.execute("SHOW idle_in_transaction_session_timeout")
        assert cursor.fetchone() == ("0",)
