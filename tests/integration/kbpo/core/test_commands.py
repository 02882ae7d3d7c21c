import importlib

import pytest
from django.conf import LazySettings
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from kbpo import wsgi
from kbpo.core import commands
from kbpo.core.errors import Unavailable


def test_a_server_database_with_pending_migrations_is_refused(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch, transactional_db: None
) -> None:
    settings.EMBEDDED_DATABASE = False
    monkeypatch.setattr(commands, "pending_migrations", lambda: 2)
    with pytest.raises(Unavailable, match=r"manage\.py upgrade"):
        commands.prepare_database()


def test_a_server_database_that_is_up_to_date_is_used(settings: LazySettings, transactional_db: None) -> None:
    settings.EMBEDDED_DATABASE = False
    commands.prepare_database()


def test_a_database_of_other_initial_migrations_is_refused_in_words(transactional_db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT obj_description('django_migrations'::regclass)")
        [mark] = cursor.fetchone()
        cursor.execute("COMMENT ON TABLE django_migrations IS 'of another version'")
        try:
            with pytest.raises(Unavailable, match=r"made by another version before 1\.0"):
                commands.prepare_database()
        finally:
            cursor.execute(f"COMMENT ON TABLE django_migrations IS '{mark}'")
    commands.prepare_database()


def test_a_database_with_an_applied_migration_that_is_gone_is_refused(transactional_db: None) -> None:
    recorder = MigrationRecorder(connection)
    recorder.record_applied("keeping", "0001_installation")
    try:
        with pytest.raises(Unavailable, match="use an empty database, or another folder in KBPO_HOME"):
            commands.prepare_database()
    finally:
        recorder.record_unapplied("keeping", "0001_installation")


def test_upgrade_clears_the_cache(transactional_db: None) -> None:
    cache.set("key", "value of an earlier version")
    call_command("upgrade")
    assert cache.get("key") is None


def test_start_of_web_clears_the_cache() -> None:
    cache.set("key", "value of an earlier version")
    importlib.reload(wsgi)
    assert cache.get("key") is None
