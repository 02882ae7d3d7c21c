import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbpo.core.errors import InvalidInput
from kbpo_estimators.weighting import DEFAULT, WEIGHTINGS, instance, relation, subject, subject_relation

# Ann: two employers, one of them justified twice. Bob: one employer, one birthday.
SUBJECTS = ["Ann", "Ann", "Ann", "Bob", "Bob"]
PREDICATES = ["employer", "employer", "employer", "employer", "birthday"]
OBJECTS = ["Acme", "Acme", "Bolt", "Acme", "1 May"]

rows = st.lists(st.tuples(*[st.sampled_from("abcd")] * 3), min_size=1, max_size=30)


def test_instance_is_the_micro_average():
    assert instance(SUBJECTS, PREDICATES, OBJECTS) == pytest.approx([1 / 5] * 5)


def test_subject_gives_each_entity_the_same_share():
    assert subject(SUBJECTS, PREDICATES, OBJECTS) == pytest.approx([1 / 6, 1 / 6, 1 / 6, 1 / 4, 1 / 4])


def test_relation_gives_each_predicate_the_same_share():
    assert relation(SUBJECTS, PREDICATES, OBJECTS) == pytest.approx([1 / 8] * 4 + [1 / 2])


def test_subject_relation_counts_distinct_relations_of_the_subject():
    # Ann: 2 distinct of 3, 4 employers: 2/(3·4). Bob: 2 distinct of 2: 2/(2·4) and 2/(2·1). Sum 7/4.
    expected = np.array([1 / 6, 1 / 6, 1 / 6, 1 / 4, 1]) / 1.75
    assert subject_relation(SUBJECTS, PREDICATES, OBJECTS) == pytest.approx(expected)


def test_subject_relation_tells_one_object_under_two_predicates_apart():
    # "a" has two distinct pairs although only one object: 2/(2·1) each; "b" has 1/(1·1). Normalised: thirds.
    weights = subject_relation(["a", "a", "b"], ["r", "s", "t"], ["c", "c", "c"])
    assert weights == pytest.approx([1 / 3] * 3)


def test_by_default_every_instance_weighs_alike():
    assert WEIGHTINGS[DEFAULT] is instance


def test_object_arrays_are_taken_as_lists_are():
    arrays = [np.array(values, dtype=object) for values in (SUBJECTS, PREDICATES, OBJECTS)]
    assert subject_relation(*arrays).tolist() == subject_relation(SUBJECTS, PREDICATES, OBJECTS).tolist()


@pytest.mark.parametrize("name", WEIGHTINGS)
@given(rows=rows)
def test_weights_are_positive_and_sum_to_one(name, rows):
    weights = WEIGHTINGS[name](*zip(*rows, strict=True))
    assert (weights > 0).all()
    assert weights.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("name", WEIGHTINGS)
@given(rows=rows, data=st.data())
def test_weights_move_with_their_instances_bit_for_bit(name, rows, data):
    order = data.draw(st.permutations(range(len(rows))))
    before = WEIGHTINGS[name](*zip(*rows, strict=True))
    after = WEIGHTINGS[name](*zip(*[rows[position] for position in order], strict=True))
    assert after.tolist() == before[list(order)].tolist()


@given(rows=rows)
def test_subject_relation_agrees_with_its_definition_written_out(rows):
    expected = []
    for entity, predicate, _ in rows:
        own = [row for row in rows if row[0] == entity]
        distinct = {(row[1], row[2]) for row in own}
        expected.append(len(distinct) / (len(own) * sum(row[1] == predicate for row in rows)))
    weights = subject_relation(*zip(*rows, strict=True))
    assert weights == pytest.approx(np.array(expected) / sum(expected), rel=1e-12)


@pytest.mark.parametrize("name", WEIGHTINGS)
def test_a_system_without_instances_is_refused(name):
    with pytest.raises(InvalidInput, match="subjects: is empty"):
        WEIGHTINGS[name]([], [], [])


def test_lists_of_different_lengths_are_refused_by_name():
    with pytest.raises(InvalidInput, match="objects: has 1 values where the other arguments have 2"):
        subject_relation(["a", "b"], ["r", "r"], ["c"])


def test_a_value_that_is_no_string_is_refused_with_its_position():
    with pytest.raises(InvalidInput, match="subjects: the value None at position 1"):
        instance(["a", None], ["r", "r"], ["c", "c"])


def test_a_lone_string_is_not_taken_for_a_list_of_letters():
    with pytest.raises(InvalidInput, match="predicates: is a single string"):
        instance(["a"], "r", ["c"])
