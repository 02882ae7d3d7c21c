import numpy as np
import pytest

from demo.systems.classifier import Model, extract, train
from tests.unit.demo.systems.texts import annotated, document, said

BIRTHS = [
    annotated(f"[{name}|PER p] was born in [{place}|GPE g].\n> per:place_of_birth p g")
    for name, place in [
        ("Ruth Ash", "Corvel"),
        ("Ada Elm", "Vantry"),
        ("Emma Oak", "Fenby"),
        ("Ida Fir", "Oxmere"),
    ]
]
VISITS = [
    annotated(f"[{name}|PER p] was seen in [{place}|GPE g].")
    for name, place in [
        ("Ruth Ash", "Fenby"),
        ("Ada Elm", "Corvel"),
        ("Emma Oak", "Vantry"),
        ("Ida Fir", "Corvel"),
    ]
]


@pytest.fixture(scope="module")
def model() -> Model:
    return train(BIRTHS + VISITS, penalty=0.1)


def test_it_learns_which_words_say_a_relation(model: Model) -> None:
    claims = said(extract([document("Nora Bay was born in Quarrow.")], model, threshold=0.5))

    assert claims == {("per:place_of_birth", "Nora Bay", "Quarrow")}


def test_it_learns_which_words_do_not(model: Model) -> None:
    assert said(extract([document("Nora Bay was seen in Quarrow.")], model, threshold=0.5)) == set()


def test_a_lower_threshold_claims_no_less(model: Model) -> None:
    texts = [document("Nora Bay was born in Quarrow. Nora Bay was seen in Fenby.")]

    assert said(extract(texts, model, threshold=0.5)) <= said(extract(texts, model, threshold=0.01))


def test_training_again_gives_the_same_weights(model: Model) -> None:
    np.testing.assert_array_equal(train(BIRTHS + VISITS, penalty=0.1).weights, model.weights)


def test_the_confidence_is_a_probability_of_at_least_the_threshold(model: Model) -> None:
    (extraction,) = extract([document("Nora Bay was born in Quarrow.")], model, threshold=0.3)

    assert all(0.3 <= claim.confidence <= 1 for claim in extraction.claims)
