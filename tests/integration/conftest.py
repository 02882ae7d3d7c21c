"""A small world, loaded, and ways to submit to it and to have it judged."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core.files import File
from django.core.management import call_command
from django.utils import timezone

from annotations.models import Corpus
from evaluation.kbp.task import TASK as KBP
from evaluation.models import Epoch, StageWork, Submission
from evaluation.submissions import submitting, work
from kbpo import pipeline
from kbpo.accounts.models import Team, User
from kbpo.core.keeping import installation
from tests.world import World

Submit = Callable[..., Submission]


def advance_past_pauses() -> None:
    """Run the pipeline as often as it tries something, with the pauses in between over."""
    for _ in range(work.ERRORS):
        pipeline.advance()
        past = timezone.now() - timedelta(seconds=1)
        StageWork.objects.exclude(not_before=None).update(not_before=past)
        Epoch.objects.exclude(scoring_not_before=None).update(scoring_not_before=past)


@pytest.fixture(autouse=True)
def the_same_samples_in_every_run(settings: LazySettings) -> None:
    """A 95% interval misses in one run of twenty: not in tests of something else."""
    settings.KBPO_EPOCH_SECRET = bytes(range(32))


@pytest.fixture(autouse=True)
def files_that_know_no_database(settings: LazySettings) -> None:
    """Rows are gone after a test, and what stands in the files' folder would be another database's."""
    Path(settings.MEDIA_ROOT, installation.NAME).unlink(missing_ok=True)


@pytest.fixture
def world() -> World:
    return World(60)


@pytest.fixture
def gold(world: World, tmp_path: Path) -> Path:
    return world.write_gold(tmp_path / "gold.jsonl")


@pytest.fixture
def corpus(world: World, gold: Path, tmp_path: Path) -> Corpus:
    path = world.write_corpus(tmp_path / "corpus.jsonl")
    call_command("load_corpus", str(path), "--corpus", "small", verbosity=0)
    call_command("load_gold", str(gold), "--corpus", "small", "--documents", "30", "--seed", "1")
    # Some 41 labels for a lone system; `audited` has audits.
    Corpus.objects.filter(tag="small").update(target_half_width=0.1, audit_share=0)
    return Corpus.objects.get(tag="small")


@pytest.fixture
def audited(corpus: Corpus) -> Corpus:
    """The same corpus, a fifth of whose labels are audited."""
    corpus.audit_share = 0.2
    corpus.save()
    return corpus


@pytest.fixture
def submit(world: World, corpus: Corpus, tmp_path: Path) -> Submit:
    def submit(
        name: str, claims: object = None, *, team: str = "Alpha", seed: int = 0, user: User | None = None
    ) -> Submission:
        if claims is None:
            claims = world.system(recall=0.7, precision=0.6, seed=seed)
        path = world.write_kb(tmp_path / f"{name}.kb", claims)  # type: ignore[arg-type]
        with path.open("rb") as stream:
            return submitting.upload(
                task=KBP,
                user=user,
                team=Team.objects.get_or_create(name=team)[0],
                corpus=corpus,
                name=name,
                file=File(stream),
                go_ahead=True,
            )

    return submit


@pytest.fixture
def judge(gold: Path) -> Callable[[], None]:
    def judge() -> None:
        call_command("simulate_crowd", "--corpus", "small", "--gold", str(gold), "--error", "0", verbosity=0)
        pipeline.advance()

    return judge
