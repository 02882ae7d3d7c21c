"""Blocks: decided here, told to the provider, taken back."""

from random import Random

from crowd import review
from crowd.models import WorkerBlock
from crowd.providers.base import Refused
from tests.integration.crowd.services.conftest import Desk
from tests.integration.crowd.services.review.acts import sent


def tell_block(desk: Desk) -> bool:
    return review.tell_next_block(now=desk.now, rng=Random(0))


def test_a_worker_is_blocked_and_let_in_again(desk: Desk) -> None:
    _, ident = sent(desk)
    worker = desk.assignment(ident).worker
    assert worker is not None
    review.block_worker(worker=worker, by=desk.operator, reason="Random answers", now=desk.now)
    assert tell_block(desk)
    assert desk.provider.blocked == {worker.worker_id: "Random answers"}
    review.block_worker(
        worker=worker, by=desk.operator, reason="A misunderstanding", now=desk.now, is_blocked=False
    )
    assert tell_block(desk)
    assert desk.provider.blocked == {}
    block = WorkerBlock.objects.get()
    assert (block.is_blocked, block.reason, block.told_at) == (False, "A misunderstanding", desk.now)
    assert not tell_block(desk)


def test_a_block_that_the_provider_refuses_is_tried_again_later(desk: Desk) -> None:
    _, ident = sent(desk)
    worker = desk.assignment(ident).worker
    assert worker is not None
    review.block_worker(worker=worker, by=desk.operator, reason="Random", now=desk.now)
    desk.provider.before["block"] = [Refused("not today")]
    tell_block(desk)
    assert WorkerBlock.objects.get().error == "not today"
    assert not tell_block(desk)
    desk.wait(hours=2)
    assert tell_block(desk)
    assert desk.provider.blocked
