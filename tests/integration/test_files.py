"""Uploaded files that no submission has."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.utils import timezone

from evaluation.submissions import files
from tests import written
from tests.factories import SubmissionFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def kept(settings: LazySettings, tmp_path: Path) -> Path:
    settings.MEDIA_ROOT = tmp_path / "media"
    return Path(SubmissionFactory().file.path)


@pytest.fixture
def orphan(kept: Path) -> Path:
    path = kept.with_name("orphan.kb")
    path.write_bytes(b"run\n")
    written.just_now(path)
    return path


def later(hours: int) -> datetime:
    return timezone.now() + timedelta(hours=hours)


def test_a_file_that_no_submission_has_goes_after_a_day(orphan: Path) -> None:
    assert files.remove_orphans(now=later(25)) == 1
    assert not orphan.exists()


def test_a_young_file_may_belong_to_an_upload_and_stays(orphan: Path) -> None:
    assert files.remove_orphans(now=later(23)) == 0
    assert orphan.exists()


def test_the_file_of_a_submission_stays(kept: Path) -> None:
    assert files.remove_orphans(now=later(25)) == 0
    assert kept.exists()


def test_nothing_is_removed_before_anything_was_uploaded(settings: LazySettings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path / "none"
    assert files.remove_orphans(now=later(25)) == 0
