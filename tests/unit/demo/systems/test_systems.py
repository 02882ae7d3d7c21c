"""What the example systems show together."""

import io
from functools import cache

import pytest

from demo.build import CORPUS, knowledge_base
from demo.markup import Document, Gold, read_folder
from demo.systems import SYSTEMS, System
from demo.systems.reading import Extraction
from kbpo_formats.corpus import Texts
from kbpo_formats.kbp.files import Reading, read
from tests.ontologies import TAC
from tests.unit.demo.scores import Scores, score


@cache
def examples() -> tuple[list[Document], list[Gold]]:
    pairs = read_folder(CORPUS)
    return [document for document, _ in pairs], [gold for _, gold in pairs]


@cache
def extractions(system: System) -> list[Extraction]:
    return system.extract(examples()[0])


@cache
def scores(system: System) -> Scores:
    documents, golds = examples()
    return score(extractions(system), golds, {document["doc_id"]: document["text"] for document in documents})


@cache
def reading(system: System) -> Reading:
    documents, _ = examples()
    texts = Texts({document["doc_id"]: document["text"] for document in documents})
    data = io.BytesIO(knowledge_base(system, documents))
    return read(data, format=system.format, documents=texts, ontology=TAC)


each_system = pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)


def test_there_are_five_systems_of_two_teams_or_more() -> None:
    assert len(SYSTEMS) >= 5
    assert len({system.team for system in SYSTEMS}) >= 2


@each_system
def test_the_reader_accepts_every_file(system: System) -> None:
    assert [problem for problem in reading(system).problems if problem.severity == "ERROR"] == []
    assert reading(system).accepted


@each_system
def test_the_reader_finds_the_instances_that_the_system_claims(system: System) -> None:
    claimed = {
        (extraction.doc_id, claim.relation, claim.subject.span, claim.object.span)
        for extraction in extractions(system)
        for claim in extraction.claims
    }
    found = {(p.doc_id, p.predicate, p.subject, p.object) for p in reading(system).predictions}

    assert found == claimed


@each_system
def test_the_reader_finds_the_canonical_mentions_that_the_system_gives(system: System) -> None:
    claimed = {
        (extraction.doc_id, mention.span): mention.canonical
        for extraction in extractions(system)
        for mention in extraction.mentions
        if mention.kind != "string"
    }

    wrong = [
        prediction
        for prediction in reading(system).predictions
        if prediction.subject_canonical != claimed[prediction.doc_id, prediction.subject]
    ]
    assert wrong == []


@each_system
def test_every_claim_is_one_that_its_types_admit(system: System) -> None:
    claims = [claim for extraction in extractions(system) for claim in extraction.claims]

    relations = TAC.relations_by_name
    assert all(relations[claim.relation].admits(claim.subject.type, claim.object.type) for claim in claims)


@each_system
def test_every_system_is_large_enough_to_sample(system: System) -> None:
    assert len(reading(system).predictions) >= 150


def test_the_systems_differ_in_what_they_are_good_at() -> None:
    precisions = [scores(system).precision for system in SYSTEMS]
    recalls = [scores(system).recall for system in SYSTEMS]

    assert max(precisions) > 0.9
    assert min(precisions) < 0.55
    assert max(recalls) > 0.55
    assert min(recalls) < 0.25


def test_the_most_precise_system_is_not_the_one_that_finds_most() -> None:
    assert max(SYSTEMS, key=lambda s: scores(s).precision) != max(SYSTEMS, key=lambda s: scores(s).recall)


def test_some_canonical_mentions_are_wrong() -> None:
    """Naive coreference should leave the judges something to find."""
    wrong = 0
    for extraction, gold in zip(extractions(SYSTEMS[1]), examples()[1], strict=True):
        right = {(m["start"], m["end"]): tuple(m["canonical"]) for m in gold["mentions"]}
        wrong += sum(
            right.get(mention.span, mention.canonical) != mention.canonical for mention in extraction.mentions
        )

    assert wrong > 0
