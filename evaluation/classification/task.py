"""Classification: systems give each text one of a list of classes, and people say which is right."""

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from annotations.models import Corpus
from evaluation import classification
from evaluation.classification import archiving, items, scoring
from evaluation.classification.choices import CHOICES
from evaluation.classification.listed import LISTING
from evaluation.classification.starting.samples import SAMPLES
from evaluation.models import Epoch
from evaluation.reading.reader import Reader
from evaluation.task import Kit, Pages, Task
from kbpo_estimators.pooled import UnitFeatures
from kbpo_formats.classification.problems import CODES, FORMATS

NO_COUNTS: Mapping[str, Any] = MappingProxyType({"lines": 0, "items": 0, "by_class": {}, "warnings": 0})


def _summarise(counts: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the counts with the classes in the order of their frequency; None where nothing was read."""
    if not counts:
        return None
    by_class = sorted(counts.get("by_class", {}).items(), key=lambda one: (-one[1], one[0]))
    return {**counts, "by_class": by_class}


def _nothing_else(corpus: Corpus) -> list[str]:
    return []


TASK = Task(
    name="classification",
    label="classification",
    words="they give each text one of a list of classes",
    reader=Reader(
        child="evaluation.classification.child",
        formats=FORMATS,
        codes=CODES,
        no_counts=NO_COUNTS,
        receive=lambda answer: json.loads(answer.read()),
        nothing=(),
    ),
    summarise=_summarise,
    store_predictions=items.store_predictions,
    read_units=items.read_items,
    key_version=items.KEY_VERSION,
    known=items.known,
    plan=None,
    plan_again=None,
    ask=items.ask,
    asked_beside=lambda epoch, through, asked: (),
    needed_beside=lambda epoch, through, units: (),
    weights=items.weights,
    weights_version="1",
    columns=items.columns,
    foresee=items.foresee,
    retire=None,
    retired=lambda epoch: None,
    audit=_nothing_else,
    choices=CHOICES,
    features=lambda pool: UnitFeatures.nothing(pool.size),
    score=scoring.score,
    count_names=lambda corpus: 0,
    divide=scoring.divide,
    subsets=scoring.SUBSETS,
    sides=scoring.sides,
    pages=Pages(
        system="items",
        system_words="What it gives, text by text",
        documents=None,
        summary="evaluation/parts/class_summary.html",
        compared=(
            "Both were judged in the same epoch, on the same items: what the two give alike moves neither, so"
            " their difference is surer than two separate intervals suggest."
        ),
        compared_apart="They were judged in different epochs, on items drawn independently.",
    ),
    samples=SAMPLES,
    kit=Kit(folder=Path(classification.__file__).with_name("starting"), output="baseline.jsonl"),
    listing=LISTING,
    archiving=archiving.ARCHIVING,
    scored_by=(classification,),
    about=items.about,
    designs=(Corpus.Design.COORDINATED,),
    growth=Epoch.Growth.MAXIMUM,
    has_classes=True,
    prior=scoring.prior,
)
