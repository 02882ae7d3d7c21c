import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from kbpo.core.errors import InvalidInput
from kbpo_estimators.many import difference_precisions
from kbpo_estimators.reduced import reduce_groups, reduce_systems
from tests.oracles.precision import difference_precision


class Pool:
    """Some systems over common instances, with a sample that some instances are certain to be in."""

    def __init__(self, seed, systems=6, size=300, share=0.4):
        rng = np.random.default_rng(seed)
        mine = rng.random((systems, size)) < rng.uniform(0.05, 0.8, (systems, 1))
        mine[:, 0] = True
        weights = np.where(mine, rng.gamma(0.5, size=(systems, size)) + 1e-6, 0)
        self.P = sparse.csr_array(weights / weights.sum(axis=1, keepdims=True))
        confidence = rng.choice([0.2, 0.5, 0.9], self.P.nnz) * rng.choice([1, 1.0000001], self.P.nnz)
        self.confidence = sparse.csr_array((confidence, self.P.indices, self.P.indptr), shape=self.P.shape)
        self.pi = np.where(rng.random(size) < 0.1, 1.0, np.clip(share * rng.random(size) * 2, 0.01, 1))
        self.sampled = rng.random(size) < self.pi
        self.folds = rng.integers(0, 5, size)
        self.f = (rng.random(size) < 0.5).astype(float)

    def reduced(self, confidence=True, *, scale=1, pi=None, sampled=None):
        systems = (
            (self.P.indices[own], {"p": scale * self.P.data[own]}, c if confidence else np.zeros(c.size))
            for own in (slice(*ends) for ends in itertools.pairwise(self.P.indptr))
            for c in [self.confidence.data[own]]
        )
        pi, sampled = self.pi if pi is None else pi, self.sampled if sampled is None else sampled
        return reduce_systems(systems, self.P.shape[0], pi, sampled, self.folds)["p"]

    def estimates(self, reduced):
        return difference_precisions(reduced, self.f[self.sampled][reduced.positions])

    def one(self, system, confidence=True):
        own = slice(self.P.indptr[system], self.P.indptr[system + 1])
        rows = self.P.indices[own]
        return difference_precision(
            self.P.data[own],
            self.pi[rows],
            self.sampled[rows],
            self.f[rows],
            self.folds[rows],
            self.confidence.data[own] if confidence else None,
        )


@given(seed=st.integers(0, 10_000), share=st.sampled_from([0.02, 0.1, 0.4, 1.0]), confidence=st.booleans())
def test_all_at_once_is_one_by_one(seed, share, confidence):
    pool = Pool(seed, share=share)
    found = pool.estimates(pool.reduced(confidence))
    for system, one in enumerate(found):
        expected = pool.one(system, confidence)
        assert one.n == expected.n
        assert one.estimate == pytest.approx(expected.estimate, abs=1e-12)
        assert one.variance == pytest.approx(expected.variance, abs=1e-12)
        assert one.n_eff == pytest.approx(expected.n_eff, rel=1e-12)
        assert one.contributions == pytest.approx(expected.contributions, abs=1e-12)


def test_labels_may_depend_on_the_system():
    pool = Pool(1)
    reduced = pool.reduced()
    labels = np.zeros(reduced.positions.size)
    own = slice(reduced.indptr[2], reduced.indptr[3])
    labels[own] = pool.f[pool.sampled][reduced.positions[own]]
    found = difference_precisions(reduced, labels)
    assert found[2].estimate == pytest.approx(pool.one(2).estimate, abs=1e-12)
    assert found[0].estimate == 0


def test_systems_stand_at_their_places_in_the_pools_sample():
    pool = Pool(2)
    reduced = pool.reduced()
    for system, one in enumerate(pool.estimates(reduced)):
        place = reduced.pool(system)
        assert place.variance(place.placed(one.contributions)) == pytest.approx(one.variance)


def test_bad_input_is_named():
    pool = Pool(9)
    with pytest.raises(InvalidInput, match="sums to"):
        pool.reduced(scale=2)
    with pytest.raises(InvalidInput, match="pi"):
        pool.reduced(pi=0 * pool.pi)
    with pytest.raises(InvalidInput, match="whose π is 1"):
        pool.reduced(sampled=pool.sampled & (pool.pi < 1))
    with pytest.raises(InvalidInput, match="0 or 1"):
        difference_precisions(pool.reduced(), pool.reduced().p + 0.5)
    with pytest.raises(InvalidInput, match="labels"):
        difference_precisions(pool.reduced(), pool.f[:3])


def systems_of(pool):
    """Return each system with two weightings, its instances in an order of their own."""
    rng = np.random.default_rng(1)
    for start, end in itertools.pairwise(pool.P.indptr):
        order = start + rng.permutation(end - start)
        p = pool.P.data[order]
        flat = np.full(p.size, 1 / p.size)
        yield pool.P.indices[order], {"given": p, "flat": flat}, pool.confidence.data[order]


@pytest.mark.slow
@given(seed=st.integers(0, 10_000))
def test_several_weightings_are_reduced_as_each_by_itself(seed):
    pool = Pool(seed)
    found = reduce_systems(systems_of(pool), 6, pool.pi, pool.sampled, pool.folds)
    for name in ("given", "flat"):
        estimates = pool.estimates(found[name])
        for (rows, weights, confidence), one in zip(systems_of(pool), estimates, strict=True):
            expected = difference_precision(
                weights[name], pool.pi[rows], pool.sampled[rows], pool.f[rows], pool.folds[rows], confidence
            )
            assert one.estimate == pytest.approx(expected.estimate, abs=1e-12)
            assert one.variance == pytest.approx(expected.variance, abs=1e-12)
            assert one.n_eff == pytest.approx(expected.n_eff, rel=1e-12)


def test_entries_know_their_place_among_the_systems_instances():
    pool = Pool(4)
    found = reduce_systems(systems_of(pool), 6, pool.pi, pool.sampled, pool.folds)["given"]
    drawn = np.flatnonzero(pool.sampled)
    for system, (rows, _, _) in enumerate(systems_of(pool)):
        own = slice(found.indptr[system], found.indptr[system + 1])
        assert rows[found.own[own]].tolist() == drawn[found.positions[own]].tolist()


@pytest.mark.slow
@given(seed=st.integers(0, 10_000))
def test_groups_are_estimated_as_systems_of_their_own(seed):
    pool = Pool(seed)
    group = np.random.default_rng(seed).integers(-1, 3, pool.f.size)  # group 3 is empty
    found = reduce_groups(
        ((rows, p["given"], c, group[rows]) for rows, p, c in systems_of(pool)),
        *(6, 4, pool.pi, pool.sampled, pool.folds),
    )
    estimates = pool.estimates(found)
    for system, (rows, p, c) in enumerate(systems_of(pool)):
        for one in range(3):
            own = group[rows] == one
            if not own.any():
                continue
            weights, inside = p["given"][own] / p["given"][own].sum(), rows[own]
            expected = difference_precision(
                *(weights, pool.pi[inside], pool.sampled[inside], pool.f[inside], pool.folds[inside], c[own])
            )
            estimate = estimates[4 * system + one]
            assert estimate.n == expected.n
            assert estimate.estimate == pytest.approx(expected.estimate, abs=1e-11)
            assert estimate.variance == pytest.approx(expected.variance, abs=1e-11)
            assert estimate.n_eff == pytest.approx(expected.n_eff, rel=1e-11)
        assert estimates[4 * system + 3].n == 0


def test_a_group_with_a_certain_instance_outside_the_sample_is_refused():
    pool = Pool(9)
    nowhere = np.zeros(pool.f.size, dtype=int)
    with pytest.raises(InvalidInput, match="whose π is 1"):
        reduce_groups(
            ((rows, p["given"], c, nowhere[rows]) for rows, p, c in systems_of(pool)),
            *(6, 1, pool.pi, pool.sampled & (pool.pi < 1), pool.folds),
        )
