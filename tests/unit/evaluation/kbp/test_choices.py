"""What can be chosen is what is computed, and each design offers what it has."""

import pytest

from evaluation.kbp import matching
from evaluation.kbp.choices import CHOICES
from evaluation.models import Score
from evaluation.registry import TASKS
from kbpo.core.errors import InvalidInput
from kbpo_estimators import comparison, scores, weighting
from kbpo_estimators.kbp import labels

DEFAULTS = {"level": 95, "part": "all", "weighting": "instance", "estimator": None, "standard": "votes"}


def test_every_part_is_computed_and_every_computed_part_has_a_name():
    assert tuple(CHOICES.parts) == labels.PARTS


def test_a_part_has_recall_if_and_only_if_it_can_be_matched():
    assert [key for key, part in CHOICES.parts.items() if "recall" in part.measures] == list(matching.PARTS)


def test_every_measure_is_compared_and_every_compared_measure_has_a_name():
    assert tuple(CHOICES.measures) == comparison.MEASURES
    assert tuple(scores.SystemScore(0, "", "", "", 95, None, None, None, 0, None, None).measures) == tuple(
        CHOICES.measures
    )


@pytest.mark.parametrize(
    ("design", "default"), [("coordinated", weighting.DEFAULT), ("iid", "subject_relation")]
)
def test_every_weighting_is_computed_under_every_design(design, default):
    assert set(CHOICES.weightings_of[design]) == set(CHOICES.weightings) == set(weighting.WEIGHTINGS)
    assert CHOICES.default_weighting(design) == default


def test_a_part_is_ranked_by_one_of_its_measures():
    for part in CHOICES.parts.values():
        assert part.ranked_by in part.measures


@pytest.mark.parametrize("design", ["coordinated", "iid"])
def test_what_a_design_offers_has_a_name(design):
    assert tuple(CHOICES.named_weightings(design)) == CHOICES.weightings_of[design]
    assert tuple(CHOICES.named_estimators(design)) == CHOICES.estimators_of[design]
    assert tuple(CHOICES.named_standards(design)) == CHOICES.standards_of[design]


def test_every_standard_is_computed_and_can_be_stored():
    assert tuple(CHOICES.standards) == (scores.AUDIT, scores.VOTES)
    of_all = {one for task in TASKS.values() for one in task.choices.standards}
    assert {key for key, _ in Score._meta.get_field("standard").choices} == of_all


def test_a_part_without_recall_leaves_no_estimator_to_choose():
    assert CHOICES.named_estimators("coordinated", "linking") == {}
    assert CHOICES.named_estimators("coordinated", "relation") == CHOICES.named_estimators("coordinated")


def test_independent_draws_leave_estimators_of_precision_to_choose():
    assert CHOICES.named_estimators("iid", "linking") == CHOICES.named_estimators("iid")


def test_what_pools_all_systems_labels_is_called_joint():
    pooling = [key for key, name in CHOICES.estimators.items() if name.startswith("joint")]
    assert pooling == ["labelled", "both", "joint", "joint_bootstrap"]


def test_estimators_with_bootstrap_intervals_are_those_whose_names_say_so():
    for key, name in CHOICES.estimators.items():
        assert (key in CHOICES.resampled) == ("bootstrap" in name) == key.endswith(scores.BOOTSTRAP)


@pytest.mark.parametrize(("design", "expected"), [("coordinated", "documents"), ("iid", "joint")])
def test_the_estimator_that_is_meant_is_the_designs_first(design, expected):
    assert CHOICES.check(design, **DEFAULTS) == expected


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"level": 99}, "99 is none of 80, 90, 95."),
        ({"part": "half"}, "'half' is none of all, relation, linking."),
        ({"standard": "luck"}, "'luck' is none of audit, votes."),
        ({"estimator": "joint"}, "'joint' is not for the design 'coordinated': choose documents or both or"),
    ],
)
def test_what_does_not_exist_is_refused_in_words(choice, message):
    with pytest.raises(InvalidInput, match=message):
        CHOICES.check("coordinated", **(DEFAULTS | choice))


@pytest.mark.parametrize(
    ("part", "measure", "reason"),
    [
        ("linking", "f1", "linking has a precision only"),
        ("linking", "precision", "none of its claims is judged"),
        ("all", "f1", "too few true relations are known in the documents annotated in full"),
    ],
)
def test_what_is_missing_says_why(part, measure, reason):
    assert CHOICES.missing(part, measure) == reason
