"""Backups: made while the service runs, restored elsewhere or in place, whole or not at all."""

import io
import json
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.contrib.contenttypes.models import ContentType
from django.core.files.base import ContentFile
from django.core.management import call_command
from django.db import connection, connections, transaction
from django.utils import timezone

from evaluation.models import Submission
from evaluation.submissions import files
from kbpo import pipeline
from kbpo.accounts.models import Team
from kbpo.core.errors import Conflict, InvalidInput
from kbpo.core.keeping import backup as backups
from kbpo.core.keeping import installation, sealing, tables
from kbpo.core.keeping import restore as restoring
from kbpo.core.keeping.archive import FILES, Reader
from kbpo.core.keeping.backup import Made, backup
from kbpo.core.keeping.restore import Restored, restore
from tests.conftest import Manage
from tests.factories import SubmissionFactory, TeamFactory
from tests.integration.conftest import Submit
from tests.places import place_of
from tests.processes import wait_until
from tests.world import World

pytestmark = pytest.mark.django_db

with_rows_in_it = pytest.mark.django_db(transaction=True)  # a second connection sees what is committed


@pytest.fixture(autouse=True)
def home(settings: LazySettings, tmp_path: Path) -> Path:
    settings.KBPO_HOME = tmp_path / "home"
    settings.MEDIA_ROOT = tmp_path / "home" / "media"
    (tmp_path / "home" / "postgres").mkdir(parents=True)  # commands note there what is migrated
    return Path(settings.KBPO_HOME)


@pytest.fixture(autouse=True)
def nothing_set_aside(db: None) -> Iterator[None]:
    """Drop what restoring has set aside in this test's database."""
    yield
    ContentType.objects.clear_cache()
    with connection.cursor() as cursor:
        cursor.execute("SELECT nspname FROM pg_namespace WHERE nspname ~ '^(replaced|restoring)_'")
        left = [name for (name,) in cursor.fetchall()]
        for name in left:
            cursor.execute(f"DROP SCHEMA {name} CASCADE")
    assert not [name for name in left if name.startswith("restoring")]


@pytest.fixture
def key(tmp_path: Path) -> Path:
    sealing.make_key(tmp_path / "key")
    return tmp_path / "key"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return tmp_path / "backup.age"


def make(archive: Path, key: Path, named: backups.Named = files.named) -> Made:
    return backup(to=archive, key=str(key), folders=files.FOLDERS, named=named, now=timezone.now())


def put_back(archive: Path, key: Path, *, replace: bool = True) -> Restored:
    end_sessions_left_by_other_tests()
    return restore(archive=archive, key=key, folders=files.FOLDERS, now=timezone.now(), replace=replace)


def end_sessions_left_by_other_tests() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            " AND backend_type = 'client backend'"
        )
    assert wait_until(lambda: not tables.others(connection)), "they do not end"


def said(*command: str) -> str:
    with redirect_stdout(io.StringIO()) as out:
        call_command(*command, "--corpus", "small")
    return out.getvalue()


def upload_of(submission: Submission) -> Path:
    return Path(submission.file.path)


def state() -> tuple[list[tuple[object, ...]], int]:
    """Return what restoring must not touch when it refuses: rows, and the number of tables anywhere."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_class")
        (number,) = cursor.fetchone()
    return list(Submission.objects.order_by("pk").values_list("pk", "name", "file", "state")), number


@pytest.mark.slow
@with_rows_in_it
def test_a_restored_backup_gives_the_same_leaderboard_and_samples_and_every_newer_file_stays(
    submit: Submit, judge: Callable[[], None], archive: Path, key: Path, home: Path
) -> None:
    older = submit("older", seed=1)
    pipeline.advance()
    judge()
    leaderboard = said("leaderboard", "--json")
    assert json.loads(leaderboard)["rows"]
    made = make(archive, key)
    assert made.missing == ()

    newer = [SubmissionFactory(file=ContentFile(f"run {n}\n".encode(), f"{n}.kb")) for n in range(104)]
    paths = [upload_of(one) for one in newer]
    upload_of(older).write_bytes(b"spoilt")
    Team.objects.filter(name="Alpha").update(name="changed")
    done = put_back(archive, key)

    assert (done.strangers, done.in_the_way, done.rows) == (104, 1, made.rows)
    assert said("leaderboard", "--json") == leaderboard
    said("audit_samples")
    assert upload_of(Submission.objects.get()).read_bytes() != b"spoilt"
    assert installation.standing().trouble
    for act in (*pipeline.STAGES, pipeline.remove_orphans):
        act()
    files.remove_orphans(now=timezone.now() + timedelta(days=3))
    assert all(path.exists() for path in paths)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {done.kept_in}.evaluation_submission")
        assert cursor.fetchone() == (105,)
    assert submit("another").pk > older.pk  # sequences go on


@pytest.mark.slow
def test_a_backup_restored_elsewhere_says_the_same_to_the_byte(
    manage: Manage, world: World, tmp_path: Path, key: Path, archive: Path
) -> None:
    def run(*command: str, at: str = "home") -> str:
        done = manage(*command, KBPO_HOME=str(tmp_path / at), KBPO_EPOCH_SECRET="00" * 32)
        assert done.returncode == 0, done.stderr
        return done.stdout

    corpus, gold = world.write_corpus(tmp_path / "corpus.jsonl"), world.write_gold(tmp_path / "gold.jsonl")
    run("load_corpus", str(corpus), "--corpus", "small")
    run("load_gold", str(gold), "--corpus", "small", "--documents", "30", "--seed", "1")
    for seed, name in enumerate(("one", "two")):
        kb = world.write_kb(tmp_path / name, world.system(recall=0.7, precision=0.6, seed=seed))
        run("submit", str(kb), "--corpus", "small", "--team", "Alpha", "--name", name)
    run("advance")
    run("simulate_crowd", "--corpus", "small", "--gold", str(gold))
    run("advance")
    run("backup", str(archive), "--key", str(key))
    run("restore", str(archive), "--key", str(key), at="elsewhere")
    for command in (("leaderboard", "--json"), ("audit_samples",)):
        assert run(*command, "--corpus", "small", at="elsewhere") == run(*command, "--corpus", "small")
    assert "belong together" in run("installation", at="elsewhere")
    names = {path.name: path.read_bytes() for path in (tmp_path / "home" / "media").rglob("*.kb")}
    there = (tmp_path / "elsewhere" / "media").rglob("*.kb")
    assert {path.name: path.read_bytes() for path in there} == names != {}
    assert "not empty" in manage("restore", str(archive), "--key", str(key)).stderr


@pytest.mark.slow
@with_rows_in_it
def test_a_backup_without_a_later_migration_is_restored_and_migrated(archive: Path, key: Path) -> None:
    """The backup is made before the migration of `keeping`, on which no other app depends."""
    team = TeamFactory(name="of old")
    call_command("migrate", "keeping", "zero", verbosity=0)
    try:
        make(archive, key, list)
    finally:
        call_command("migrate", verbosity=0)
    put_back(archive, key)
    assert Team.objects.get().pk == team.pk
    assert installation.standing().is_together


def test_a_database_that_is_not_empty_is_refused(archive: Path, key: Path) -> None:
    make(archive, key)
    SubmissionFactory()
    before = state()
    with pytest.raises(Conflict, match="not empty"):
        put_back(archive, key, replace=False)
    assert state() == before


def test_a_wrong_key_is_refused_before_anything_is_touched(archive: Path, key: Path, tmp_path: Path) -> None:
    SubmissionFactory()
    make(archive, key)
    sealing.make_key(tmp_path / "other")
    before = state()
    with pytest.raises(InvalidInput, match="another key"):
        put_back(archive, tmp_path / "other")
    assert state() == before


@pytest.mark.slow
@with_rows_in_it
@pytest.mark.parametrize("spoil", [lambda data: data[:-1], lambda data: data[:-2_000] + bytes(2_000)])
def test_an_archive_that_is_cut_or_changed_at_its_end_leaves_all_as_it_was(
    archive: Path, key: Path, home: Path, spoil: Callable[[bytes], bytes]
) -> None:
    kept = upload_of(SubmissionFactory())
    content = kept.read_bytes()
    make(archive, key)
    archive.write_bytes(spoil(archive.read_bytes()))
    kept.write_bytes(b"newer")
    before = state()
    with pytest.raises(InvalidInput, match="cut or changed"):
        put_back(archive, key)
    assert state() == before
    assert (kept.read_bytes(), content != b"newer") == (b"newer", True)
    assert [path.name for path in (home / "media").iterdir()] == ["submissions"]


def test_a_backup_of_a_later_version_is_refused(
    archive: Path, key: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shape = tables.shape(connection)
    later = tables.Shape((*shape.migrations, ("evaluation", "9999_later")), shape.tables, shape.sequences)
    with monkeypatch.context() as patch:
        patch.setattr(tables, "shape", lambda connection: later)
        make(archive, key)
    with pytest.raises(Conflict, match=r"evaluation\.9999_later"):
        put_back(archive, key)


def test_a_database_in_use_is_refused(archive: Path, key: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restoring, "PATIENCE", 0)
    make(archive, key)
    other = connections.create_connection("default")
    try:
        other.ensure_connection()
        with pytest.raises(Conflict, match="stop web, worker, mailer and beat"):
            restore(archive=archive, key=key, folders=files.FOLDERS, now=timezone.now(), replace=True)
    finally:
        other.close()


@pytest.mark.parametrize("after", ["_read", "_put_files"])
def test_who_comes_while_a_backup_is_restored_is_noticed_before_files_are_moved_or_told_that_they_were(
    archive: Path, key: Path, monkeypatch: pytest.MonkeyPatch, after: str
) -> None:
    done: list[str] = []
    nothing = restoring._Read({}, 0, frozenset(), ())
    monkeypatch.setattr(restoring, "PATIENCE", 0)
    monkeypatch.setattr(restoring, "_read", lambda *_: done.append("_read") or nothing)
    monkeypatch.setattr(restoring, "_put_files", lambda *_: done.append("_put_files") or 0)
    monkeypatch.setattr(tables, "others", lambda _: int(done[-1:] == [after]))
    with pytest.raises(Conflict, match="stop web, worker, mailer and beat") as refusal:
        put_back(archive, key)
    assert done[-1] == after
    assert ("files are in their places" in str(refusal.value)) == (after == "_put_files")


def test_no_backup_is_written_over(archive: Path, key: Path) -> None:
    archive.write_bytes(b"precious")
    with pytest.raises(Conflict, match="never written over"):
        make(archive, key)
    assert archive.read_bytes() == b"precious"


def test_what_could_not_be_written_leaves_nothing(
    archive: Path, key: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    SubmissionFactory()

    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(backups, "_write", broken)
    with pytest.raises(ZeroDivisionError):
        make(archive, key)
    assert list(archive.parent.glob("*.age*")) == []
    assert list(archive.parent.glob(".*.age*")) == []
    assert list(home.rglob(".backup")) == []


# While the service runs


def contents(archive: Path, key: Path) -> set[str]:
    with archive.open("rb") as source, sealing.opened(source, sealing.read_secret(key)) as stream:
        members = [name for name, _ in Reader(stream).members()]
    return {name.removeprefix(FILES) for name in members if name.startswith(FILES)}


def test_a_file_that_is_deleted_while_it_is_copied_is_in_the_backup(
    archive: Path, key: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = SubmissionFactory()
    place = place_of(upload_of(submission))
    write = backups._write

    def delete_first(*given: object) -> object:
        upload_of(submission).unlink()
        return write(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(backups, "_write", delete_first)
    make(archive, key)
    assert place in contents(archive, key)


def test_a_file_deleted_between_the_snapshot_and_its_second_name_has_another_snapshot_taken(
    archive: Path, key: Path
) -> None:
    kept, gone = SubmissionFactory(), SubmissionFactory()
    place, path = place_of(upload_of(kept)), upload_of(gone)
    path.unlink()
    asked = []

    def named() -> list[str]:
        """Name the one that is gone in the first snapshot alone."""
        asked.append(connection.connection)
        return [place, *([place_of(path)] if len(asked) == 1 else [])]

    assert make(archive, key, named).missing == ()
    assert len(asked) == 4
    assert len(set(map(id, asked))) == 3  # two snapshots, and the usual connection
    assert contents(archive, key) == {place}


@with_rows_in_it
def test_rows_that_come_while_a_backup_is_made_are_not_in_it(
    archive: Path, key: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    TeamFactory()
    before = make(archive.with_name("before.age"), key)
    write = backups._write

    def add_first(*given: object) -> object:
        with transaction.atomic():
            TeamFactory()
        return write(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(backups, "_write", add_first)
    assert make(archive, key).rows == before.rows


def test_a_file_that_is_lost_is_named(archive: Path, key: Path) -> None:
    path = upload_of(SubmissionFactory())
    path.unlink()
    assert make(archive, key, lambda: [place_of(path)]).missing == (place_of(path),)
