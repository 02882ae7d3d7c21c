"""The weightings and the matching rule against the exact scores of ten real systems."""

import numpy as np
import pytest

from evaluation.estimators.weighting import WEIGHTINGS
from evaluation.kbp.matching import match
from tests import knowledgenet

pytestmark = knowledgenet.needs_knowledgenet

ROUNDED = 5.1e-7


def test_all_ten_systems_are_there():
    assert {system.name for system in knowledgenet.systems()} == set(knowledgenet.truth()["systems"])


def test_subject_relation_is_the_published_sampling_probability():
    for system in knowledgenet.systems():
        gap = np.abs(system.weights("subject_relation") - system.p_subject_relation).max()
        assert gap <= 5.1e-9, system.name


@pytest.mark.parametrize("name", WEIGHTINGS)
def test_precision_under_each_weighting_is_the_published_one(name):
    for system in knowledgenet.systems():
        published = knowledgenet.truth()["systems"][system.name]["precision"][name]
        assert abs(system.weights(name) @ system.correct - published) <= ROUNDED, system.name


def test_correct_instances_are_those_that_match():
    _, relations = knowledgenet.gold()
    for system in knowledgenet.systems():
        assert match(system.claims, relations).correct.tolist() == (system.correct == 1).tolist(), system.name


def test_recall_is_the_published_one():
    _, relations = knowledgenet.gold()
    for system in knowledgenet.systems():
        published = knowledgenet.truth()["systems"][system.name]["recall"]
        assert abs(match(system.claims, relations).found.mean() - published) <= ROUNDED, system.name


def test_what_a_system_finds_can_be_read_off_the_pools_matching():
    pool, (_, relations) = knowledgenet.pool(), knowledgenet.gold()
    for system, members in zip(knowledgenet.systems(), pool.members, strict=True):
        mask = np.zeros(len(pool.keys), dtype=bool)
        mask[members] = True
        alone = match(system.claims, relations).found
        assert pool.matching.found_by(mask).tolist() == alone.tolist(), system.name
