import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo.systems.reading import Claim, Extraction
from demo.systems.writer import write_claims, write_tac
from kbpo_formats.corpus import Texts
from kbpo_formats.kbp.files import read
from tests.ontologies import TAC
from tests.unit.demo.systems.texts import mention

RUTH = mention("Ruth Ash", "PER", 0)
ASH = mention("Ash", "PER", 20, name="Ruth Ash", at=0)
GROUP = mention("Ash Group", "ORG", 30)
CORVEL = mention("Corvel", "GPE", 50)


def extracted(*claims: Claim) -> list[Extraction]:
    ends = {end: None for claim in claims for end in (claim.subject, claim.object)}
    return [Extraction("d", tuple(ends), claims)]


def lines(*claims: Claim) -> list[str]:
    return [line for line in write_tac(extracted(*claims), run_id="run") if line]


def claimed(claim: Claim) -> dict[str, Any]:
    (line,) = write_claims(extracted(claim))
    return dict(json.loads(line))


def test_a_whole_file() -> None:
    assert lines(Claim("per:organizations_founded", ASH, GROUP, 0.5)) == [
        "run",
        ":E0001\ttype\tORG",
        ':E0001\tcanonical_mention\t"Ash Group"\td:30-38',
        ':E0001\tmention\t"Ash Group"\td:30-38',
        ":E0002\ttype\tPER",
        ':E0002\tcanonical_mention\t"Ruth Ash"\td:0-7',
        ':E0002\tmention\t"Ruth Ash"\td:0-7',
        ':E0002\tmention\t"Ash"\td:20-22',
        ":E0002\tper:organizations_founded\t:E0001\td:20-22,d:30-38\t0.5000",
        ":E0001\torg:founded_by\t:E0002\td:20-22,d:30-38\t0.5000",
    ]


def test_claims_as_json_lines() -> None:
    assert claimed(Claim("per:organizations_founded", ASH, GROUP, 0.5)) == {
        "doc_id": "d",
        "predicate": "per:organizations_founded",
        "subject": {
            "start": 20,
            "end": 23,
            "type": "PER",
            "entity": "PER Ruth Ash",
            "canonical": {"start": 0, "end": 8},
        },
        "object": {"start": 30, "end": 39, "type": "ORG", "entity": "ORG Ash Group"},
        "confidence": 0.5,
    }


@pytest.mark.parametrize(
    ("place", "predicate"),
    [
        ("Corvel", "per:city_of_birth"),
        ("Lowmarch", "per:stateorprovince_of_birth"),
        ("Arvenia", "per:country_of_birth"),
    ],
)
def test_a_place_is_a_city_a_province_or_a_country(place: str, predicate: str) -> None:
    claim = Claim("per:place_of_birth", RUTH, mention(place, "GPE", 50), 0.5)

    assert lines(claim)[-2].split("\t")[1] == claimed(claim)["predicate"] == predicate


@pytest.mark.parametrize(
    ("words", "filler"), [("4 May 1979", "1979-05-04"), ("May 1979", "1979-05-XX"), ("1979", "1979-XX-XX")]
)
def test_a_date_is_normalized_and_its_mention_comes_first(words: str, filler: str) -> None:
    claim = Claim("per:date_of_birth", RUTH, mention(words, "DATE", 50), 0.5)

    assert lines(claim)[-1].split("\t")[2:4] == [f'"{filler}"', f"d:50-{49 + len(words)},d:0-7"]
    assert claimed(claim)["object"]["value"] == filler


def test_quotes_and_backslashes_are_escaped() -> None:
    claim = Claim("per:title", RUTH, mention('a "b" \\', "TITLE", 50), 0.5)

    assert lines(claim)[-1].split("\t")[2] == '"a \\"b\\" \\\\"'


def test_a_claim_made_twice_is_written_once_with_the_larger_confidence() -> None:
    claims = [Claim("per:place_of_birth", RUTH, CORVEL, confidence) for confidence in (0.4, 0.6)]

    assert [line.split("\t")[-1] for line in lines(*claims) if "_of_birth" in line] == ["0.6000"]
    (line,) = write_claims(extracted(*claims))
    assert json.loads(line)["confidence"] == 0.6


@given(
    relation=st.sampled_from(sorted(TAC.relations_by_name)),
    pick=st.integers(0, 1),
    place=st.sampled_from(["Corvel", "Lowmarch", "Arvenia"]),
    format=st.sampled_from(["jsonl", "tac2016"]),
)
def test_the_reader_turns_every_relation_back_into_the_claim(
    relation: str, pick: int, place: str, format: str
) -> None:
    names = {"PER": "Ruth Ash", "ORG": "Ash Group", "GPE": place, "DATE": "4 May 1979", "TITLE": "pilot"}
    subject_type = TAC.relations_by_name[relation].subject_type
    types = TAC.relations_by_name[relation].object_types
    object_type = types[pick % len(types)]
    subject = mention(names[subject_type], subject_type, 0)
    obj = mention(names[object_type] if object_type != subject.type else "Ada Elm", object_type, 50)
    claim = Claim(relation, subject, obj, 0.5)
    file = "\n".join(write_claims(extracted(claim)) if format == "jsonl" else lines(claim)) + "\n"

    texts = Texts({"d": "." * 100})
    reading = read(io.BytesIO(file.encode()), format=format, documents=texts, ontology=TAC)

    found = [(p.predicate, p.subject, p.object, p.confidence) for p in reading.predictions]
    assert found == [(relation, subject.span, obj.span, 0.5)]
