"""What migrations make of rows that were there before."""

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from django.apps.registry import Apps
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from evaluation.kbp.name_keys import digest
from kbpo.core.database.coded import code, code_names, pack, unpack, unpack_coded, unpack_names

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

Go = Callable[[str], Any]
SECRET = "5a" * 32


@pytest.fixture
def go() -> Iterator[Go]:
    """Take the tables of `evaluation` to a migration, and return the models as they were then."""
    leaves = MigrationExecutor(connection).loader.graph.leaf_nodes()

    def go(name: str) -> Apps:
        executor = MigrationExecutor(connection)
        nodes = [("evaluation", name), *(node for node in leaves if node[0] != "evaluation")]
        executor.migrate(nodes)
        apps: Apps = MigrationExecutor(connection).loader.project_state(nodes).apps
        return apps

    yield go
    MigrationExecutor(connection).migrate(leaves)


def a_document(apps: Apps, corpus: Any, number: int = 0) -> Any:
    return apps.get_model("annotations", "Document").objects.create(
        corpus=corpus,
        doc_id=f"D{number}",
        text="Ada  Quill lives in Port Hallow, wrote Ada.",
        suggestions=[],
        digest="0" * 64,
    )


def an_epoch(apps: Apps, corpus: Any, number: int = 1, **fields: Any) -> Any:
    return apps.get_model("evaluation", "Epoch").objects.create(
        corpus=corpus,
        number=number,
        secret=SECRET,
        commitment=hashlib.sha256(bytes.fromhex(SECRET)).hexdigest(),
        key_version="v1",
        **fields,
    )


def test_the_one_sample_of_a_corpus_becomes_the_current_and_that_of_every_epoch(go: Go) -> None:
    apps = go("0010_scored_as")
    corpora = [apps.get_model("annotations", "Corpus").objects.create(tag=tag, name=tag) for tag in "ab"]
    for corpus in corpora:
        an_epoch(apps, corpus, released_at=timezone.now())
        an_epoch(apps, corpus, 2)
    document = a_document(apps, corpora[0])
    sample = apps.get_model("evaluation", "DocumentSample").objects.create(
        corpus=corpora[0], seed=3, size=1, population=9
    )
    apps.get_model("evaluation", "SampledDocument").objects.create(
        sample=sample, document=document, probability=1 / 9
    )
    apps = go("0011_retirement")
    (after,) = apps.get_model("evaluation", "DocumentSample").objects.all()
    assert (after.number, after.retired_at, after.replaces, after.seed) == (1, None, None, 3)
    assert len(bytes.fromhex(after.secret)) == 32
    assert after.documents.get().since == 1
    epochs = apps.get_model("evaluation", "Epoch").objects.order_by("corpus__tag", "number")
    assert list(epochs.values_list("corpus__tag", "document_sample")) == [
        ("a", after.pk),
        ("a", after.pk),
        ("b", None),
        ("b", None),
    ]


def test_a_sample_in_two_phases_keeps_its_secret(go: Go) -> None:
    apps = go("0010_scored_as")
    corpus = apps.get_model("annotations", "Corpus").objects.create(tag="a", name="a")
    apps.get_model("evaluation", "DocumentSample").objects.create(
        corpus=corpus, seed=3, size=9, first_size=2, population=9, secret=SECRET
    )
    apps = go("0011_retirement")
    assert apps.get_model("evaluation", "DocumentSample").objects.get().secret == SECRET


def test_what_was_sampled_before_columns_were_kept_gets_them(go: Go) -> None:
    apps = go("0008_document_phases")
    model = {
        name: apps.get_model("evaluation", name)
        for name in ("Submission", "Instance", "Prediction", "SampleBatch", "SampledInstance")
    }
    corpus = apps.get_model("annotations", "Corpus").objects.create(tag="a", name="a")
    document = a_document(apps, corpus)
    team = apps.get_model("accounts", "Team").objects.create(name="Alpha")
    submission = model["Submission"].objects.create(
        corpus=corpus, team=team, name="one", digest="0" * 64, state="scored", quota_taken_at=timezone.now()
    )
    epoch = an_epoch(apps, corpus)
    batch = model["SampleBatch"].objects.create(
        epoch=epoch, number=1, submission=submission, target_variance=1e-3, lam=2.0, floor=1.0
    )
    question = apps.get_model("annotations", "Question").objects
    asked_of = {"document": document, "payload": {}, "votes_needed": 3}
    relation = question.create(**asked_of, kind="relation", key="relation|1|0-10|20-31")
    asked = [
        question.create(**asked_of, kind="canonical", key=f"canonical|1|{key}")
        for key in ("0-10|0-10", "20-31|20-31")
    ]
    # In the order of keys: the place of residence comes before the title, which names nobody but her.
    claims = [
        ("per:title", (39, 42), (20, 24), (0, 10), None, "TITLE", 0.25),
        ("per:place_of_residence", (0, 10), (20, 31), (0, 10), (20, 31), "GPE", 0.75),
    ]
    instances = []
    for line, (predicate, subject, object_, named, object_named, kind, p) in enumerate(claims, 1):
        instance = model["Instance"].objects.create(
            corpus=corpus,
            document=document,
            predicate=predicate,
            subject_start=subject[0],
            subject_end=subject[1],
            object_start=object_[0],
            object_end=object_[1],
        )
        model["Prediction"].objects.create(
            submission=submission,
            instance=instance,
            confidence=p,
            subject_type="PER",
            object_type=kind,
            subject_entity=":Ada",
            object_entity=f":{line}",
            subject_canonical_start=named[0],
            subject_canonical_end=named[1],
            object_canonical_start=object_named and object_named[0],
            object_canonical_end=object_named and object_named[1],
            probability=p,
            line=line,
        )
        apps.get_model("evaluation", "InclusionProbability").objects.create(
            batch=batch, instance=instance, probability=0.1 * line
        )
        instances.append(instance)
    model["SampledInstance"].objects.create(
        batch=batch, epoch=epoch, instance=instances[1], question=relation, subject=0
    )

    apps = go("0009_columns")
    stored = {row.name: bytes(row.data) for row in apps.get_model("evaluation", "ClaimColumn").objects.all()}
    assert unpack(stored["instance"]).tolist() == [instances[1].pk, instances[0].pk]
    assert unpack(stored["pi"]).tolist() == [0.2, 0.1]
    assert unpack_coded(stored["p subject_relation"]).column().tolist() == [0.75, 0.25]
    assert unpack_coded(stored["p instance"]).column().tolist() == [0.5, 0.5]
    assert unpack_names(stored["subject name"]).column().tolist() == ["ada quill"] * 2
    assert unpack_names(stored["predicate"]).column().tolist() == ["per:place_of_residence", "per:title"]
    claim = apps.get_model("evaluation", "SampledClaim").objects.get()
    assert (claim.instance_id, claim.subject_question_id, claim.object_question_id) == (
        instances[1].pk,
        *(one.pk for one in asked),
    )
    assert apps.get_model("evaluation", "Epoch").objects.get().scores_due


ENDS = {"estimate": "", "low": "_low", "high": "_high"}
#: Precision and recall without F1; everything; nothing.
MEASURED: list[dict[str, tuple[float, float, float]]] = [
    {"precision": (0.1 + 0.2, 0.25, 1 / 3), "recall": (0.0, 0.0, 0.2)},
    {"precision": (1.0, 0.9, 1.0), "recall": (0.5, 0.4, 0.6), "f1": (2 / 3, 0.5, 0.7)},
    {},
]


def columns_of(measured: dict[str, tuple[float, float, float]]) -> dict[str, float | None]:
    return {
        f"{measure}{end}": measured[measure][place] if measure in measured else None
        for measure in ("precision", "recall", "f1")
        for place, end in enumerate(ENDS.values())
    }


def rows_of(measured: dict[str, tuple[float, float, float]]) -> set[tuple[object, ...]]:
    return {
        (measure, *measured.get(measure, (None, None, None))) for measure in ("precision", "recall", "f1")
    }


@pytest.fixture
def scored(go: Go) -> Apps:
    """Three scores of each kind, as columns."""
    apps = go("0012_entities")
    corpus = apps.get_model("annotations", "Corpus").objects.create(tag="a", name="a")
    team = apps.get_model("accounts", "Team").objects.create(name="Alpha")
    submission = apps.get_model("evaluation", "Submission").objects.create(
        corpus=corpus, team=team, name="one", digest="0" * 64, state="scored", quota_taken_at=timezone.now()
    )
    epoch = an_epoch(apps, corpus)
    batch = apps.get_model("evaluation", "SampleBatch").objects.create(
        epoch=epoch, number=1, submission=submission, target_variance=1e-3, lam=2.0, floor=1.0
    )
    shared = {"submission": submission, "epoch": epoch}
    for level, measured in zip((80, 90, 95), MEASURED, strict=True):
        choice = {"weighting": "instance", "part": "linking", "level": level}
        apps.get_model("evaluation", "Score").objects.create(
            **(shared | choice | columns_of(measured)),
            batch=batch,
            estimator="both",
            tier=level,
            matching="overlap",
            labels=7,
            counts={"pool": 1},
            code_version="test",
        )
        apps.get_model("evaluation", "AdjustedScore").objects.create(
            **(shared | choice | columns_of(measured))
        )
        apps.get_model("evaluation", "SubsetScore").objects.create(
            **(shared | columns_of(measured)),
            division="type",
            name=f"{level}",
            order=level,
            part="all",
            labels=40 if measured else None,
            true=50 if measured else None,
        )
    return apps


def test_a_score_keeps_its_row_and_every_measure_gets_one(go: Go, scored: Apps) -> None:
    before = list(
        scored.get_model("evaluation", "Score").objects.order_by("level").values("pk", "computed_at")
    )
    apps = go("0013_scores_are_rows")
    scores = apps.get_model("evaluation", "Score").objects.order_by("level")
    assert list(scores.values("pk", "computed_at")) == before
    assert list(scores.values_list("level", "tier", "labels", "counts")) == [
        (level, level, 7, {"pool": 1}) for level in (80, 90, 95)
    ]
    for score, measured in zip(scores, MEASURED, strict=True):
        rows = score.estimates.values_list("measure", *ENDS)
        assert len(rows) == 3
        assert set(rows) == rows_of(measured)


def test_tiers_are_forgotten_and_scores_with_them_are_due(go: Go, scored: Apps) -> None:
    before = go("0018_units")
    before.get_model("evaluation", "Epoch").objects.update(scores_due=False)
    apps = go("0021_ranks")
    assert set(apps.get_model("evaluation", "Score").objects.values_list("level", "rank")) == {
        (80, None), (90, None), (95, None),
    }  # fmt: skip
    assert apps.get_model("evaluation", "Epoch").objects.get().scores_due
    assert not apps.get_model("evaluation", "Ranking").objects.exists()


def test_every_measure_of_a_corrected_score_becomes_a_row(go: Go, scored: Apps) -> None:
    apps = go("0013_scores_are_rows")
    adjusted = apps.get_model("evaluation", "AdjustedScore").objects
    assert adjusted.count() == 9
    for level, measured in zip((80, 90, 95), MEASURED, strict=True):
        found = adjusted.filter(
            level=level, weighting="instance", part="linking", submission__name="one", epoch__number=1
        )
        assert set(found.values_list("measure", *ENDS)) == rows_of(measured)


def test_every_measure_of_a_subset_becomes_a_row_with_its_counts(go: Go, scored: Apps) -> None:
    apps = go("0013_scores_are_rows")
    subsets = apps.get_model("evaluation", "SubsetScore").objects
    assert subsets.count() == 9
    for level, measured in zip((80, 90, 95), MEASURED, strict=True):
        found = subsets.filter(name=f"{level}", order=level, division="type", part="all", epoch__number=1)
        counts = (40, 50) if measured else (None, None)
        assert set(found.values_list("measure", *ENDS)) == rows_of(measured)
        assert set(found.values_list("labels", "true")) == {counts}


def test_scores_that_became_rows_can_become_columns_again(go: Go, scored: Apps) -> None:
    def read(apps: Apps) -> list[list[dict[str, object]]]:
        return [
            list(apps.get_model("evaluation", name).objects.order_by("pk").values())
            for name in ("Score", "AdjustedScore", "SubsetScore")
        ]

    before = read(scored)
    go("0013_scores_are_rows")
    assert read(go("0012_entities")) == before


def test_every_team_that_has_submitted_competes(go: Go) -> None:
    apps = go("0013_scores_are_rows")
    corpora = [apps.get_model("annotations", "Corpus").objects.create(tag=tag, name=tag) for tag in "ab"]
    teams = [apps.get_model("accounts", "Team").objects.create(name=name) for name in ("One", "Two", "Idle")]
    entered = [(0, 0, "withdrawn"), (0, 0, "uploaded"), (1, 0, "refused"), (1, 1, "cancelled")]
    for corpus, team, state in entered:
        apps.get_model("evaluation", "Submission").objects.create(
            corpus=corpora[corpus], team=teams[team], name="one", digest="0" * 64, state=state
        )
    pairs = {(corpora[corpus].pk, teams[team].pk) for corpus, team, _ in entered}
    for _ in range(2):  # once more, where they are known already
        apps = go("0014_competitors")
        competitors = apps.get_model("annotations", "Competitor").objects
        assert competitors.count() == 3
        assert set(competitors.values_list("corpus", "team")) == pairs
        go("0013_scores_are_rows")


def test_a_notice_that_was_not_sent_becomes_a_message(go: Go) -> None:
    apps = go("0016_quotas_of_people")
    corpus = apps.get_model("annotations", "Corpus").objects.create(tag="old", name="Old")
    team = apps.get_model("accounts", "Team").objects.create(name="Alpha")
    user = apps.get_model("accounts", "User").objects.create(email="m@example.org")
    apps.get_model("annotations", "Competitor").objects.create(corpus=corpus, team=team)
    submission = apps.get_model("evaluation", "Submission").objects.create(
        corpus=corpus, team=team, name="one", format="tac2017", state="refused", uploaded_by=user
    )
    events = apps.get_model("evaluation", "SubmissionEvent").objects
    notices = apps.get_model("evaluation", "Notice").objects
    notices.create(event=events.create(submission=submission, state="refused"), sent_at=timezone.now())
    notices.create(event=events.create(submission=submission, state="scored"))
    apps = go("0017_notices_are_mail")
    [message] = apps.get_model("core", "Message").objects.all()
    assert (message.subject, message.recipients) == ("one is scored", {"to": ["m@example.org"]})
    assert f"/submissions/{submission.pk}/" in message.text


@pytest.fixture
def sampled(go: Go) -> Apps:
    """Two instances of one corpus, of which one is sampled, with the columns of their system."""
    apps = go("0017_notices_are_mail")
    evaluation = {
        name: apps.get_model("evaluation", name).objects
        for name in ("Submission", "Instance", "SampleBatch", "InclusionProbability", "SampledInstance")
    }
    corpus = apps.get_model("annotations", "Corpus").objects.create(tag="a", name="a")
    document = a_document(apps, corpus)
    team = apps.get_model("accounts", "Team").objects.create(name="Alpha")
    apps.get_model("annotations", "Competitor").objects.create(corpus=corpus, team=team)
    submission = evaluation["Submission"].create(
        corpus=corpus,
        team=team,
        name="one",
        digest="0" * 64,
        state="judging",
        quota_taken_at=timezone.now(),
    )
    epoch = an_epoch(apps, corpus)
    batch = evaluation["SampleBatch"].create(
        epoch=epoch, number=1, submission=submission, target_variance=1e-3, lam=2.0, floor=1.0
    )
    question = apps.get_model("annotations", "Question").objects.create(
        document=document, kind="relation", key="relation|1|0-10|20-31", payload={}, votes_needed=3
    )
    for pk, predicate in ((7, "per:place_of_residence"), (9, "per:place_of_birth")):
        instance = evaluation["Instance"].create(
            id=pk,
            corpus=corpus,
            document=document,
            predicate=predicate,
            subject_start=20,
            subject_end=31,
            object_start=0,
            object_end=10,
        )
        evaluation["InclusionProbability"].create(batch=batch, instance=instance, probability=pk / 10)
    evaluation["SampledInstance"].create(
        batch=batch, epoch=epoch, instance=instance, question=question, subject=1
    )
    for name in ("instance", "p instance"):
        apps.get_model("evaluation", "ClaimColumn").objects.create(batch=batch, name=name, data=b"")
    return apps


def test_every_instance_becomes_a_unit_that_samples_point_to(go: Go, sampled: Apps) -> None:
    apps = go("0018_units")
    model = {
        name: apps.get_model("evaluation", name).objects
        for name in ("Unit", "Instance", "InclusionProbability", "SampledUnit", "UnitColumn")
    }
    assert set(model["Unit"].values_list("pk", "corpus__tag", "key")) == {(7, "a", None), (9, "a", None)}
    assert set(model["Instance"].values_list("unit", "predicate")) == {
        (7, "per:place_of_residence"),
        (9, "per:place_of_birth"),
    }
    assert set(model["InclusionProbability"].values_list("unit", "probability")) == {(7, 0.7), (9, 0.9)}
    assert model["SampledUnit"].values_list("unit", "claim").get() == (9, "per:place_of_birth|1")
    assert set(model["UnitColumn"].values_list("name", flat=True)) == {"unit", "p instance"}
    corpus = apps.get_model("annotations", "Corpus").objects.get()
    assert model["Unit"].create(corpus=corpus, key="new").pk == 10


def test_units_can_become_instances_again(go: Go, sampled: Apps) -> None:
    def read(apps: Apps) -> list[list[dict[str, object]]]:
        return [
            list(apps.get_model("evaluation", name).objects.order_by("pk").values())
            for name in ("Instance", "InclusionProbability", "SampledInstance", "ClaimColumn")
        ]

    before = read(sampled)
    go("0018_units")
    assert read(go("0017_notices_are_mail")) == before


@pytest.fixture
def named(go: Go) -> Apps:
    """Three systems with the same three claims: in a released epoch, in the open one, and not sampled yet.

    To them all is one entity. Ada Quill and Ada are two names, and a name stands in one place twice.
    """
    apps = go("0018_units")
    model = {
        name: apps.get_model("evaluation", name).objects
        for name in ("Unit", "Instance", "Submission", "Prediction", "SampleBatch", "UnitColumn")
    }
    corpus = apps.get_model("annotations", "Corpus").objects.create(tag="a", name="a")
    document = a_document(apps, corpus)
    team = apps.get_model("accounts", "Team").objects.create(name="Alpha")
    apps.get_model("annotations", "Competitor").objects.create(corpus=corpus, team=team)
    spans = [((0, 10), (20, 31)), ((5, 10), (20, 24)), ((39, 42), (20, 31))]
    instances = [
        model["Instance"].create(
            unit=model["Unit"].create(corpus=corpus),
            document=document,
            predicate="per:place_of_residence",
            **dict(zip(("subject_start", "subject_end"), subject, strict=True)),
            **dict(zip(("object_start", "object_end"), object_, strict=True)),
        )
        for subject, object_ in spans
    ]
    for number, fields in enumerate(({"released_at": timezone.now()}, {}, None), 1):
        submission = model["Submission"].create(
            corpus=corpus,
            team=team,
            name=f"system {number}",
            digest=f"{number:064}",
            state="accepted" if fields is None else "judging",
            quota_taken_at=timezone.now(),
        )
        for line, (instance, p) in enumerate(zip(instances, (0.5, 0.25, 0.25), strict=True), 1):
            model["Prediction"].create(
                submission=submission,
                instance=instance,
                confidence=0.5,
                probability=p,
                subject_type="PER",
                object_type="GPE",
                subject_entity=":All",
                object_entity=":Hallow",
                subject_canonical_start=0,
                subject_canonical_end=10,
                line=line,
            )
        if fields is None:
            continue
        epoch = an_epoch(apps, corpus, number, **fields)
        batch = model["SampleBatch"].create(
            epoch=epoch, number=1, submission=submission, target_variance=1e-3, lam=2.0, floor=1.0
        )
        for name, data in {
            "unit": pack(np.array([one.pk for one in instances])),
            "predicate": code_names(["per:place_of_residence"] * 3).pack(),
            "subject name": code_names(["ada quill"] * 3).pack(),
            **{
                f"p {weighting}": code([0.5, 0.25, 0.25]).pack()
                for weighting in ("subject", "subject_relation")
            },
        }.items():
            model["UnitColumn"].create(batch=batch, name=name, data=data)
    return go("0025_every_instance_has_names")


def test_what_was_read_before_gets_name_keys_and_what_was_sampled_keeps_its_weights(
    named: Apps,
) -> None:
    model = {
        name: named.get_model("evaluation", name).objects
        for name in ("Instance", "Prediction", "SampleBatch", "UnitColumn")
    }
    keys = [("ada quill", "port hallow"), ("ada quill", "port hallow"), ("ada", "port hallow")]
    found = model["Instance"].order_by("pk").values_list("subject_name", "object_name")
    assert list(found) == [tuple(map(digest, pair)) for pair in keys]

    weights = {
        (batch, name): unpack_coded(data).column().tolist()
        for batch, name, data in model["UnitColumn"]
        .filter(name__startswith="p ")
        .values_list("batch__epoch__number", "name", "data")
    }
    as_drawn = [0.5, 0.25, 0.25]
    assert weights == {
        (epoch, f"p {name}"): as_drawn for epoch in (1, 2) for name in ("subject", "subject_relation")
    }
    versions = model["SampleBatch"].order_by("epoch__number").values_list("weights_version", flat=True)
    assert list(versions) == ["clusters", "clusters"]
    named_in = model["UnitColumn"].filter(name="subject key")
    assert [unpack_coded(one.data).column().tolist() for one in named_in] == [
        [digest("ada quill"), digest("ada quill"), digest("ada")]
    ] * 2
    assert not model["UnitColumn"].filter(name="subject name").exists()

    p = model["Prediction"].order_by("submission__name", "line").values_list("probability", flat=True)
    assert list(p) == pytest.approx([*as_drawn, *as_drawn, 1 / 3, 1 / 3, 1 / 3])


@pytest.mark.slow
def test_an_epoch_that_is_there_keeps_the_maximum_and_what_was_drawn_in_it(go: Go, sampled: Apps) -> None:
    go("0018_units")
    apps = go("0027_planned_variance")
    assert apps.get_model("evaluation", "Epoch").objects.get().growth == "maximum"
    inclusions = apps.get_model("evaluation", "InclusionProbability").objects.order_by("probability")
    assert list(inclusions.values_list("probability", "squares")) == [(0.7, None), (0.9, None)]


def test_scores_of_before_took_the_votes_for_the_truth(go: Go, scored: Apps) -> None:
    apps = go("0031_standards")
    scores = apps.get_model("evaluation", "Score").objects
    assert list(scores.values_list("standard", flat=True).distinct()) == ["votes"]
    first = scores.order_by("pk").first()
    first.pk, first.standard = None, "audit"
    first.save()
    assert scores.filter(standard="audit").count() == 1


def test_a_house_metric_of_an_earlier_form_is_frozen_again(go: Go) -> None:
    apps = go("0041_metric_columns")
    corpus = apps.get_model("annotations", "Corpus").objects.create(tag="notes", name="Notes")
    house = apps.get_model("evaluation", "HouseMetric").objects
    for number, coefficients in enumerate(['{"version": 1}', '{"version": 2}', ""], 1):
        fields = {"released_at": timezone.now(), "growth": "quadratic", "weighting": "output"}
        epoch = an_epoch(apps, corpus, number, **fields)
        house.create(epoch=epoch, coefficients=coefficients, digest="0" * 64, outputs=100)
    apps = go("0044_house_metrics_are_frozen_again")
    left = apps.get_model("evaluation", "HouseMetric").objects.values_list("coefficients", flat=True)
    assert set(left) == {'{"version": 2}', ""}


def test_scores_that_were_there_begin_their_history(go: Go) -> None:
    apps = go("0047_relations_of_entities")
    corpus = apps.get_model("annotations", "Corpus").objects.create(
        tag="news", name="News", task="kbp", design="coordinated"
    )
    epoch = an_epoch(apps, corpus, growth="quadratic", weighting="instance")
    team = apps.get_model("accounts", "Team").objects.create(name="Alpha")
    apps.get_model("annotations", "Competitor").objects.create(corpus=corpus, team=team)
    submission = apps.get_model("evaluation", "Submission").objects.create(
        corpus=corpus, team=team, name="one", state="scored", digest="0" * 64, quota_taken_at=timezone.now()
    )
    batch = apps.get_model("evaluation", "SampleBatch").objects.create(
        epoch=epoch,
        submission=submission,
        number=1,
        target_variance=0.01,
        lam=2.0,
        floor=1.0,
        weights_version="v1",
    )
    for weighting, figure in (("instance", 0.43962), ("relation", 0.9)):
        score = apps.get_model("evaluation", "Score").objects.create(
            submission=submission,
            epoch=epoch,
            batch=batch,
            part="all",
            weighting=weighting,
            estimator="documents",
            standard="votes",
            level=95,
            labels=120,
            matching="near",
            code_version="0.6+a",
        )
        score.estimates.create(measure="f1", estimate=figure, low=figure - 0.05, high=figure + 0.05)
    apps = go("0051_first_rows_of_history")
    change = apps.get_model("evaluation", "ScoreChange").objects.get()
    assert change.figures == [440, 390, 490]
    assert (change.is_public, change.labels) == (True, 120)
    computation = change.computation
    assert computation.columns == [["all", "instance", "documents", "votes", 95, "f1"]]
    assert (computation.number, computation.systems, computation.labels) == (1, 1, None)
    assert computation.code_version == "0.6+a"
