"""An ontology written as a file is read as the same one."""

import pytest

from kbpo_formats.ontologies.builtin import builtin_ontologies
from kbpo_formats.ontologies.reading import read_ontology
from kbpo_formats.ontologies.writing import write_ontology
from tests.ontologies import KNOWLEDGENET, WIKIDATA


@pytest.mark.parametrize("ontology", [*builtin_ontologies(), KNOWLEDGENET, WIKIDATA], ids=str)
def test_the_file_of_an_ontology_is_read_as_the_same(ontology):
    assert read_ontology(write_ontology(ontology).encode()) == ontology
