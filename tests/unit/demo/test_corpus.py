"""What the demo's documents promise."""

import re
from functools import cache

import pytest

from demo.build import CORPUS
from demo.markup import Document, Gold, read_folder
from demo.systems import TRAINING
from tests.ontologies import TAC


@cache
def corpus() -> list[tuple[Document, Gold]]:
    return read_folder(CORPUS)


@cache
def training() -> list[tuple[Document, Gold]]:
    return read_folder(TRAINING)


@pytest.fixture(params=["corpus", "training"])
def examples(request: pytest.FixtureRequest) -> list[tuple[Document, Gold]]:
    return corpus() if request.param == "corpus" else training()


def test_there_are_at_least_40_documents() -> None:
    assert len(corpus()) >= 40


def test_every_document_has_80_to_250_words() -> None:
    lengths = {document["doc_id"]: len(document["text"].split()) for document, _ in corpus()}

    assert {name: length for name, length in lengths.items() if not 80 <= length <= 250} == {}


def test_every_document_says_something_of_at_least_five_pairs() -> None:
    assert [gold["doc_id"] for _, gold in corpus() if len(gold["relations"]) < 5] == []


def test_every_relation_of_the_ontology_occurs() -> None:
    found = {relation["predicate"] for _, gold in corpus() for relation in gold["relations"]}

    assert found == set(TAC.relations_by_name)


def test_every_type_of_mention_occurs() -> None:
    found = {mention["type"] for _, gold in corpus() for mention in gold["mentions"]}
    assert found == set(TAC.mention_types_by_name)


def test_every_relation_is_between_mentions_whose_types_it_admits(
    examples: list[tuple[Document, Gold]],
) -> None:
    wrong = []
    for _, gold in examples:
        types = {(mention["start"], mention["end"]): mention["type"] for mention in gold["mentions"]}
        for relation in gold["relations"]:
            ends = types[tuple(relation["subject"])], types[tuple(relation["object"])]  # type: ignore[index]
            if not TAC.relations_by_name[relation["predicate"]].admits(*ends):
                wrong.append((gold["doc_id"], relation, ends))

    assert wrong == []


def test_every_canonical_mention_is_a_mention_of_the_same_type(
    examples: list[tuple[Document, Gold]],
) -> None:
    for _, gold in examples:
        types = {(mention["start"], mention["end"]): mention["type"] for mention in gold["mentions"]}
        for mention in gold["mentions"]:
            start, end = mention["canonical"]
            assert types[start, end] == mention["type"]


def test_no_mention_begins_or_ends_inside_a_word(examples: list[tuple[Document, Gold]]) -> None:
    for document, gold in examples:
        for mention in gold["mentions"]:
            around = document["text"][max(0, mention["start"] - 1) : mention["end"] + 1]
            inside = document["text"][mention["start"] : mention["end"]]
            assert re.search(rf"(?<!\w){re.escape(inside)}(?!\w)", around), (gold["doc_id"], around)


def test_every_pronoun_of_a_person_is_a_mention(examples: list[tuple[Document, Gold]]) -> None:
    missing = []
    for document, gold in examples:
        marked = {(mention["start"], mention["end"]) for mention in gold["mentions"]}
        for match in re.finditer(r"\b(?:[Hh]e|[Ss]he|[Hh]is|[Hh]er|[Hh]im)\b", document["text"]):
            if match.span() not in marked:
                missing.append((gold["doc_id"], match.span()))

    assert missing == []


def test_people_recur_across_documents() -> None:
    names: dict[str, set[str]] = {}
    for document, gold in corpus():
        for mention in gold["mentions"]:
            if mention["type"] == "PER":
                names.setdefault(document["text"][slice(*mention["canonical"])], set()).add(gold["doc_id"])

    assert sum(len(documents) >= 2 for documents in names.values()) >= 20


def test_training_documents_are_not_in_the_corpus() -> None:
    texts = {document["text"] for document, _ in corpus()}

    assert [document["doc_id"] for document, _ in training() if document["text"] in texts] == []
