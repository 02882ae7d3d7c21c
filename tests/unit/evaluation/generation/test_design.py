"""Keys, planned variances and subsets of outputs."""

import numpy as np
import pytest

from annotations.models import Prompt
from annotations.texts.inputs import PARTS_OF_PLAN
from evaluation.design import designs
from evaluation.generation import outputs, planning
from evaluation.generation.choices import CHOICES
from evaluation.generation.house import HOUSE, Found, House
from evaluation.generation.subsets import NAMES
from kbpo.core.errors import InvalidInput

TARGET = 0.000548


def test_all_outputs_for_an_input_have_its_random_number() -> None:
    keys = [outputs.key_of("I|1", text) for text in ("A.", "B.")]
    assert len(set(keys)) == 2
    assert {outputs.random_key(key) for key in keys} == {"I|1"}


@pytest.mark.parametrize("size", [100, 596, 11_490])
def test_the_quadratic_sum_comes_to_the_pi_that_meets_the_target(size: int) -> None:
    stated = (0.14, 0.28, 0.3)
    pi = planning.planned_pi(*stated, size=size, target_variance=TARGET)
    variance = planning.variance_of(stated, size, TARGET)
    nothing = np.zeros(size)
    found = designs.arrive(
        designs.QUADRATIC,
        before=designs.Before(nothing, nothing),
        p=np.full(size, 1 / size),
        known=np.zeros(size, dtype=np.bool_),
        target_variance=TARGET,
        variance=variance,
        most=np.inf,
    )
    assert found.pi == pytest.approx(min(1.0, max(pi, found.floor / size)), rel=1e-9)
    if pi < planning.MOST_SAMPLED:
        of_outputs = 0.14 * (1 - 0.3**2)
        assert (of_outputs * (1 / pi - 1) + 0.28 * 0.85 / pi) / size == pytest.approx(TARGET)


def frozen() -> House:
    found = Found(0.2, 0.1, {"chrf|1": 0.4, "length|1": 0.9, HOUSE: 0.7})
    return House(("chrf|1", "length|1"), {}, {"overall": found})


def test_what_a_data_set_states_goes_before_what_was_measured_and_that_before_what_was_found_elsewhere() -> (
    None
):
    stated = {"overall": dict(zip(PARTS_OF_PLAN, (0.3, 0.4, 0.5), strict=True))}
    prompt = Prompt(name="quality", metric="chrf")
    elsewhere = planning.values_of(prompt, "overall")
    assert (elsewhere.outputs, elsewhere.judgements, elsewhere.correlations) == (0.14, 0.28, {})
    measured = planning.values_of(prompt, "overall", frozen())
    assert (measured.outputs, measured.judgements, measured.source) == (0.2, 0.1, "measured")
    assert measured.correlations == {"chrf": (0.4, "measured"), HOUSE: (0.7, "measured")}
    prompt.planning = stated
    both = planning.values_of(prompt, "overall", frozen())
    assert (both.outputs, both.judgements, both.source) == (0.3, 0.4, "stated")
    assert both.correlations == {"chrf": (0.5, "stated"), HOUSE: (0.7, "measured")}


def test_a_correlation_that_is_left_out_does_not_hide_what_was_measured() -> None:
    stated = {"overall": dict(zip(PARTS_OF_PLAN, (0.3, 0.4, 0.0), strict=True))}
    prompt = Prompt(name="quality", metric="chrf", planning=stated)
    assert planning.values_of(prompt, "overall", frozen()).correlations["chrf"] == (0.4, "measured")
    assert planning.values_of(prompt, "overall").correlations["chrf"] == (0.0, "stated")


def test_variances_of_labels_of_0_and_1_stay_within_a_quarter() -> None:
    half, few = np.full(2, 0.5), np.zeros(2)
    with pytest.raises(InvalidInput, match=r"lies in \(0, 0.25\]"):
        designs.arrive(
            designs.QUADRATIC,
            before=designs.Before(few, few),
            p=half,
            known=np.zeros(2, dtype=np.bool_),
            target_variance=0.01,
            variance=half,
        )


@pytest.mark.parametrize("prompt", list(CHOICES))
def test_every_measure_ranks_a_part_of_its_own(prompt: str) -> None:
    choices = CHOICES[prompt]
    assert [part.ranked_by for part in choices.parts.values()] == list(choices.measures)
    assert set(choices.less_is_better) <= set(choices.measures)


def test_names_of_subsets_are_unlike() -> None:
    assert all(len(set(names)) == len(names) for names in NAMES.values())
