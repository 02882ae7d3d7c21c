"""Archives of classifications: scores come out of them, and no class that a hidden system gives unjudged items."""

import json

import numpy as np
import pytest
from django.db import transaction
from django.test import override_settings
from django.utils import timezone

from annotations.models import Corpus
from evaluation.archives import making
from evaluation.classification.task import TASK
from evaluation.models import ClassPrediction, EpochArchive, SampledUnit, Submission
from evaluation.scoring import releasing
from kbpo.core.keeping import installation
from kbpo.core.keeping.models import Installation
from kbpo.core.storage.folder import path_of
from kbpo_archive.reading import Archive
from kbpo_archive.recomputing import AGREE, compare
from tests import letters
from tests.archives import made

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def corpus(django_db_setup, django_db_blocker, tmp_path_factory):
    """Four systems of four teams, one hidden, one withdrawn, one anonymous, judged and audited."""
    folder = tmp_path_factory.mktemp("letters")
    with (
        django_db_blocker.unblock(),
        transaction.atomic(),
        override_settings(KBPO_EPOCH_SECRET=bytes(range(32)), MEDIA_ROOT=str(folder / "media")),
    ):
        Installation.objects.all().delete()
        path_of(installation.PLACE).unlink(missing_ok=True)
        yield letters.judged(folder)
        transaction.set_rollback(True)


def release():
    releasing.release(corpus=Corpus.objects.get(), task=TASK, retire=None)
    return made()


def test_every_published_figure_comes_out_of_it_again(corpus):
    with Archive(path_of(release().place)) as archive:
        again = compare(archive)
        assert archive.manifest["predictions"] == "sums"
        assert set(archive.table("systems")["shown"]) == {"public", "hidden", "withdrawn", "anonymous"}
    assert again.agrees, list(again.differences.items())[:3]
    assert again.largest <= AGREE
    assert again.scores.held_back == again.ranks.held_back == again.subsets.held_back == 0
    assert {place.standard for place in again.scores.stated} == {"votes", "audit"}
    assert {place.system for place in again.scores.stated} == {1, 2, 3, 4}
