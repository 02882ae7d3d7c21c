import json

import pytest

from kbpo.core.errors import InvalidInput
from kbpo.core.jsonb import DEEPEST, check_storable


@pytest.mark.parametrize(
    "text",
    [
        "null",
        "1.5",
        '"é 🎈 \\\\u0000"',
        '{"a": [1, {"b": "c"}], "d": {}}',
        "9" * 400,
        "[" * DEEPEST + "]" * DEEPEST,
    ],
)
def test_what_postgres_keeps_passes(text):
    check_storable(json.loads(text))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (r'"\u0000"', "character that is none"),
        (r'["\ud800"]', "character that is none"),
        (r'{"a": {"b\u0000": 1}}', "character that is none"),
        ("[NaN]", "nan is no number"),
        ("-Infinity", "-inf is no number"),
        ("[1e999]", "inf is no number"),
        ("[" * 900 + "]" * 900, "more than 100 levels"),
    ],
)
def test_what_it_does_not_is_refused_with_the_place(text, words):
    with pytest.raises(InvalidInput, match=f"^draft: .*{words}"):
        check_storable(json.loads(text), where="draft")
