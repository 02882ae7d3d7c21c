"""What the help page shows as a file is one: it is read without a fault, and every format says the same."""

import io
import json

from evaluation.views import walk
from kbpo_formats.corpus import Texts
from kbpo_formats.kbp import files
from kbpo_formats.ontologies.normal import write_normal
from kbpo_formats.problems import Problem
from kbpo_formats.reading import check
from tests.ontologies import TAC

ROWS = [json.loads(line) for line in walk.FILES["corpus.jsonl"].splitlines()]
ABOUT = {"ontology": write_normal(TAC), "classes": ["profile", "obituary"]}
DOCUMENTS = Texts({row["doc_id"]: row["text"] for row in ROWS}, about=ABOUT)


def problems(name: str, task: str, **attachments: str) -> tuple[Problem, ...]:
    beside = {key: io.BytesIO(walk.FILES[one].encode()) for key, one in attachments.items()}
    found = check(io.BytesIO(walk.FILES[name].encode()), task=task, documents=DOCUMENTS, attachments=beside)
    assert found.accepted
    return found.problems


def test_the_claims_have_no_fault() -> None:
    assert problems("claims.jsonl", "kbp") == ()


def test_the_same_in_tac_has_no_error() -> None:
    assert {one.code for one in problems("claims.kb", "kbp")} == {"MISSING_INVERSE"}


def test_the_class_has_no_fault() -> None:
    assert problems("classes.jsonl", "classification") == ()


def test_the_output_and_its_metrics_have_no_fault() -> None:
    assert problems("outputs.jsonl", "generation", metrics="metrics.tsv") == ()


def test_both_formats_say_the_same() -> None:
    said = []
    for name, format in (("claims.jsonl", "jsonl"), ("claims.kb", "tac2016")):
        stream = io.BytesIO(walk.FILES[name].encode())
        reading = files.read(stream, format=format, documents=DOCUMENTS, ontology=TAC)
        said.append(
            [
                one._replace(line=0, provenance="", subject_entity="", object_entity="")
                for one in reading.predictions
            ]
        )
    assert said[0] == said[1]


def test_what_is_shown_is_what_can_be_downloaded() -> None:
    shown = {"".join(step.lines for step in steps) for steps in (walk.CLAIMS, walk.TAC)}
    others = {walk.CLASSES, walk.OUTPUTS, walk.METRICS, walk.FILES["corpus.jsonl"]}
    assert shown | others == set(walk.FILES.values())
