"""A file whose offsets are counted in another way is warned of, and no other."""

import gzip
import json
from collections.abc import Callable
from io import BytesIO

import pytest

from kbpo_formats.corpus import Texts
from kbpo_formats.kbp.claims.reader import read
from kbpo_formats.kbp.files import read as read_file
from kbpo_formats.kbp.offsets import CODE
from tests.knowledgenet import FOLDER, needs_knowledgenet
from tests.ontologies import TAC

NAMES = ["Ada Quill", "Bo Árnason", "Çelik Öz", "Dee"]
TOWNS = ["Brackwater", "Ålesund", "Łódź", "Zürich"]
TEXTS = {
    f"D{number}": f"😀😀 Häuser: {NAMES[number % 4]} was born in {TOWNS[number // 4 % 4]}, they said."
    for number in range(40)
}


def places() -> list[tuple[str, tuple[int, int], tuple[int, int]]]:
    """Return where the name and the town of each text are, counted as we do."""
    found = []
    for number, (doc_id, text) in enumerate(TEXTS.items()):
        name, town = NAMES[number % 4], TOWNS[number // 4 % 4]
        start, other = text.index(name), text.index(town)
        found.append((doc_id, (start, start + len(name)), (other, other + len(town))))
    return found


def units(encoding: str, size: int) -> Callable[[str, int], int]:
    return lambda text, offset: len(text[:offset].encode(encoding)) // size


def moved(by: int) -> Callable[[str, int], int]:
    return lambda _, offset: offset + by


STARTS_AND_ENDS = {
    "characters": (moved(0), moved(0)),
    "code units of UTF-16": (units("utf-16-le", 2), units("utf-16-le", 2)),
    "bytes of UTF-8": (units("utf-8", 1), units("utf-8", 1)),
    "the end at the last character": (moved(0), moved(-1)),
    "counted from 1": (moved(1), moved(1)),
    "counted from 1, with the end at the last": (moved(1), moved(0)),
}


def claims(way: str) -> bytes:
    start, end = STARTS_AND_ENDS[way]
    lines = []
    for doc_id, *spans in places():
        text = TEXTS[doc_id]
        subject, object_ = ({"start": start(text, a), "end": end(text, b)} for a, b in spans)
        relation = {"predicate": "per:city_of_birth", "subject": subject | {"type": "PER"}}
        lines.append(json.dumps({"doc_id": doc_id, **relation, "object": object_ | {"type": "GPE"}}))
    return "\n".join(lines).encode()


def warnings(way: str, **about: object) -> list[str]:
    found = read(BytesIO(claims(way)), documents=Texts(TEXTS, about=about), ontology=TAC)
    return [one.message for one in found.problems if one.code == CODE]


@pytest.mark.parametrize("way", [way for way in STARTS_AND_ENDS if way != "characters"])
def test_claims_that_are_counted_otherwise_are_warned_of_once_with_the_way(way: str) -> None:
    (message,) = warnings(way)
    assert way in message
    assert "Count characters (Unicode code points) from 0" in message


def test_claims_that_are_counted_right_are_not_warned_of() -> None:
    assert warnings("characters") == []


def test_texts_under_an_agreement_are_not_looked_at() -> None:
    assert warnings("counted from 1", quotes_texts=False) == []


def test_a_few_mentions_say_nothing() -> None:
    few = b"\n".join(claims("counted from 1").split(b"\n")[:9])
    found = read(BytesIO(few), documents=Texts(TEXTS), ontology=TAC)
    assert CODE not in found.counts["problems"]


def test_a_text_without_spaces_between_words_says_nothing() -> None:
    texts = {f"D{number}": "林华出生在上海市浦东新区的一个小镇上" for number in range(40)}
    spans = {
        "subject": {"start": 0, "end": 2, "type": "PER"},
        "object": {"start": 5, "end": 8, "type": "GPE"},
    }
    lines = [json.dumps({"doc_id": doc_id, "predicate": "per:city_of_birth", **spans}) for doc_id in texts]
    found = read(BytesIO("\n".join(lines).encode()), documents=Texts(texts), ontology=TAC)
    assert CODE not in found.counts["problems"]


@pytest.mark.parametrize(
    ("first", "past", "way"),
    [
        (0, 1, ""),
        (0, 0, "with the end after the last"),
        (1, 0, "counted from 1, "),
        (1, -1, "counted from 1, with"),
    ],
)
def test_in_tac_the_end_is_the_last_character(first: int, past: int, way: str) -> None:
    lines = ["run"]
    for number, (doc_id, (start, end), _) in enumerate(places()):
        place = f"{doc_id}:{start + first}-{end - past}"
        string = json.dumps(TEXTS[doc_id][start + first : end - past + 1], ensure_ascii=False)
        lines += [f":E{number}\ttype\tPER"]
        lines += [f":E{number}\t{kind}\t{string}\t{place}" for kind in ("mention", "canonical_mention")]
    file = BytesIO("\n".join(lines).encode())
    found = read_file(file, format="tac2016", documents=Texts(TEXTS), ontology=TAC)
    messages = [one.message for one in found.problems if one.code == CODE]
    assert bool(messages) == bool(way)
    assert all(way in message for message in messages)


@needs_knowledgenet
def test_no_real_file_is_warned_of() -> None:
    with gzip.open(FOLDER / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        corpus = Texts({one["doc_id"]: one["text"] for one in map(json.loads, lines)})
    for path in sorted((FOLDER / "submissions").glob("*.kb.gz")):
        with path.open("rb") as stream:
            found = read_file(stream, format="tac2016", documents=corpus, ontology=TAC)
        assert CODE not in found.counts["problems"], path.name
