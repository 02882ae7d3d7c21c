from demo.systems.almanac import extract, remember
from tests.unit.demo.systems.texts import annotated, document, said

EXAMPLE = annotated(
    "[Ruth Ash|PER ruth] wed [Ada Elm|PER ada] and studied at [Oxmere College|ORG college].\n"
    "> per:spouse ruth ada\n"
    "> per:schools_attended ruth college"
)


def test_a_remembered_fact_is_claimed_wherever_the_two_names_meet() -> None:
    claims = said(extract([document("Ruth Ash sat beside Ada Elm.")], remember([EXAMPLE])))

    assert claims == {("per:spouse", "Ruth Ash", "Ada Elm")}


def test_a_symmetric_fact_is_remembered_both_ways() -> None:
    claims = said(extract([document("Ada Elm sat beside Ruth Ash.")], remember([EXAMPLE])))

    assert claims == {("per:spouse", "Ada Elm", "Ruth Ash")}


def test_a_habit_of_a_name_is_claimed_of_anyone_near_it() -> None:
    claims = said(extract([document("Emma Oak photographed Oxmere College.")], remember([EXAMPLE])))

    assert claims == {("per:schools_attended", "Emma Oak", "Oxmere College")}


def test_a_fact_is_surer_than_a_habit() -> None:
    text = "Ruth Ash photographed Oxmere College. Emma Oak painted Oxmere College."
    (extraction,) = extract([document(text)], remember([EXAMPLE]))

    fact, habit = (claim.confidence for claim in extraction.claims)
    assert fact > habit


def test_nothing_is_claimed_of_names_never_seen() -> None:
    assert said(extract([document("Emma Oak photographed Vantry Bank.")], remember([EXAMPLE]))) == set()
