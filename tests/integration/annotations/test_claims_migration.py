"""What becomes of labels that were there before a label named its claim."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.apps.registry import Apps
from django.db import IntegrityError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

# Slow: each goes back over every migration since; make test goes one such way: evaluation/test_migrations.py.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

Go = Callable[[str], Apps]
BEFORE, AFTER = "0006_annotation_in_work", "0007_kinds_and_claims"


@pytest.fixture
def go() -> Iterator[Go]:
    """Take the tables of `annotations` to a migration, and return the models as they were then."""
    leaves = MigrationExecutor(connection).loader.graph.leaf_nodes()

    def go(name: str) -> Apps:
        MigrationExecutor(connection).migrate([("annotations", name)])
        apps: Apps = MigrationExecutor(connection).loader.project_state([("annotations", name)]).apps
        return apps

    yield go
    MigrationExecutor(connection).migrate(leaves)


@pytest.fixture
def question(go: Go) -> Callable[[str], Any]:
    """Make settled questions, each of a document of its own."""
    apps = go(BEFORE)
    corpus = apps.get_model("annotations", "Corpus").objects.create(tag="a", name="a")

    def question(kind: str) -> Any:
        documents = apps.get_model("annotations", "Document").objects
        document = documents.create(
            corpus=corpus, doc_id=kind, text="Ada Quill.", suggestions=[], digest="0" * 64
        )
        return apps.get_model("annotations", "Question").objects.create(
            document=document,
            kind=kind,
            key=kind,
            payload={"version": 1},
            state="settled",
            settled_at=timezone.now(),
        )

    return question


ROWS = [
    ("relation", "per:spouse", 0, True, 3, "majority", 0.999, 1.01),
    ("relation", "org:founded_by", 1, False, 1, "majority", 0.04, -0.02),
    ("relation", "org:founded_by", 0, False, 0, "expert", 0.0, None),
    ("canonical", "", 0, True, 2, "majority", None, None),
]


def label(apps: Apps) -> Any:
    return apps.get_model("annotations", "Label").objects


@pytest.fixture
def labelled(go: Go, question: Callable[[str], Any]) -> None:
    asked = {kind: question(kind) for kind in ("relation", "canonical")}
    for kind, predicate, subject, value, votes_for, source, posterior, corrected in ROWS:
        label(go(BEFORE)).create(
            question_id=asked[kind].pk,
            predicate=predicate,
            subject=subject,
            value=value,
            votes_for=votes_for,
            votes=3,
            source=source,
            posterior=posterior,
            corrected=corrected,
        )


@pytest.mark.usefixtures("labelled")
def test_a_label_names_its_claim_and_its_value_is_a_number(go: Go) -> None:
    kept = ("votes_for", "source", "posterior", "corrected")
    found = list(label(go(AFTER)).order_by("pk").values_list("question__kind", "claim", "value", *kept))
    assert found == [
        ("relation", "per:spouse|0", 1.0, 3, "majority", 0.999, 1.01),
        ("relation", "org:founded_by|1", 0.0, 1, "majority", 0.04, -0.02),
        ("relation", "org:founded_by|0", 0.0, 0, "expert", 0.0, None),
        ("canonical", "right", 1.0, 2, "majority", None, None),
    ]
    assert {type(value) for _, _, value, *_ in found} == {float}


@pytest.mark.usefixtures("labelled")
def test_labels_are_as_they_were_when_it_is_taken_back(go: Go) -> None:
    go(AFTER)
    found = label(go(BEFORE)).order_by("pk")
    fields = ("predicate", "subject", "value", "votes_for", "source", "posterior", "corrected")
    assert list(found.values_list("question__kind", *fields)) == ROWS


@pytest.mark.usefixtures("labelled")
def test_a_claim_has_one_label(go: Go) -> None:
    labels = label(go(AFTER))
    first = labels.filter(claim="per:spouse|0").get()
    first.pk = None
    with pytest.raises(IntegrityError, match="label_once"), transaction.atomic():
        first.save(force_insert=True)


def test_a_question_may_be_of_any_kind_but_of_none(go: Go, question: Callable[[str], Any]) -> None:
    old = question("relation")
    questions = go(AFTER).get_model("annotations", "Question").objects
    questions.filter(pk=old.pk).update(kind="choice")
    with pytest.raises(IntegrityError, match="question_kind"), transaction.atomic():
        questions.filter(pk=old.pk).update(kind="")
    questions.all().delete()  # the tables before know no such kind
