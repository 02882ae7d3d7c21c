"""Loading the demo beside a worker that is at the same rows."""

from typing import Any

import pytest

from evaluation.models import Epoch
from evaluation.scoring import releasing
from kbpo.core.errors import Conflict
from kbpo.management.commands import load_demo
from tests.integration.conftest import Submit

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_an_epoch_whose_scores_a_worker_computes_is_released_once_it_has(
    submit: Submit, judge: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = submit("one").corpus
    load_demo.pipeline.advance()
    judge()
    release, epochs = releasing.release, Epoch.objects.filter(corpus=corpus)

    def release_while_they_are_due(**given: Any) -> object:
        monkeypatch.setattr(releasing, "release", release)
        epochs.update(scores_due=True)
        return release(**given)

    monkeypatch.setattr(releasing, "release", release_while_they_are_due)
    monkeypatch.setattr(load_demo, "LOOK", 0)
    load_demo.Command().release(corpus)
    assert epochs.filter(released_at__isnull=False).exists()


def test_what_is_in_the_way_is_said_in_the_end(submit: Submit, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = submit("one").corpus
    monkeypatch.setattr(load_demo, "LOOK", 0)
    monkeypatch.setattr(load_demo, "PATIENCE", 0)
    with pytest.raises(Conflict, match="sampled nothing yet"):
        load_demo.Command().release(corpus)
