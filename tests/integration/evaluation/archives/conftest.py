"""What tests of archives share: four judged systems, made once for all."""

import pytest
from django.core.management import call_command
from django.db import transaction
from django.test import override_settings

from annotations.models import Corpus
from evaluation.kbp.task import TASK as KBP
from evaluation.models import Epoch, Submission
from evaluation.scoring import estimation
from kbpo import pipeline
from tests.auditing import audit_epoch
from tests.integration.evaluation.test_audited_scores import doubtful
from tests.world import World


@pytest.fixture(scope="package")
def judged(django_db_setup, django_db_blocker, tmp_path_factory):
    """Four systems of three teams, one hidden, one withdrawn later, judged and audited; once for all."""
    folder, world = tmp_path_factory.mktemp("archived"), World(40)
    with (
        django_db_blocker.unblock(),
        transaction.atomic(),
        override_settings(KBPO_EPOCH_SECRET=bytes(range(32)), MEDIA_ROOT=str(folder / "media")),
    ):
        corpus = world.write_corpus(folder / "corpus.jsonl")
        gold = str(world.write_gold(folder / "gold"))
        call_command("load_corpus", str(corpus), "--corpus", "small", "--audit-share", "0", verbosity=0)
        call_command("load_gold", gold, "--corpus", "small", "--documents", "20", "--seed", "1")
        Corpus.objects.update(target_half_width=0.06)
        for number, team in enumerate(("Alpha", "Alpha", "Beta", "Gamma")):
            claims = world.system(recall=0.4 + 0.15 * number, precision=0.5 + 0.1 * number, seed=number // 2)
            path = str(world.write_kb(folder / f"{number}.kb", claims))
            call_command("submit", path, "--corpus", "small", "--team", team, "--name", f"s{number}")
        pipeline.advance()
        call_command("simulate_crowd", "--corpus", "small", "--gold", gold, "--error", "0.1")
        pipeline.advance()
        epoch = Epoch.objects.get()
        audit_epoch(epoch, 0.3, doubtful)
        Epoch.objects.update(scores_due=True)
        assert estimation.score_epoch(epoch_id=epoch.pk, task=KBP)
        pipeline.advance()
        Submission.objects.filter(name="s1").update(is_public=False)
        Submission.objects.filter(name="s3").update(state="withdrawn")
        yield
        transaction.set_rollback(True)
