import numpy as np
import pytest

from evaluation.kbp import name_counts
from evaluation.kbp.divisions import NO_NAME, divisions
from evaluation.kbp.name_keys import Names, digest
from evaluation.models import CountedDocument, NameCount
from kbpo.core.database.coded import code, code_names
from tests.factories import CorpusFactory, DocumentFactory

pytestmark = pytest.mark.django_db


def counts(corpus, *names):
    found = name_counts.read_counts(corpus, [digest(name) for name in names])
    return [found[digest(name)] for name in names]


def test_a_claim_stands_with_its_relation_its_subjects_type_and_how_often_its_subject_is_named():
    corpus = CorpusFactory()
    for number in range(5):
        DocumentFactory(corpus=corpus, text=f"Ada Quill, {number}.")
    press = DocumentFactory(corpus=corpus, text="Quill Press. She left.")
    name_counts.count_new(corpus)
    predicates = code_names(["per:place_of_birth", "org:place_of_headquarters", "per:place_of_birth"])
    names = ["ada quill", "quill press", Names(press.doc_id, press.text).key(13, 16)]
    subjects = code(np.array([digest(name) for name in names]))
    found = dict(divisions(corpus, [predicates], [subjects], []))
    assert {
        kind: [division.names[code] for code in division.of_claims[0]] for kind, division in found.items()
    } == {
        "predicate": ["per:place_of_birth", "org:place_of_headquarters", "per:place_of_birth"],
        "type": ["PER", "ORG", "PER"],
        "frequency": ["4 to 5", "at most 3", NO_NAME],
    }
    assert all(division.of_relations.size == 0 for division in found.values())


def test_names_are_counted_by_document_and_so_are_names_within_them():
    corpus = CorpusFactory()
    DocumentFactory(corpus=corpus, text="Ada Quill met Ada Quill; the Isle of Man.")
    DocumentFactory(corpus=corpus, text="ADA QUILL\u2019s boat, she said.")
    DocumentFactory(text="Ada Quill elsewhere")
    assert name_counts.count_new(corpus) == 2
    assert counts(corpus, "ada quill", "isle of man", "man", "she") == [2, 1, 1, 0]


def test_documents_that_come_later_are_added_to_the_counts():
    corpus = CorpusFactory()
    DocumentFactory(corpus=corpus, text="Ada Quill")
    name_counts.count_new(corpus)
    DocumentFactory(corpus=corpus, text="Ada Quill, Ben Moss")
    assert name_counts.count_new(corpus) == 1
    assert name_counts.count_new(corpus) == 0
    assert counts(corpus, "ada quill", "ben moss") == [2, 1]


def test_a_document_that_somebody_else_has_counted_is_not_counted_again(monkeypatch):
    corpus = CorpusFactory()
    document = DocumentFactory(corpus=corpus, text="Ada Quill")
    CountedDocument.objects.create(document=document)
    assert name_counts._count(corpus, [document.pk]) == 0
    assert not NameCount.objects.exists()
