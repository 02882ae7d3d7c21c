"""A small world, loaded, and ways to submit to it and to have it judged."""

import shutil
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import cache as remembered
from pathlib import Path
from typing import Any

import botocore.loaders
import pytest
from django.conf import LazySettings
from django.core.cache import cache
from django.core.files import File
from django.core.management import call_command
from django.db import transaction
from django.test import override_settings
from django.utils import timezone

from annotations.models import Corpus
from evaluation.kbp.task import TASK as KBP
from evaluation.models import Epoch, StageWork, Submission
from evaluation.submissions import submitting, work
from kbpo import pipeline
from kbpo.accounts.models import Team, User
from kbpo.core.keeping import installation
from kbpo.core.keeping.models import Installation
from kbpo.core.storage.folder import path_of
from tests.world import World

Submit = Callable[..., Submission]


@remembered
def _service_model(path: str) -> Any:
    return _load_file(botocore.loaders.JSONFileLoader(), path)


# Without this cache each boto3 client parses megabytes of service models, which takes a tenth of a second.
_load_file = botocore.loaders.JSONFileLoader.load_file
botocore.loaders.JSONFileLoader.load_file = lambda _, path: _service_model(path)


def advance_past_pauses() -> None:
    """Run the pipeline as often as it tries something, with the pauses in between over."""
    for _ in range(work.ERRORS):
        pipeline.advance()
        past = timezone.now() - timedelta(seconds=1)
        StageWork.objects.exclude(not_before=None).update(not_before=past)
        Epoch.objects.exclude(scoring_not_before=None).update(scoring_not_before=past)


@pytest.fixture(scope="module", autouse=True)
def own_files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the files of each module apart: to it those of a database that was rolled back are another's."""
    with override_settings(MEDIA_ROOT=tmp_path_factory.mktemp("files") / "media"):
        yield


@pytest.fixture(autouse=True)
def the_same_samples_in_every_run(settings: LazySettings) -> None:
    """A 95% interval misses in one run of twenty: not in tests of something else."""
    settings.KBPO_EPOCH_SECRET = bytes(range(32))


@pytest.fixture(autouse=True)
def nothing_is_remembered() -> None:
    """Rows are gone after a test, and what a cache has of them would not be."""
    cache.clear()


@pytest.fixture(autouse=True)
def files_that_know_no_database(request: pytest.FixtureRequest, settings: LazySettings) -> None:
    """Rows are gone after a test, and what stands in the files' folder would be another database's."""
    path_of(installation.PLACE).unlink(missing_ok=True)
    if "db" in request.fixturenames or request.node.get_closest_marker("django_db"):
        request.getfixturevalue("db")
        Installation.objects.all().delete()  # of what was made once for many tests, with a folder of its own


class Small:
    """Corpus "small" of a world of sixty documents; `folder` holds the files that it is made of."""

    def __init__(self, folder: Path, world: World | None = None) -> None:
        self.world, self.folder = world or World(60), folder
        self.gold = self.world.write_gold(folder / "gold.jsonl")

    def load(self) -> Corpus:
        path = self.world.write_corpus(self.folder / "corpus.jsonl")
        call_command("load_corpus", str(path), "--corpus", "small", verbosity=0)
        call_command("load_gold", str(self.gold), "--corpus", "small", "--documents", "30", "--seed", "1")
        # Some 41 labels for a lone system; `audited` has audits.
        Corpus.objects.filter(tag="small").update(target_half_width=0.1, audit_share=0)
        return Corpus.objects.get(tag="small")

    def submit(
        self,
        name: str,
        claims: object = None,
        *,
        team: str = "Alpha",
        seed: int = 0,
        user: User | None = None,
    ) -> Submission:
        if claims is None:
            claims = self.world.system(recall=0.7, precision=0.6, seed=seed)
        path = self.world.write_kb(self.folder / f"{name}.kb", claims)  # type: ignore[arg-type]
        with path.open("rb") as stream:
            return submitting.upload(
                task=KBP,
                user=user,
                team=Team.objects.get_or_create(name=team)[0],
                corpus=Corpus.objects.get(tag="small"),
                name=name,
                file=File(stream),
                go_ahead=True,
            )

    def judge(self, error: float = 0) -> None:
        options = ("--gold", str(self.gold), "--error", str(error))
        call_command("simulate_crowd", "--corpus", "small", *options, verbosity=0)
        pipeline.advance()


@pytest.fixture
def world() -> World:
    return World(60)


@pytest.fixture
def small(world: World, tmp_path: Path) -> Small:
    return Small(tmp_path, world)


@pytest.fixture
def gold(small: Small) -> Path:
    return small.gold


@pytest.fixture
def corpus(small: Small) -> Corpus:
    return small.load()


@pytest.fixture
def audited(corpus: Corpus) -> Corpus:
    """The same corpus, a fifth of whose labels are audited."""
    corpus.audit_share = 0.2
    corpus.save()
    return corpus


@pytest.fixture
def submit(small: Small, corpus: Corpus) -> Submit:
    return small.submit


@pytest.fixture
def judge(small: Small) -> Callable[[], None]:
    return small.judge


@pytest.fixture(scope="module")
def once(
    django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[Callable[[Path], None]], Path]]:
    """Make what all tests of a module start from, in a folder; `afresh` gives it to each as it was made.

    Only for modules of which each test asks for it, and none commits.
    """
    with django_db_blocker.unblock(), transaction.atomic():

        def make(build: Callable[[Path], None]) -> Path:
            folder = tmp_path_factory.mktemp("once")
            with override_settings(MEDIA_ROOT=folder / "media", KBPO_EPOCH_SECRET=bytes(range(32))):
                build(folder)
            return folder

        yield make
        transaction.set_rollback(True)


@pytest.fixture
def afresh(db: None, settings: LazySettings, tmp_path: Path) -> Callable[[Path], Path]:
    """Copy the files of what was made once, and forget what is cached of its rows."""

    def copied(folder: Path) -> Path:
        mine = tmp_path / "afresh"
        shutil.copytree(folder, mine)
        settings.MEDIA_ROOT = mine / "media"
        path_of(installation.PLACE).unlink(missing_ok=True)
        cache.clear()
        return mine

    return copied
