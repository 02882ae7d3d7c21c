"""What migrations of `annotations` make of rows that were there before."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def test_a_corpus_that_was_there_is_judged_as_before_and_a_new_one_is_not() -> None:
    leaves = MigrationExecutor(connection).loader.graph.leaf_nodes()
    before = [("annotations", "0008_language")]
    try:
        MigrationExecutor(connection).migrate(before)
        apps = MigrationExecutor(connection).loader.project_state(before).apps
        old = apps.get_model("annotations", "Corpus").objects.create(tag="old", name="Old")
        document = apps.get_model("annotations", "Document").objects.create(
            corpus=old, doc_id="D", text="Ada", digest="0" * 64
        )
        apps.get_model("annotations", "Question").objects.create(
            document=document, kind="canonical", key="k", payload={}
        )
        MigrationExecutor(connection).migrate(leaves)
        apps = MigrationExecutor(connection).loader.project_state(leaves).apps
        corpora = apps.get_model("annotations", "Corpus").objects
        corpora.create(tag="young", name="Young")
        assert dict(corpora.values_list("tag", "policy")) == {"old": "fixed", "young": "curtailed"}
        assert apps.get_model("annotations", "Question").objects.get().votes_needed == 3
    finally:
        MigrationExecutor(connection).migrate(leaves)


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
