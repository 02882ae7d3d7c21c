"""What planning, posting and steering all do with rows: look at who asks, lock, pause, let go."""

from datetime import datetime

from annotations import roles
from annotations.models import Corpus
from annotations.roles import Act
from crowd import budget
from crowd.models import Hit, HitBatch
from kbpo.accounts.models import User


def check_poster(by: User | None, corpus: Corpus) -> None:
    """Let those pass who may post work on a corpus, and the service itself."""
    if by is not None:
        roles.check(by, Act.POST, corpus)


def lock_hit(hit: Hit) -> Hit:
    """Lock a HIT and return it anew, with its batch and its corpus."""
    return (
        Hit.objects.select_related("batch__corpus")
        .select_for_update(no_key=True, of=("self",))
        .get(pk=hit.pk)
    )


def pause(batch: HitBatch, reason: str) -> None:
    """Pause a locked batch."""
    batch.state = HitBatch.State.PAUSED
    batch.paused_because = reason
    batch.save(update_fields=["state", "paused_because"])


def drop(hit: Hit, state: Hit.State, error: str, now: datetime) -> None:
    """Let go of a locked HIT that is not at the provider: its money and its questions are free."""
    hit.state = state
    hit.error = error
    hit.claimed_until = None
    hit.save(update_fields=["state", "error", "claimed_until"])
    hit.hit_questions.update(is_active=False)
    budget.release(key=f"release|hit {hit.pk}", hit=hit, cents=budget.outstanding(hit), now=now)
