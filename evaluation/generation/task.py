"""Generation: systems write a text for each input, and people judge a sample of what they wrote."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from annotations import prompts
from annotations.models import Corpus
from annotations.policies import single
from annotations.texts.inputs import QUALITY
from evaluation import generation
from evaluation.generation import archiving, outputs, planning, scoring, subsets
from evaluation.generation.choices import CHOICES
from evaluation.generation.listed import LISTING
from evaluation.generation.metrics import worths
from evaluation.generation.metrics.preparing import PREPARING
from evaluation.generation.starting.samples import SAMPLES
from evaluation.generation.submitted import READER
from evaluation.models import Epoch
from evaluation.task import Kit, Pages, Task
from kbpo_estimators.pooled import UnitFeatures


def _summarise(counts: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the counts; None where nothing was read."""
    return counts or None


def _of_corpus(corpus: Corpus) -> Task:
    """Return the task with what is judged of the outputs for a corpus."""
    prompt = prompts.prompt_of(corpus)
    return TASK if prompt is None else BY_PROMPT[prompt.name]


TASK = Task(
    name="generation",
    label="generation",
    words="they write a text for each input: a summary, or an answer",
    reader=READER,
    summarise=_summarise,
    store_predictions=outputs.store_predictions,
    read_units=outputs.read_outputs,
    preparing=PREPARING,
    key_version=outputs.KEY_VERSION,
    random_key=outputs.random_key,
    known=outputs.known,
    plan=planning.plan,
    plan_again=planning.plan_again,
    alternatives=planning.alternatives,
    limit_words=planning.noise_words,
    label_variance=float("inf"),
    ask=outputs.ask,
    asked_beside=lambda epoch, through, asked: (),
    needed_beside=lambda epoch, through, units: (),
    weights=outputs.weights,
    weights_version="1",
    columns=outputs.columns,
    foresee=outputs.foresee,
    retire=None,
    retired=lambda epoch: None,
    audit=outputs.audit,
    choices=CHOICES[QUALITY],
    features=lambda pool: UnitFeatures.nothing(pool.size),
    score=scoring.score,
    count_names=lambda corpus: 0,
    divide=scoring.divide,
    study=worths.store,
    subsets=subsets.SUBSETS,
    sides=scoring.sides,
    pages=Pages(
        system="outputs",
        system_words="What it wrote, input by input",
        documents=None,
        summary="evaluation/parts/output_summary.html",
        compared=(
            "Both were judged in the same epoch, on the same inputs: where the two wrote the same, neither is"
            " ahead, so their difference is surer than two separate intervals suggest."
        ),
        compared_apart="They were judged in different epochs, on inputs drawn independently.",
        further=(("metrics", "What metrics are worth here"),),
        planned="if outputs and judgements vary as was planned",
        pair="output_pair",
        pair_words="The inputs for which they wrote something else",
    ),
    listing=LISTING,
    samples=SAMPLES,
    kit=Kit(folder=Path(generation.__file__).with_name("starting"), output="outputs.jsonl"),
    archiving=archiving.ARCHIVING,
    scored_by=(generation,),
    designs=(Corpus.Design.COORDINATED,),
    growth=Epoch.Growth.QUADRATIC,
    has_prompt=True,
    policies=(single.POLICY.name,),
    has_audits=False,
    of_corpus=_of_corpus,
)

BY_PROMPT: Mapping[str, Task] = MappingProxyType(
    {name: replace(TASK, choices=choices) for name, choices in CHOICES.items()}
)
