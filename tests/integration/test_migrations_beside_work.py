"""Migrations let the code before them go on, and lock no table for long (ADR 105)."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.apps import apps
from django.contrib.postgres.functions import RandomUUID
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.operations import AddConstraintNotValid, ValidateConstraint
from django.db import connection, migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState
from django.db.models.fields import NOT_PROVIDED
from django.db.models.functions import Now

from kbpo.core.database.migrating import AddIndexBesideWork, RemoveIndexBesideWork

pytestmark = pytest.mark.django_db(transaction=True)

#: The last migrations of before: of each app its number. An upgrade from there wants everything stopped.
BEFORE = {
    "core": 4,
    "health": 2,
    "keeping": 1,
    "accounts": 11,
    "webhooks": 1,
    "annotations": 28,
    "crowd": 16,
    "marketplace": 2,
    "evaluation": 58,
}
LEAVES = "leaves while older code may use it"
#: Migrations by which something leaves that the version before did without already.
AFTER_ITS_USE: set[tuple[str, str]] = set()

#: What is wrong with a statement about a table that is not new: what it has, and not.
STATEMENTS = (
    (r"\bRENAME\b", None, "renames"),
    (r"\bDROP (COLUMN|TABLE|CONSTRAINT)\b|^DROP TABLE", None, LEAVES),
    (r"\bDROP DEFAULT\b", None, "older code writes no value, and the database none either"),
    (
        r"\bADD COLUMN\b.*\bNOT NULL\b",
        r"\bDEFAULT\b",
        "older code writes no value, and the database none either",
    ),
    (r"\bADD COLUMN\b.*\b(UNIQUE|CHECK|GENERATED|\w*SERIAL)\b", None, "looks at each row under a lock"),
    (r"\bADD COLUMN\b(?=.*\bREFERENCES\b).*\bDEFAULT\b", None, "looks at each row under a lock"),
    (r"\bADD COLUMN\b.*\bDEFAULT \(*(?!STATEMENT_TIMESTAMP)\w+\(", None, "writes each row under a lock"),
    (r"\bALTER COLUMN\b.*\bTYPE\b", r"\bTYPE varchar\b", "writes each row under a lock"),
    (r"\bSET NOT NULL\b", None, "looks at each row under a lock"),
    (r"\bADD CONSTRAINT\b", r"\bNOT VALID\b|\bUSING INDEX\b", "looks at each row under a lock"),
    (r"^CREATE (UNIQUE )?INDEX\b", r"\bCONCURRENTLY\b", "makes an index under a lock"),
    (r"^DROP INDEX\b", r"\bCONCURRENTLY\b", "waits for a lock on which others wait"),
    (
        r"^(UPDATE|DELETE|INSERT|TRUNCATE|VACUUM|REINDEX|CLUSTER|LOCK)\b",
        None,
        "changes or locks rows at once",
    ),
)
TABLE = re.compile(r'\b(?:TABLE|UPDATE|INTO|FROM|ON)(?: ONLY| IF EXISTS)* "?(\w+)"?', re.IGNORECASE)
Step = tuple[Any, list[str]]


def faults(migration: migrations.Migration, state: ProjectState) -> list[str]:
    """Return what is wrong with a migration, if it runs while the code before it does."""
    steps, found = [], []
    for operation in migration.operations:
        found += [
            f"{name}: not null, without a default of the database's" for name in _left(operation, state)
        ]
        steps += _steps(operation, migration.app_label, state)
    new: set[str] = set()
    touched: set[str] = set()
    for _, statements in steps:
        for statement in statements:
            table = named[1] if (named := TABLE.search(statement)) else ""
            if statement.upper().startswith("CREATE TABLE"):
                new.add(table)
            elif table not in new:
                found += [f"{words}: {statement}" for words in _wrong(statement)]
                touched.add(table)
    validates = any("VALIDATE CONSTRAINT" in one for _, statements in steps for one in statements)
    if (validates or not migration.atomic) and len(steps) > 1:
        found.append("does several things, and cannot be begun anew or checks rows under another's lock")
    if migration.atomic and any(isinstance(step, migrations.RunPython) for step, _ in steps):
        found.append("changes rows in one transaction")
    if migration.atomic and len(touched) > 1:
        found.append(f"waits for one table while it has another: {sorted(touched)}")
    return found


def _wrong(statement: str) -> Iterator[str]:
    for has, has_not, words in STATEMENTS:
        if re.search(has, statement, re.IGNORECASE) and not (
            has_not and re.search(has_not, statement, re.IGNORECASE)
        ):
            yield words


def _steps(operation: Any, app: str, state: ProjectState) -> Iterator[Step]:
    """Yield what an operation does to the database, with its SQL; the state becomes what it is then."""
    if isinstance(operation, migrations.SeparateDatabaseAndState):
        inside = state.clone()
        for one in operation.database_operations:
            yield from _steps(one, app, inside)
        operation.state_forwards(app, state)
        return
    before = state.clone()
    operation.state_forwards(app, state)
    with connection.schema_editor(atomic=False, collect_sql=True) as editor:
        if operation.reduces_to_sql:
            operation.database_forwards(app, editor, before, state)
    statements = [" ".join(line.split()) for line in editor.collected_sql if not line.startswith("--")]
    if statements or isinstance(operation, migrations.RunPython):
        yield operation, statements


def _left(operation: Any, state: ProjectState) -> Iterator[str]:
    """Yield the columns that leave the models alone, and of which later code's rows have no value."""
    if isinstance(operation, migrations.SeparateDatabaseAndState):
        for one in operation.state_operations:
            if isinstance(one, migrations.RemoveField):
                (model,) = (
                    found for (_, name), found in state.models.items() if name == one.model_name_lower
                )
                field = model.fields[one.name]
                if not field.many_to_many and not field.null and field.db_default is NOT_PROVIDED:
                    yield one.name


def _ours() -> set[str]:
    ours = {app.label for app in apps.get_app_configs() if "site-packages" not in app.path}
    return ours & MigrationLoader(None).migrated_apps


def wrong() -> dict[tuple[str, str], list[str]]:
    """Return what is wrong with those migrations that the rule is for, and in which anything is."""
    loader, found = MigrationLoader(connection), {}
    for app, name in sorted(loader.disk_migrations):
        if app in _ours() and int(name[:4]) > BEFORE.get(app, 0):
            state = loader.project_state((app, name), at_end=False)
            bad = faults(loader.graph.nodes[app, name], state)
            if (app, name) in AFTER_ITS_USE:
                bad = [one for one in bad if not one.startswith(LEAVES)]
            if bad:
                found[app, name] = bad
    return found


def test_every_migration_lets_the_code_before_it_go_on() -> None:
    assert wrong() == {}


def test_what_was_before_the_rule_is_found_by_it(monkeypatch) -> None:
    monkeypatch.setitem(BEFORE, "evaluation", 56)
    monkeypatch.delitem(BEFORE, "webhooks")  # as a new app
    found = wrong()
    assert ("evaluation", "0057_scores_and_what_they_rest_on") in found
    assert {app for app, _ in found} == {"evaluation"}  # an app's first tables are nobody's yet


def test_what_is_named_is_there() -> None:
    assert set(BEFORE) == _ours()
    assert set(MigrationLoader(None).disk_migrations) >= AFTER_ITS_USE


def _first() -> ProjectState:
    state = ProjectState()
    for name in ("Thing", "Other"):
        fields = [("id", models.BigAutoField(primary_key=True)), ("size", models.IntegerField())]
        fields += [("note", models.CharField(max_length=10, null=True))]
        migrations.CreateModel(name, fields).state_forwards("tried", state)
    return state


def _nothing(*_: Any) -> None:
    pass


CHECK = models.CheckConstraint(condition=models.Q(size__gte=0), name="size_is_positive")
UNIQUE = models.UniqueConstraint(fields=["size"], name="one_of_a_size")
INDEX = models.Index(fields=["size"], name="by_size")
RUN = migrations.RunPython(_nothing, _nothing)


def add(field: Any, name: str = "words", model: str = "thing") -> migrations.AddField:
    return migrations.AddField(model, name, field)


def new(*more: Any, **options: Any) -> migrations.CreateModel:
    return migrations.CreateModel("New", [("id", models.BigAutoField(primary_key=True)), *more], options)


def other(**options: Any) -> Any:
    return models.ForeignKey("tried.Other", models.CASCADE, **options)


def leaving(name: str) -> migrations.SeparateDatabaseAndState:
    return migrations.SeparateDatabaseAndState(state_operations=[migrations.RemoveField("thing", name)])


@pytest.mark.parametrize(
    ("operations", "atomic"),
    [
        (lambda: [add(models.TextField(default=""))], True),
        (lambda: [add(models.TextField(default="")), add(models.TextField(db_default=""), "b")], True),
        (lambda: [migrations.RemoveField("thing", "size")], True),
        (lambda: [migrations.RenameField("thing", "size", "length")], True),
        (lambda: [migrations.RenameModel("Thing", "Matter")], True),
        (lambda: [migrations.DeleteModel("Other")], True),
        (lambda: [migrations.AlterField("thing", "size", models.BigIntegerField())], True),
        (lambda: [migrations.AlterField("thing", "size", models.IntegerField(unique=True))], True),
        (
            lambda: [migrations.AlterField("thing", "note", models.CharField(max_length=10, db_default=""))],
            True,
        ),
        (lambda: [migrations.AddIndex("thing", INDEX)], True),
        (lambda: [new(("size", models.IntegerField(db_index=True))), add(other(null=True))], True),
        (lambda: [migrations.AddConstraint("thing", CHECK)], True),
        (lambda: [migrations.AddConstraint("thing", UNIQUE)], True),
        (
            lambda: [new(("a", models.IntegerField(unique=True))), migrations.AddConstraint("thing", UNIQUE)],
            True,
        ),
        (lambda: [AddConstraintNotValid("thing", CHECK), ValidateConstraint("thing", CHECK.name)], True),
        (lambda: [AddConstraintNotValid("thing", CHECK), ValidateConstraint("thing", CHECK.name)], False),
        (lambda: [add(models.UUIDField(db_default=RandomUUID()))], True),
        (
            lambda: [
                add(
                    models.GeneratedField(
                        expression=models.F("size") + 1, output_field=models.IntegerField(), db_persist=True
                    )
                )
            ],
            True,
        ),
        (lambda: [add(models.IntegerField(null=True, unique=True))], True),
        (lambda: [add(models.PositiveIntegerField(null=True))], True),
        (lambda: [add(other(db_default=1, db_index=False))], True),
        (lambda: [RUN], True),
        (lambda: [add(models.TextField(null=True)), RUN], False),
        (lambda: [add(models.TextField(null=True), name) for name in "ab"], False),
        (lambda: [add(models.TextField(null=True), model=one) for one in ("thing", "other")], True),
        (lambda: [migrations.SeparateDatabaseAndState(database_operations=[RUN])], True),
        (lambda: [migrations.RunSQL('UPDATE "tried_thing" SET size = 1')], False),
        (lambda: [migrations.RunSQL("alter table tried_thing\n drop column size")], True),
        (lambda: [migrations.RunSQL("ALTER TABLE tried_thing ADD COLUMN n bigserial")], True),
        (lambda: [leaving("size")], True),
    ],
)
def test_what_older_code_or_a_large_table_does_not_survive_is_found(
    operations: Callable[[], list[Any]], atomic: bool
) -> None:
    assert faults(migration_of(operations(), atomic), _first())


@pytest.mark.parametrize(
    ("operations", "atomic"),
    [
        (lambda: [new(("size", models.IntegerField(unique=True)), ("other", other()))], True),
        (lambda: [new(("others", models.ManyToManyField("tried.Other")))], True),
        (lambda: [add(models.ManyToManyField("tried.Other"))], True),
        (
            lambda: [
                new(("size", models.IntegerField())),
                migrations.AddConstraint("new", CHECK),
                migrations.AddConstraint("new", UNIQUE),
                migrations.AddIndex(
                    "new", models.Index(fields=["size"], name="a", condition=models.Q(size__in=[1]))
                ),
            ],
            True,
        ),
        (
            lambda: [
                new(("all", models.JSONField())),
                migrations.AddIndex("new", GinIndex(fields=["all"], name="by_all")),
            ],
            True,
        ),
        (lambda: [add(models.TextField(null=True))], True),
        (lambda: [add(models.TextField(null=True), name) for name in "ab"], True),
        (lambda: [add(models.TextField(db_default=""))], True),
        (lambda: [add(models.BooleanField(db_default=False))], True),
        (lambda: [add(models.DateTimeField(db_default=Now()))], True),
        (lambda: [add(other(null=True, db_index=False))], True),
        (lambda: [AddIndexBesideWork("thing", INDEX)], False),
        (lambda: [AddConstraintNotValid("thing", CHECK)], True),
        (lambda: [RUN], False),
        (lambda: [migrations.AlterField("thing", "size", models.IntegerField(null=True))], True),
        (lambda: [migrations.AlterField("thing", "note", models.CharField(max_length=20, null=True))], True),
        (lambda: [migrations.AlterField("thing", "size", models.IntegerField(help_text="How large."))], True),
        (
            lambda: [migrations.RunSQL('CREATE UNIQUE INDEX CONCURRENTLY "a" ON "tried_thing" ("size")')],
            False,
        ),
        (
            lambda: [
                migrations.RunSQL('ALTER TABLE "tried_thing" ADD CONSTRAINT "a" UNIQUE USING INDEX "a"')
            ],
            True,
        ),
        (lambda: [leaving("note"), migrations.AlterModelOptions("other", {"ordering": ["id"]})], True),
    ],
)
def test_what_both_survive_is_let_through(operations: Callable[[], list[Any]], atomic: bool) -> None:
    assert faults(migration_of(operations(), atomic), _first()) == []


def test_an_index_goes_beside_work() -> None:
    state = _first()
    migrations.AddIndex("thing", INDEX).state_forwards("tried", state)
    assert faults(migration_of([RemoveIndexBesideWork("thing", "by_size")], False), state) == []


def migration_of(operations: list[Any], atomic: bool) -> migrations.Migration:
    migration = migrations.Migration("0002_tried", "tried")
    migration.operations, migration.atomic = operations, atomic
    return migration
