import pytest

from evaluation.kbp.keys import instance_key
from kbpo.core.errors import InvalidInput
from kbpo_formats.spans import Span


def test_a_key_is_versioned_and_ends_with_the_document():
    assert instance_key("DOC", "per:spouse", Span(0, 4), Span(9, 13)) == "v1|per:spouse|0-4|9-13|DOC"


def test_keys_stay_apart_when_a_document_id_contains_the_separator():
    one = instance_key("1-2|D", "r", (3, 4), (5, 6))
    other = instance_key("D", "r", (3, 4), (5, 6))
    assert one.split("|", 4) == ["v1", "r", "3-4", "5-6", "1-2|D"]
    assert one != other


def test_a_predicate_with_the_separator_is_refused():
    with pytest.raises(InvalidInput, match=r"predicate: is 'r\|1-2'"):
        instance_key("D", "r|1-2", (3, 4), (5, 6))


def test_an_empty_span_is_refused():
    with pytest.raises(InvalidInput, match="object: the span 5-5"):
        instance_key("D", "r", (3, 4), (5, 5))
