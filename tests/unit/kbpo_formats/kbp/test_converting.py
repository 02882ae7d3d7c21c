"""JSON Lines and TAC KBP say the same: nothing that is scored is lost from one to the other."""

import io
import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kbpo_formats.corpus import Texts
from kbpo_formats.errors import InvalidInput
from kbpo_formats.kbp import files
from kbpo_formats.kbp.predictions import ReadPrediction
from kbpo_formats.ontologies.ontology import Ontology
from tests.ontologies import KNOWLEDGENET, TAC, TAC_2, WIKIDATA
from tests.unit.kbpo_formats.kbp.claims.claims import ADA, DOCUMENTS, SHE, TOWN, claim

TEXT = (
    'Ann Bolt of Cork, \\ the "boss" of Bolt & Co., née Ölt, was 50 on 4 May 1979.\nShe left in 2001: why? '
    * 2
)
TWO = Texts({"a.b-c_1": TEXT, "D2": TEXT[::-1]})
NAMES = ("", ":E1", "E1", "Ann Bolt", "Ölt/é", ":E1_2", "?")


def read(text: str, format: str, ontology: Ontology, documents: Texts = TWO) -> files.Reading:
    return files.read(io.BytesIO(text.encode()), format=format, documents=documents, ontology=ontology)


def scored(reading: files.Reading) -> list[ReadPrediction]:
    """Return what is claimed, without lines and without the system's own names of entities."""
    return [
        one._replace(
            line=0,
            provenance="",
            subject_entity="",
            object_entity="" if one.object_canonical else one.object_entity,
        )
        for one in reading.predictions
    ]


@st.composite
def lines_of_claims(draw: st.DrawFn, ontology: Ontology, *, anywhere: bool) -> str:
    """Draw claims about two documents; canonical mentions anywhere, or apart from all other mentions."""
    kinds = ontology.types_by_name
    possible = [
        (one, kind) for one in ontology.predicates for kind, _ in one.stored_as if kind in one.object_types
    ]

    def span(first: int, last: int) -> dict[str, int]:
        start = draw(st.integers(first, last))
        return {"start": start, "end": start + draw(st.integers(1, 9))}

    def end(kind: str) -> dict[str, object]:
        made: dict[str, object] = {**span(0, 30), "type": kind}
        if not kinds[kind].is_entity:
            value = draw(st.none() | st.sampled_from(["1979-05-04", 'the "boss"', "a\\b # c", "né"]))
            return made if value is None else {**made, "value": value}
        if draw(st.booleans()):
            made["canonical"] = span(0, 30) if anywhere else span(60, 80)
        if name := draw(st.sampled_from(NAMES)):
            made["entity"] = name
        return made

    lines = []
    for _ in range(draw(st.integers(1, 6))):
        predicate, kind = draw(st.sampled_from(possible))
        one = {
            "doc_id": draw(st.sampled_from(["a.b-c_1", "D2"])),
            "predicate": predicate.name,
            "subject": end(predicate.subject_type),
            "object": end(kind),
            "confidence": draw(st.sampled_from([1, 1.0, 0.5, 0.1 + 0.2, 5e-324])),
        }
        lines.append(json.dumps(one))
    return "\n".join(lines)


@pytest.mark.parametrize("ontology", [TAC, TAC_2, KNOWLEDGENET, WIKIDATA], ids=str)
@given(data=st.data())
def test_json_lines_become_tac_and_json_lines_again_without_loss(ontology, data):
    first = read(data.draw(lines_of_claims(ontology, anywhere=False)), "jsonl", ontology)
    assume(first.accepted)
    tac = read("".join(files.write(first, TWO, format="tac2016")), "tac2016", ontology)
    assert tac.accepted, tac.problems
    assert scored(tac) == scored(first)
    again = read("".join(files.write(tac, TWO, format="jsonl")), "jsonl", ontology)
    assert again.accepted
    assert scored(again) == scored(first)


@pytest.mark.parametrize("ontology", [TAC, WIKIDATA], ids=str)
@given(data=st.data())
def test_a_claim_that_tac_cannot_say_is_named_and_everything_else_stays(ontology, data):
    first = read(data.draw(lines_of_claims(ontology, anywhere=True)), "jsonl", ontology)
    assume(first.accepted)
    try:
        lines = list(files.write(first, TWO, format="tac2016"))
    except InvalidInput:
        named = any(
            one.subject_canonical != one.subject or one.object_canonical not in (None, one.object)
            for one in first.predictions
        )
        assert named, "what is its own canonical mention can be said"
        return
    assert scored(read("".join(lines), "tac2016", ontology)) == scored(first)


def test_an_entity_with_two_canonical_mentions_becomes_two_of_tac():
    other = {**SHE, "entity": "ada", "canonical": {"start": 4, "end": 9}}
    lines = [claim(subject={**ADA, "entity": "ada"}), claim(subject=other)]
    first = read("\n".join(map(json.dumps, lines)), "jsonl", TAC, DOCUMENTS)
    written = "".join(files.write(first, DOCUMENTS, format="tac2016"))
    assert ":ada\ttype" in written
    assert ":ada_2\ttype" in written
    assert scored(read(written, "tac2016", TAC, DOCUMENTS)) == scored(first)


def test_a_mention_that_begins_with_its_canonical_mention_cannot_be_said_in_tac():
    whole = {**ADA, "canonical": {"start": 0, "end": 3}}
    first = read(json.dumps(claim(subject=whole)), "jsonl", TAC, DOCUMENTS)
    with pytest.raises(InvalidInput, match="line 1: TAC KBP cannot say this claim"):
        list(files.write(first, DOCUMENTS, format="tac2016"))


def test_converting_reads_and_writes_and_says_what_is_wrong():
    stream = io.BytesIO(json.dumps(claim(object={**TOWN, "end": 1})).encode())
    reading, lines = files.convert(
        stream, source="jsonl", target="tac2016", documents=DOCUMENTS, ontology=TAC
    )
    assert [problem.code for problem in reading.problems] == ["EMPTY_SPAN"]
    assert list(lines) == []


@pytest.mark.parametrize("format", ["tac2015", "xml"])
def test_what_cannot_be_written_is_refused(format):
    reading = read(json.dumps(claim()), "jsonl", TAC, DOCUMENTS)
    with pytest.raises(InvalidInput, match="use jsonl or tac2016"):
        files.write(reading, DOCUMENTS, format=format)
