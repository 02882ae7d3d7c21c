"""JSON from outside that is nested too deep is refused like any other that is none."""

import io

import pytest
from rest_framework.exceptions import ParseError

from annotations.texts import jsonlines
from crowd.hit_answers import parse
from crowd.providers.prolific import hooks
from kbpo.core.errors import InvalidInput
from kbpo.core.json_text import DEEPEST, read_json
from kbpo.core.parsers import JsonParser
from marketplace.protocol import service
from marketplace.protocol.errors import ProtocolError

DEPTHS = [DEEPEST + 2, 900, 200_000]


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


def nested_objects(depth: int) -> str:
    return '{"a":' * depth + "1" + "}" * depth


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("write", [nested, nested_objects])
def test_what_is_nested_too_deep_is_no_json(depth, write):
    with pytest.raises(ValueError, match="nested more than"):
        read_json(write(depth))


@pytest.mark.parametrize("write", [nested, nested_objects])
def test_what_is_nested_as_deep_as_may_be_is_read(write):
    assert read_json(write(DEEPEST))


@pytest.mark.parametrize("depth", DEPTHS)
def test_the_api_refuses_it_in_words(depth):
    with pytest.raises(ParseError, match="not JSON"):
        JsonParser().parse(io.BytesIO(nested(depth).encode()))


@pytest.mark.parametrize("depth", DEPTHS)
def test_the_marketplace_refuses_it_in_its_form(depth):
    operation = service.read_target("MTurkRequesterServiceV20170117.GetAccountBalance")
    with pytest.raises(ProtocolError, match="not JSON"):
        service.read_request(operation, nested_objects(depth).encode())


@pytest.mark.parametrize("depth", DEPTHS)
def test_an_answer_of_a_worker_is_refused(depth):
    with pytest.raises(InvalidInput, match="not JSON"):
        parse(nested(depth))


@pytest.mark.parametrize("depth", DEPTHS)
def test_an_event_of_prolific_is_refused(depth):
    with pytest.raises(InvalidInput, match="must be JSON"):
        hooks.receive.__wrapped__(event_id="1", body=nested(depth).encode(), now=None)


@pytest.mark.parametrize("depth", DEPTHS)
def test_a_line_of_a_corpus_is_refused_by_its_place(depth, tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text(nested_objects(depth) + "\n")
    with pytest.raises(InvalidInput, match="line 1: this is not JSON"):
        list(jsonlines.read(path))
