"""Judges err, and an audit says how often: do the corrected intervals hold the truth?"""

import numpy as np
import pytest

from kbpo_estimators.intervals import interval
from kbpo_estimators.judging.audited import Audit, AuditedLabels
from kbpo_estimators.judging.corrected import corrected
from kbpo_estimators.judging.products import JudgedEntries
from research.experiments.audited_samples import CLAIMS, RECALLS, RELATIONS, Part
from research.experiments.audits import CASES, OTHERWISE, SHOWN, Case, simulate
from tests import knowledgenet
from tests.oracles.precision import difference_precision

FIRST = ("recall from documents", "f1 from documents")
"""What the leaderboard shows first."""
HELD = {"relation": (0.93, 0.97, 0.88), "all": (0.92, 0.985, 0.85), "linking": (0.8, 0.985, 0.65)}
"""The least and the most share of intervals that may hold the truth, and the least for one system."""
WIDEST = {
    "relation": {
        ("alike", 0.1): 1.35,
        ("mixed", 0.1): 1.35,
        ("hard", 0.1): 1.75,
        ("alike", 0.2): 1.2,
        ("mixed", 0.2): 1.2,
        ("hard", 0.2): 1.5,
    },
    # Three questions a claim.
    "all": {
        ("alike", 0.1): 1.6,
        ("mixed", 0.1): 1.6,
        ("hard", 0.1): 2.35,
        ("alike", 0.2): 1.4,
        ("mixed", 0.2): 1.45,
        ("hard", 0.2): 2.0,
    },
}


def widest(part, case):
    return WIDEST[part.name][case.crowd, case.share]


MISSED = {
    # What was wanted and is not reached, and why: docs/experiments/README.md, "Audits of labels".
    ("width", "relation", "hard, audit 10%"): "1.87 where 1.75 was wanted",
    ("width", "relation", "hard, audit 20%"): "1.51 where 1.5 was wanted",
    ("worst system", "relation", "hard, by teams, audit 10%"): ".877 where .88 was wanted",
}


def note_missed(request, goal, part, case):
    """Expect a test to fail where its goal is known to be missed; it fails where it is reached after all."""
    if reason := MISSED.get((goal, str(part), str(case))):
        request.applymarker(pytest.mark.xfail(reason=reason, strict=True))


def show(found):
    for case, one in found.items():
        print(f"\n{case}: {one.wrong.mean():.3f} of the labels wrong, {one.errors.mean():.1f} found")
        for way, measure in one.held:
            held = one.held[way, measure]
            print(
                f"  {measure:22} {way:10} hold the truth {held.coverage:.3f}, worst system"
                f" {one.by_system(measure, way).min():.3f}, width {one.width(measure, way):.2f},"
                f" largest bias {np.abs(one.bias(measure, way)).max():.4f}"
            )


# Ten real systems

WHOLE = Part("all", 0.95)


@pytest.fixture(scope="module", params=SHOWN, ids=str)
def everything(request, simulate_once):
    """The parts that the method page shows; the experiment has all of them."""
    found = simulate_once(
        f"audits of {request.param}", lambda: simulate(knowledgenet.pool(), range(300), part=request.param)
    )
    show(found)
    return request.param, found


@pytest.mark.slow
@knowledgenet.needs_knowledgenet
def test_intervals_that_take_votes_for_the_truth_do_not_hold_it(everything):
    part, found = everything
    if part.name != "linking":
        assert found[Case("hard", bent=True, share=0.1)].held["votes", "precision"].coverage < 0.85


@pytest.mark.slow
@knowledgenet.needs_knowledgenet
@pytest.mark.parametrize("case", CASES, ids=str)
def test_corrected_intervals_of_precision_hold_the_truth_in_every_crowd(everything, case):
    part, found = everything
    least, most, _ = HELD[part.name]
    assert least <= found[case].held["corrected", "precision"].coverage <= most


@pytest.mark.slow
@knowledgenet.needs_knowledgenet
@pytest.mark.parametrize("case", CASES, ids=str)
def test_corrected_intervals_of_precision_hold_the_truth_of_every_system(everything, case, request):
    part, found = everything
    note_missed(request, "worst system", part, case)
    assert found[case].by_system("precision").min() >= HELD[part.name][2]


@pytest.mark.slow
@knowledgenet.needs_knowledgenet
@pytest.mark.parametrize("measure", FIRST)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_corrected_intervals_of_recall_and_f1_hold_the_truth_in_every_crowd(everything, case, measure):
    # Recall's own intervals hold the truth a little more often than they say, whoever judges.
    part, of_cases = everything
    if part.name == "linking":
        pytest.skip("linking has no recall")
    found = of_cases[case]
    assert found.held["corrected", measure].coverage >= 0.92
    assert found.held["corrected", measure].coverage <= found.held["exact", measure].coverage + 0.02
    assert found.by_system(measure).min() >= 0.84


@pytest.mark.slow
@knowledgenet.needs_knowledgenet
@pytest.mark.parametrize("case", CASES, ids=str)
def test_recall_from_documents_is_surest_and_hardly_wider_than_joint_recall(everything, case):
    # Why the leaderboard shows recall from documents first.
    part, of_cases = everything
    if part.name == "linking":
        pytest.skip("linking has no recall")
    found = of_cases[case]
    held = {source: found.held["corrected", f"recall from {source}"] for source in RECALLS}
    assert held["documents"].half_width < held["claims"].half_width
    assert held["documents"].half_width < 1.1 * held["both"].half_width
    assert held["documents"].coverage >= 0.93
    assert held["both"].coverage >= 0.88
    assert held["claims"].coverage >= 0.8


@pytest.mark.slow
@knowledgenet.needs_knowledgenet
@pytest.mark.parametrize("case", CASES, ids=str)
def test_corrected_intervals_of_differences_hold_the_truth_in_every_crowd(everything, case, request):
    part, of_cases = everything
    found = of_cases[case]
    note_missed(request, "differences", part, case)
    assert 0.92 <= found.held["corrected", "difference of precisions"].coverage <= 0.99
    assert found.by_system("difference of precisions").min() >= 0.8


@pytest.mark.slow
@knowledgenet.needs_knowledgenet
@pytest.mark.parametrize("measure", ["precision", *FIRST])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_corrected_intervals_are_narrow_enough_in_every_crowd(everything, case, measure, request):
    part, found = everything
    if measure == "precision":
        note_missed(request, "width", part, case)
    if part.name != "linking":
        assert found[case].width(measure) <= widest(part, case)


# Predictions that need a relation and two canonical mentions, in a world that is made up

SIZE, SYSTEMS, SEEDS = 3_000, 6, 160
KINDS = ("relation", "canonical", "canonical")


class ThreeLabels:
    """Systems that name subjects and objects; judges who err differently about relations and about names."""

    def __init__(self, seed=0):
        rng = np.random.default_rng(seed)
        self.relation = rng.random(SIZE) < 0.5
        self.names = rng.random((2, SIZE)) < 0.85
        self.right = self.relation & self.names.all(axis=0)
        quality = rng.uniform(0.2, 0.7, SYSTEMS)
        self.members = [
            np.flatnonzero(rng.random(SIZE) < np.where(self.right, 0.5, 0.4 * (1 - one))) for one in quality
        ]
        self.truth = np.array([self.right[own].mean() for own in self.members])

    def run(self, seed, share=0.2):
        """Sample, judge and audit once; estimates and ends for all systems, and estimates by votes alone."""
        rng = np.random.default_rng([1, seed])
        rows = np.flatnonzero(rng.random(SIZE) < 0.3)
        n = rows.size
        true = [self.relation[rows], self.names[0, rows], self.names[1, rows]]
        errors = [np.where(true[0], 0.08, 0.04), np.full(n, 0.03), np.full(n, 0.03)]
        crowd = [(t ^ (rng.random(n) < e)).astype(float) for t, e in zip(true, errors, strict=True)]
        audited = rng.random(n) < share
        answers = [np.where(audited, t, np.nan) for t in true]
        doubt = np.full(n, 0.05)
        labels = {
            "relation": AuditedLabels(np.arange(n), crowd[0], answers[0], doubt),
            "canonical": AuditedLabels(
                np.tile(np.arange(n), 2),
                np.concatenate(crowd[1:]),
                np.concatenate(answers[1:]),
                np.tile(doubt, 2),
            ),
        }
        audit = Audit(np.full(n, 0.3), np.arange(n), np.full(n, share), audited, labels)
        f = np.prod(crowd, axis=0)
        folds = rng.integers(0, 5, SIZE)
        place = np.full(SIZE, -1)
        place[rows] = np.arange(n)
        systems, weights, precisions = [], [], []
        for own in self.members:
            at = place[own]
            sampled = at >= 0
            p = np.full(own.size, 1 / own.size)
            known = np.where(sampled, f[at], np.nan)
            precisions.append(difference_precision(p, np.full(own.size, 0.3), sampled, known, folds[own]))
            at = at[sampled]
            systems.append((at, np.stack([at, at, at + n])))
            weights.append(p[sampled])
        entries = JudgedEntries.of(systems, KINDS)
        found = corrected(audit, entries, {"": np.concatenate(weights)}, {"": precisions})
        ends = [interval(one) for one in found.precisions[""]]
        return (
            [one.estimate for one in found.precisions[""]],
            [one.low for one in ends],
            [one.high for one in ends],
            [one.estimate for one in precisions],
        )


@pytest.mark.slow
@knowledgenet.needs_knowledgenet
def test_audits_aimed_at_whole_claims_make_these_surer():
    cases = tuple(case for case in CASES if case.share == 0.1)
    found = simulate(knowledgenet.pool(), range(40), cases, WHOLE, (CLAIMS, RELATIONS)).values()
    aimed, before = (
        np.mean([one.error("precision", way) ** 2 for one in found])
        for way in ("corrected", f"{OTHERWISE}{RELATIONS}")
    )
    assert aimed < before


def test_products_of_labels_are_corrected_too():
    world = ThreeLabels()
    found = np.array([world.run(seed) for seed in range(SEEDS)])
    estimate, low, high, plain = np.moveaxis(found, 1, 0)
    coverage = ((low <= world.truth) & (world.truth <= high)).mean()
    bias, error = (estimate - world.truth).mean(axis=0), estimate.std(axis=0, ddof=1) / np.sqrt(SEEDS)
    print(f"\nhold the truth {coverage:.3f}; bias {bias.round(4)} ± {error.round(4)}")
    print(f"by votes alone {(plain - world.truth).mean(axis=0).round(4)}")
    assert 0.92 <= coverage <= 0.985
    assert (np.abs(bias) <= 3.5 * error).all()
