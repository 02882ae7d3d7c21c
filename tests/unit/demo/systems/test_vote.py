from demo.systems.reading import Claim, Extraction, Mention
from demo.systems.vote import merge
from tests.unit.demo.systems.texts import mention, said

RUTH = mention("Ruth Ash", "PER", 0)
ASH = mention("Ash", "PER", 20, name="Ruth Ash", at=0)
CORVEL = mention("Corvel", "GPE", 40)


def ballot(*claims: tuple[str, float], subject: Mention = RUTH) -> list[Extraction]:
    stated = tuple(Claim(relation, subject, CORVEL, confidence) for relation, confidence in claims)
    return [Extraction("d", (RUTH, subject, CORVEL), stated)]


def test_what_two_systems_claim_is_kept() -> None:
    merged = merge([ballot(("per:place_of_birth", 0.5)), ballot(("per:place_of_birth", 0.9)), ballot()])

    assert said(merged) == {("per:place_of_birth", "Ruth Ash", "Corvel")}


def test_what_one_system_claims_is_not() -> None:
    assert said(merge([ballot(("per:place_of_birth", 0.9)), ballot()])) == set()


def test_a_system_that_says_it_twice_has_one_vote() -> None:
    twice = ballot(("per:place_of_birth", 0.9), ("per:place_of_birth", 0.8))

    assert said(merge([twice, ballot()])) == set()


def test_the_confidence_is_the_sum_over_the_number_of_systems() -> None:
    merged = merge([ballot(("per:place_of_birth", 0.5)), ballot(("per:place_of_birth", 0.9)), ballot()])

    assert [claim.confidence for claim in merged[0].claims] == [0.4667]


def test_where_systems_differ_on_a_canonical_mention_the_first_is_followed() -> None:
    other = mention("Ash", "PER", 20)
    merged = merge(
        [ballot(("per:place_of_birth", 0.5), subject=ASH), ballot(("per:place_of_birth", 0.5), subject=other)]
    )

    assert merged[0].claims[0].subject == ASH
