"""Files that no row has: into the trash, and never where anything speaks against it."""

import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.utils import timezone

from evaluation.submissions import files
from kbpo import pipeline
from kbpo.core.errors import Conflict, InvalidInput
from kbpo.core.keeping import installation, trash
from kbpo.core.keeping.models import Installation
from kbpo.core.storage.folder import path_of
from tests import written
from tests.factories import SubmissionFactory
from tests.places import place_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def media(settings: LazySettings, tmp_path: Path) -> Path:
    settings.KBPO_HOME = tmp_path
    settings.MEDIA_ROOT = tmp_path / "media"
    return Path(settings.MEDIA_ROOT)


@pytest.fixture
def kept(media: Path) -> Path:
    return Path(SubmissionFactory().file.path)


@pytest.fixture
def orphan(kept: Path) -> Path:
    path = kept.with_name("orphan.kb")
    path.write_bytes(b"run\n")
    written.just_now(path)
    return path


def later(hours: float) -> datetime:
    return timezone.now() + timedelta(hours=hours)


def test_a_file_that_no_submission_has_goes_into_the_trash_after_a_day(orphan: Path, media: Path) -> None:
    assert files.remove_orphans(now=later(25)) == 1
    assert not orphan.exists()
    (thrown,) = trash.thrown()
    assert thrown.places == (f"media/{orphan.relative_to(media)}",)


def test_a_young_file_may_belong_to_an_upload_and_stays(orphan: Path) -> None:
    assert files.remove_orphans(now=later(23)) == 0
    assert orphan.exists()


def test_the_file_of_a_submission_stays(kept: Path) -> None:
    assert files.remove_orphans(now=later(25)) == 0
    assert kept.exists()


def test_nothing_is_removed_before_anything_was_uploaded(media: Path) -> None:
    assert files.remove_orphans(now=later(25)) == 0


def test_what_was_thrown_away_can_be_put_back(orphan: Path) -> None:
    files.remove_orphans(now=later(25))
    (thrown,) = trash.thrown()
    assert trash.put_back(name=thrown.name) == 1
    assert orphan.read_bytes() == b"run\n"
    assert trash.thrown() == []


def test_nothing_is_put_back_over_another_file(orphan: Path) -> None:
    files.remove_orphans(now=later(25))
    (thrown,) = trash.thrown()
    orphan.write_bytes(b"another")
    with pytest.raises(Conflict, match="move it away"):
        trash.put_back(name=thrown.name)
    assert orphan.read_bytes() == b"another"


@pytest.mark.parametrize("name", ["../submissions", "nothing", ""])
def test_what_is_not_in_the_trash_is_refused(orphan: Path, name: str) -> None:
    files.remove_orphans(now=later(25))
    with pytest.raises(InvalidInput, match="nothing in the trash"):
        trash.put_back(name=name)


def throw(orphan: Path, at: datetime) -> None:
    trash.move(places=[place_of(orphan)], reason="no row names it", now=at)


@pytest.mark.parametrize(("days", "deleted"), [(31, 1), (29, 0)])
def test_the_trash_is_emptied_after_thirty_days(orphan: Path, days: int, deleted: int) -> None:
    installation.look(now=later(0))
    throw(orphan, later(0))
    assert trash.empty(now=later(24 * days), named=files.named) == deleted
    assert bool(trash.thrown()) == (not deleted)


def month_old(*paths: Path) -> None:
    """Have files be in the trash for longer than they are kept."""
    installation.look(now=later(0))
    for path in paths:
        throw(path, later(0))


def empty_a_month_later() -> int:
    return trash.empty(now=later(24 * 33), named=files.named)


def test_the_trash_is_not_emptied_while_files_and_database_do_not_know_each_other(orphan: Path) -> None:
    month_old(orphan)
    Installation.objects.update(name="00000000-0000-0000-0000-000000000001")
    assert empty_a_month_later() == 0
    assert len(trash.thrown()) == 1


def test_what_a_row_names_is_not_deleted_from_the_trash_and_operators_are_told(
    orphan: Path, kept: Path
) -> None:
    month_old(orphan, kept)
    assert empty_a_month_later() == 1
    (thrown,) = trash.thrown()
    assert f"trash --put-back {thrown.name}" in Installation.objects.get().warning
    trash.put_back(name=thrown.name)
    assert kept.exists()


def test_what_lay_in_the_way_of_the_file_that_a_row_names_is_deleted(kept: Path) -> None:
    content = kept.read_bytes()
    month_old(kept)
    kept.write_bytes(content)
    assert empty_a_month_later() == 1


# An older database is put back: 104 files are newer than it


@pytest.fixture
def newer(media: Path) -> list[Path]:
    """Files of which the database knows nothing, as old as can be."""
    known = SubmissionFactory()
    folder = Path(known.file.path).parent
    found = [folder / f"{number:064x}.kb" for number in range(104)]
    for path in found:
        path.write_bytes(b"run\n" + path.name.encode())
    return found


def after_every_stage(hours: float = 72) -> None:
    """Run all that the pipeline does, as if the files had been there for days."""
    for act in (*pipeline.STAGES, pipeline.remove_orphans, pipeline.sweep_marketplace, pipeline.remove_hits):
        act()
    files.remove_orphans(now=later(hours))


def test_104_files_of_a_restored_older_database_are_all_there_after_every_stage(newer: list[Path]) -> None:
    after_every_stage()
    assert all(path.exists() for path in newer)


def test_operators_are_told_why_nothing_was_moved(
    newer: list[Path], caplog: pytest.LogCaptureFixture
) -> None:
    files.remove_orphans(now=later(48))
    assert "104 of 105 files are named by no row" in Installation.objects.get().warning
    assert "Is this database older than its files?" in caplog.text


def test_files_newer_than_an_older_database_stay_however_few_they_are(kept: Path, orphan: Path) -> None:
    installation.look(now=later(0))
    backup = Installation.objects.get()
    installation.look(now=later(0.1))
    backup.save()  # the row is what it was
    assert files.remove_orphans(now=later(48)) == 0
    assert orphan.exists()
    assert "have seen a later state" in Installation.objects.get().warning


def test_once_an_operator_has_said_that_they_belong_together_files_go_into_the_trash(orphan: Path) -> None:
    installation.look(now=later(0))
    Installation.objects.update(name="00000000-0000-0000-0000-000000000001")
    assert files.remove_orphans(now=later(48)) == 0
    installation.join()
    assert files.remove_orphans(now=later(48)) == 1
    assert Installation.objects.get().warning == ""


def test_a_row_that_came_meanwhile_keeps_its_file(orphan: Path, media: Path, monkeypatch) -> None:
    def come(moved: list[str], **given: object) -> int:
        name = str(orphan.relative_to(media))
        SubmissionFactory(file=name)
        return move(places=moved, **given)  # type: ignore[arg-type]

    move = trash.move
    monkeypatch.setattr(trash, "move", lambda *, places, **given: come(places, **given))
    assert files.remove_orphans(now=later(25)) == 0
    assert orphan.exists()
    assert trash.thrown() == []


# Files and database


def test_both_get_a_name_when_neither_has_one(media: Path) -> None:
    assert installation.look(now=later(0)).is_together
    name = str(Installation.objects.get().name)
    assert json.loads(path_of(installation.PLACE).read_text())["name"] == name


def test_the_mark_grows_in_both(media: Path) -> None:
    for minutes in range(5):
        assert installation.look(now=later(minutes / 60)).is_together
    assert Installation.objects.get().mark == json.loads(path_of(installation.PLACE).read_text())["mark"] > 2


def lose_files_side(media: Path) -> None:
    (path_of(installation.PLACE)).unlink()


def lose_database_side(media: Path) -> None:
    Installation.objects.all().delete()


def change_name(media: Path) -> None:
    Installation.objects.update(name="00000000-0000-0000-0000-000000000001")


def put_back_older_files(media: Path) -> None:
    Installation.objects.update(mark=9)


def put_back_older_database(media: Path) -> None:
    Installation.objects.update(mark=0)


def spoil(media: Path) -> None:
    (path_of(installation.PLACE)).write_text("{")


@pytest.mark.parametrize(
    "happen",
    [
        lose_files_side,
        lose_database_side,
        change_name,
        put_back_older_files,
        put_back_older_database,
        spoil,
    ],
)
def test_nothing_is_removed_where_files_and_database_do_not_know_each_other(
    orphan: Path, media: Path, happen
) -> None:
    for minutes in range(3):
        installation.look(now=later(minutes / 60))
    happen(media)
    assert files.remove_orphans(now=later(48)) == 0
    assert files.remove_orphans(now=later(49)) == 0  # they do not come to know each other by themselves
    assert orphan.exists()
    assert "installation --join" in installation.standing().trouble


@pytest.mark.parametrize("side", ["the database's", "the files'"])
def test_a_process_that_is_killed_while_it_writes_a_side_harms_nothing(
    media: Path, monkeypatch: pytest.MonkeyPatch, side: str
) -> None:
    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    for minutes in (0, 2):
        with monkeypatch.context() as patch:
            if side == "the files'" and minutes:
                patch.setattr(installation, "_write_mark", killed)
            else:
                patch.setattr(Installation, "save", killed)
            with pytest.raises(KeyboardInterrupt):
                installation.look(now=later(minutes / 60))
        assert installation.look(now=later(minutes / 60)).is_together
