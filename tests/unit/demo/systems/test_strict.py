import pytest

from demo.systems.strict import PATTERNS, extract
from tests.ontologies import TAC
from tests.unit.demo.systems.texts import document, said


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("Ruth Ash was born in Corvel.", ("per:place_of_birth", "Ruth Ash", "Corvel")),
        ("Ruth Ash was born on 4 May 1979.", ("per:date_of_birth", "Ruth Ash", "4 May 1979")),
        ("Ruth Ash, a pilot, spoke.", ("per:title", "Ruth Ash", "pilot")),
        ("Ruth Ash founded the Orrin Group.", ("per:organizations_founded", "Ruth Ash", "Orrin Group")),
        ("Orrin Group was founded by Ruth Ash.", ("per:organizations_founded", "Ruth Ash", "Orrin Group")),
        ("Ruth Ash, the daughter of Ada Ash, spoke.", ("per:parents", "Ruth Ash", "Ada Ash")),
        ("Ruth Ash is mayor of Corvel.", ("per:employee_or_member_of", "Ruth Ash", "Corvel")),
    ],
)
def test_what_matches_a_pattern_is_claimed(text: str, claim: tuple[str, str, str]) -> None:
    assert claim in said(extract([document(text)]))


def test_names_side_by_side_claim_nothing() -> None:
    assert said(extract([document("Ruth Ash saw Ada Elm in Corvel in 1979.")])) == set()


def test_every_pattern_names_a_stored_relation() -> None:
    assert {relation for relation, _ in PATTERNS} <= set(TAC.relations_by_name)
