"""Words to insert, delete, replace or move."""

import gzip
import json
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.lib_ter import translation_edit_rate

from annotations.texts.ter import count_edits, hter, ter

WORDS = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("text", "becomes", "rate"),
    [
        ("a b c d", "a b c d", 0.0),
        ("a b c d", "a b x d", 1 / 4),
        ("a b c d", "a b d", 1 / 3),
        ("a b d", "a b c d", 1 / 4),
        ("d e f a b c", "a b c d e f", 1 / 6),  # one move of three words
        ("", "a b", 1.0),
        ("a b", "", 1.0),
        ("", "", 0.0),
        ("a b c", "a", 2.0),
        ("THE Cat", "the cat", 0.0),
    ],
)
def test_the_rate_is_edits_by_the_words_of_what_it_becomes(text: str, becomes: str, rate: float) -> None:
    assert ter(text, becomes) == pytest.approx(rate)


@given(WORDS, WORDS)
def test_short_texts_have_as_many_edits_as_sacrebleu_counts(words: list[str], becomes: list[str]) -> None:
    assert count_edits(words, becomes) == translation_edit_rate(words, becomes)


def test_another_coding_of_the_same_letters_is_no_edit() -> None:
    assert ter("d\u00e9j\u00e0 vu", "de\u0301ja\u0300 vu") == 0
    assert hter("d\u00e9j\u00e0 vu", "de\u0301ja\u0300 vu") == 0


def test_no_edit_is_none_and_capitals_and_marks_are_edits() -> None:
    assert hter("A cat sat.", None) == 0.0
    assert hter("A cat sat.", "A cat sat.") == 0.0
    assert hter("A cat sat.", "a cat sat") == pytest.approx(2 / 3)


def rows(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt") as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.slow
def test_recorded_edits_have_the_recorded_rates(shared: Path) -> None:
    folder = shared / "nlg" / "cdm"
    outputs = {}
    for system in ("seq2seq", "pointer", "ml", "ml+rl", "reference"):
        for row in rows(folder / f"outputs.{system}.jsonl.gz"):
            outputs[row["input_id"], system] = row["output"]
    # Of 280 judgements the rate is there, but not the edit.
    judged = [
        one for one in rows(folder / "judgements.jsonl.gz") if one["edit"] is not None or not one["hter"]
    ]
    found = np.array([hter(outputs[one["input_id"], one["systems"][0]], one["edit"]) for one in judged])
    recorded = np.array([one["hter"] for one in judged])
    assert np.corrcoef(found, recorded)[0, 1] >= 0.99
    assert np.corrcoef(np.minimum(found, 1), np.minimum(recorded, 1))[0, 1] >= 0.99


def words(vocabulary: int, n: int) -> list[str]:
    rng = Random(vocabulary)
    return [str(rng.randrange(vocabulary)) for _ in range(n)]


MANY = words(600, 2_000)
HOSTILE = {
    "another order": (MANY, sorted(MANY)),
    "two words": (words(2, 2_000), words(2, 2_000)[::-1]),
    "one word": (["a"] * 2_000, ["a"] * 1_990 + ["b"] * 10),
    "by turns": (["a", "b"] * 1_000, ["b", "a"] * 1_000),
    "a hundred times as long": (MANY, MANY * 100),
    "a hundredth": (MANY * 100, MANY),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_edits_of_any_texts_are_within_their_lengths(name: str) -> None:
    one, other = HOSTILE[name]
    edits = count_edits(one, other)
    assert abs(len(one) - len(other)) <= edits.edits <= max(len(one), len(other))


@pytest.mark.parametrize(
    ("one", "other"), product(["\ud800 a", "\0", "\u202eabc\u200b d", "a" * 100_000], repeat=2)
)
def test_any_characters_are_words(one: str, other: str) -> None:
    assert (ter(one, other) == 0) == (one == other)
    assert (hter(one, other) == 0) == (one == other)
