"""A file of recorded judgements is read line by line, and whatever is wrong with it is said."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotations.texts.inputs import QUALITY
from evaluation.generation.recorded import read_recorded
from kbpo_estimators.generation.scales import MOST_EDITS
from kbpo_formats.ontologies.faults import Faulty

SAID = {
    "input_id": "I1",
    "systems": ["one"],
    "worker": 3,
    "seconds": 40,
    "overall": 0,
    "fluency": 1,
    "redundancy": 1,
    "hter": 0.5,
    "edit": "Better.",
}


def write(path: Path, *changed: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps({**SAID, **one}) + "\n" for one in changed))
    return path


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"hter": MOST_EDITS + 1}, "more than 5,000 edits a word cannot be"),
        ({"edit": "a\ud800"}, "edit holds half of a surrogate pair at character 1"),
        ({"worker": "  "}, "it must be a number or a name"),
    ],
)
def test_what_cannot_have_been_said_is_refused(changed: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(Faulty) as refused:
        read_recorded(write(tmp_path / "judgements.jsonl", changed), QUALITY)
    (fault,) = refused.value.faults
    assert words in fault.message


def test_a_worker_is_one_person_with_blanks_around_the_name_or_without(tmp_path: Path) -> None:
    path = write(tmp_path / "judgements.jsonl", {"worker": "3 "}, {"worker": 3})
    assert {one.worker for one in read_recorded(path, QUALITY)} == {"3"}
