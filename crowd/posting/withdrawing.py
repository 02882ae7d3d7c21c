"""Withdrawing: HITs that ask about a document whose text was removed."""

from datetime import datetime

from django.db import transaction

from annotations.models import Document
from crowd.models import Hit
from crowd.posting.rows import drop, lock_hit
from kbpo.core.clock.nudge import nudge


@transaction.atomic
def withdraw_document(*, document: Document, now: datetime) -> int:
    """Let nobody accept a HIT any more that asks about a document; return how many that are.

    Who is at one may finish, and is paid. What else it asks, its batch asks again in another.
    """
    hits = lock_hits(document=document)
    for hit in hits:
        if hit.state == Hit.State.PLANNED and hit.tries == 0:
            drop(hit, Hit.State.CANCELLED, "", now)
        elif hit.state == Hit.State.POSTED and hit.ended_at is None:
            hit.wanted_until = now
            hit.save(update_fields=["wanted_until"])
    nudge("kbpo.pipeline.post_hits")
    return len(hits)


def lock_hits(*, document: Document) -> list[Hit]:
    """Lock the HITs from which answers about a document may still come: before its questions, as all do."""
    asking = Hit.objects.filter(
        hit_questions__question__document=document,
        hit_questions__is_active=True,
        state__in=[Hit.State.PLANNED, Hit.State.POSTED],
    )
    return [lock_hit(hit) for hit in asking.order_by("pk").distinct()]
