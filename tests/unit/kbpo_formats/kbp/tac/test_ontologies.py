"""A file is read by the ontology of its corpus."""

import io
from dataclasses import replace

import pytest

from kbpo_formats.kbp.tac.reader import Reading, read
from kbpo_formats.kbp.tac.writer import write
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.ontologies.reading import read_ontology
from tests.ontologies import KNOWLEDGENET, TAC, TAC_2, WIKIDATA
from tests.unit.kbpo_formats.kbp.tac.kb import BASE, read_text, texts_for

IN_WIKIDATA = """\
run1
:A | type | PERSON
:A | canonical_mention | "Ann" | D1:0-2
:A | mention | "Ann" | D1:0-2
:P | type | PERSON
:P | canonical_mention | "Pia" | D1:20-22
:P | mention | "Pia" | D1:20-22
:B | type | ORG
:B | canonical_mention | "Bolt" | D1:30-33
:B | mention | "Bolt" | D1:30-33
:C | type | PLACE
:C | canonical_mention | "Cork" | D1:40-43
:C | mention | "Cork" | D1:40-43
"""


def wikidata(*lines: str) -> Reading:
    return read_text(IN_WIKIDATA + "".join(f"{line}\n" for line in lines), ontology=WIKIDATA)


def claims(reading: Reading) -> list[tuple[str, str, str, str, str]]:
    return [
        (one.predicate, one.subject_type, one.subject_entity, one.object_type, one.object_entity)
        for one in reading.predictions
    ]


def messages(reading: Reading, code: str) -> list[str]:
    return [problem.message for problem in reading.problems if problem.code == code]


@pytest.mark.parametrize(
    ("line", "claim"),
    [
        (':A | P569 | "1901" | D1:60-63,D1:0-2', ("P569", "PERSON", ":A", "DATE", "1901")),
        (':C | P1082 | "900" | D1:60-63,D1:40-43', ("P1082", "PLACE", ":C", "NUMBER", "900")),
        (":A | P19 | :C | D1:0-43", ("P19", "PERSON", ":A", "PLACE", ":C")),
        (":B | P112 | :A | D1:0-33", ("P112", "ORG", ":B", "PERSON", ":A")),
        (":P | P26 | :A | D1:0-22", ("P26", "PERSON", ":A", "PERSON", ":P")),
        (":P | P8810 | :A | D1:0-22", ("P40", "PERSON", ":A", "PERSON", ":P")),
        (":A | person:P108 | :B | D1:0-33", ("P108", "PERSON", ":A", "ORG", ":B")),
    ],
    ids=["a date", "a number", "an entity", "one of two types", "symmetric", "an inverse", "with its type"],
)
def test_a_line_is_a_claim_of_the_ontologys_relation(line, claim):
    reading = wikidata(line)
    assert reading.accepted
    assert claims(reading) == [claim]


def test_the_inverse_is_the_ontologys():
    assert messages(wikidata(":A | P40 | :P | D1:0-22"), "MISSING_INVERSE") == [
        "No inverse is asserted for P40(:A, :P). P8810(:P, :A) is taken as said; a claim and its inverse are"
        " one instance, so no score changes."
    ]


def test_an_unknown_predicate_names_the_ontology_and_what_is_close():
    assert messages(wikidata(":A | p8180 | :P | D1:0-22"), "ILLEGAL_PREDICATE") == [
        "'p8180' is not a predicate. Use a predicate of wikidata-dozen@1 as it is spelled there, as in P569."
        " Is P8810 meant?"
    ]


def test_a_predicate_of_another_ontology_is_unknown():
    reading = wikidata(":A | children | :P | D1:0-22")
    assert not reading.accepted
    assert "wikidata-dozen@1" in messages(reading, "ILLEGAL_PREDICATE")[0]


def test_an_unknown_type_names_the_ontology_its_types_and_what_is_close():
    assert messages(wikidata(":D | type | PERSONS"), "ILLEGAL_ENTITY_TYPE") == [
        "PERSONS is not an entity type. The types of wikidata-dozen@1 are PERSON, ORG, PLACE and WORK."
        " Is PERSON meant?"
    ]


def test_a_name_without_a_prefix_that_is_about_another_type_says_so():
    assert messages(wikidata(":B | P569 | :A | D1:0-33"), "SUBJECT_PREDICATE_MISMATCH") == [
        "The subject is ORG, but P569 is about PERSON. Use a predicate of the subject's type, or correct the"
        " type."
    ]


def test_a_type_that_no_predicate_begins_with_is_refused_with_those_there_are():
    assert messages(wikidata(":A | per:P26 | :P | D1:0-22"), "ILLEGAL_PREDICATE_TYPE") == [
        "per is not a type that a predicate can begin with. A relation begins with person:, org:, place: or"
        " work:."
    ]


def test_nominal_mentions_of_any_type_may_stand_in_either_format():
    text = IN_WIKIDATA + ':C | nominal_mention | "city" | D1:60-63\n'
    assert read_text(text, "tac2015", WIKIDATA).accepted


def test_what_is_read_is_written_by_the_ontologys_names():
    lines = (
        ":P | person:P8810 | :A | D1:0-22 | 0.5",
        ':A | P569 | "1901" | D1:60-63,D1:0-2 | 0.5',
        ":A | P26 | :P | D1:0-22 | 0.5",
    )
    first = wikidata(*lines)
    documents = texts_for(IN_WIKIDATA)
    written = "".join(write(first, documents))
    again = read(io.BytesIO(written.encode()), documents=documents, ontology=WIKIDATA)
    assert (claims(again), again.problems) == (claims(first), ())


@pytest.mark.parametrize("predicate", [one.name for one in TAC.predicates if not one.stored_as])
def test_version_2_of_tac_scores_what_version_1_drops(predicate):
    subject = {"PER": ":A", "ORG": ":B"}[TAC.predicates_by_name[predicate].subject_type]
    text = f'{BASE}{subject} | {predicate} | "forty" | D1:60-64,D1:0-40\n'
    dropped, scored = (read_text(text, ontology=version) for version in (TAC, TAC_2))
    assert messages(dropped, "PREDICATE_NOT_SCORED") == [
        f"{predicate} is not scored by this service. The line is dropped."
    ]
    assert [(one.predicate, one.object_type) for one in scored.predictions] == [
        (predicate, TAC_2.relations_by_name[predicate].object_types[0])
    ]


def test_a_claim_has_its_ontologys_name_whichever_predicate_states_it():
    lines = (
        ":A | CHILD_OF | :Q | D1:0-53",
        ":A | per:parents | :Q | D1:0-53",
        ":Q | per:children | :A | D1:0-53",
    )
    person = ':Q | type | PER\n:Q | canonical_mention | "Quy" | D1:50-52\n:Q | mention | "Quy" | D1:50-52\n'
    for line in lines:
        reading = read_text(f"{BASE}{person}{line}\n", ontology=KNOWLEDGENET)
        assert claims(reading) == [("CHILD_OF", "PER", ":A", "PER", ":Q")]


MIXED = b"""
name = "mixed"
version = 1
title = "Of both kinds"

[[types]]
name = "PER"
word = "person"
kind = "entity"
guideline = "People."

[[types]]
name = "ORG"
word = "organization"
kind = "entity"
guideline = "Firms."

[[types]]
name = "WORDS"
word = "words"
kind = "string"
guideline = "Any."

[[relations]]
name = "knows"
subject = "PER"
objects = ["PER"]
label = "knows"
statement = "{subject} and {object} know each other"
guideline = "From either side."
symmetric = true

[[relations]]
name = "works"
subject = "PER"
objects = ["ORG", "WORDS"]
label = "works"
statement = "{subject} works for {object}"
guideline = "For money."

[[predicates]]
name = "knows"
subject = "PER"
objects = ["PER"]
stored_as = "knows"

[[predicates]]
name = "with"
subject = "PER"
objects = ["PER", "ORG", "WORDS"]
stored_as = { PER = "knows", ORG = "works", WORDS = "works" }

[[predicates]]
name = "works"
subject = "PER"
objects = ["ORG", "WORDS"]
stored_as = "works"
"""


@pytest.fixture(scope="module")
def mixed() -> Ontology:
    return read_ontology(MIXED)


@pytest.mark.parametrize(
    ("line", "claim"),
    [
        (":A | with | :B | D1:0-33", ("works", "PER", ":A", "ORG", ":B")),
        (':A | with | "a mill" | D1:60-65,D1:0-2', ("works", "PER", ":A", "WORDS", "a mill")),
        (":Q | with | :A | D1:0-53", ("knows", "PER", ":A", "PER", ":Q")),
        (":Z | with | :B | D1:10-90", ("works", "PER", ":Z", "ORG", ":B")),
    ],
    ids=["an entity", "a string", "symmetric", "not symmetric, the object first"],
)
def test_the_object_says_what_a_predicate_of_several_relations_states(mixed, line, claim):
    people = "".join(
        f':{name} | type | PER\n:{name} | canonical_mention | "{word}" | D1:{start}-{start + 2}\n'
        f':{name} | mention | "{word}" | D1:{start}-{start + 2}\n'
        for name, word, start in (("Q", "Quy", 50), ("Z", "Zoe", 80))
    )
    base = BASE.replace("GPE", "ORG")
    assert claims(read_text(f"{base}{people}{line}\n", ontology=mixed)) == [claim]


def test_an_ontology_under_another_name_is_not_the_task():
    other = replace(TAC, name="own")
    reading = read_text(f"{BASE}:A | per:childs | :B | D1:0-33\n", ontology=other)
    assert "Use a predicate of own@1 as it is spelled there" in messages(reading, "ILLEGAL_PREDICATE")[0]
