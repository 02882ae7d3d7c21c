"""What is left when documents of a sample go and others come: every possible course of it, counted."""

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from kbpo.core.errors import InvalidInput
from kbpo_estimators.document_samples import SimpleRandom
from kbpo_estimators.turnover import shared_covariance, turn_over

DOCUMENTS = "ABCDEFG"


def exactly(chosen):
    """A draw that comes out as it is told."""
    return lambda ids, number: list(chosen)


def courses(every, size, number, annotated=None):
    """Each equally probable course: a sample of some size, which of it go, and which others come."""
    for sampled in combinations(annotated or every, size):
        reserve = [one for one in annotated or every if one not in sampled]
        for gone in combinations(sampled, number):
            for coming in combinations(reserve, min(number, len(reserve))):
                yield turn_over(sampled, reserve, number, choose_out=exactly(gone), choose_in=exactly(coming))


def weigh(found, of):
    """Return for each set of retired documents how often each sample came out."""
    by_retired = {}
    for turnover in found:
        by_retired.setdefault(turnover.retired, Counter())[of(turnover)] += 1
    return by_retired


@pytest.mark.parametrize(("size", "number"), [(3, 1), (3, 2), (4, 1), (3, 3), (2, 1)])
def test_given_what_is_retired_every_set_of_the_others_is_equally_probable(size, number):
    by_retired = weigh(courses(DOCUMENTS, size, number), lambda turnover: turnover.sample)
    assert set(by_retired) == set(combinations(DOCUMENTS, number))
    for retired, samples in by_retired.items():
        others = [one for one in DOCUMENTS if one not in retired]
        assert set(samples) == set(combinations(others, size))
        assert len(set(samples.values())) == 1


@pytest.mark.parametrize(("size", "number"), [(3, 1), (4, 2)])
def test_the_kept_alone_are_equally_probable_too(size, number):
    by_retired = weigh(courses(DOCUMENTS, size, number), lambda turnover: turnover.kept)
    for retired, samples in by_retired.items():
        others = [one for one in DOCUMENTS if one not in retired]
        assert set(samples) == set(combinations(others, size - number))
        assert len(set(samples.values())) == 1


def test_where_too_few_are_left_the_smaller_sample_is_equally_probable():
    # Of five documents four are sampled and three go: one is there to come.
    by_retired = weigh(courses("ABCDE", 4, 3), lambda turnover: turnover.sample)
    for retired, samples in by_retired.items():
        others = [one for one in "ABCDE" if one not in retired]
        assert set(samples) == set(combinations(others, 2))
        assert len(set(samples.values())) == 1


def test_replacements_from_annotated_documents_are_as_good_if_those_are_a_uniform_sample():
    found = (
        turnover for annotated in combinations("ABCDEF", 4) for turnover in courses("ABCDEF", 2, 1, annotated)
    )
    for retired, samples in weigh(found, lambda turnover: turnover.sample).items():
        others = [one for one in "ABCDEF" if one not in retired]
        assert set(samples) == set(combinations(others, 2))
        assert len(set(samples.values())) == 1


def test_it_holds_again_after_a_second_release():
    by_retired = {}
    for first in courses("ABCDEF", 2, 1):
        reserve = sorted(set("ABCDEF") - set(first.sample) - set(first.retired))
        for gone in combinations(first.sample, 1):
            for coming in combinations(reserve, 1):
                second = turn_over(
                    first.sample, reserve, 1, choose_out=exactly(gone), choose_in=exactly(coming)
                )
                history = first.retired, second.retired
                by_retired.setdefault(history, Counter())[second.sample] += 1
    for history, samples in by_retired.items():
        others = sorted(set("ABCDEF") - {one for (one,) in history})
        assert set(samples) == set(combinations(others, 2))
        assert len(set(samples.values())) == 1


def test_a_mean_over_the_new_sample_and_its_variance_are_unbiased_given_what_is_retired():
    value = dict(zip(DOCUMENTS, [3, 1, 4, 1, 5, 9, 2], strict=True))
    means, variances = {}, {}
    for turnover in courses(DOCUMENTS, 3, 1):
        given = np.array([value[one] for one in turnover.sample], dtype=float)
        means.setdefault(turnover.retired, []).append(Fraction(int(given.sum()), 3))
        z = given - given.mean()
        # C(z, z) has n − 1 for a residual around a mean that was estimated.
        variances.setdefault(turnover.retired, []).append(SimpleRandom(6).covariance(z, z))
    for retired, found in means.items():
        others = [value[one] for one in DOCUMENTS if one not in retired]
        truth = Fraction(sum(others), 6)
        assert sum(found) / len(found) == truth
        assert np.mean(variances[retired]) == pytest.approx(
            float(sum((m - truth) ** 2 for m in found)) / len(found)
        )


@pytest.mark.parametrize(("size", "number"), [(3, 1), (4, 2), (4, 3), (3, 3)])
def test_the_covariance_of_a_mean_before_and_one_after_is_what_the_formula_says(size, number):
    a = dict(zip(DOCUMENTS, [3, 1, 4, 1, 5, 9, 2], strict=True))
    b = dict(zip(DOCUMENTS, [2, 7, 1, 8, 2, 8, 1], strict=True))
    before, after, shared = [], [], 0
    for turnover in courses(DOCUMENTS, size, number):
        before.append(np.mean([a[one] for one in turnover.kept + turnover.retired]))
        after.append(np.mean([b[one] for one in turnover.sample]))
        shared, second = len(turnover.kept), len(turnover.sample)
    by_document = np.cov(list(a.values()), list(b.values()))[0, 1]
    found = np.cov(before, after, bias=True)[0, 1]
    assert found == pytest.approx(shared_covariance(shared, size, second, 7) * by_document)


def test_documents_are_drawn_from_sorted_ids_whatever_the_order():
    seen = []

    def first(ids, number):
        seen.append(list(ids))
        return list(ids)[:number]

    found = turn_over("CAB", "ZXY", 1, choose_out=first, choose_in=first)
    assert seen == [["A", "B", "C"], ["X", "Y", "Z"]]
    assert (found.retired, found.kept, found.added) == (("A",), ("B", "C"), ("X",))


def test_nothing_is_drawn_from_an_empty_reserve():
    found = turn_over("AB", "", 1, choose_out=exactly("B"), choose_in=None)
    assert (found.sample, found.added) == (("A",), ())


@pytest.mark.parametrize("number", [0, 3])
def test_so_many_as_there_are_can_go(number):
    with pytest.raises(InvalidInput, match=f"number: is {number}; from 1 to the 2"):
        turn_over("AB", "C", number, choose_out=exactly("A"), choose_in=exactly("C"))


def test_a_sampled_document_is_no_replacement():
    with pytest.raises(InvalidInput, match="reserve: has 'B'"):
        turn_over("AB", "BC", 1, choose_out=exactly("A"), choose_in=exactly("B"))
