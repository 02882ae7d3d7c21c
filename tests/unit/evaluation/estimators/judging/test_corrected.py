import numpy as np
import pytest

from evaluation.estimators.differences import precision_difference
from evaluation.estimators.document_samples import SimpleRandom
from evaluation.estimators.f1 import f1
from evaluation.estimators.judging.audited import Audit, AuditedLabels
from evaluation.estimators.judging.corrected import corrected_precisions, corrected_shares
from evaluation.estimators.judging.effect import judges_effect
from evaluation.estimators.judging.products import JudgedSystem, Products, pool_of
from evaluation.estimators.labelled import share_of_pool
from evaluation.estimators.precision import difference_precision
from evaluation.estimators.recall import RecallEstimate

S = 240
RELATION = ("relation",)


class World:
    """A pool's sample of S instances, of which three systems have some, judged by people who err."""

    def __init__(self, seed=0, error=0.15, rho=0.4, systems=3):
        rng = np.random.default_rng(seed)
        self.true = (rng.random(S) < 0.5).astype(float)
        self.crowd = np.where(rng.random(S) < error, 1 - self.true, self.true)
        self.pi = rng.uniform(0.3, 1.0, S)
        self.rho = np.full(S, rho)
        self.audited = rng.random(S) < self.rho
        self.folds = rng.integers(0, 5, S)
        self.positions = [np.flatnonzero(rng.random(S) < 0.6) for _ in range(systems)]

    @property
    def audit(self):
        answers = np.where(self.audited, self.true, np.nan)
        labels = AuditedLabels(np.arange(S), self.crowd, answers, np.full(S, 0.1))
        return Audit(self.pi, np.arange(S), self.rho, self.audited, {"relation": labels})

    @property
    def systems(self):
        return [JudgedSystem(at, self.p(at), RELATION, at[None, :]) for at in self.positions]

    def p(self, at):
        # Of a system whose whole is about as large as its sample makes it.
        return np.full(at.size, 1 / (1 / self.pi[at]).sum())

    def precision(self, at, labels):
        p = np.full(at.size, 1 / at.size)
        return difference_precision(
            p, np.full(at.size, 0.5), np.ones(at.size, bool), labels[at], self.folds[at]
        )

    @property
    def precisions(self):
        return [self.precision(at, self.crowd) for at in self.positions]

    @property
    def shares(self):
        found = []
        for at in self.positions:
            own = np.zeros(S)
            own[at] = self.crowd[at]
            found.append(share_of_pool(self.pi, self.crowd * self.claimed, own))
        return found

    @property
    def claimed(self):
        claimed = np.zeros(S)
        claimed[np.concatenate(self.positions)] = 1
        return claimed


@pytest.fixture
def world():
    return World()


def test_the_pooled_step_takes_the_error_rates_out(world):
    rates = world.audit.rates["relation"]
    found = corrected_precisions(world.audit, world.systems, world.precisions)
    for number, before in enumerate(world.precisions):
        pooled = (before.estimate - rates.false_positives) / rates.told
        assert found.correction.pooled[number] == pytest.approx(pooled - before.estimate)


def test_a_system_s_own_step_is_the_judges_effect(world):
    found = corrected_precisions(world.audit, world.systems, world.precisions)
    for number, system in enumerate(world.systems):
        at = system.positions
        own = judges_effect(
            system.p, world.pi[at], world.rho[at], world.audited[at], world.crowd[at], world.true[at]
        )
        assert found.correction.own[number] == pytest.approx(own.estimate)


def test_the_estimate_lies_between_the_two_steps(world):
    correction = corrected_precisions(world.audit, world.systems, world.precisions).correction
    assert ((correction.believed > 0) & (correction.believed < 1)).all()
    low, high = np.sort([correction.pooled, correction.own], axis=0)
    assert ((low <= correction.added) & (correction.added <= high)).all()


def test_with_everything_audited_only_the_audit_counts():
    world = World(rho=1.0)
    found = corrected_precisions(world.audit, world.systems, world.precisions)
    assert found.correction.added == pytest.approx(found.correction.own)
    for before, after in zip(world.precisions, found.estimates, strict=True):
        assert after.variance == pytest.approx(before.variance)


def test_a_correction_widens_the_interval_also_where_no_error_was_found():
    world = World(error=0.0)
    found = corrected_precisions(world.audit, world.systems, world.precisions)
    for before, after in zip(world.precisions, found.estimates, strict=True):
        assert after.estimate == pytest.approx(before.estimate)
        assert after.variance > before.variance
        assert after.n_eff < before.n_eff


def test_the_variance_is_that_of_the_contributions(world):
    world.pi[:] = 0.5
    found = corrected_precisions(world.audit, world.systems, world.precisions)
    for after, pool in zip(found.estimates, found.pools, strict=True):
        assert after.variance == pytest.approx(pool.variance(pool.placed(after.contributions)))


def test_a_copy_differs_by_nothing(world):
    world.positions[1] = world.positions[0]
    found = corrected_precisions(world.audit, world.systems, world.precisions)
    difference = precision_difference(found.estimates[0], found.pools[0], found.estimates[1], found.pools[1])
    assert (difference.estimate, difference.variance) == pytest.approx((0, 0))


def test_what_two_systems_share_makes_their_difference_narrower(world):
    world.pi[:] = 0.5
    found = corrected_precisions(world.audit, world.systems, world.precisions)
    one, other = found.estimates[:2]
    difference = precision_difference(one, found.pools[0], other, found.pools[1])
    assert difference.variance < one.variance + other.variance


def test_the_pooled_step_of_a_share_takes_the_false_positives_out(world):
    fp = world.audit.rates["relation"].false_positives
    found = corrected_shares(world.audit, world.systems, world.shares)
    weight = world.claimed / world.pi
    for number, at in enumerate(world.positions):
        own = (world.crowd[at] - fp) @ weight[at] / ((world.crowd - fp) @ weight)
        assert found.correction.pooled[number] == pytest.approx(own - world.shares[number].estimate)


def test_with_everything_audited_a_share_is_about_that_of_the_audit():
    world = World(rho=1.0, error=0.02)
    found = corrected_shares(world.audit, world.systems, world.shares)
    weight = world.claimed / world.pi
    for at, after in zip(world.positions, found.estimates, strict=True):
        assert after.estimate == pytest.approx(world.true[at] @ weight[at] / (world.true @ weight), abs=1e-3)


def test_precision_and_share_stand_in_one_larger_sample(world):
    world.pi[:] = 0.5
    precisions = corrected_precisions(world.audit, world.systems, world.precisions)
    shares = corrected_shares(world.audit, world.systems, world.shares)
    sample = SimpleRandom(40)
    for precision, share, pool in zip(precisions.estimates, shares.estimates, precisions.pools, strict=True):
        assert pool.variance(share.contributions) == pytest.approx(share.variance)
        recall = RecallEstimate(0.4, 0.001, np.zeros(4), sample, 4, share.variance, share.contributions)
        assert f1(precision, recall, pool).variance > 0


def test_labels_that_tell_nothing_correct_nothing():
    world = World(error=0.5, rho=1.0)
    assert corrected_precisions(world.audit, world.systems, world.precisions) is None
    assert corrected_shares(world.audit, world.systems, world.shares) is None


def test_shares_of_a_pool_without_anything_right_stay_unknown(world):
    assert corrected_shares(world.audit, world.systems, [None] * 3) is None


# Several labels a prediction


def two_kinds():
    """Four instances, each with a relation, and all but the last with a canonical mention; and eight more."""
    asked = [1, 1, 1, 1, 0, 0, 0, 0]
    labels = {
        "relation": AuditedLabels([0, 1, 2, 3], [1, 1, 0, 1], [1, 1, np.nan, np.nan], [0.1] * 4),
        "canonical": AuditedLabels(
            [0, 1, 2] + [0] * 8, [1, 1, 1, *asked], [1, 0, np.nan, *asked], [0.1] * (3 + len(asked))
        ),
    }
    audited = np.array([True, True, False, False])
    return Audit(np.full(4, 0.5), np.arange(4), np.full(4, 0.5), audited, labels)


SYSTEM = JudgedSystem(
    np.arange(4), np.full(4, 0.25), ("relation", "canonical"), np.array([[0, 1, 2, 3], [0, 1, 2, -1]])
)


def test_a_prediction_is_right_if_all_its_labels_are():
    products = Products.of(two_kinds(), SYSTEM)
    assert products.f.tolist() == [1, 1, 0, 1]
    assert products.audited.tolist() == [0, -2, 0, 0]  # a wrong canonical mention, at ρ = ½


def test_each_label_is_corrected_by_the_rates_of_its_kind():
    audit = two_kinds()
    relation, canonical = (audit.rates[kind] for kind in ("relation", "canonical"))
    products = Products.of(audit, SYSTEM)
    assert products.corrected[0] == pytest.approx(relation.corrected[0] * canonical.corrected[0])
    assert products.corrected[3] == pytest.approx(relation.corrected[3])


def test_a_label_matters_only_where_the_others_are_right():
    flips = Products.of(two_kinds(), SYSTEM).flips
    assert flips.tolist() == [[-1, -1, 1, -1], [-1, -1, 0, 0]]


def test_corrected_labels_move_with_the_rates_as_the_derivatives_say():
    products = Products.of(two_kinds(), SYSTEM)
    canonical, relation = (products.audit.rates[kind] for kind in ("canonical", "relation"))
    step = 1e-6

    def moved(fp, fn):
        label = (canonical.labels[0] - fp) / (1 - fp - fn)
        return relation.corrected[0] * label

    fp, fn = canonical.false_positives, canonical.false_negatives
    expected = [(moved(fp + step, fn) - moved(fp, fn)) / step, (moved(fp, fn + step) - moved(fp, fn)) / step]
    assert products.by_rates["canonical"][:, 0] == pytest.approx(expected, rel=1e-4)


def test_the_pool_is_right_where_some_system_is():
    audit = two_kinds()
    wrong = JudgedSystem(np.array([2, 3]), np.ones(2), SYSTEM.kinds, np.array([[2, 2], [2, 2]]))
    pool = pool_of(audit, [wrong, SYSTEM])
    assert pool.positions.tolist() == [0, 1, 2, 3]
    assert Products.of(audit, pool).f.tolist() == [1, 1, 0, 1]
