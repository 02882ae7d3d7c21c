import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.kbp.explorer.statements import Relation, read_relation, read_span
from kbpo.core.errors import InvalidInput
from kbpo_formats.spans import Span
from tests.ontologies import TAC, WIKIDATA

spans = st.tuples(st.integers(0, 10**6), st.integers(1, 10**3)).map(lambda one: Span(one[0], sum(one)))


@given(st.builds(Relation, st.sampled_from(sorted(TAC.relations_by_name)), spans, spans))
def test_a_relation_is_read_back_from_its_address(relation):
    assert read_relation(str(relation), TAC) == relation


@given(st.text())
def test_any_text_is_a_place_or_refused(text):
    with contextlib.suppress(InvalidInput):
        assert str(read_span(text)) == text or text.startswith("0") or "-0" in text


@pytest.mark.parametrize("text", ["", "3", "3-3", "4-3", "-3-4", "٣-4", "1-9999999999", "1-2-3", "1- 2"])
def test_what_is_no_place_is_refused(text):
    with pytest.raises(InvalidInput, match="22-33"):
        read_span(text)


def test_a_relation_is_said_in_the_documents_words():
    relation = Relation("per:place_of_birth", Span(0, 3), Span(16, 20))
    said = relation.statement("Ada\nwas born in Lyon.", TAC)
    assert "".join(piece.text for piece in said) == "Ada was born in Lyon"


def test_a_relation_of_another_ontology_is_refused_with_one_of_this():
    with pytest.raises(InvalidInput, match=r"no relation of wikidata-dozen@1; one is like P569\.0-9\.22-33"):
        read_relation("per:spouse.0-9.22-33", WIKIDATA)
