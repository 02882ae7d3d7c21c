"""Ten real systems with a known truth: from the uploaded file to the leaderboard, and over forty seeds."""

import gzip
import hashlib
import itertools
import json
import statistics
from collections.abc import Iterator
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.test import override_settings

from annotations.models import Corpus, Question
from evaluation.design import columns, designs, epochs
from evaluation.kbp import divisions, matching, planning
from evaluation.kbp import kept as kept_of_claims
from evaluation.kbp.claims import read_claims
from evaluation.kbp.recall import annotated
from evaluation.kbp.task import TASK as KBP
from evaluation.models import SampledUnit, Submission
from evaluation.scoring import pool
from kbpo.core.database.coded import unpack_coded, unpack_names
from kbpo_estimators import coordinated, document_samples, planned_variance
from kbpo_estimators.comparison import Comparable, comparables, differences
from kbpo_estimators.intervals import difference_interval
from kbpo_estimators.kbp.labels import Labels
from kbpo_estimators.scores import (
    CoordinatedSample,
    SystemScore,
    coordinated_estimates,
    pooled_models,
)
from kbpo_estimators.subsets import Division, Relations, SubsetScore, subset_scores
from kbpo_formats.spans import Span
from tests.knowledgenet import exact
from tests.ontologies import TAC

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "knowledgenet"
TAG = "knowledgenet"
SEEDS = range(40)
DOCUMENTS = 300
ESTIMATORS = ("documents", "labelled", "both")
WEIGHTING = KBP.choices.default_weighting("coordinated")


@dataclass(frozen=True)
class Run:
    """What one seed gives; `sampled` counts instances."""

    scores: list[SystemScore]
    sampled: int
    comparable: dict[str, Comparable]
    subsets: dict[str, list[SubsetScore]]


Runs = list[Run]

pytestmark = [
    pytest.mark.skipif(not FOLDER.is_dir(), reason="the KnowledgeNet folder beside the project is missing"),
    pytest.mark.django_db(transaction=False),
]


def fixed_secret(seed: int) -> str:
    return hashlib.sha256(f"knowledgenet {seed}".encode()).hexdigest()


def of_estimator(run: Run, estimator: str) -> list[SystemScore]:
    return [score for score in run.scores if score.estimator == estimator]


def command(name: str, *arguments: str) -> Any:
    out = StringIO()
    call_command(name, *arguments, stdout=out)
    text = out.getvalue()
    return json.loads(text) if "--json" in arguments else text


@pytest.fixture(scope="module")
def judged(django_db_setup: None, django_db_blocker: object) -> Iterator[Corpus]:
    """Everything through the commands, with seed 0 and a crowd that makes no errors."""
    from django.db import transaction

    with django_db_blocker.unblock(), transaction.atomic():  # type: ignore[attr-defined]
        with override_settings(KBPO_EPOCH_SECRET=bytes.fromhex(fixed_secret(0))):
            command(
                "load_corpus",
                str(FOLDER / "corpus.jsonl.gz"),
                "--corpus",
                TAG,
                "--policy",
                "fixed",
                "--audit-share",
                "0",
            )
            command(
                "load_gold",
                str(FOLDER / "gold.jsonl.gz"),
                "--corpus",
                TAG,
                "--documents",
                str(DOCUMENTS),
                "--seed",
                "0",
            )
            for path in sorted((FOLDER / "submissions").glob("*.kb.gz")):
                name = path.name.removesuffix(".kb.gz")
                command("submit", str(path), "--corpus", TAG, "--team", f"Team {name[0]}", "--name", name)
            command("advance")
            command(
                "simulate_crowd", "--corpus", TAG, "--gold", str(FOLDER / "gold.jsonl.gz"), "--error", "0"
            )
            command("advance")
        yield Corpus.objects.get(tag=TAG)
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def truth() -> dict[str, tuple[float, float]]:
    return {name: (row["precision"][WEIGHTING], row["recall"][WEIGHTING]) for name, row in exact().items()}


@pytest.fixture(scope="module")
def world(judged: Corpus, django_db_blocker: object) -> "World":
    with django_db_blocker.unblock():  # type: ignore[attr-defined]
        return World(judged)


class World:
    """The pool and its truth, in memory, to draw from again and again."""

    def __init__(self, corpus: Corpus) -> None:
        submissions = Submission.objects.filter(corpus=corpus).order_by("batch__number")
        self.names = [submission.name for submission in submissions]
        epoch = corpus.epochs.get()
        self.pool = pool.read_pool(epoch, epoch.batches.count(), KBP.choices.weightings)
        self.document_ids = dict(corpus.documents.order_by("id").values_list("doc_id", "id"))
        ids = list(self.document_ids.values())
        every = annotated.read_exhaustive(self.pool.submissions, self.pool.epoch, ids)
        assert every is not None
        self.documents, self.relations = every.documents, every.relations
        names = [kept_of_claims.PREDICATES, kept_of_claims.NAMES]
        kept = list(columns.read([batch.pk for batch in self.pool.batches], names))
        named = (
            [read(one[name]) for one in kept]
            for name, read in zip(names, (unpack_names, unpack_coded), strict=True)
        )
        self.divisions = dict(divisions.divisions(corpus, *named, every.annotations.values()))
        self.features = KBP.features(self.pool)
        self.keys = [""] * self.pool.size
        claims = [matching.Claim("", "", Span(0, 1), Span(0, 1))] * self.pool.size
        for submission in submissions:
            read = read_claims(submission)
            places = self.pool.positions(read.ids).tolist()
            for place, key, row in zip(places, read.keys, read.rows, strict=True):
                self.keys[place] = key
                claims[place] = matching.Claim(str(row.document_id), row.predicate, row.subject, row.object)
        self.plans = _Plans(self, every.annotations)
        relations = annotated.read_true_relations(
            every.annotations.values(), annotated.read_texts(list(every.annotations))
        )
        self.correct = np.array(judged_right(claims, relations), dtype=float)

    def run(self, seed: int) -> Run:
        secret = epochs.derive_secret(bytes.fromhex(fixed_secret(seed)), TAG, 1)
        drawn = document_samples.draw_documents(list(self.document_ids), DOCUMENTS, seed)
        ids = list(self.document_ids)
        columns = np.array(sorted(ids.index(doc_id) for doc_id in drawn))
        target = coordinated.target_variance()
        pi, squares, flat = (np.zeros(self.pool.size) for _ in range(3))
        floor = np.zeros(self.pool.size)
        for number, system in enumerate(self.pool.systems):
            rows = system.rows
            arrival = designs.arrive(
                designs.QUADRATIC,
                before=designs.Before(pi[rows], squares[rows]),
                p=system.weights[WEIGHTING],
                known=np.zeros(rows.size, dtype=bool),
                target_variance=target,
                variance=self.plans.of(number, rows, columns, secret),
            )
            pi[rows], squares[rows] = arrival.pi, arrival.squares
            flat[rows] += arrival.flat_term**2
            floor[rows] = np.maximum(floor[rows], min(1.0, arrival.floor / rows.size))
        flat = np.maximum(np.sqrt(np.minimum(1.0, flat)), floor)
        sampled = coordinated.uniforms(secret, self.keys) < pi
        labels = Labels(
            np.where(sampled, self.correct, np.nan), [np.full(len(s.rows), np.nan) for s in self.pool.systems]
        )
        sample = CoordinatedSample(pi, sampled, coordinated.folds(secret, self.keys), flat)
        (estimates,) = coordinated_estimates(
            self.pool.systems,
            labels,
            sample,
            self.documents.take(columns),
            features=self.features,
            weightings=[WEIGHTING],
            parts=["relation"],
        )
        return Run(
            list(estimates.scores([0.95])),
            int(sampled.sum()),
            {name: one for name, _, one in comparables(estimates)},
            {
                name: list(self.subset_scores(division, columns, labels, sample))
                for name, division in self.divisions.items()
            },
        )

    def subset_scores(
        self, division: Division, columns: np.ndarray, labels: Labels, sample: CoordinatedSample
    ) -> Iterator[SubsetScore]:
        inside = np.isin(self.relations.document, columns)
        relations = Relations(
            self.relations.sample,
            columns.size,
            np.searchsorted(columns, self.relations.document[inside]),
            {part: found[:, inside] for part, found in self.relations.found.items()},
        )
        drawn = replace(division, of_relations=division.of_relations[inside])
        return subset_scores(
            self.pool.systems,
            labels,
            sample,
            relations,
            drawn,
            weighting=WEIGHTING,
            models=pooled_models(self.pool.systems, labels, sample, self.features, ["relation"]),
            parts=["relation"],
        )

    def subset_truth(self, division: Division, system: int, subset: int) -> tuple[float, float]:
        one, inside = self.pool.systems[system], division.of_claims[system] == subset
        p = one.weights[WEIGHTING][inside]
        precision = (p * self.correct[one.rows[inside]]).sum() / p.sum()
        true = division.of_relations == subset
        return float(precision), float(self.relations.found["relation"][system][true].mean())


def judged_right(claims: list[matching.Claim], relations: list[matching.TrueRelation]) -> list[bool]:
    """Say what a crowd without errors says of claims: any overlap with what is true is enough for them."""
    true: dict[tuple[str, str], list[matching.TrueRelation]] = {}
    for one in relations:
        true.setdefault((one.doc_id, one.predicate), []).append(one)

    def is_right(claim: matching.Claim) -> bool:
        both_ways = TAC.relations_by_name[claim.predicate].is_symmetric
        return any(
            (claim.subject.overlaps(one.subject) and claim.object.overlaps(one.object))
            or (both_ways and claim.subject.overlaps(one.object) and claim.object.overlaps(one.subject))
            for one in true.get((claim.doc_id, claim.predicate), ())
        )

    return [is_right(claim) for claim in claims]


class _Plans:
    """The variances that any choice of documents would have planned, from arrays alone."""

    def __init__(self, world: World, annotations: dict[int, int]) -> None:
        pool = world.pool
        self._documents = list(world.document_ids)
        place = {pk: number for number, pk in enumerate(world.document_ids.values())}
        self._document = np.zeros(pool.size, dtype=np.int64)
        predicates = np.zeros(pool.size, dtype=np.int64)
        code = {predicate: number for number, predicate in enumerate(TAC.relations_by_name)}
        for submission in pool.submissions:
            read = read_claims(submission)
            at = pool.positions(read.ids)
            self._document[at] = [place[row.document_id] for row in read.rows]
            predicates[at] = [code[row.predicate] for row in read.rows]
        self._features, self._known = [], []
        for last in range(1, len(pool.systems) + 1):
            some = pool.systems[:last]
            scales = {
                team: planned_variance.Scale.of(values, np.ones(values.size))
                for team in {one.team for one in some}
                for values in [np.concatenate([one.confidence for one in some if one.team == team])]
            }
            claimants = [planned_variance.Claimant(one.team, one.rows, one.confidence) for one in some]
            made = planned_variance.features(pool.size, claimants, scales, [(predicates, len(code))])
            known = annotated.read_correct(pool.submissions[:last], annotations, TAC)
            self._features.append(made)
            self._known.append((pool.positions(known.instance), known.document, known.correct))

    def of(self, number: int, rows: np.ndarray, columns: np.ndarray, secret: bytes) -> np.ndarray:
        """s² of a system's instances, learnt from these documents by the systems up to it."""
        folds = coordinated.document_folds(secret, self._documents)
        at, document, correct = self._known[number]
        inside = np.isin(document, columns)
        features = self._features[number]
        labels = [correct[part][inside].astype(float) for part in planning.PARTS]
        model = planned_variance.fit(features[at[inside]], labels, folds[document[inside]])
        if model is None:
            return np.full(rows.size, coordinated.LABEL_VARIANCE)
        return model.variances(features[rows], folds[self._document[rows]])


@pytest.fixture(scope="module")
def runs(world: World) -> Runs:
    return [world.run(seed) for seed in SEEDS]


def test_the_truth_of_the_pool_is_the_published_one(
    world: World, truth: dict[str, tuple[float, float]]
) -> None:
    true = world.documents.true.sum()
    for number, (name, system) in enumerate(zip(world.names, world.pool.systems, strict=True)):
        precision = (system.weights[WEIGHTING] * world.correct[system.rows]).sum()
        recall = world.documents.found["relation"][number].sum() / true
        assert (precision, recall) == pytest.approx(truth[name], abs=1e-6), name


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_the_commands_give_the_same_numbers_as_the_estimates_in_memory(
    judged: Corpus, world: World, runs: Runs, estimator: str
) -> None:
    arguments = ("--corpus", TAG, "--part", "relation", "--estimator", estimator, "--json")
    rows = {row["name"]: row for row in command("leaderboard", *arguments)["rows"]}  # type: ignore[index]
    scores, sampled = of_estimator(runs[0], estimator), runs[0].sampled
    assert SampledUnit.objects.filter(epoch__corpus=judged).count() == sampled
    assert not Question.objects.filter(document__corpus=judged).exclude(state="settled").exists()
    assert set(rows) == set(world.names)
    for score in scores:
        row = rows[world.names[score.system]]
        for measure in ("precision", "recall", "f1"):
            interval = getattr(score, measure)
            assert row[measure] == {
                "estimate": interval.estimate,
                "low": interval.low,
                "high": interval.high,
            }, (row["name"], measure)
        assert row["labels"] == score.labels


def test_every_stored_sample_can_be_drawn_again(judged: Corpus) -> None:
    assert "same" in str(command("audit_samples", "--corpus", TAG))


@dataclass(frozen=True)
class Found:
    """Intervals by seed and system, and the truth by system."""

    estimate: np.ndarray
    low: np.ndarray
    high: np.ndarray
    truth: np.ndarray

    @property
    def coverage(self) -> float:
        return float(((self.low <= self.truth) & (self.truth <= self.high)).mean())

    @property
    def half_width(self) -> float:
        return statistics.median(((self.high - self.low) / 2).ravel())


@pytest.fixture(scope="module")
def found(runs: Runs, world: World, truth: dict[str, tuple[float, float]]) -> dict[tuple[str, str], Found]:
    of_measure = {
        "precision": np.array([truth[name][0] for name in world.names]),
        "recall": np.array([truth[name][1] for name in world.names]),
    }
    of_measure["f1"] = 2 / (1 / of_measure["precision"] + 1 / of_measure["recall"])
    collected = {}
    for estimator in ESTIMATORS:
        for measure, true in of_measure.items():
            ends = np.zeros((3, len(SEEDS), true.size))
            for seed, run in enumerate(runs):
                for score in of_estimator(run, estimator):
                    one = getattr(score, measure)
                    ends[:, seed, score.system] = one.estimate, one.low, one.high
            collected[estimator, measure] = Found(*ends, true)
    return collected


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["precision", "recall", "f1"])
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_intervals_hold_the_truth_and_errors_average_out(
    found: dict[tuple[str, str], Found], estimator: str, measure: str, capsys: pytest.CaptureFixture[str]
) -> None:
    one = found[estimator, measure]
    by_seed = (one.estimate - one.truth).mean(axis=1)
    standard_error = by_seed.std(ddof=1) / np.sqrt(len(SEEDS))
    with capsys.disabled():
        print(
            f"\nKnowledgeNet, {len(SEEDS)} seeds, {measure} ({estimator}): 95% intervals hold the truth in"
            f" {one.coverage:.3f}; mean error {by_seed.mean():+.4f} (standard error {standard_error:.4f});"
            f" median half-width {one.half_width:.4f}"
        )
    assert one.coverage >= 0.92
    assert abs(by_seed.mean()) <= 3 * standard_error
    assert one.half_width <= (0.06 if estimator == "labelled" else 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["recall", "f1"])
def test_both_kinds_of_label_together_are_not_wider_than_documents_alone(
    found: dict[tuple[str, str], Found], measure: str
) -> None:
    assert found["both", measure].half_width <= found["documents", measure].half_width


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["precision", "recall", "f1"])
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_intervals_of_differences_hold_the_truth(
    runs: Runs,
    world: World,
    found: dict[tuple[str, str], Found],
    estimator: str,
    measure: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    truth = found[estimator, measure].truth
    holds, paired, apart = [], [], []
    for run in runs:
        one = run.comparable[estimator]
        by_system = {score.system: getattr(score, measure) for score in of_estimator(run, estimator)}
        every = differences(one, one, measure, world.documents.sample)
        for i, j in itertools.combinations(range(truth.size), 2):
            difference = every.of(i, j)
            assert difference is not None
            interval = difference_interval(difference, by_system[i], by_system[j])
            holds.append(interval.low <= truth[i] - truth[j] <= interval.high)
            paired.append(interval.high - interval.low)
            widths = [by_system[one].high - by_system[one].low for one in (i, j)]
            apart.append(np.hypot(*widths))
    with capsys.disabled():
        print(
            f"\nKnowledgeNet, {len(SEEDS)} seeds, difference of {measure} ({estimator}): 95% intervals hold"
            f" the truth in {np.mean(holds):.3f};"
            f" median width {np.median(np.array(paired) / apart):.2f} of unpaired"
        )
    assert np.mean(holds) >= 0.92
    assert np.median(np.array(paired) / apart) <= 1.01


@pytest.mark.slow
@pytest.mark.parametrize("division", ["predicate", "type", "frequency"])
def test_intervals_of_subsets_hold_the_truth(
    runs: Runs, world: World, division: str, capsys: pytest.CaptureFixture[str]
) -> None:
    divided = world.divisions[division]  # type: ignore[index]
    holds: dict[str, list[bool]] = {"precision": [], "recall": []}
    too_few = 0
    for score in (score for run in runs for score in run.subsets[division]):
        too_few += score.labels is None
        truth = world.subset_truth(divided, score.system, score.subset)
        for measure, true in zip(holds, truth, strict=True):
            interval = getattr(score, measure)
            if interval is not None:
                holds[measure].append(interval.low <= true <= interval.high)
    with capsys.disabled():
        print(
            f"\nKnowledgeNet, {len(SEEDS)} seeds, by {division}: 95% intervals hold the truth in"
            f" {np.mean(holds['precision']):.3f} of {len(holds['precision'])} precisions and"
            f" {np.mean(holds['recall']):.3f} of {len(holds['recall'])} recalls;"
            f" {too_few} have too few labels"
        )
    assert np.mean(holds["precision"]) >= 0.92
    assert np.mean(holds["recall"]) >= 0.92


@pytest.mark.slow
def test_no_seed_needs_more_than_1500_labels(runs: Runs, capsys: pytest.CaptureFixture[str]) -> None:
    sizes = [run.sampled for run in runs]
    with capsys.disabled():
        print(f"\nKnowledgeNet, {len(SEEDS)} seeds: {min(sizes)} to {max(sizes)} instances sampled")
    assert max(sizes) <= 1500


def test_the_files_give_exactly_the_published_instances(judged: Corpus) -> None:
    for submission in Submission.objects.filter(corpus=judged):
        with gzip.open(FOLDER / "instances" / f"{submission.name}.tsv.gz", "rt", encoding="utf-8") as lines:
            next(lines)
            published = {tuple(line.split("\t")[:6]) for line in lines}
        rows = submission.predictions.values_list(
            "instance__document__doc_id",
            "instance__predicate",
            "instance__subject_start",
            "instance__subject_end",
            "instance__object_start",
            "instance__object_end",
        )
        stored = {tuple(map(str, row)) for row in rows}
        assert stored <= published, submission.name
        assert len(published - stored) == exact()[submission.name]["overlapping"]
        assert set(submission.predictions.values_list("probability", flat=True)) == {1 / len(stored)}
