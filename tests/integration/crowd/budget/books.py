"""A batch, its HITs and its budgets."""

from datetime import UTC, datetime

from annotations.models import Corpus
from crowd import budget
from crowd.collecting import identify
from crowd.models import Assignment, Budget, Hit, HitBatch
from tests.factories import UserFactory

NOVEMBER = datetime(2026, 11, 20, 12, tzinfo=UTC)
DECEMBER = datetime(2026, 12, 1, tzinfo=UTC)


def new_batch(corpus: Corpus, submission_id: int | None = None) -> HitBatch:
    return HitBatch.objects.create(
        corpus=corpus,
        submission_id=submission_id,
        kind="relation",
        provider="marketplace",
        title="T",
        description="D",
        reward_cents=10,
        duration_seconds=300,
        lifetime_seconds=3600,
    )


def new_hit(batch: HitBatch, places: int = 3) -> Hit:
    number = Hit.objects.count()
    return Hit.objects.create(
        batch=batch,
        request_token=f"token {number}",
        annotation=f"kbpo-{number}",
        created_at=NOVEMBER,
        places=places,
        reward_cents=10,
        fee_cents=2,
    )


def promise(hit: Hit, cents: int = 36) -> budget.Promise:
    return budget.Promise(key=f"reserve|hit {hit.pk}", cents=cents, hit=hit)


def sums(scope: str) -> tuple[int, int]:
    one = Budget.objects.get(scope=scope)
    return one.reserved_cents, one.paid_cents


def budgets(corpus: Corpus, /, **caps: int) -> None:
    keys = {"corpus": corpus.tag, "submission": "7", "month": "2026-11"}
    for scope, cap in caps.items():
        Budget.objects.create(scope=scope, key=keys[scope], cap_cents=cap)


def submitted(hit: Hit) -> Assignment:
    user = UserFactory.create(annotator=True)
    return Assignment.objects.create(
        hit=hit,
        provider_id=f"A{Assignment.objects.count()}",
        provider_worker_id=f"W{user.pk}",
        worker=identify(provider="marketplace", worker_id=f"W{user.pk}"),
        state="submitted",
        submitted_at=NOVEMBER,
        counted_at=NOVEMBER,
    )
