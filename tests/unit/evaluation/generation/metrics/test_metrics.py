"""The built-in metrics: hand-computed values, other packages' values, and texts that mean harm."""

import logging
from collections.abc import Iterator
from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from evaluation.generation.metrics.computing import compute_all
from evaluation.generation.metrics.registry import METRICS, Needs, Text
from kbpo_formats.generation.names import BUILT_IN, is_name

CAT = "The cat sat. The cat sat on the mat."
DOG = "The dog sat on the mat."
ASCII = st.lists(
    st.sampled_from(["The", "cat", "song's", "sat", "3.5", "on", "mat.", "-", "ferry-boat"]), max_size=12
)
HOSTILE = {
    "empty": "",
    "white space": " \n\t ",
    "one word": "cat",
    "marks": "... !!! ▃ ---",
    "100,000 letters": "x" * 100_000,
    "100,000 marks": "." * 100_000,
    "100,000 unspaced": "中" * 100_000,
    "20,000 words": "cat sat " * 10_000,
    "20,000 sentences": "a. b! " * 10_000,
    "lone surrogates": "a\ud800b \udfff",
    "bidirectional": "\u202eabc\u2066 \u200bdef\u2069",
    "NUL": "a\0b \0",
    "combining": "e" + "\u0301" * 50_000,
}


def value(
    name: str, output: str, *references: str, question: str | None = None, passages: tuple[str, ...] = ()
) -> float:
    return METRICS[name].compute(Text(output, references, question, passages))


@pytest.mark.parametrize("name", sorted(METRICS))
def test_another_coding_of_the_same_letters_changes_no_metric(name: str) -> None:
    one = "Nguy\u1ec5n \u0111\u1ebfn H\u00e0 N\u1ed9i. \ud55c\uad6d\uc5b4 caf\u00e9."
    other = normalize("NFD", one)
    pairs = ((one, one), (other, one), (one, other))
    values = [value(name, text, by, question=by, passages=(by,)) for text, by in pairs]
    assert values[1:] == [values[0]] * 2


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("rouge-1", 2 * 5 / (9 + 6)),  # the, sat, on, the, mat
        ("rouge-2", 2 * 3 / (8 + 5)),  # sat on, on the, the mat
        ("rouge-l", 2 * 5 / (9 + 6)),
        ("length", 9.0),
        ("repeated-1", 4 / 9),  # the, cat, sat, the
        ("repeated-2", 2 / 8),  # the cat, cat sat
        ("repeated-3", 1 / 7),
        ("repeated-4", 0.0),
        ("overlap", 3 / 5),
        ("unknown", 0.0),
        ("ter", 4 / 6),  # "the cat sat." goes, "cat" becomes "dog"
        ("question-overlap", 4 / 9),  # sat, sat, on, mat
        ("passage-overlap", 7 / 9),  # all but sat, twice
    ],
)
def test_values_are_those_computed_by_hand(name: str, expected: float) -> None:
    passages = ("A dog.", "the cat, on a mat")
    found = value(name, CAT, DOG, question="On which mat sat it?", passages=passages)
    assert found == pytest.approx(expected)


@pytest.fixture(scope="module")
def quiet_rouge() -> Iterator[None]:
    """Hide what rouge-score logs at every call, in this module only."""
    logging.disable(logging.INFO)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.usefixtures("quiet_rouge")
@given(ASCII, st.lists(ASCII, min_size=1, max_size=3))
def test_rouge_is_that_of_rouge_score(output: list[str], references: list[list[str]]) -> None:
    text, others = " ".join(output), [" ".join(one) for one in references]
    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"])
    expected = scorer.score_multi(others, text)
    for name, other in (("rouge-1", "rouge1"), ("rouge-2", "rouge2"), ("rouge-l", "rougeL")):
        assert value(name, text, *others) == pytest.approx(expected[other].fmeasure)


@given(ASCII, st.lists(ASCII, min_size=1, max_size=3))
def test_the_others_are_those_of_sacrebleu(output: list[str], references: list[list[str]]) -> None:
    text, others = " ".join(output), [" ".join(one) for one in references]
    for order in (2, 4):
        bleu = BLEU(max_ngram_order=order, effective_order=True)
        assert value(f"bleu-{order}", text, *others) == pytest.approx(
            bleu.sentence_score(text, others).score / 100
        )
    assert value("chrf", text, *others) == pytest.approx(CHRF().sentence_score(text, others).score / 100)
    expected = min(TER().sentence_score(text, [other]).score / 100 for other in others)
    assert value("ter", text, *others) == pytest.approx(expected)


@given(st.text(max_size=60), st.lists(st.text(max_size=60), min_size=1, max_size=3))
def test_values_are_within_their_scale(output: str, references: list[str]) -> None:
    text = Text(output, tuple(references), references[0], tuple(references))
    for metric in METRICS.values():
        found = metric.compute(text)
        assert 0 <= found <= (float("inf") if metric.most is None else metric.most + 1e-12), metric.name


def test_the_reference_itself_is_best() -> None:
    for name in ("bleu-2", "bleu-4", "chrf", "rouge-1", "rouge-2", "rouge-l"):
        assert value(name, DOG, CAT, DOG) == pytest.approx(1)
    assert value("ter", DOG, CAT, DOG) == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_breaks_a_metric(name: str) -> None:
    text = HOSTILE[name]
    columns = compute_all([Text(text, (text, DOG), text, (text, DOG)), Text(DOG, (text,), text, (text,))])
    assert set(columns) == set(METRICS)
    assert all(np.isfinite(column.values).all() for column in columns.values())


def test_nothing_written_is_0_and_every_word_missing() -> None:
    found = {name: column.values[0] for name, column in compute_all([Text("", (DOG,), DOG, (DOG,))]).items()}
    assert found.pop("ter") == 1
    assert set(found.values()) == {0.0}


@pytest.mark.parametrize("text", ["▃", "<unk>", "[UNK]", "UNK", "▃-year-old", "▃.▃", "(▃)"])
def test_an_unknown_word_is_told(text: str) -> None:
    assert value("unknown", f"the {text} sat") == pytest.approx(1 / 3)


@pytest.mark.parametrize("text", ["unk", "drunk", "UNKNOWN", "_"])
def test_other_words_are_known(text: str) -> None:
    assert value("unknown", f"the {text} sat") == 0


def test_metrics_are_absent_where_no_input_has_what_they_take() -> None:
    found = compute_all([Text(CAT), Text(DOG)])
    assert set(found) == {name for name, metric in METRICS.items() if metric.needs == Needs.NOTHING}


def test_where_some_inputs_have_no_reference_their_outputs_have_the_mean_of_the_others() -> None:
    column = compute_all([Text(CAT, (CAT,)), Text(CAT), Text("no", (CAT,))])["rouge-1"]
    assert column.values.tolist() == pytest.approx([1, 0.5, 0])
    assert column.missing.tolist() == [False, True, False]


def test_characters_are_words_where_white_space_sets_none_apart() -> None:
    assert value("length", "猫坐在垫子上。") == 6
    assert value("rouge-1", "猫坐在", "狗坐在") == pytest.approx(2 / 3)
    assert value("bleu-2", "猫坐在垫子", "猫坐在") > 0.5
    assert value("length", "बिल्ली बैठी") == 2


def test_names_are_those_that_files_may_not_use() -> None:
    assert set(METRICS) == set(BUILT_IN)
    assert all(is_name(name) for name in METRICS)
