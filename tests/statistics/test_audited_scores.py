"""Ten real systems, judged by people who err, audited, scored by the service: do intervals hold the truth?"""

from dataclasses import dataclass

import numpy as np
import pytest
from django.core.management import call_command
from django.db import transaction
from django.test import override_settings
from django.utils import timezone

from annotations.aggregation.crowds import CROWDS
from annotations.kinds import canonical
from annotations.models import Label, Question
from evaluation.design import batches
from evaluation.kbp.claims import read_claims
from evaluation.kbp.task import TASK as KBP
from evaluation.models import Epoch, Estimate, SampledUnit, Submission
from evaluation.scoring import estimation
from kbpo import pipeline
from tests import knowledgenet
from tests.auditing import audit_epoch
from tests.knowledgenet import exact
from tests.statistics.test_knowledgenet import DOCUMENTS, FOLDER, TAG, fixed_secret

WORKERS, VOTES, SHARE = 30, 3, 0.1
SEEDS = range(40)  # ten held the truth in .84 or .90, by row ids, and the forty after them in .99

pytestmark = [pytest.mark.slow, pytest.mark.django_db, knowledgenet.needs_knowledgenet]


@dataclass(frozen=True)
class Score:
    """The interval of a system's precision, and the truth."""

    estimate: float
    low: float
    high: float
    truth: float

    @property
    def holds(self):
        return self.low <= self.truth <= self.high


def submit_all():
    texts = str(FOLDER / "corpus.jsonl.gz")
    call_command("load_corpus", texts, "--corpus", TAG, "--policy", "fixed", "--audit-share", "0")
    gold = str(FOLDER / "gold.jsonl.gz")
    call_command("load_gold", gold, "--corpus", TAG, "--documents", str(DOCUMENTS), "--seed", "0")
    for path in sorted((FOLDER / "submissions").glob("*.kb.gz")):
        name = path.name.removesuffix(".kb.gz")
        call_command("submit", str(path), "--corpus", TAG, "--team", f"Team {name[0]}", "--name", name)
    pipeline.validate_submissions()


def true_claims():
    """Return the ids of the true instances, as judges who never err would say."""
    data = knowledgenet.pool()
    keys = {key for key, is_true in zip(data.keys, data.correct, strict=True) if is_true}
    found = set()
    for submission in Submission.objects.all():
        claims = read_claims(submission)
        found |= {pk for pk, key in zip(claims.ids.tolist(), claims.keys, strict=True) if key in keys}
    return found


def judge(true, crowd, rng):
    """Settle every question at once: three workers each, who err together on hard ones."""
    errors, now = crowd.errors(WORKERS), timezone.now()
    units = list(SampledUnit.objects.select_related("question"))
    wrong, labels = {}, []
    for question in sorted({unit.question for unit in units}, key=lambda one: one.key):
        workers = rng.choice(WORKERS, VOTES, replace=False)
        chance = errors[workers] + crowd.more * (rng.random() < crowd.hard)
        wrong[question.pk] = int((rng.random(VOTES) < chance).sum())
    for unit in units:
        against, truth = wrong[unit.question_id], unit.unit_id in true
        held = VOTES - against if truth else against
        labels.append((unit.question_id, unit.claim, held))
    labels += [
        (pk, canonical.CLAIM, VOTES)
        for pk in Question.objects.filter(kind=canonical.NAME).values_list("pk", flat=True)
    ]
    Label.objects.bulk_create(
        Label(question_id=pk, claim=claim, value=float(held * 2 > VOTES), votes_for=held, votes=VOTES)
        for pk, claim, held in dict.fromkeys(labels)
    )
    Question.objects.update(state=Question.State.SETTLED, settled_at=now)
    return {(unit.question_id, unit.claim): float(unit.unit_id in true) for unit in units}


def run(seed, crowd, true):
    """Sample, judge, audit and score once; precision by both standards."""
    with transaction.atomic(), override_settings(KBPO_EPOCH_SECRET=bytes.fromhex(fixed_secret(seed))):
        pipeline.sample_submissions()
        epoch = Epoch.objects.get()
        answers = judge(true, crowd, np.random.default_rng([seed, *crowd.name.encode()]))
        batches.close_batches(epoch=epoch)
        audit_epoch(epoch, SHARE, lambda question, claim, value: answers.get((question.pk, claim), value))
        assert estimation.score_epoch(epoch_id=epoch.pk, task=KBP)
        truth = {name: row["precision"]["instance"] for name, row in exact().items()}
        rows = Estimate.objects.filter(
            measure="precision",
            score__part="relation",
            score__weighting="instance",
            score__estimator="documents",
            score__level=95,
        ).values_list("score__standard", "score__submission__name", "estimate", "low", "high")
        found = {"audit": [], "votes": []}
        for standard, name, *ends in rows:
            found[standard].append(Score(*ends, truth[name]))
        transaction.set_rollback(True)
    return found


@pytest.fixture(scope="module")
def found(django_db_setup, django_db_blocker):
    crowd = CROWDS["hard"]
    with django_db_blocker.unblock(), transaction.atomic():
        submit_all()
        true = true_claims()
        runs = [run(seed, crowd, true) for seed in SEEDS]
        transaction.set_rollback(True)
    return {standard: [one for each in runs for one in each[standard]] for standard in ("audit", "votes")}


def test_corrected_intervals_of_the_service_hold_the_truth(found):
    held = {standard: np.mean([one.holds for one in scores]) for standard, scores in found.items()}
    bias = {
        standard: np.mean([one.estimate - one.truth for one in scores]) for standard, scores in found.items()
    }
    print(f"\n{len(SEEDS)} seeds of ten systems: hold the truth {held}, mean error {bias}")
    assert len(found["audit"]) == len(found["votes"]) == 10 * len(SEEDS)
    assert held["audit"] >= 0.9
    assert held["votes"] < 0.8
