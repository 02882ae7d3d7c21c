"""Precision of ten real systems as the reader and the weightings make it, and attacks on it."""

import csv
import functools
import gzip
import io
import json
from collections.abc import Callable

import numpy as np
import pytest

from evaluation.kbp.files import sent
from evaluation.kbp.files.child import read_file
from evaluation.kbp.name_keys import Names
from kbpo_estimators.weighting import WEIGHTINGS
from kbpo_formats.corpus import Texts
from kbpo_formats.kbp import files
from kbpo_formats.kbp.overlapping import find_overlapping
from kbpo_formats.kbp.predictions import Predictions, ReadPrediction
from kbpo_formats.spans import Span
from tests.knowledgenet import FOLDER, exact, needs_knowledgenet
from tests.marks import some_quick
from tests.ontologies import ABOUT

pytestmark = needs_knowledgenet

ROUNDED = 5.1e-7
HONEST = ("A2_rules_medium", "B2_logreg_mid", "B3_logreg_low", "C1_crf_knn", "D1_union")

Claims = list[tuple[ReadPrediction, float]]
"""Claims, and whether each is right: of a copy or a cut one as much as of what it was made from."""


@functools.cache
def documents() -> Texts:
    with gzip.open(FOLDER / "corpus.jsonl.gz", "rt", encoding="utf-8") as file:
        return Texts({one["doc_id"]: one["text"] for one in map(json.loads, file)}, about=ABOUT)


@functools.cache
def truth(system: str) -> dict[tuple[object, ...], float]:
    with gzip.open(FOLDER / "instances" / f"{system}.tsv.gz", "rt", encoding="utf-8", newline="") as file:
        return {
            (
                *(row["doc_id"], row["predicate"]),
                Span(int(row["subject_start"]), int(row["subject_end"])),
                Span(int(row["object_start"]), int(row["object_end"])),
            ): float(row["correct"])
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        }


def is_right(system: str, one: ReadPrediction) -> float:
    return truth(system)[one.doc_id, one.predicate, one.subject, one.object]


@functools.cache
def uploaded(system: str):
    """Read a system's file as an upload is read."""
    data = gzip.decompress((FOLDER / "submissions" / f"{system}.kb.gz").read_bytes())
    return read_file(io.BytesIO(data), "tac2016", documents())


@functools.cache
def claims(system: str) -> tuple[tuple[ReadPrediction, float], ...]:
    return tuple((one, is_right(system, one)) for one in uploaded(system).reading.predictions)


def precisions(made: Claims) -> dict[str, float]:
    """Return precision by weighting, of the claims that count."""
    predictions = Predictions(one for one, _ in made)
    overlapping = find_overlapping(predictions, documents())
    predictions = predictions.without(overlapping)
    right = np.array([value for place, (_, value) in enumerate(made) if place not in overlapping])
    names = sent.name_columns(predictions, documents())
    given = names["subject_name"], predictions.names("predicate"), names["object_name"]
    return {name: float(weigh(*given) @ right) for name, weigh in WEIGHTINGS.items()}


@pytest.mark.parametrize("system", sorted(exact()) if FOLDER.is_dir() else [])
def test_precision_of_what_is_read_is_the_published_one_under_every_weighting(system: str) -> None:
    base = uploaded(system)
    names = {
        column: base.predictions.names(column) for column in ("subject_name", "predicate", "object_name")
    }
    right = np.array([is_right(system, one) for one in base.reading.predictions])
    found = {name: weigh(*names.values()) @ right for name, weigh in WEIGHTINGS.items()}
    assert found == pytest.approx(exact()[system]["precision"], abs=ROUNDED)
    assert len(set(names["subject_name"])) == exact()[system]["subjects"]
    assert base.counts["overlapping"] == exact()[system]["overlapping"]


def doubtful(made: Claims, change: Callable[[ReadPrediction], ReadPrediction]) -> Claims:
    """Change the half of the claims that a system is least sure of."""
    order = sorted(range(len(made)), key=lambda i: made[i][0].confidence)
    chosen = set(order[: len(made) // 2])
    return [(change(one) if i in chosen else one, value) for i, (one, value) in enumerate(made)]


def cut_to_first(one: ReadPrediction) -> ReadPrediction:
    (a, _), (c, _) = one.subject, one.object
    return one._replace(subject=Span(a, a + 1), object=Span(c, c + 1))


def cut_to_last(one: ReadPrediction) -> ReadPrediction:
    (_, b), (_, d) = one.subject, one.object
    return one._replace(subject=Span(b - 1, b), object=Span(d - 1, d))


def copied(made: Claims) -> Claims:
    """Add twenty copies of the surest twentieth, their objects' ends shifted by one character more each."""
    order = sorted(range(len(made)), key=lambda i: -made[i][0].confidence)
    surest = [made[i] for i in order[: len(made) // 20]]
    copies = []
    for one, value in surest:
        length = documents().length(one.doc_id) or 0
        for shift in range(1, 21):
            end = min(one.object.end + shift, length)
            copies.append((one._replace(object=Span(one.object.start, end)), value))
    return [*made, *copies]


@pytest.mark.parametrize("system", some_quick(HONEST, 2))
@pytest.mark.parametrize(
    "attack",
    [
        lambda made: doubtful(made, cut_to_first),
        lambda made: doubtful(made, cut_to_last),
        copied,
    ],
    ids=["doubtful spans cut to their first letter", "to their last", "shifted copies of the surest"],
)
def test_where_spans_end_moves_precision_by_nothing_that_matters(
    system: str, attack: Callable[[Claims], Claims]
) -> None:
    made = list(claims(system))
    assert precisions(attack(made)) == pytest.approx(precisions(made), abs=0.003)


def test_renaming_entities_changes_no_key() -> None:
    made = Predictions(one for one, _ in claims("B2_logreg_mid"))
    renamed = Predictions(one._replace(subject_entity=":Few", object_entity=":Few") for one in made)
    assert sent.name_columns(renamed, documents()) == sent.name_columns(made, documents())


def test_a_key_is_that_of_the_whole_name_wherever_a_span_touches_it() -> None:
    text = "She met the mayor of the Isle of Man."
    names = Names("D", text)
    start = text.index("Isle")
    assert {names.key(start + i, start + i + 1) for i in range(4)} == {"isle of man"}


@pytest.mark.parametrize("system", some_quick(sorted(exact()), 3) if FOLDER.is_dir() else [])
def test_json_lines_of_a_real_file_give_the_same_instances_and_the_same_scores(system: str) -> None:
    as_tac = uploaded(system)
    lines = files.write(as_tac.reading, documents(), format="jsonl")
    as_lines = read_file(io.BytesIO("".join(lines).encode()), "jsonl", documents())
    assert as_lines.accepted
    read_of_lines = [one._replace(line=0) for one in as_lines.reading.predictions]
    assert read_of_lines == [one._replace(line=0, provenance="") for one in as_tac.reading.predictions]
    made = [(one, is_right(system, one)) for one in as_lines.reading.predictions]
    assert precisions(made) == precisions(list(claims(system)))
