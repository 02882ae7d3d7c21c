"""The JSON Schemas say what the readers say."""

import json
import re
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbpo_formats import schemas
from kbpo_formats.classification import reader as classes
from kbpo_formats.classification.problems import EXAMPLE as CLASS
from kbpo_formats.corpus import Texts
from kbpo_formats.errors import InvalidInput
from kbpo_formats.generation.problems import EXAMPLE as OUTPUT
from kbpo_formats.generation.problems import LONGEST_OUTPUT
from kbpo_formats.kbp.claims.problems import EXAMPLE as CLAIM
from tests.unit.kbpo_formats.generation.files import read_lines as read_outputs
from tests.unit.kbpo_formats.kbp.claims.claims import ADA, DAY, SHE, TOWN, claim, read_lines

#: What a schema without the corpus cannot say.
OF_THE_CORPUS = {
    *("UNKNOWN_DOCUMENT", "UNKNOWN_PREDICATE", "WRONG_TYPE", "OFFSET_OUTSIDE", "EMPTY_SPAN", "LONG_SPAN"),
    *("CANONICAL_OF_VALUE", "VALUE_OF_ENTITY", "NO_CLAIMS"),
}
KINDS: dict[str, Any] = {"object": dict, "string": str, "integer": int, "number": (int, float)}
KNOWN = {
    *("$schema", "$id", "$defs", "$ref", "title", "description", "default", "type", "properties", "required"),
    *("enum", "minimum", "exclusiveMinimum", "maximum", "minLength", "maxLength", "pattern"),
}


def schema_of(task: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(schemas.schema_text(task))
    return found


def fits(value: Any, schema: dict[str, Any], root: dict[str, Any]) -> bool:
    """Say whether a value fits a schema, of which only these keywords are known."""
    assert schema.keys() <= KNOWN
    if "$ref" in schema:
        return fits(value, root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    if not isinstance(value, KINDS[schema["type"]]) or isinstance(value, bool):
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    if isinstance(value, dict):
        properties = schema["properties"]
        return all(name in value for name in schema["required"]) and all(
            fits(one, properties[name], root) for name, one in value.items() if name in properties
        )
    if isinstance(value, str):
        is_long_enough = schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value))
        return is_long_enough and bool(re.search(schema.get("pattern", ""), value))
    return (
        value >= schema.get("minimum", value)
        and value <= schema.get("maximum", value)
        and ("exclusiveMinimum" not in schema or value > schema["exclusiveMinimum"])
    )


def test_the_examples_fit_their_schemas():
    assert fits(json.loads(CLAIM), schema_of("kbp"), schema_of("kbp"))
    assert fits(json.loads(CLASS), schema_of("classification"), schema_of("classification"))
    assert fits(json.loads(OUTPUT), schema_of("generation"), schema_of("generation"))


_spans = st.fixed_dictionaries(
    {},
    optional={
        "start": st.sampled_from([0, 3, -1, 1.5, True, "0", None]),
        "end": st.sampled_from([9, 20, 0, -4, 9.5, None, "9"]),
    },
)
_ends = st.sampled_from([ADA, SHE, TOWN, DAY, 7, None]) | st.builds(
    lambda span, rest: {**span, **rest},
    _spans,
    st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["PER", "GPE", "DATE", 7]),
            "canonical": _spans | st.just([]),
            "value": st.sampled_from(["x", "", "a\nb", 3]),
            "entity": st.sampled_from(["x", "", "a\x85b", None]),
            "further": st.just(1),
        },
    ),
)
_confidences = st.sampled_from([0, 0.5, 1, 1.01, True, "1", None, -0.1])


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "doc_id": st.sampled_from(["D1", "D9", 7, None]),
            "predicate": st.sampled_from(["per:city_of_birth", "x", 7]),
            "subject": _ends,
            "object": _ends,
            "confidence": _confidences,
        },
    ),
    st.booleans(),
)
def test_a_claim_fits_the_schema_where_the_reader_finds_no_fault_but_the_corpus(fields, is_filled):
    line = claim(**fields) if is_filled else fields
    found = read_lines(line)
    errors = {one.code for one in found.problems if one.severity == "ERROR"} - OF_THE_CORPUS
    # The value of an entity, and the canonical mention of a date, are refused whatever they are.
    if {"CANONICAL_OF_VALUE", "VALUE_OF_ENTITY"} & {one.code for one in found.problems}:
        return
    assert fits(line, schema_of("kbp"), schema_of("kbp")) == (not errors)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "doc_id": st.sampled_from(["D1", "D9", 7]),
            "label": st.sampled_from(["good", "bad", "worse", None]),
            "confidence": _confidences,
        },
    )
)
def test_a_class_fits_the_schema_of_its_corpus_where_the_reader_finds_no_fault(line):
    documents = Texts({"D1": "One."}, about={"classes": ["good", "bad"]})
    found = classes.read(BytesIO(json.dumps(line).encode()), "jsonl", documents)
    errors = {one.code for one in found.problems} - {"UNKNOWN_DOCUMENT", "MISSING_DOCUMENT"}
    schema = schema_of("classification")
    schema["properties"]["label"]["enum"] = ["good", "bad"]
    assert fits(line, schema, schema) == (not errors)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "input_id": st.sampled_from(["D1", 7, None]),
            "output": st.sampled_from(["", "A\nb.", "a\0b", "x" * (LONGEST_OUTPUT + 1), 7, None]),
            "further": st.just(1),
        },
    )
)
def test_an_output_fits_the_schema_where_the_reader_finds_no_fault(line):
    found = read_outputs(line, documents=Texts({"D1": "One."}))
    errors = {one.code for one in found.problems if one.severity == "ERROR"} - {"MISSING_INPUT"}
    assert fits(line, schema_of("generation"), schema_of("generation")) == (not errors)


def test_a_task_that_is_none_has_no_schema():
    with pytest.raises(InvalidInput, match="known are kbp, classification, generation"):
        schemas.schema_text("x")
