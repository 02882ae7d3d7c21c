"""What migrations of `annotations` make of rows that were there before."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_corpus_that_was_there_is_in_english() -> None:
    leaves = MigrationExecutor(connection).loader.graph.leaf_nodes()
    before = [("annotations", "0007_kinds_and_claims")]
    try:
        MigrationExecutor(connection).migrate(before)
        apps = MigrationExecutor(connection).loader.project_state(before).apps
        apps.get_model("annotations", "Corpus").objects.create(tag="old", name="Old")
        MigrationExecutor(connection).migrate(leaves)
        apps = MigrationExecutor(connection).loader.project_state(leaves).apps
        assert apps.get_model("annotations", "Corpus").objects.get().language == "en"
    finally:
        MigrationExecutor(connection).migrate(leaves)
