import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.kbp.matching import Claim, ClaimColumns, TrueRelation, match, match_columns, matches
from kbpo.core.errors import InvalidInput
from kbpo.core.spans import Span

BORN = "per:place_of_birth"
SPOUSE = "per:spouse"

# "Ann" at 0-3, also "she" at 20-23; "Bonn" at 10-14.
TRUE = TrueRelation("D", BORN, Span(0, 3), Span(10, 14), (Span(0, 3), Span(20, 23)), (Span(10, 14),))
MARRIED = TrueRelation("D", SPOUSE, Span(0, 3), Span(10, 14), (Span(0, 3),), (Span(10, 14), Span(30, 32)))


def claim(subject, object_, predicate=BORN, doc_id="D", subject_canonical=None, object_canonical=None):
    return Claim(doc_id, predicate, Span(*subject), Span(*object_), subject_canonical, object_canonical)


def test_the_same_spans_match():
    assert matches(claim((0, 3), (10, 14)), TRUE)


def test_one_shared_character_on_each_side_is_enough():
    assert matches(claim((2, 9), (13, 15)), TRUE)


def test_spans_that_only_touch_do_not_match():
    assert not matches(claim((3, 9), (10, 14)), TRUE)


def test_both_spans_must_overlap():
    assert not matches(claim((0, 3), (14, 18)), TRUE)


def test_another_predicate_does_not_match():
    assert not matches(claim((0, 3), (10, 14), predicate="per:place_of_death"), TRUE)


def test_another_document_does_not_match():
    assert not matches(claim((0, 3), (10, 14), doc_id="E"), TRUE)


def test_a_symmetric_predicate_matches_in_either_order():
    assert matches(claim((10, 14), (0, 3), predicate=SPOUSE), MARRIED)


def test_another_predicate_does_not_match_turned_around():
    assert not matches(claim((10, 14), (0, 3)), TRUE)


def test_for_all_a_canonical_mention_may_be_any_mention_of_the_true_entity():
    assert matches(claim((0, 3), (10, 14), subject_canonical=Span(21, 22)), TRUE, "all")


def test_for_all_a_wrong_canonical_subject_does_not_match():
    assert not matches(claim((0, 3), (10, 14), subject_canonical=Span(10, 14)), TRUE, "all")


def test_for_all_a_wrong_canonical_object_does_not_match():
    assert not matches(claim((0, 3), (10, 14), object_canonical=Span(20, 23)), TRUE, "all")


def test_for_relation_canonical_mentions_do_not_matter():
    assert matches(claim((0, 3), (10, 14), subject_canonical=Span(10, 14)), TRUE, "relation")


def test_for_all_a_string_has_no_canonical_mention_to_get_wrong():
    assert matches(claim((0, 3), (10, 14), subject_canonical=Span(0, 3)), TRUE, "all")


def test_for_all_canonical_mentions_turn_around_with_a_symmetric_predicate():
    turned = claim((10, 14), (0, 3), SPOUSE, subject_canonical=Span(30, 32), object_canonical=Span(0, 3))
    assert matches(turned, MARRIED, "all")


def test_for_all_canonical_mentions_are_held_against_the_side_that_matched():
    crossed = claim((0, 3), (10, 14), SPOUSE, subject_canonical=Span(30, 32), object_canonical=Span(0, 3))
    assert not matches(crossed, MARRIED, "all")


def test_several_claims_may_find_one_relation():
    found = match([claim((0, 3), (10, 14)), claim((0, 2), (11, 14))], [TRUE])
    assert found.correct.tolist() == [True, True]
    assert found.found.tolist() == [True]


def test_one_claim_may_find_several_relations():
    other = TRUE._replace(object=Span(16, 19))
    found = match([claim((0, 3), (10, 19))], [TRUE, other])
    assert found.found.tolist() == [True, True]


def test_what_one_system_finds_is_read_off_the_pools_matching():
    other = TRUE._replace(object=Span(16, 19))
    found = match([claim((0, 3), (10, 14)), claim((0, 3), (16, 19))], [TRUE, other])
    assert found.found_by(np.array([False, True])).tolist() == [False, True]


def test_nothing_claimed_finds_nothing():
    found = match([], [TRUE])
    assert found.correct.shape == (0,)
    assert found.found.tolist() == [False]


spans = st.builds(lambda start, length: Span(start, start + length), st.integers(0, 12), st.integers(1, 5))
maybe = st.one_of(st.none(), spans)
claims = st.builds(Claim, st.sampled_from("DE"), st.sampled_from([BORN, SPOUSE]), spans, spans, maybe, maybe)
mentions = st.lists(spans, max_size=2).map(tuple)
truths = st.builds(
    TrueRelation, st.sampled_from("DE"), st.sampled_from([BORN, SPOUSE]), spans, spans, mentions, mentions
)


@given(
    claims=st.lists(claims, max_size=8),
    true=st.lists(truths, max_size=8),
    part=st.sampled_from(["all", "relation"]),
)
def test_matching_together_is_matching_every_pair(claims, true, part):
    found = match(claims, true, part)
    expected = [(i, j) for i, c in enumerate(claims) for j, t in enumerate(true) if matches(c, t, part)]
    assert list(zip(found.claim.tolist(), found.true.tolist(), strict=True)) == expected


@given(claim=claims, true=truths)
def test_what_matches_in_all_matches_as_a_relation(claim, true):
    assert matches(claim, true, "relation") or not matches(claim, true, "all")


def test_linking_has_no_recall():
    with pytest.raises(InvalidInput, match="part: is 'linking'"):
        match([], [], "linking")


def test_a_predicate_that_is_not_stored_is_refused():
    stray = TRUE._replace(predicate="per:age")
    with pytest.raises(InvalidInput, match="predicate: 'per:age' is not a stored relation"):
        matches(claim((4, 6), (7, 8), predicate="per:age"), stray)


spans = st.tuples(st.integers(0, 12), st.integers(1, 5)).map(lambda pair: Span(pair[0], sum(pair)))
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


def as_columns(claims):
    doc_ids, names = ["F", "E", "D"], [SPOUSE, "per:place_of_death", BORN, "per:siblings"]

    def ends(of):
        return np.array([of(one) or (-1, -1) for one in claims], dtype=np.int64).reshape(-1, 2)

    return ClaimColumns(
        doc_ids,
        names,
        np.array([doc_ids.index(one.doc_id) for one in claims], dtype=np.int64),
        np.array([names.index(one.predicate) for one in claims], dtype=np.int64),
        *map(ends, (lambda one: one.subject, lambda one: one.object)),
        *map(ends, (lambda one: one.subject_canonical, lambda one: one.object_canonical)),
    )


@pytest.mark.parametrize("part", ["relation", "all"])
@given(claims=st.lists(claims_of_any_kind, max_size=12), true=st.lists(relations_of_any_kind, max_size=12))
def test_columns_match_as_claims_do(part, claims, true):
    expected, found = match(claims, true, part), match_columns(as_columns(claims), true, part)
    pairs = zip(found.claim.tolist(), found.true.tolist(), strict=True)
    assert sorted(pairs) == sorted(zip(expected.claim.tolist(), expected.true.tolist(), strict=True))
    assert found.correct.tolist() == expected.correct.tolist()
    assert found.found.tolist() == expected.found.tolist()


def test_columns_of_a_part_without_recall_are_refused():
    with pytest.raises(InvalidInput, match="recall exists for"):
        match_columns(as_columns([]), [], "linking")
