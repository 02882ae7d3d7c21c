from demo.systems.loose import NEARNESS, TRIGGERS, extract
from tests.ontologies import TAC
from tests.unit.demo.systems.texts import document, said


def test_one_trigger_claims_every_pair_that_fits() -> None:
    claims = said(extract([document("Ruth Ash was born in Corvel, not in Vantry.")]))

    assert ("per:place_of_birth", "Ruth Ash", "Corvel") in claims
    assert ("per:place_of_birth", "Ruth Ash", "Vantry") in claims


def test_without_a_trigger_there_is_no_birth() -> None:
    claims = said(extract([document("Ruth Ash walked to Corvel.")]))

    assert "per:place_of_birth" not in {relation for relation, _, _ in claims}


def test_a_nearer_pair_is_claimed_with_more_confidence() -> None:
    (extraction,) = extract([document("Ruth Ash was born in Corvel, not in Vantry.")])
    births = {c.object.words: c.confidence for c in extraction.claims if c.relation == "per:place_of_birth"}

    assert births["Corvel"] > births["Vantry"]


def test_every_trigger_is_for_a_stored_relation() -> None:
    assert set(TRIGGERS) | set(NEARNESS) <= set(TAC.relations_by_name)
