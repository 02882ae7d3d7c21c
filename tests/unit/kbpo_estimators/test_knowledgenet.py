"""The weightings and the matching rule against the exact scores of ten real systems."""

import re
from collections import Counter

import numpy as np
import pytest

from evaluation.kbp.matching import ClaimColumns, match
from evaluation.kbp.words import Words
from kbpo_estimators.weighting import WEIGHTINGS
from kbpo_formats.spans import Span
from tests import knowledgenet
from tests.ontologies import TAC

pytestmark = knowledgenet.needs_knowledgenet

ROUNDED = 5.1e-7


def test_all_ten_systems_are_there():
    assert {system.name for system in knowledgenet.systems()} == set(knowledgenet.truth()["systems"])


@pytest.mark.parametrize("name", WEIGHTINGS)
def test_precision_under_each_weighting_is_the_published_one(name):
    for system in knowledgenet.systems():
        published = knowledgenet.exact()[system.name]["precision"][name]
        assert abs(system.weights(name) @ system.correct - published) <= ROUNDED, system.name


def test_claims_that_overlap_a_surer_one_are_left_out():
    for system in knowledgenet.systems():
        read = knowledgenet.truth()["systems"][system.name]["n_instances"]
        assert len(system.claims) == read - knowledgenet.exact()[system.name]["overlapping"], system.name


@pytest.mark.slow
def test_judges_take_any_overlap_and_recall_does_not():
    pool = knowledgenet.pool()
    assert (pool.matching.correct <= pool.correct).all()
    assert 0.95 < pool.matching.correct.sum() / pool.correct.sum() < 1


@pytest.mark.parametrize("weighting", ["instance", "relation"])
def test_recall_is_the_published_one(weighting):
    pool = knowledgenet.pool()
    number = Counter(relation.predicate for relation in pool.relations)
    weights = np.array([1 / number[relation.predicate] for relation in pool.relations])
    if weighting == "instance":
        weights[:] = 1
    for system, of_system in enumerate(pool.systems):
        published = knowledgenet.exact()[of_system.name]["recall"][weighting]
        recall = weights @ pool.found_by(system) / weights.sum()
        assert abs(recall - published) <= ROUNDED, of_system.name


def test_what_a_system_finds_can_be_read_off_the_pools_matching():
    pool = knowledgenet.pool()
    words = Words.of(pool.texts)
    for number, system in enumerate(pool.systems):
        alone = match(ClaimColumns.of(system.claims), pool.relations, words, TAC).found
        assert pool.found_by(number).tolist() == alone.tolist(), system.name


def sixty_characters(text, span):
    return Span(max(0, span.start - 60), min(len(text), span.end + 60))


def whole_document(text, span):
    return Span(0, len(text))


def words_on_either_side(number):
    def widened(text, span):
        runs = [run.span() for run in re.finditer(r"\S+", text)]
        touched = [place for place, run in enumerate(runs) if span.overlaps(Span(*run))]
        return Span(runs[max(0, touched[0] - number)][0], runs[min(touched[-1] + number, len(runs) - 1)][1])

    return widened


@pytest.mark.parametrize(
    "widened",
    [
        pytest.param(words_on_either_side(1), id="1 word"),
        pytest.param(words_on_either_side(2), id="2 words"),
        *(
            pytest.param(words_on_either_side(number), id=f"{number} words", marks=pytest.mark.slow)
            for number in (3, 5)
        ),
        pytest.param(sixty_characters, id="60 characters", marks=pytest.mark.slow),
        pytest.param(whole_document, id="document"),
    ],
)
def test_who_widens_its_spans_finds_nothing_more(widened):
    pool = knowledgenet.pool()
    words = Words.of(pool.texts)
    for number, system in enumerate(pool.systems):
        claims = [
            one._replace(
                subject=widened(pool.texts[one.doc_id], one.subject),
                object=widened(pool.texts[one.doc_id], one.object),
            )
            for one in system.claims
        ]
        found = match(ClaimColumns.of(claims), pool.relations, words, TAC).found
        assert found.mean() <= pool.recall(number), system.name


@pytest.mark.parametrize("name", ["B2_logreg_mid", "C1_crf_knn", "D1_union", "D2_vote"])
def test_who_floods_a_predicate_with_what_is_mostly_wrong_loses_in_the_micro_average(name):
    pool = knowledgenet.pool()
    of_name = {system.name: number for number, system in enumerate(pool.systems)}
    own, loose = pool.members[of_name[name]], pool.members[of_name["A3_rules_loose"]]
    predicates = np.array([key.split("|")[1] for key in pool.keys])
    flooded = 0
    for predicate in np.unique(predicates):
        added = np.setdiff1d(loose[predicates[loose] == predicate], own)
        if pool.correct[added].mean() < 0.2:
            assert micro_f1(pool, np.union1d(own, added)) < micro_f1(pool, own), predicate
            flooded += 1
    assert flooded >= 8


def micro_f1(pool, rows):
    claimed = np.zeros(len(pool.keys), dtype=bool)
    claimed[rows] = True
    precision, recall = pool.correct[rows].mean(), pool.matching.found_by(claimed).mean()
    return 2 * precision * recall / (precision + recall)
