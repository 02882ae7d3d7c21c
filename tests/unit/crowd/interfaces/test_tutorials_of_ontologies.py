"""Tutorials under ontologies that they were not written for."""

import pytest

from crowd.interfaces.registry import find_tutorial
from kbpo_formats.ontologies.ontology import Ontology
from tests.boats import BOATS
from tests.ontologies import KNOWLEDGENET, TAC, TAC_2, WIKIDATA

ALL = [TAC, TAC_2, KNOWLEDGENET, WIKIDATA, BOATS]


@pytest.mark.parametrize("ontology", ALL, ids=str)
@pytest.mark.parametrize("name", ["relation", "entities"])
def test_eight_of_ten_pass_and_what_is_right_is_right(name: str, ontology: Ontology) -> None:
    lesson = find_tutorial(name, ontology)
    assert all(one.is_right(one.right_answer) for one in (*lesson.examples, *lesson.practice))
    assert lesson.pass_mark - 1 < 0.8 * len(lesson.practice) <= lesson.pass_mark
    assert len(lesson.practice) >= 5


@pytest.mark.parametrize("ontology", ALL, ids=str)
def test_relations_are_taught_by_the_ontology_s_examples(ontology: Ontology) -> None:
    practised = [one.text for one in find_tutorial("relation", ontology).practice]
    own = [one for one in ontology.examples if one.is_practice]
    assert len(practised) == len(own) + 3  # full names are the same for all


def test_types_are_asked_by_the_examples_where_nobody_has_written_questions() -> None:
    asked = [one.right_answer["choice"] for one in find_tutorial("entities", BOATS).practice]
    assert asked == ["BOAT_2", "BOAT_2", "RIG", "Mara Finch", "2", "1", "new"]


def test_dates_are_asked_where_there_are_dates() -> None:
    questions = [one.text for one in find_tutorial("entities", WIKIDATA).practice]
    assert any("12 March 2014" in text for text in questions)


@pytest.mark.parametrize("ontology", [KNOWLEDGENET, WIKIDATA, BOATS], ids=str)
def test_no_question_speaks_of_types_that_are_not_there(ontology: Ontology) -> None:
    for one in find_tutorial("entities", ontology).practice:
        values = {choice.value for choice in one.page({}).steps[0].choices}
        assert not values & ({"GPE", "TITLE"} - set(ontology.mention_types_by_name))
