import pytest

from evaluation.kbp.divisions import divisions
from kbpo.core.database.coded import code_names
from tests.factories import CorpusFactory, DocumentFactory


@pytest.mark.django_db
def test_a_claim_stands_with_its_relation_its_subjects_type_and_its_canonical_name():
    corpus = CorpusFactory()
    for number in range(5):
        DocumentFactory(corpus=corpus, text=f"Ada Quill, {number}.")
    DocumentFactory(corpus=corpus, text="Quill Press.")
    predicates = code_names(["per:place_of_birth", "org:place_of_headquarters", "per:place_of_birth"])
    subjects = code_names(["ada quill", "quill press", "ada quill"])
    found = dict(divisions(corpus, [predicates], [subjects], []))
    assert {
        kind: [division.names[code] for code in division.of_claims[0]] for kind, division in found.items()
    } == {
        "predicate": ["per:place_of_birth", "org:place_of_headquarters", "per:place_of_birth"],
        "type": ["PER", "ORG", "PER"],
        "frequency": ["4 to 5", "at most 3", "4 to 5"],
    }
    assert all(division.of_relations.size == 0 for division in found.values())
