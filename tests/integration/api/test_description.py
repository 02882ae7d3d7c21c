"""The API's description is what the code has, and the page about it needs nothing else."""

import json

import pytest
from django.urls import get_resolver

from docs.openapi import describe, write
from kbpo.api.reference import groups, read_schema, schema_path
from kbpo.core.problems import KINDS
from tests.integration.any_request.asking import routes


@pytest.fixture(scope="module")
def schema():
    return json.loads(schema_path().read_text(encoding="utf-8"))


def test_the_file_is_what_the_code_says():
    found = schema_path().read_text(encoding="utf-8")
    assert found == write(describe()), "run .venv/bin/python -m docs.openapi"


def test_it_is_of_openapi_3_1(schema):
    assert schema["openapi"] == "3.1.0"


def schemas_in(described):
    """Yield every object in a description."""
    if isinstance(described, dict):
        yield described
        described = list(described.values())
    for one in described if isinstance(described, list) else ():
        yield from schemas_in(one)


def test_every_default_is_one_of_its_values(schema):
    """A client that is generated from the description leaves out what contradicts itself."""
    wrong = [
        one
        for one in schemas_in(schema)
        if "enum" in one and one.get("default", one["enum"][0]) not in one["enum"]
    ]
    assert wrong == []


def test_every_address_of_the_api_is_described(schema):
    ours = {name for name, _ in routes() if name.startswith("api_")} - {"api_schema", "api_unknown"}
    assert len(schema["paths"]) == len(ours)


def test_every_operation_has_words_an_answer_and_a_scope(schema):
    for methods in schema["paths"].values():
        for described in methods.values():
            assert described["description"]
            assert any(status.startswith("2") for status in described["responses"])
            assert {"400", "401", "403", "406", "429", "5XX"} <= set(described["responses"])
            assert described["security"]


def test_the_page_names_every_operation_and_problem_and_loads_nothing_from_elsewhere(client, db):
    page = client.get("/help/api/").content.decode()
    operations = [one for _, found in groups(read_schema(str(schema_path()))) for one in found]
    assert len(operations) > 30
    assert not [one.anchor for one in operations if f'id="{one.anchor}"' not in page]
    assert not [kind.name for kind in KINDS.values() if f'id="{kind.name}"' not in page]
    assert "`" not in page
    assert "<script>" not in page
    assert "//cdn" not in page


def test_programs_get_the_description(client, db):
    assert client.get("/api/v1/openapi.json").json()["openapi"] == "3.1.0"


def test_nothing_but_the_api_is_under_its_address():
    assert get_resolver().resolve("/api/v2/anything").url_name == "api_unknown"
