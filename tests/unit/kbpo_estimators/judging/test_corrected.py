import numpy as np
import pytest

from kbpo_estimators.coordinated import variance_weights
from kbpo_estimators.document_samples import SimpleRandom
from kbpo_estimators.f1 import f1
from kbpo_estimators.judging.audited import Audit, AuditedLabels
from kbpo_estimators.judging.corrected import corrected
from kbpo_estimators.judging.products import JudgedEntries, Products
from kbpo_estimators.labelled import share_of_pool
from kbpo_estimators.recall import RecallEstimate
from tests.oracles.differences import precision_difference
from tests.oracles.effect import judges_effect
from tests.oracles.precision import difference_precision

S = 240
RELATION = ("relation",)


class World:
    """A pool's sample of S instances, of which three systems have some, judged by people who err."""

    def __init__(self, seed=0, error=0.15, rho=0.4, systems=3, doubt=0.1):
        rng = np.random.default_rng(seed)
        self.true = (rng.random(S) < 0.5).astype(float)
        self.crowd = np.where(rng.random(S) < error, 1 - self.true, self.true)
        self.pi = rng.uniform(0.3, 1.0, S)
        self.rho = np.full(S, rho)
        self.audited = rng.random(S) < self.rho
        self.doubt = doubt
        self.folds = rng.integers(0, 5, S)
        self.positions = [np.flatnonzero(rng.random(S) < 0.6) for _ in range(systems)]

    @property
    def audit(self):
        answers = np.where(self.audited, self.true, np.nan)
        labels = AuditedLabels(np.arange(S), self.crowd, answers, np.full(S, self.doubt))
        return Audit(self.pi, np.arange(S), self.rho, self.audited, {"relation": labels})

    @property
    def rates(self):
        return Products.of(self.audit, self.entries).rates

    @property
    def entries(self):
        return JudgedEntries.of([(at, at[None, :]) for at in self.positions], RELATION)

    def corrected(self, shares=True):
        """Return it under one weighting, named by an empty word."""
        p = np.concatenate([self.p(at) for at in self.positions])
        known = self.shares if shares is True else shares
        return corrected(self.audit, self.entries, {"": p}, {"": self.precisions}, known)

    def p(self, at):
        # Of a system whose whole is about as large as its sample makes it.
        return np.full(at.size, 1 / (1 / self.pi[at]).sum())

    def precision(self, at, labels):
        p = self.p(at)  # what is not sampled stands in one more
        return difference_precision(
            np.append(p, 1 - p.sum()),
            np.append(self.pi[at], 0.5),
            np.arange(at.size + 1) < at.size,
            np.append(labels[at], np.nan),
            np.append(self.folds[at], 0),
        )

    @property
    def precisions(self):
        return [self.precision(at, self.crowd) for at in self.positions]

    def sampling(self, number, labels):
        """Return the variance of a system's sample had its labels been these, and its line what it is."""
        at, before = self.positions[number], self.precisions[number]
        residuals = before.residuals + labels[at] - self.crowd[at]
        return variance_weights(self.pi[at]) @ (self.p(at) * residuals) ** 2

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
    rates = world.rates
    found = world.corrected()
    for number, before in enumerate(world.precisions):
        pooled = (before.estimate - rates.false_positives) / rates.told
        assert found.of_precisions[""].pooled[number] == pytest.approx(pooled - before.estimate)


def test_a_system_s_own_step_is_the_judges_effect_where_nothing_was_thought_of_errors():
    world = World(doubt=0.0)
    found = world.corrected()
    for number, at in enumerate(world.positions):
        own = judges_effect(
            world.p(at), world.pi[at], world.rho[at], world.audited[at], world.crowd[at], world.true[at]
        )
        assert found.of_precisions[""].own[number] == pytest.approx(own.estimate)


def test_the_estimate_lies_between_the_two_steps(world):
    correction = world.corrected().of_precisions[""]
    assert ((correction.believed > 0) & (correction.believed < 1)).all()
    low, high = np.sort([correction.pooled, correction.own], axis=0)
    assert ((low <= correction.added) & (correction.added <= high)).all()


def test_with_everything_audited_only_the_audit_counts():
    world = World(rho=1.0)
    found = world.corrected()
    assert found.of_precisions[""].added == pytest.approx(found.of_precisions[""].own)
    for number, after in enumerate(found.precisions[""]):
        assert after.variance == pytest.approx(world.sampling(number, world.true))


def test_a_correction_widens_the_interval_also_where_no_error_was_found():
    world = World(error=0.0)
    found = world.corrected()
    for before, after in zip(world.precisions, found.precisions[""], strict=True):
        assert after.variance > before.variance
        assert after.n_eff < before.n_eff


def test_the_variance_is_that_of_the_contributions(world):
    world.pi[:] = 0.5
    found = world.corrected()
    for after, pool in zip(found.precisions[""], found.pools, strict=True):
        assert after.variance == pytest.approx(pool.variance(pool.placed(after.contributions)))


def test_a_copy_differs_by_nothing(world):
    world.positions[1] = world.positions[0]
    found = world.corrected()
    difference = precision_difference(
        found.precisions[""][0], found.pools[0], found.precisions[""][1], found.pools[1]
    )
    assert (difference.estimate, difference.variance) == pytest.approx((0, 0))


def test_what_two_systems_share_makes_their_difference_narrower(world):
    world.pi[:] = 0.5
    found = world.corrected()
    one, other = found.precisions[""][:2]
    difference = precision_difference(one, found.pools[0], other, found.pools[1])
    assert difference.variance < one.variance + other.variance


def test_the_pooled_step_of_a_share_takes_the_false_positives_out(world):
    fp = world.rates.false_positives
    found = world.corrected()
    weight = world.claimed / world.pi
    for number, at in enumerate(world.positions):
        own = (world.crowd[at] - fp) @ weight[at] / ((world.crowd - fp) @ weight)
        assert found.of_shares.pooled[number] == pytest.approx(own - world.shares[number].estimate)


def test_with_everything_audited_a_share_is_about_that_of_the_audit():
    world = World(rho=1.0, error=0.02)
    found = world.corrected()
    weight = world.claimed / world.pi
    for at, after in zip(world.positions, found.shares, strict=True):
        assert after.estimate == pytest.approx(world.true[at] @ weight[at] / (world.true @ weight), abs=1e-3)


def test_precision_and_share_stand_in_one_larger_sample(world):
    world.pi[:] = 0.5
    found = world.corrected()
    sample = SimpleRandom(40)
    for precision, share, pool in zip(found.precisions[""], found.shares, found.pools, strict=True):
        assert pool.variance(share.contributions) == pytest.approx(share.variance)
        recall = RecallEstimate(0.4, 0.001, np.zeros(4), sample, 4, share.variance, share.contributions)
        assert f1(precision, recall, pool).variance > 0


def test_labels_that_tell_nothing_leave_each_system_to_its_own_audits():
    world = World(error=0.6, doubt=0.0)
    found = world.corrected()
    assert not Products.of(world.audit, world.entries).is_told
    for number, (before, after) in enumerate(zip(world.precisions, found.precisions[""], strict=True)):
        at = world.positions[number]
        own = judges_effect(
            world.p(at), world.pi[at], world.rho[at], world.audited[at], world.crowd[at], world.true[at]
        )
        assert after.estimate == pytest.approx(before.estimate + own.estimate)
        known = np.where(world.audited, world.true, world.crowd)
        assert after.variance == pytest.approx(world.sampling(number, known) + own.by_audit / 2)


def test_one_label_that_is_wrongly_1_where_all_are_empties_no_score():
    world = World(error=0.0)
    world.crowd[:] = world.true[:] = 1
    world.true[np.flatnonzero(world.audited)[0]] = 0
    found = world.corrected()
    assert all(0.9 < one.estimate <= 1 for one in found.precisions[""])


def test_an_error_found_where_few_are_looked_for_is_no_difference_between_systems():
    world = World(error=0.0, rho=0.05, doubt=0.01)
    (at, *_), seen = world.positions, np.flatnonzero(world.audited)
    error = np.intersect1d(at, seen)[0]
    world.crowd[error] = 1 - world.true[error]
    correction = world.corrected().of_precisions[""]
    assert np.abs(correction.own).max() > 0.05
    assert correction.between == 0


def test_what_systems_differ_by_has_one_standard_error_more():
    world = World(error=0.0, rho=1.0, systems=6)
    world.positions = np.array_split(np.arange(S), 6)
    world.crowd[world.positions[0]] = 0  # judges err on one system
    products, found = Products.of(world.audit, world.entries), world.corrected().of_precisions[""]
    told, by_count = products.rates.told, products.rates.by_count
    beyond = []
    for number, (at, before) in enumerate(zip(world.positions, world.precisions, strict=True)):
        right = before.estimate + found.pooled[number]
        of_errors = np.array([right - 1, right]) / told @ by_count
        if_wrong = -np.where(products.labels == 1, *of_errors)
        for position, p in zip(at, world.p(at), strict=True):
            unit = products.instances == position
            if_wrong[unit] += (1 - 2 * world.crowd[position]) * p / world.pi[position] / told
        luck = products.chances @ if_wrong**2
        beyond.append((found.own[number] - found.pooled[number]) ** 2 - luck)
    unsure = np.std(beyond, ddof=1) / np.sqrt(len(beyond))
    assert found.between == pytest.approx(np.mean(beyond) + unsure)


def test_shares_of_a_pool_without_anything_right_stay_unknown(world):
    found = world.corrected(shares=[None] * 3)
    assert found.shares == [None] * 3
    assert found.of_shares is None
