"""Migrations let the code before them go on, and lock no table for long (ADR 105)."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.postgres.operations import (
    AddConstraintNotValid,
    AddIndexConcurrently,
    RemoveIndexConcurrently,
    ValidateConstraint,
)
from django.db import connection, migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState
from django_migration_linter.sql_analyser import PostgresqlAnalyser, analyse_sql_statements

from kbpo.core.database.migrating import AddIndexBesideWork

pytestmark = pytest.mark.django_db(transaction=True)

#: The last migrations of before: of each app its number. An upgrade from there wants everything stopped.
BEFORE = {
    "core": 4,
    "accounts": 11,
    "webhooks": 1,
    "annotations": 28,
    "crowd": 16,
    "marketplace": 2,
    "evaluation": 58,
}
#: What drops or changes something that the version before did without: in which of its migrations.
AFTER_ITS_USE: dict[tuple[str, str], str] = {}


def faults(migration: migrations.Migration, state: ProjectState) -> list[str]:
    """Return what is wrong with a migration, if it runs while the code before it does."""
    with connection.schema_editor(atomic=migration.atomic, collect_sql=True) as editor:
        migration.apply(state, editor, collect_sql=True)
    statements = [line for line in editor.collected_sql if not line.startswith("--")]
    if migration.atomic:
        statements = ["BEGIN;", *statements, "COMMIT;"]
    errors, _, warnings = analyse_sql_statements(PostgresqlAnalyser, statements)
    found = [issue.message for issue in (*errors, *warnings)]
    found += [f"rows are looked at under a lock: {line}" for line in statements if is_checked_at_once(line)]
    codes = [one for one in migration.operations if isinstance(one, migrations.RunPython | migrations.RunSQL)]
    if codes and (migration.atomic or len(codes) < len(migration.operations)):
        found.append("rows are changed in a migration that is a transaction, or does something else as well")
    return found


def is_checked_at_once(statement: str) -> bool:
    """Say whether a statement checks a table's rows while nobody may use it."""
    adds = re.match(r"ALTER TABLE .* ADD CONSTRAINT .* (CHECK|FOREIGN KEY|EXCLUDE)", statement)
    return adds is not None and "NOT VALID" not in statement


def since() -> list[tuple[str, str]]:
    """Return the migrations that the rule is for."""
    return [
        (app, name)
        for app, name in sorted(MigrationLoader(None).disk_migrations)
        if app in BEFORE and int(name[:4]) > BEFORE[app] and (app, name) not in AFTER_ITS_USE
    ]


def wrong() -> dict[tuple[str, str], list[str]]:
    """Return what is wrong with those of them in which anything is."""
    loader = MigrationLoader(connection)
    found = {key: faults(loader.graph.nodes[key], loader.project_state(key, at_end=False)) for key in since()}
    return {key: one for key, one in found.items() if one}


def test_every_migration_lets_the_code_before_it_go_on() -> None:
    assert wrong() == {}


def test_what_was_before_the_rule_is_found_by_it(monkeypatch) -> None:
    monkeypatch.setitem(BEFORE, "evaluation", 53)
    names = {name for _, name in wrong()}
    assert "0057_scores_and_what_they_rest_on" in names  # a field without a default, and rows
    assert "0054_scores_by_choice" not in names  # indexes, made beside work


def test_every_app_has_a_first_that_the_rule_is_for() -> None:
    ours = {app for app, _ in MigrationLoader(None).disk_migrations if app in BEFORE}
    assert ours == set(BEFORE)
    assert set(AFTER_ITS_USE) <= set(MigrationLoader(None).disk_migrations)


def _first() -> ProjectState:
    state = ProjectState()
    one = [("id", models.BigAutoField(primary_key=True)), ("size", models.IntegerField())]
    for name in ("Thing", "Other"):
        migrations.CreateModel(name, one).state_forwards("tried", state)
    return state


def _nothing(*_: Any) -> None:
    pass


SIZE = models.Q(size__gte=0)
CHECK = models.CheckConstraint(condition=SIZE, name="size_is_positive")
INDEX = models.Index(fields=["size"], name="by_size")
RUN = migrations.RunPython(_nothing, _nothing)


def a_field(**options: Any) -> migrations.AddField:
    return migrations.AddField("thing", "words", models.TextField(**options))


@pytest.mark.parametrize(
    ("operations", "atomic", "fault"),
    [
        (lambda: [a_field(default="")], True, "NOT NULL constraint on columns"),
        (lambda: [migrations.RemoveField("thing", "size")], True, "DROPPING columns"),
        (lambda: [migrations.RenameField("thing", "size", "length")], True, "RENAMING columns"),
        (lambda: [migrations.DeleteModel("Other")], True, "DROPPING table"),
        (
            lambda: [migrations.AlterField("thing", "size", models.BigIntegerField())],
            True,
            "ALTERING columns",
        ),
        (lambda: [migrations.AddIndex("thing", INDEX)], True, "CREATE INDEX locks table"),
        (lambda: [migrations.AddConstraint("thing", CHECK)], True, "rows are looked at under a lock"),
        (
            lambda: [migrations.AlterField("thing", "size", models.IntegerField(unique=True))],
            True,
            "ADDING unique constraint",
        ),
        (lambda: [RUN], True, "a migration that is a transaction"),
        (lambda: [a_field(null=True), RUN], False, "or does something else as well"),
    ],
)
def test_what_older_code_or_a_large_table_does_not_survive_is_found(
    operations: Callable[[], list[Any]], atomic: bool, fault: str
) -> None:
    assert any(fault in one for one in faults(migration_of(operations(), atomic), _first()))


@pytest.mark.parametrize(
    ("operations", "atomic"),
    [
        (lambda: [migrations.CreateModel("New", [("id", models.BigAutoField(primary_key=True))])], True),
        (lambda: [a_field(null=True)], True),
        (lambda: [a_field(db_default="")], True),
        (lambda: [AddIndexConcurrently("thing", INDEX)], False),
        (lambda: [AddIndexBesideWork("thing", INDEX), RemoveIndexConcurrently("thing", "by_size")], False),
        (lambda: [AddConstraintNotValid("thing", CHECK)], True),
        (lambda: [AddConstraintNotValid("thing", CHECK), ValidateConstraint("thing", CHECK.name)], False),
        (lambda: [RUN], False),
        (
            lambda: [
                migrations.SeparateDatabaseAndState(
                    state_operations=[migrations.RemoveField("thing", "size")]
                ),
                migrations.AlterModelOptions("other", {"ordering": ["id"]}),
            ],
            True,
        ),
    ],
)
def test_what_both_survive_is_let_through(operations: Callable[[], list[Any]], atomic: bool) -> None:
    assert faults(migration_of(operations(), atomic), _first()) == []


def migration_of(operations: list[Any], atomic: bool) -> migrations.Migration:
    migration = migrations.Migration("0002_tried", "tried")
    migration.operations, migration.atomic = operations, atomic
    return migration
