import re

import pytest

from kbpo.core.errors import InvalidInput
from tests.boats import BOATS
from tests.conftest import ROOT
from tests.ontologies import TAC


def test_colours_follow_the_places_of_the_types_that_are_asked_for() -> None:
    assert [TAC.type_class(name) for name in ("PER", "TITLE", "FAC")] == ["type-1", "type-5", "type-0"]
    assert [BOATS.type_class(one.name) for one in BOATS.types] == ["type-1", "type-2", "type-3"]


def test_style_sheets_have_a_colour_for_as_many_types_as_may_be_asked_for() -> None:
    base, entities = ((ROOT / "static" / "css" / name).read_text() for name in ("base.css", "entities.css"))
    numbers = {str(number) for number in range(1, 17)}
    assert set(re.findall(r"^\.type-(\d+)", base, re.MULTILINE)) == numbers
    assert set(re.findall(r"^\.inner-(\d+)", entities, re.MULTILINE)) == numbers


def test_an_unknown_relation_is_refused_with_those_there_are() -> None:
    with pytest.raises(InvalidInput, match=r"unknown relation 'per:spouse'; boats-2@3 has crew:sails-on_1"):
        BOATS.find_relation("per:spouse")
