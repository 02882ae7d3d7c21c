"""Migrations let the code before them go on, and lock no table for long (ADR 105)."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.apps import apps
from django.contrib.postgres.functions import RandomUUID
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.operations import (
    AddConstraintNotValid,
    AddIndexConcurrently,
    RemoveIndexConcurrently,
    ValidateConstraint,
)
from django.db import connection, migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import AlterModelManagers, AlterModelOptions
from django.db.migrations.state import ProjectState
from django.db.models.fields import NOT_PROVIDED
from django.db.models.functions import Now, Random

from kbpo.core.database.migrating import AddIndexBesideWork, AddUniqueBesideWork, RemoveIndexBesideWork

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
UNREAD = "is for a person to read"
#: Migrations with SQL of their own, or that change the models alone, and that a person has read for this.
READ: set[tuple[str, str]] = set()

NO_DEFAULT = "older code writes no value, and the database none either"
CHECKS = "looks at each row under a lock"
WRITES = "writes each row under a lock"
#: What is wrong with a statement about a table that is not new: what it has, and not. Names are written "".
STATEMENTS = (
    (r"\bRENAME\b", None, "renames"),
    (r"\bDROP (COLUMN|TABLE|CONSTRAINT)\b", None, LEAVES),
    (r"\bDROP DEFAULT\b", None, NO_DEFAULT),
    (r"\bADD COLUMN\b.*\bNOT NULL\b", r"\bDEFAULT\b", NO_DEFAULT),
    (r"\bADD COLUMN\b.*\b(UNIQUE|CHECK|GENERATED|\w*SERIAL)\b", None, CHECKS),
    (r"\bADD COLUMN\b(?=.*\bREFERENCES\b).*\bDEFAULT\b", None, CHECKS),
    (r"\bADD COLUMN\b.*\bDEFAULT\b.*\b(?!STATEMENT_TIMESTAMP\()\w+\(", None, WRITES),
    (r"\bALTER COLUMN\b.*\bTYPE\b", None, WRITES),
    (r"\bSET NOT NULL\b", None, CHECKS),
    (r"\bADD CONSTRAINT\b", r"\bNOT VALID\b", CHECKS),
    (r"^CREATE (UNIQUE )?INDEX\b", None, "makes an index under a lock"),
    (r"^DROP INDEX\b", None, "waits for a lock on which others wait"),
)
NAMES = re.compile(r"""\"[^"]*\"|'[^']*'""")
TABLE = re.compile(r'\b(?:TABLE|ON)(?: ONLY| IF EXISTS)* "(\w+)"')
REFERRED = re.compile(r'\bREFERENCES "(\w+)"')
OF_A_KEY = re.compile(r'\bDROP CONSTRAINT "\w*_fk_\w*"')  # older code does without the database's word
TYPE_OF_A_COLUMN = re.compile(r'\bALTER COLUMN "[^"]*" TYPE [^,]*(\([^)]*\))?[^,;]*')
BESIDE = AddIndexBesideWork, RemoveIndexBesideWork, AddUniqueBesideWork
BEGUN_ANEW = *BESIDE, migrations.RunPython, ValidateConstraint
#: What may change in the models alone.
ALONE = migrations.RemoveField, migrations.DeleteModel, AlterModelOptions, AlterModelManagers


@dataclass(frozen=True)
class Step:
    """What an operation does to the database, and the models as they were before it."""

    operation: Any
    app: str
    statements: list[str]
    before: ProjectState


def faults(migration: migrations.Migration, state: ProjectState) -> list[str]:
    """Return what is wrong with a migration, if it runs while the code before it does."""
    steps: list[Step] = []
    found: list[str] = []
    for operation in migration.operations:
        found += _left(operation, migration.app_label, state)
        steps += _steps(operation, migration.app_label, state)
    new: set[str] = set()
    touched: set[str] = set()
    referred: set[str] = set()
    for step in steps:
        found += _of_its_kind(step.operation, migration)
        if isinstance(step.operation, (*BESIDE, migrations.RunSQL)):
            continue
        touched |= set(_let_go(step)) - new
        for statement in step.statements:
            table = named[1] if (named := TABLE.search(statement)) else ""
            referred |= set(REFERRED.findall(statement)) - new
            if statement.startswith("CREATE TABLE"):
                new.add(table)
            elif table not in new:
                left = _without_what_is_harmless(step, statement)
                found += [f"{words}: {statement}" for words in _wrong(left)]
            if table not in new:
                touched.add(table)
    if (
        any(isinstance(step.operation, ValidateConstraint) for step in steps) or not migration.atomic
    ) and len(steps) > 1:
        found.append("does several things, and cannot be begun anew or checks rows under another's lock")
    if touched and len(steps) > 1 and len(touched | referred) > 1:
        found.append(f"waits for one table while it has another: {sorted(touched | referred)}")
    return found


def _of_its_kind(operation: Any, migration: migrations.Migration) -> Iterator[str]:
    """Yield what is wrong with an operation, whatever its SQL is."""
    if isinstance(operation, migrations.RunSQL):
        yield f"{UNREAD}: SQL of its own"
    if isinstance(operation, migrations.RunPython) and (migration.atomic or operation.atomic):
        yield "changes rows in one transaction"
    if isinstance(operation, AddIndexConcurrently | RemoveIndexConcurrently) and not isinstance(
        operation, BESIDE
    ):
        yield "is broken off at the first lock, and not begun anew: it has to be one …BesideWork"
    if isinstance(operation, BESIDE) and migration.atomic:
        yield "cannot be done in a transaction"
    if not migration.atomic and not isinstance(operation, (*BEGUN_ANEW, migrations.RunSQL)):
        yield "cannot be begun anew where it was broken off"


def _altered(step: Step) -> tuple[Any, Any] | None:
    """Return a field that an operation alters, as it was and as it will be."""
    if not isinstance(step.operation, migrations.AlterField):
        return None
    model = step.before.models[step.app, step.operation.model_name_lower]
    return model.fields[step.operation.name], step.operation.field


def _without_what_is_harmless(step: Step, statement: str) -> str:
    """Return what is left of a statement without what looks bad, and costs nothing and breaks nobody."""
    if altered := _altered(step):
        old, new = altered
        if (
            isinstance(old, models.CharField)
            and isinstance(new, models.CharField | models.TextField)
            and old.db_collation == new.db_collation
            and (new.max_length is None or (old.max_length is not None and new.max_length >= old.max_length))
        ):
            statement = TYPE_OF_A_COLUMN.sub("", statement)
    return OF_A_KEY.sub("", statement)


def _let_go(step: Step) -> Iterator[str]:
    """Yield the table to which a foreign key no longer refers: who reads it waits as well."""
    altered = _altered(step)
    if (
        altered
        and getattr(altered[0], "db_constraint", False)
        and not getattr(altered[1], "db_constraint", False)
    ):
        model = step.before.apps.get_model(step.app, step.operation.model_name)
        yield model._meta.get_field(step.operation.name).related_model._meta.db_table


def _wrong(statement: str) -> Iterator[str]:
    plain = NAMES.sub('""', statement)
    for has, has_not, words in STATEMENTS:
        if re.search(has, plain) and not (has_not and re.search(has_not, plain)):
            yield words


def _steps(operation: Any, app: str, state: ProjectState) -> Iterator[Step]:
    """Yield what an operation does to the database; the state becomes what it is then."""
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
    step = Step(operation, app, statements, before)
    if statements or isinstance(operation, migrations.RunPython | migrations.RunSQL) or any(_let_go(step)):
        yield step


def _left(operation: Any, app: str, state: ProjectState) -> Iterator[str]:
    """Yield what is wrong with what changes in the models alone."""
    if not isinstance(operation, migrations.SeparateDatabaseAndState):
        return
    for one in operation.state_operations:
        if not isinstance(one, ALONE):
            yield f"{UNREAD}: {one.describe()}, in the models alone"
        elif isinstance(one, migrations.RemoveField):
            field = state.models[app, one.model_name_lower].fields[one.name]
            yield from _keys(one.name, field)
            if not field.many_to_many and not field.null and field.db_default is NOT_PROVIDED:
                yield f"{NO_DEFAULT}: {one.name}"
        elif isinstance(one, migrations.DeleteModel):
            for name, field in state.models[app, one.name_lower].fields.items():
                yield from _keys(name, field)


def _keys(name: str, field: Any) -> Iterator[str]:
    """Yield that the database goes on refusing to delete what a field refers to, and later code to see it."""
    if field.many_to_many or getattr(field, "db_constraint", False):
        yield f"what it refers to cannot be deleted any more (db_constraint=False first): {name}"


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
            borne = [LEAVES] * ((app, name) in AFTER_ITS_USE) + [UNREAD] * ((app, name) in READ)
            bad = [one for one in bad if not one.startswith(tuple(borne))]
            if bad:
                found[app, name] = bad
    return found


def test_every_migration_lets_the_code_before_it_go_on() -> None:
    assert wrong() == {}


def test_those_that_are_tried_beside_work_are_held_to_it(settings) -> None:
    settings.MIGRATION_MODULES = {"core": "tests.upgrade.later.migrations"}
    assert ("core", "0106_notes_differ") in MigrationLoader(connection).disk_migrations
    assert wrong() == {}


def test_what_was_before_the_rule_is_found_by_it(monkeypatch) -> None:
    monkeypatch.setitem(BEFORE, "evaluation", 56)
    monkeypatch.delitem(BEFORE, "webhooks")  # as a new app
    found = wrong()
    assert ("evaluation", "0057_scores_and_what_they_rest_on") in found
    assert {app for app, _ in found} == {"evaluation"}  # an app's first tables are nobody's yet


def test_what_is_named_is_there() -> None:
    assert set(BEFORE) == _ours()
    assert set(MigrationLoader(None).disk_migrations) >= AFTER_ITS_USE | READ


def _first() -> ProjectState:
    state = ProjectState()
    for name in ("Other", "Thing"):
        fields = [("id", models.BigAutoField(primary_key=True)), ("size", models.IntegerField())]
        fields += [("note", models.CharField(max_length=10, null=True))]
        if name == "Thing":
            fields += [("code", models.IntegerField(unique=True)), ("other", other(null=True))]
            fields += [("word", models.CharField(max_length=5, db_default="x"))]
            fields += [("others", models.ManyToManyField("tried.Other", related_name="things"))]
        migrations.CreateModel(name, fields).state_forwards("tried", state)
    held = models.CheckConstraint(condition=models.Q(size__gte=0), name="others_size")
    AddConstraintNotValid("other", held).state_forwards("tried", state)
    return state


def _nothing(*_: Any) -> None:
    pass


CHECK = models.CheckConstraint(condition=models.Q(size__gte=0), name="size_is_positive")
UNIQUE = models.UniqueConstraint(fields=["size"], name="one_of_a_size")
INDEX = models.Index(fields=["size"], name="by_size")
RUN = migrations.RunPython(_nothing, _nothing)
RUN_AT_ONCE = migrations.RunPython(_nothing, _nothing, atomic=True)
ANEW = "cannot be begun anew"


def add(field: Any, name: str = "words", model: str = "thing") -> migrations.AddField:
    return migrations.AddField(model, name, field)


def alter(name: str, field: Any) -> migrations.AlterField:
    return migrations.AlterField("thing", name, field)


def new(*more: Any, name: str = "New") -> migrations.CreateModel:
    return migrations.CreateModel(name, [("id", models.BigAutoField(primary_key=True)), *more])


def other(to: str = "tried.Other", **options: Any) -> Any:
    return models.ForeignKey(to, models.CASCADE, **options)


def alone(*operations: Any) -> migrations.SeparateDatabaseAndState:
    return migrations.SeparateDatabaseAndState(state_operations=operations)


def leaving(name: str) -> migrations.SeparateDatabaseAndState:
    return alone(migrations.RemoveField("thing", name))


def generated() -> models.GeneratedField:
    return models.GeneratedField(
        expression=models.F("size") + 1, output_field=models.IntegerField(), db_persist=True
    )


@pytest.mark.parametrize(
    ("words", "operations"),
    [
        (NO_DEFAULT, lambda: [add(models.TextField(default=""))]),
        (
            NO_DEFAULT,
            lambda: [add(models.TextField(default="")), add(models.TextField(db_default=""), "b")],
        ),
        (LEAVES, lambda: [migrations.RemoveField("thing", "size")]),
        (LEAVES, lambda: [migrations.DeleteModel("Other")]),
        (LEAVES, lambda: [migrations.RemoveConstraint("other", "others_size")]),
        ("renames", lambda: [migrations.RenameField("thing", "size", "length")]),
        ("renames", lambda: [migrations.RenameModel("Thing", "Matter")]),
        (WRITES, lambda: [alter("size", models.BigIntegerField())]),
        (WRITES, lambda: [alter("size", models.CharField(max_length=100))]),
        (WRITES, lambda: [alter("note", models.CharField(max_length=5, null=True))]),
        (WRITES, lambda: [alter("note", models.CharField(max_length=10, null=True, db_collation="C"))]),
        (CHECKS, lambda: [alter("note", models.CharField(max_length=20, default=""))]),
        (CHECKS, lambda: [alter("note", models.TextField(default=""))]),
        (NO_DEFAULT, lambda: [alter("word", models.CharField(max_length=9))]),
        (CHECKS, lambda: [alter("size", models.IntegerField(unique=True))]),
        (CHECKS, lambda: [alter("note", models.CharField(max_length=10, db_default=""))]),
        ("makes an index", lambda: [migrations.AddIndex("thing", INDEX)]),
        ("makes an index", lambda: [add(other(null=True))]),
        ("makes an index", lambda: [new(("a", models.IntegerField(db_index=True))), add(other(null=True))]),
        ("waits for a lock on", lambda: [alter("code", models.IntegerField())]),
        (CHECKS, lambda: [migrations.AddConstraint("thing", CHECK)]),
        (CHECKS, lambda: [migrations.AddConstraint("thing", UNIQUE)]),
        (
            CHECKS,
            lambda: [new(("a", models.IntegerField(unique=True))), migrations.AddConstraint("thing", UNIQUE)],
        ),
        ("several", lambda: [AddConstraintNotValid("thing", CHECK), ValidateConstraint("thing", CHECK.name)]),
        (WRITES, lambda: [add(models.UUIDField(db_default=RandomUUID()))]),
        (WRITES, lambda: [add(models.FloatField(db_default=models.Value(1.0) + Random()))]),
        (CHECKS, lambda: [add(generated())]),
        (CHECKS, lambda: [add(models.IntegerField(null=True, unique=True))]),
        (CHECKS, lambda: [add(models.PositiveIntegerField(null=True))]),
        (CHECKS, lambda: [add(other(db_default=1, db_index=False))]),
        ("one transaction", lambda: [RUN]),
        ("one transaction", lambda: [migrations.SeparateDatabaseAndState(database_operations=[RUN])]),
        (
            "waits for one table",
            lambda: [add(models.TextField(null=True), model=one) for one in ("thing", "other")],
        ),
        ("waits for one table", lambda: [add(models.TextField(null=True)), new(("of", other()))]),
        (
            "waits for one table",
            lambda: [alter("other", other(null=True, db_constraint=False)), add(models.TextField(null=True))],
        ),
        (UNREAD, lambda: [migrations.RunSQL("-- why\nALTER TABLE tried_thing DROP size")]),
        (UNREAD, lambda: [migrations.SeparateDatabaseAndState([migrations.RunSQL("SELECT 1")])]),
        (UNREAD, lambda: [alone(alter("size", models.IntegerField(null=True))), leaving("size")]),
        (UNREAD, lambda: [alone(leaving("size"))]),
        (UNREAD, lambda: [alone(migrations.RenameField("thing", "size", "length"))]),
        (NO_DEFAULT, lambda: [leaving("size")]),
        ("cannot be deleted any more", lambda: [leaving("other")]),
        ("cannot be deleted any more", lambda: [leaving("others")]),
        ("cannot be deleted any more", lambda: [alone(migrations.DeleteModel("Thing"))]),
        ("in a transaction", lambda: [AddIndexBesideWork("thing", INDEX)]),
        ("in a transaction", lambda: [AddUniqueBesideWork("thing", UNIQUE)]),
    ],
)
def test_what_older_code_or_a_large_table_does_not_survive_is_found(
    words: str, operations: Callable[[], list[Any]]
) -> None:
    found = faults(migration_of(operations()), _first())
    assert [one for one in found if words in one], found


@pytest.mark.parametrize(
    ("words", "operations"),
    [
        ("several", lambda: [AddConstraintNotValid("thing", CHECK), ValidateConstraint("thing", CHECK.name)]),
        ("several", lambda: [add(models.TextField(null=True)), RUN]),
        (ANEW, lambda: [add(models.TextField(null=True))]),
        (ANEW, lambda: [AddConstraintNotValid("thing", CHECK)]),
        (ANEW, lambda: [new(("other", other()))]),
        ("BesideWork", lambda: [AddIndexConcurrently("thing", INDEX)]),
        (UNREAD, lambda: [migrations.RunSQL("CREATE UNIQUE INDEX CONCURRENTLY a ON tried_thing (size)")]),
        ("one transaction", lambda: [RUN_AT_ONCE]),
    ],
)
def test_what_cannot_be_begun_anew_outside_of_a_transaction_is_found(
    words: str, operations: Callable[[], list[Any]]
) -> None:
    found = faults(migration_of(operations(), atomic=False), _first())
    assert [one for one in found if words in one], found


@pytest.mark.parametrize("rule", STATEMENTS, ids=[str(number) for number in range(len(STATEMENTS))])
def test_no_rule_is_there_for_nothing(rule: Any) -> None:
    """Each is met by a statement that no other rule finds, or finds with the same words."""
    statement = {
        0: 'ALTER TABLE "a" RENAME TO "b"',
        1: 'DROP TABLE "a" CASCADE',
        2: 'ALTER TABLE "a" ALTER COLUMN "b" DROP DEFAULT',
        3: 'ALTER TABLE "a" ADD COLUMN "b" integer NOT NULL',
        4: 'ALTER TABLE "a" ADD COLUMN "b" integer NULL UNIQUE',
        5: 'ALTER TABLE "a" ADD COLUMN "b" integer DEFAULT 1 REFERENCES "c" ("id")',
        6: 'ALTER TABLE "a" ADD COLUMN "b" uuid DEFAULT (gen_random_uuid())',
        7: 'ALTER TABLE "a" ALTER COLUMN "b" TYPE bigint',
        8: 'ALTER TABLE "a" ALTER COLUMN "b" SET NOT NULL',
        9: 'ALTER TABLE "a" ADD CONSTRAINT "b" UNIQUE ("c")',
        10: 'CREATE INDEX "a" ON "b" ("c")',
        11: 'DROP INDEX "a"',
    }[STATEMENTS.index(rule)]
    assert list(_wrong(statement)) == [rule[2]]


@pytest.mark.parametrize(
    "operations",
    [
        lambda: [new(("size", models.IntegerField(unique=True)), ("other", other()))],
        lambda: [new(("other", other())), new(("thing", other("tried.Thing")), name="Newer")],
        lambda: [new(("others", models.ManyToManyField("tried.Other")))],
        lambda: [add(models.ManyToManyField("tried.Other"))],
        lambda: [
            new(("size", models.IntegerField())),
            migrations.AddConstraint("new", CHECK),
            migrations.AddConstraint("new", UNIQUE),
            migrations.AddIndex(
                "new", models.Index(fields=["size"], name="a", condition=models.Q(size__in=[1]))
            ),
        ],
        lambda: [
            new(("all", models.JSONField())),
            migrations.AddIndex("new", GinIndex(fields=["all"], name="by_all")),
        ],
        lambda: [add(models.TextField(null=True))],
        lambda: [add(models.TextField(null=True), name) for name in "ab"],
        lambda: [add(models.TextField(null=True), "check")],
        lambda: [add(models.TextField(db_default="to CHECK, RENAME and be UNIQUE"))],
        lambda: [add(models.BooleanField(db_default=False))],
        lambda: [add(models.DateTimeField(db_default=Now()))],
        lambda: [add(other(null=True, db_index=False))],
        lambda: [AddConstraintNotValid("thing", CHECK)],
        lambda: [alter("size", models.IntegerField(null=True))],
        lambda: [alter("size", models.IntegerField(help_text="How large."))],
        lambda: [alter("note", models.CharField(max_length=20, null=True))],
        lambda: [alter("note", models.TextField(null=True))],
        lambda: [leaving("note"), migrations.AlterModelOptions("other", {"ordering": ["id"]})],
        lambda: [alter("other", other(null=True, db_constraint=False)), leaving("other")],
    ],
)
def test_what_both_survive_is_let_through(operations: Callable[[], list[Any]]) -> None:
    assert faults(migration_of(operations()), _first()) == []


@pytest.mark.parametrize(
    "operation",
    [
        RUN,
        AddIndexBesideWork("thing", INDEX),
        AddUniqueBesideWork("thing", UNIQUE),
        ValidateConstraint("other", "others_size"),
    ],
)
def test_one_thing_goes_beside_work(operation: Any) -> None:
    assert faults(migration_of([operation], atomic=False), _first()) == []


def test_an_index_goes_beside_work() -> None:
    state = _first()
    migrations.AddIndex("thing", INDEX).state_forwards("tried", state)
    assert faults(migration_of([RemoveIndexBesideWork("thing", "by_size")], False), state) == []


def migration_of(operations: list[Any], atomic: bool = True) -> migrations.Migration:
    migration = migrations.Migration("0002_tried", "tried")
    migration.operations, migration.atomic = operations, atomic
    return migration
