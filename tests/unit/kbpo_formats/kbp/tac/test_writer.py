import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbpo.core.errors import InvalidInput
from kbpo_formats.corpus import Texts
from kbpo_formats.kbp.tac.reader import Reading, ReadPrediction, read
from kbpo_formats.kbp.tac.writer import write
from tests.marks import some_quick
from tests.ontologies import TAC
from tests.unit.kbpo_formats.kbp.tac.kb import BASE, extend, read_text, tabbed, texts_for
from tests.unit.kbpo_formats.kbp.tac.test_instances import REPAIRS
from tests.unit.kbpo_formats.kbp.tac.test_reader import KNOWLEDGENET, SYSTEMS, lines_of_relations
from tests.unit.kbpo_formats.kbp.tac.test_validator import FAULTS

OF_THE_CLAIMS = {"DUPLICATE_ASSERTION", "LONG_MENTION", "MULTIPLE_FILLS_ENTITY"}


def again(reading: Reading, documents: Texts) -> Reading:
    return read(io.BytesIO("".join(write(reading, documents)).encode()), documents=documents, ontology=TAC)


def content(reading: Reading) -> list[ReadPrediction]:
    return [prediction._replace(line=0, provenance="") for prediction in reading.predictions]


def check_written(reading: Reading, documents: Texts) -> None:
    written = again(reading, documents)
    codes = set(written.counts["problems"])
    assert codes <= OF_THE_CLAIMS & set(reading.counts["problems"])
    assert content(written) == content(reading)


def test_a_small_file_is_written_like_this():
    reading = extend(
        "A | link | wikidata:Q1 # a comment",
        ':A | nominal_mention | "the boss" | D2:10-17',
        ":A | per:employee_of | B | D1:0-33 | 2.5e-1",
        r':A | title | the "boss" | D1:60-69,D1:0-2 | 1',
        ':A | per:age | "50" | D1:5-6,D1:0-2',
    )
    documents = texts_for(':A | nominal_mention | "the boss" | D2:10-17\n' + BASE)
    assert "".join(write(reading, documents)).replace("\t", " | ") == (
        """\
run1
:A | type | PER
:A | link | "wikidata:Q1"
:A | mention | "Ann" | D1:0-2
:A | mention | "she" | D1:20-22
:A | canonical_mention | "Ann" | D1:0-2
:A | nominal_mention | "the boss" | D2:10-17
:A | canonical_mention | "the boss" | D2:10-17
:B | type | ORG
:B | mention | "Bolt" | D1:30-33
:B | canonical_mention | "Bolt" | D1:30-33
:C | type | GPE
:C | mention | "Cork" | D1:40-43
:C | canonical_mention | "Cork" | D1:40-43
:A | per:employee_or_member_of | :B | D1:0-33 | 0.25
:B | org:employees_or_members | :A | D1:0-33 | 0.25
:A | per:title | "the \\"boss\\"" | D1:60-69,D1:0-2 | 1.0
"""
    )


def test_a_refused_file_is_not_written():
    with pytest.raises(InvalidInput, match="refused"):
        list(write(read_text("two words\n"), Texts({})))


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("format", ["tac2015", "tac2016"])
def test_an_example_that_is_accepted_is_written_without_its_fault(fault, format):
    lines, _ = FAULTS[fault]
    text = BASE + "\n".join(lines)
    reading = read_text(text, format)
    if reading.accepted:
        check_written(reading, texts_for(text))


@pytest.mark.parametrize("fault", REPAIRS)
def test_a_repaired_example_is_written_without_its_fault(fault):
    text = BASE + "\n".join(REPAIRS[fault][0])
    reading = read_text(text)
    assert reading.accepted
    check_written(reading, texts_for(text))


@pytest.mark.parametrize("confidence", ["0.0001", "1.0e-05", "5.0e-324", "1.0", "0.30000000000000004"])
def test_a_confidence_is_written_as_it_was_read(confidence):
    text = f'{BASE}:A | per:title | "x" | D1:5-5,D1:0-2 | {confidence}\n'
    reading = read_text(text)
    assert [p.confidence for p in reading.predictions] == [float(confidence)]
    check_written(reading, texts_for(text))


TYPED = {"PER": ":A", "ORG": ":B", "GPE": ":C", **dict.fromkeys(("STRING", "DATE", "TITLE"), '"x"')}


@pytest.mark.parametrize(
    ("predicate", "object_type"),
    [(predicate.name, type) for predicate in TAC.predicates for type in predicate.object_types],
)
def test_every_predicate_and_its_inverse_are_one_instance(predicate, object_type):
    subject, object_ = TYPED[TAC.predicates_by_name[predicate].subject_type], TYPED[object_type]
    text = f"{BASE}{subject} | {predicate} | {object_} | D1:80-81,D1:0-50\n"
    reading = read_text(text)
    assert reading.counts["instances"] == bool(TAC.predicates_by_name[predicate].stored_as)
    check_written(reading, texts_for(text))


@given(lines_of_relations, st.booleans(), st.randoms())
def test_any_accepted_file_is_written_and_read_again_as_the_same(lines, packed, random):
    more = [':A | mention | "Annie" | D1:50-54', ':B | nominal_mention | "it" | D1:21-22']
    lines = [*more, *BASE.splitlines()[1:], *lines]
    random.shuffle(lines)
    text = "\n".join(["run1", *lines])
    data = tabbed(text)
    documents = texts_for(text)
    reading = read(io.BytesIO(gzip.compress(data) if packed else data), documents=documents, ontology=TAC)
    assert reading.accepted
    check_written(reading, documents)


@pytest.mark.parametrize("system", some_quick(SYSTEMS, 3))
def test_a_real_file_is_written_and_read_again_as_the_same(system, corpus):
    with (KNOWLEDGENET / "submissions" / f"{system}.kb.gz").open("rb") as stream:
        reading = read(stream, documents=corpus, ontology=TAC)
    assert len(reading.predictions) > 300
    check_written(reading, corpus)
