"""What a check of a file says where texts are not public."""

import io
import json

import pytest

from kbpo_formats.corpus import Texts
from kbpo_formats.kbp.files import read
from tests.ontologies import TAC

OPEN = "Ada Quill lives here. " + "a b. " * 30
ENDS = {"subject": {"start": 0, "end": 60, "type": "PER"}, "object": {"start": 3, "end": 130, "type": "GPE"}}
FILES = {
    "tac2016": 'run\n:E\ttype\tPER\n:E\tcanonical_mention\t"Ada"\tD:0-2\n:E\tmention\t"Ada"\tD:0-2\n'
    ':E\tmention\t"Ada Quill"\tD:0-59\n:E\tmention\t"Ada"\tD:3-130\n',
    "jsonl": json.dumps({"doc_id": "D", "predicate": "per:city_of_birth", **ENDS}),
}


def said(format: str, text: str, *, is_public: bool) -> list[tuple[str, str]]:
    documents = Texts({"D": text}, {"D": [0, text.find(".") + 1]}, about={"quotes_texts": is_public})
    reading = read(io.BytesIO(FILES[format].encode()), format=format, documents=documents, ontology=TAC)
    return [(one.code, f"{one.message} {one.text}") for one in reading.problems]


@pytest.mark.parametrize("format", FILES)
def test_a_check_says_the_same_whatever_a_closed_text_says(format: str) -> None:
    others = ("x" * len(OPEN), "x." + " y" * (len(OPEN) // 2 - 1), "█" * len(OPEN))
    assert {len(other) for other in others} == {len(OPEN)}
    closed = said(format, OPEN, is_public=False)
    assert all(said(format, other, is_public=False) == closed for other in others)
    assert [words for code, words in closed if code == "LONG_MENTION" and "characters" in words]
    assert said(format, OPEN, is_public=True) != closed
