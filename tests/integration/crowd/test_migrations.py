"""What migrations make of the crowd's rows that were there before."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.apps.registry import Apps
from django.db import IntegrityError, connection, transaction
from django.db.migrations.executor import MigrationExecutor

pytestmark = pytest.mark.django_db(transaction=True)

Go = Callable[[str], Any]


@pytest.fixture
def go() -> Iterator[Go]:
    """Take the tables of `crowd` to a migration, and return the models as they were then."""
    leaves = MigrationExecutor(connection).loader.graph.leaf_nodes()

    def go(name: str) -> Apps:
        executor = MigrationExecutor(connection)
        nodes = [("crowd", name), *(node for node in leaves if node[0] != "crowd")]
        executor.migrate(nodes)
        apps: Apps = MigrationExecutor(connection).loader.project_state(nodes).apps
        return apps

    yield go
    MigrationExecutor(connection).migrate(leaves)


def a_batch(apps: Apps, corpus: Any, **fields: Any) -> Any:
    given = {"provider": "marketplace", "title": "T", "description": "D", "reward_cents": 15}
    times = {"duration_seconds": 300, "lifetime_seconds": 3600}
    return apps.get_model("crowd", "HitBatch").objects.create(corpus=corpus, **given, **times, **fields)


def test_batches_stay_as_they_are_and_the_database_lists_no_kinds_any_more(go: Go) -> None:
    apps = go("0012_times_given")
    corpus = apps.get_model("annotations", "Corpus").objects.create(tag="c", name="C")
    a_batch(apps, corpus, kind="relation", by_sentence=True)
    a_batch(apps, corpus, kind="entities")
    apps.get_model("crowd", "TutorialAttempt").objects.create(
        provider="marketplace",
        provider_worker_id="W1",
        kind="entities",
        number=1,
        begun_at="2026-11-22T12:00Z",
    )
    with pytest.raises(IntegrityError), transaction.atomic():
        a_batch(apps, corpus, kind="essay")

    apps = go("0013_kinds_are_names")
    kinds = apps.get_model("crowd", "HitBatch").objects.order_by("pk").values_list("kind", "by_sentence")
    assert list(kinds) == [("relation", True), ("entities", False)]
    assert apps.get_model("crowd", "TutorialAttempt").objects.get().kind == "entities"
    corpus = apps.get_model("annotations", "Corpus").objects.get()
    a_batch(apps, corpus, kind="essay", by_sentence=True)
    with pytest.raises(IntegrityError), transaction.atomic():
        a_batch(apps, corpus, kind="")


@pytest.mark.slow
def test_batches_that_were_open_before_hold_nobodys_work(go: Go) -> None:
    apps = go("0013_kinds_are_names")
    corpus = apps.get_model("annotations", "Corpus").objects.create(tag="c", name="C")
    a_batch(apps, corpus, kind="relation")
    apps = go("0014_work_is_looked_at")
    batch = apps.get_model("crowd", "HitBatch").objects.get()
    assert (batch.held_answers, batch.holds_all) == (0, False)
    corpus = apps.get_model("annotations", "Corpus").objects.get()
    assert a_batch(apps, corpus, kind="relation").held_answers == 10


@pytest.mark.slow
def test_what_was_learned_before_was_learned_under_tac(go: Go) -> None:
    apps = go("0015_arrivals_are_verified")
    who = {"provider": "marketplace", "provider_worker_id": "W1"}
    for kind in ("relation", "choice"):
        apps.get_model("crowd", "TutorialAttempt").objects.create(
            **who, kind=kind, number=1, begun_at="2026-11-22T12:00Z"
        )
        apps.get_model("crowd", "WorkerQualification").objects.create(
            **who, kind=kind, granted_at="2026-11-22T12:00Z", told_at="2026-11-22T12:00Z"
        )
    apps = go("0016_learned_under_ontologies")
    learned = {"choice": None, "relation": "tac-kbp@1"}
    for model in ("TutorialAttempt", "WorkerQualification"):
        rows = apps.get_model("crowd", model).objects.values_list("kind", "ontology")
        assert dict(rows) == learned
    told = apps.get_model("crowd", "WorkerQualification").objects.filter(told_at=None)
    assert [one.kind for one in told] == ["relation"]
