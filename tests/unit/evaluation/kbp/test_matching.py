import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.kbp import matching
from evaluation.kbp.matching import Claim, ClaimColumns, TrueRelation, full_names
from evaluation.kbp.words import Words
from kbpo.core.errors import InvalidInput
from kbpo_formats.spans import Span
from tests.ontologies import TAC
from tests.oracles import matching as oracle
from tests.oracles.matching import matches

BORN = "per:place_of_birth"
SPOUSE = "per:spouse"

# Words of four letters: the n-th begins at 5n.
TEXT = " ".join(f"w{number:03}" for number in range(40))
WORDS = Words.of({"D": TEXT, "E": TEXT, "G": TEXT})


def word(first, last=None):
    return Span(5 * first, 5 * (first if last is None else last) + 4)


# The fifth word is the full name of the first, too; the seventh that of the third where they are married.
TRUE = TrueRelation("D", BORN, word(0), word(2), (word(0), word(4)), (word(2),))
MARRIED = TrueRelation("D", SPOUSE, word(0), word(2), (word(0),), (word(2), word(6)))


def claim(subject, object_, predicate=BORN, doc_id="D", subject_canonical=None, object_canonical=None):
    return Claim(doc_id, predicate, Span(*subject), Span(*object_), subject_canonical, object_canonical)


def match(claims, true, words=WORDS, ontology=TAC, part="relation"):
    return matching.match(ClaimColumns.of(claims), true, words, ontology, part)


def holds(one, true=TRUE, part="relation"):
    return match([one], [true], part=part).correct.tolist() == [True]


def test_the_same_spans_match():
    assert holds(claim(word(0), word(2)))


def test_one_shared_character_on_each_side_is_enough():
    assert holds(claim((3, 4), (13, 15)))


def test_spans_that_only_touch_do_not_match():
    assert not holds(claim((4, 9), word(2)))


def test_both_spans_must_overlap():
    assert not holds(claim(word(0), word(3)))


def test_two_words_more_are_near():
    assert holds(claim(word(0, 2), word(1, 3)))


@pytest.mark.parametrize("span", [word(0, 3), (0, 16), (0, len(TEXT))])
def test_a_third_word_more_is_too_far_even_by_a_character(span):
    assert not holds(claim(span, word(2)))


def test_two_words_more_than_a_long_mention_are_near():
    long = TRUE._replace(object=word(2, 5))
    assert holds(claim(word(0), word(1, 6)), long)
    assert not holds(claim(word(0), word(1, 7)), long)


def test_white_space_touches_no_word():
    assert holds(claim((0, 15), word(2)))


def test_another_predicate_does_not_match():
    assert not holds(claim(word(0), word(2), predicate="per:place_of_death"))


def test_another_document_does_not_match():
    assert not holds(claim(word(0), word(2), doc_id="E"))


def test_a_symmetric_predicate_matches_in_either_order():
    assert holds(claim(word(2), word(0), predicate=SPOUSE), MARRIED)


def test_another_predicate_does_not_match_turned_around():
    assert not holds(claim(word(2), word(0)))


def test_for_all_a_canonical_mention_may_be_any_full_name_of_the_true_entity():
    assert holds(claim(word(0), word(2), subject_canonical=Span(21, 22)), part="all")


def test_for_all_a_canonical_mention_has_to_be_near_too():
    assert not holds(claim(word(0), word(2), subject_canonical=word(0, 3)), part="all")


def test_for_all_a_wrong_canonical_subject_does_not_match():
    assert not holds(claim(word(0), word(2), subject_canonical=word(2)), part="all")


def test_for_all_a_wrong_canonical_object_does_not_match():
    assert not holds(claim(word(0), word(2), object_canonical=word(4)), part="all")


def test_full_names_read_as_the_canonical_mention_does_whatever_the_case():
    text = "Ann  Lee, said Ms Lee. ANN LEE it was."
    assert full_names(text, Span(0, 8), [Span(0, 8), Span(18, 21), Span(23, 30)]) == ((0, 8), (23, 30))


def test_for_relation_canonical_mentions_do_not_matter():
    assert holds(claim(word(0), word(2), subject_canonical=word(2)), part="relation")


def test_for_all_a_string_has_no_canonical_mention_to_get_wrong():
    assert holds(claim(word(0), word(2), subject_canonical=word(0)), part="all")


def test_for_all_canonical_mentions_turn_around_with_a_symmetric_predicate():
    turned = claim(word(2), word(0), SPOUSE, subject_canonical=word(6), object_canonical=word(0))
    assert holds(turned, MARRIED, "all")


def test_for_all_canonical_mentions_are_held_against_the_side_that_matched():
    crossed = claim(word(0), word(2), SPOUSE, subject_canonical=word(6), object_canonical=word(0))
    assert not holds(crossed, MARRIED, "all")


def test_several_claims_may_find_one_relation():
    found = match([claim(word(0), word(2)), claim((0, 2), (11, 14))], [TRUE], WORDS, TAC)
    assert found.correct.tolist() == [True, True]
    assert found.found.tolist() == [True]


def test_one_claim_finds_one_relation_of_those_that_it_matches():
    others = [TRUE, TRUE._replace(object=word(3))]
    found = match([claim(word(0), (11, 19))], others, WORDS, TAC)
    assert found.correct.tolist() == [True]
    assert found.found.tolist() == [False, True]  # whose object it covers wholly


def test_of_relations_that_it_covers_alike_a_claim_finds_the_first():
    found = match([claim(word(0), word(2, 3))], [TRUE._replace(object=word(3)), TRUE], WORDS, TAC)
    assert found.found.tolist() == [True, False]


def test_what_one_system_finds_is_read_off_the_pools_matching():
    other = TRUE._replace(object=word(3))
    found = match([claim(word(0), word(2)), claim(word(0), word(3))], [TRUE, other], WORDS, TAC)
    assert found.found_by(np.array([False, True])).tolist() == [False, True]


def test_nothing_claimed_finds_nothing():
    found = match([], [TRUE], WORDS, TAC)
    assert found.correct.shape == (0,)
    assert found.found.tolist() == [False]


# Words of one to three letters, so that spans of a few characters touch several or none.
CROWDED = Words.of(dict.fromkeys("DEG", "a bb  c dd e fff g h ii jjj k l"))
spans = st.tuples(st.integers(0, 14), st.integers(1, 9)).map(lambda pair: Span(pair[0], sum(pair)))
predicates = st.sampled_from([BORN, SPOUSE, "per:siblings"])
claims_of_any_kind = st.builds(
    Claim,
    *(st.sampled_from(["D", "E", "F"]), predicates, spans, spans),
    *(spans, st.none() | spans),
)
relations_of_any_kind = st.builds(
    TrueRelation,
    *(st.sampled_from(["D", "E", "G"]), predicates, spans, spans),
    *[st.lists(spans, max_size=3).map(tuple)] * 2,
)
lists_of_claims = st.lists(claims_of_any_kind, max_size=4)
lists_of_relations = st.lists(relations_of_any_kind, max_size=6)
parts = pytest.mark.parametrize("part", ["relation", "all"])


@parts
@given(claims=lists_of_claims, true=lists_of_relations)
def test_a_claim_finds_one_relation_of_those_that_it_matches_if_there_are_any(part, claims, true):
    found = match(claims, true, CROWDED, TAC, part)
    for number, one in enumerate(claims):
        own = found.true[found.claim == number].tolist()
        matched = [place for place, other in enumerate(true) if matches(one, other, CROWDED, TAC, part)]
        assert len(own) == bool(matched) == found.correct[number]
        assert set(own) <= set(matched)


@given(claim=claims_of_any_kind, true=relations_of_any_kind)
def test_what_matches_in_all_matches_as_a_relation(claim, true):
    assert matches(claim, true, CROWDED, TAC, "relation") or not matches(claim, true, CROWDED, TAC, "all")


def test_linking_has_no_recall():
    with pytest.raises(InvalidInput, match="part: is 'linking'"):
        match([], [], WORDS, TAC, "linking")


def test_a_predicate_that_is_not_stored_is_refused():
    stray = TRUE._replace(predicate="per:age")
    with pytest.raises(InvalidInput, match="predicate: 'per:age' is not a stored relation of tac-kbp@1"):
        holds(claim(word(0), word(2), predicate="per:age"), stray)


def test_a_document_whose_words_are_missing_is_refused():
    with pytest.raises(InvalidInput, match="words: lack the text of document 'Z'"):
        match([], [TRUE._replace(doc_id="Z")])


@parts
@given(claims=lists_of_claims, true=lists_of_relations)
def test_columns_match_as_the_rule_says_pair_by_pair(part, claims, true):
    expected = oracle.match(claims, true, CROWDED, TAC, part)
    found = match(claims, true, CROWDED, TAC, part)
    for name in ("claim", "true", "correct", "found"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist()
