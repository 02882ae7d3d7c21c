"""A question's way through the requester and back: posted, answered, collected, approved, paid, settled."""

from datetime import datetime

import pytest

from annotations import labels
from annotations.models import Corpus, Response
from crowd import posting
from crowd.models import Hit, HitBatch
from marketplace.models import Hit as MarketHit
from marketplace.models import Requester
from tests import crowd
from tests.integration.crowd.conftest import Open

pytestmark = pytest.mark.django_db


def test_questions_are_posted_answered_counted_paid_and_settled(
    open_batch: Open, corpus: Corpus, requester: Requester, now: datetime
) -> None:
    asked = crowd.ask(corpus, 2, companions=True)
    budget = crowd.fund(corpus)
    batch = open_batch()
    assert crowd.post(now) == 2
    hits = list(Hit.objects.order_by("pk"))
    assert [hit.state for hit in hits] == ["posted", "posted"]
    assert MarketHit.objects.count() == 2
    people = crowd.workers(3)
    for hit in hits:
        for worker in people:
            crowd.do(hit, worker)
    crowd.collect(now)
    assert Response.objects.filter(is_valid=True).count() == 2 * 3 * 3
    crowd.check_books()
    assert crowd.approve_all(now) == 6
    assert crowd.states(hits) == ["closed", "closed"]
    assert labels.settle_questions() == 6
    assert crowd.states(asked) == ["settled", "settled"]
    crowd.check_books()
    budget.refresh_from_db()
    assert (budget.reserved_cents, budget.paid_cents) == (0, 6 * 18)
    requester.refresh_from_db()
    assert requester.available_cents == 1_000_00 - 6 * 18
    posting.plan_batches(now=now)
    batch.refresh_from_db()
    assert batch.state == HitBatch.State.FINISHED
