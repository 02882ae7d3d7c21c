"""Knowledge base population: systems claim relations between mentions, each judged where it is said."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotations.models import Corpus
from annotations.ontologies import plain_ontology_of
from evaluation import kbp
from evaluation.kbp import (
    archiving,
    auditing,
    comparing,
    divisions,
    kept,
    keys,
    name_counts,
    planning,
    scoring,
)
from evaluation.kbp.asking import ask, asked_beside, needed_beside
from evaluation.kbp.choices import CHOICES
from evaluation.kbp.claims import known, read_claims
from evaluation.kbp.files.reading import READER
from evaluation.kbp.foreseeing import foresee
from evaluation.kbp.listed import LISTING
from evaluation.kbp.predictions import store_predictions
from evaluation.kbp.recall import retirement
from evaluation.kbp.starting.samples import SAMPLES
from evaluation.kbp.summary import summarise
from evaluation.task import Kit, Pages, Task
from kbpo_formats.ontologies.normal import write_normal


def about(corpus: Corpus) -> Mapping[str, Any]:
    """Return what the reader must know of a corpus: its ontology, and whether problems may quote its texts.

    They may where everybody reads these: else whoever has a file checked could read by its faults.
    """
    return {
        "ontology": write_normal(plain_ontology_of(corpus)),
        "quotes_texts": corpus.texts == Corpus.Texts.PUBLIC,
    }


TASK = Task(
    name="kbp",
    label="knowledge base population",
    words="they extract knowledge bases from the texts",
    reader=READER,
    about=about,
    has_ontology=True,
    summarise=summarise,
    store_predictions=store_predictions,
    read_units=read_claims,
    key_version=keys.VERSION,
    known=known,
    plan=planning.plan,
    plan_again=planning.plan_again,
    ask=ask,
    asked_beside=asked_beside,
    needed_beside=needed_beside,
    weights=kept.weights,
    weights_version=kept.BY_NAMES,
    columns=kept.columns,
    foresee=foresee,
    retire=retirement.retire,
    retired=retirement.report_in_words,
    audit=auditing.audit,
    choices=CHOICES,
    features=kept.features,
    score=scoring.score,
    count_names=name_counts.count_new,
    divide=scoring.divide,
    subsets=divisions.SUBSETS,
    sides=comparing.sides,
    pages=Pages(
        planned="if judges find its claims as sure as they are in the documents that are annotated in full",
        system="system",
        documents="documents",
        summary="evaluation/parts/summary.html",
        compared=(
            "Both were judged in the same epoch, on many of the same claims and on the same documents, so"
            " their difference is surer than two separate intervals suggest."
        ),
        compared_apart=(
            "They were judged in different epochs: their precisions are independent, and they share only the"
            " documents annotated in full on which the recall of both rests."
        ),
    ),
    samples=SAMPLES,
    kit=Kit(folder=Path(kbp.__file__).with_name("starting"), output="baseline.jsonl"),
    listing=LISTING,
    archiving=archiving.ARCHIVING,
    scored_by=(kbp,),
)
