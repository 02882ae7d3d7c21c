from random import Random

from hypothesis import given
from hypothesis import strategies as st

from annotations.kinds.canonical import CanonicalQuestion
from annotations.kinds.relation import Mention, Offer, RelationQuestion
from annotations.texts.records import AnnotationRecord, MentionRecord, RelationRecord
from crowd.interfaces.relation.simulated import canonical_is_right, true_offers, wrong_answer
from kbpo_formats.spans import Span
from tests.ontologies import TAC

ANN, SHE, BOB, ACME = Span(0, 8), Span(20, 23), Span(30, 33), Span(40, 44)
GOLD = AnnotationRecord(
    "D1",
    (
        MentionRecord(ANN, "PER", ANN),
        MentionRecord(SHE, "PER", ANN),
        MentionRecord(BOB, "PER", BOB),
        MentionRecord(ACME, "ORG", ACME),
    ),
    (
        RelationRecord("per:organizations_founded", SHE, ACME),
        RelationRecord("per:parents", BOB, ANN),
        RelationRecord("per:spouse", ANN, BOB),
    ),
)


def true(one: Span, one_type: str, other: Span, other_type: str) -> list[Offer]:
    return true_offers(RelationQuestion.about(Mention(one, one_type), Mention(other, other_type), TAC), GOLD)


def test_what_gold_has_between_the_mentions_holds() -> None:
    assert true(SHE, "PER", ACME, "ORG") == [Offer("per:organizations_founded", 0)]


def test_one_shared_character_on_each_side_is_enough() -> None:
    assert true(Span(22, 25), "PER", Span(43, 50), "ORG") == [Offer("per:organizations_founded", 0)]
    assert true(Span(23, 25), "PER", Span(43, 50), "ORG") == []


def test_direction_and_symmetry_are_respected() -> None:
    assert true(ANN, "PER", BOB, "PER") == [Offer("per:parents", 1), Offer("per:spouse", 0)]


def test_a_symmetric_relation_holds_in_either_order() -> None:
    gold = AnnotationRecord("D1", GOLD.mentions, (RelationRecord("per:spouse", BOB, ANN),))
    question = RelationQuestion.about(Mention(ANN, "PER"), Mention(BOB, "PER"), TAC)
    assert true_offers(question, gold) == [Offer("per:spouse", 0)]


def test_another_mention_of_the_same_entity_is_not_the_mention() -> None:
    assert true(ANN, "PER", ACME, "ORG") == []


def test_a_canonical_mention_is_right_if_it_touches_a_mention_of_the_entity() -> None:
    assert canonical_is_right(CanonicalQuestion(SHE, Span(4, 8)), GOLD)
    assert canonical_is_right(CanonicalQuestion(SHE, SHE), GOLD)
    assert not canonical_is_right(CanonicalQuestion(SHE, BOB), GOLD)
    assert not canonical_is_right(CanonicalQuestion(SHE, Span(8, 20)), GOLD)


def test_where_gold_has_no_mention_only_the_mention_itself_is_right() -> None:
    assert canonical_is_right(CanonicalQuestion(Span(10, 14), Span(13, 16)), GOLD)
    assert not canonical_is_right(CanonicalQuestion(Span(10, 14), ANN), GOLD)


@given(st.integers(), st.sets(st.sampled_from(range(4))))
def test_a_wrong_answer_is_valid_and_wrong(seed: int, ticked: set[int]) -> None:
    question = RelationQuestion.about(Mention(ANN, "PER"), Mention(ACME, "ORG"), TAC)
    right = question.answer([question.offered[index] for index in ticked])
    wrong = wrong_answer(question, right, Random(seed))
    assert wrong != right
    assert question.read_answer(wrong) == wrong


def test_a_wrong_yes_is_a_no() -> None:
    question = CanonicalQuestion(SHE, ANN)
    assert wrong_answer(question, question.answer(True), Random(0)) == question.answer(False)
