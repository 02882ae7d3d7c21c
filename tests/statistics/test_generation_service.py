"""The service finds the truth where recorded judgements are replayed: uploads, samples, answers, the board.

The way is walked a few times, by the code that takes what people send. What needs a thousand samples is in
`test_generation`, by the estimators alone; here the numbers of a thousand secrets are those that the service
makes of them.
"""

import gzip
import io
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.test import Client

from annotations.models import Corpus, Question, Response
from annotations.policies import single
from evaluation.generation import outputs, scoring
from evaluation.models import Comparison, Output, SampledUnit, Submission
from evaluation.registry import task_of
from evaluation.scoring import leaderboard
from kbpo import pipeline
from kbpo_estimators import coordinated
from kbpo_formats.generation.outputs import tidy
from research.experiments.generation import replayed
from tests.nlg import FOLDER, needs_nlg, recorded

pytestmark = [needs_nlg, pytest.mark.slow]

SNET = ("snet.single", "snet.ensemble")


@pytest.fixture(autouse=True)
def same_sample(settings: Any, tmp_path: Path) -> None:
    settings.KBPO_EPOCH_SECRET = b"always the same sample"
    settings.KBPO_HOME = tmp_path


def load(name: str, prompt: str, folder: Path, half_width: float, **options: Any) -> Corpus:
    """Load the inputs for which all systems have an output."""
    data = recorded()[name]
    common = set.intersection(*({int(one) for one in system.inputs} for system in data.systems))
    path = folder / "inputs.jsonl"
    lines = [json.dumps(one) + "\n" for place, one in enumerate(data.inputs) if place in common]
    path.write_text("".join(lines))
    assert len(lines) == 500
    given = {"corpus": name, "task": "generation", "prompt": prompt, "verbosity": 0}
    call_command("load_corpus", str(path), **given, **options)
    Corpus.objects.update(target_half_width=half_width, weekly_quota=10, weekly_quota_of_person=10)
    return Corpus.objects.get()


def submit(name: str, system: str, folder: Path, called: str = "", *, metrics: bool = True) -> Submission:
    """Submit what a system wrote, with the paper's metrics of it where there are some."""
    there = {one["input_id"] for one in map(json.loads, (folder / "inputs.jsonl").open())}
    path, options = folder / "outputs.jsonl", {}
    with gzip.open(FOLDER / name / f"outputs.{system}.jsonl.gz", "rt", encoding="utf-8") as lines:
        path.write_text("".join(line for line in lines if json.loads(line)["input_id"] in there))
    table = FOLDER / name / f"metrics.{system}.tsv"
    if metrics and table.exists():
        head, *rows = table.read_text(encoding="utf-8").splitlines(keepends=True)
        (folder / "metrics.tsv").write_text(
            "".join([head, *(row for row in rows if row.split("\t")[0] in there)])
        )
        options["metrics"] = folder / "metrics.tsv"
    called = called or system
    given = {"corpus": name, "team": called, "name": called, "stdout": io.StringIO()}
    call_command("submit", str(path), **given, **options)
    pipeline.advance()
    return Submission.objects.get(name=called)


def replay(name: str, seed: int = 1) -> None:
    """Have everything answered as somebody did, and settled, closed and scored."""
    path = FOLDER / name / "judgements.jsonl.gz"
    call_command("simulate_crowd", corpus=name, judgements=path, seed=seed, verbosity=0)
    pipeline.advance()


def errors(corpus: Corpus) -> Mapping[tuple[str, str], float]:
    """Return by system and measure how far the board is from the mean of all recorded judgements.

    In standard errors, about: half of the width of an interval.
    """
    data = recorded()[corpus.tag]
    ids = set(corpus.documents.values_list("doc_id", flat=True))
    found = {}
    for row in leaderboard.rows(corpus, task_of(corpus).choices, level=80):
        system = data.system(row.name)
        inside = [data.inputs[place]["input_id"] in ids for place in system.inputs]
        for measure in data.values:
            truth = float(data.means(measure)[system.units[inside]].mean())
            got = row.measures[measure]
            reach = 0.5 * (got.high - got.low) / 1.2816
            found[row.name, measure] = (got.estimate - truth) / reach
    return found


@pytest.mark.django_db
def test_all_outputs_of_marco_are_1861_questions_and_their_scores_the_means(
    tmp_path: Path, client: Client
) -> None:
    corpus = load("marco", "answer", tmp_path, half_width=0.001)
    for system in recorded()["marco"].systems:
        submit("marco", system.name, tmp_path)
    assert Output.objects.count() == 2_500
    assert SampledUnit.objects.count() == Question.objects.count() == 1_861
    submit("marco", "snet.ensemble", tmp_path, called="again", metrics=False)
    assert Question.objects.count() == 1_861  # no output is judged twice
    twice = Question.objects.filter(votes_needed=2).count()
    assert 0.26 < twice / 1_861 < 0.34
    replay("marco")
    assert Response.objects.count() == 1_861 + twice
    assert not Submission.objects.exclude(state="scored").exists()
    Submission.objects.filter(name="again").update(is_public=False)
    found = errors(corpus)
    print({key: round(one, 2) for key, one in found.items()})
    assert len(found) == 10
    assert max(map(abs, found.values())) < 4.5
    assert client.get("/corpora/marco/").status_code == 200
    call_command("audit_samples", "--corpus", "marco", verbosity=0)


@pytest.mark.django_db
def test_systems_that_share_answers_are_told_apart_by_what_they_do_not_share(tmp_path: Path) -> None:
    corpus = load("marco", "answer", tmp_path, half_width=0.06, planning=["any=0.2,0.05,0.0"])
    for name in SNET:
        submit("marco", name, tmp_path)
    judged = SampledUnit.objects.count()
    replay("marco")
    row = Comparison.objects.get(estimator="plain", part="any", standard="votes")
    arrays = scoring.sides()(row.arrays, corpus.epochs.get()).arrays
    ratio = arrays["variances of any"][0, 1] / arrays["own of any"].sum()
    print(f"{judged} outputs of two systems are judged; the ratio of variances is {ratio:.3f}")
    assert 100 < judged < 400
    assert ratio < 0.45
    assert max(map(abs, errors(corpus).values())) < 4.5


@pytest.mark.django_db
def test_summaries_with_metrics_of_their_own_are_scored_as_people_judged_them(
    tmp_path: Path, client: Client
) -> None:
    corpus = load("cdm", "quality", tmp_path, half_width=0.05, metric="repeated-2")
    data = recorded()["cdm"]
    for system in data.systems:
        submit("cdm", system.name, tmp_path)
    asked = Question.objects.count()
    assert asked < Output.objects.count()
    by_system = {
        name: {
            one.document_id
            for one in Output.objects.filter(submission__name=name, unit__sampled__isnull=False)
        }
        for name in (one.name for one in data.systems)
    }
    common = set.intersection(*by_system.values())
    assert len(common) > 0.9 * max(map(len, by_system.values()))  # they are judged on the same inputs
    replay("cdm")
    found = errors(corpus)
    print(asked, {name: len(one) for name, one in by_system.items()})
    print({key: round(one, 2) for key, one in found.items()})
    assert len(found) == 25
    assert max(map(abs, found.values())) < 4.5
    for address in ("/corpora/cdm/", "/corpora/cdm/?part=redundancy&standard=crowd"):
        assert client.get(address).status_code == 200
    call_command("audit_samples", "--corpus", "cdm", verbosity=0)


@pytest.mark.parametrize("name", ["cdm", "marco"])
def test_what_is_drawn_by_the_services_secrets_gives_unbiased_scores_and_intervals_that_hold(
    name: str,
) -> None:
    data = recorded()[name]
    good = replayed.bigrams(data)
    epochs = drawn_by_secrets(name, 100 / {"cdm": 520, "marco": 500}[name], 1_000)
    biases, coverage = {}, {}
    for measure in data.values:
        measured = replayed.Measured(data, epochs, measure)
        for system in data.systems:
            for metric in ([], [good[system.units]]):
                got = measured.replay(system, metric)
                key = measure, system.name, len(metric)
                biases[key], coverage[key] = abs(got.bias), got.coverage
                print(f"{key}: bias {got.bias:.2f} s.e., holds {got.coverage:.3f}")
    assert np.mean([one < 3 for one in biases.values()]) >= 0.99
    assert max(biases.values()) < 4.5
    # Of uncapped edits test_generation says how far they fall short (ADR 21).
    wrong = {key: one for key, one in coverage.items() if key[0] != "edit" and not 0.93 <= one <= 0.97}
    assert wrong == {}


def drawn_by_secrets(name: str, share: float, secrets: int) -> replayed.Epochs:
    """Draw as an epoch of the service does: random numbers, folds and second votes are of its secret."""
    data = recorded()[name]
    ids = [str(one["input_id"]) for one in data.inputs]
    keys = [
        outputs.key_of(ids[place], tidy(text))
        for place, text in zip(data.unit_inputs, data.texts, strict=True)
    ]
    assert {outputs.random_key(key) for key in keys} <= set(ids)
    asked_twice = [f"second|{key}" for key in keys]
    rng = np.random.default_rng(2018)
    epochs = replayed.draw(data, share, secrets, rng)  # who is replayed
    of_epoch = [rng.bytes(32) for _ in range(secrets)]
    u = np.array([coordinated.uniforms(one, ids) for one in of_epoch])[:, data.unit_inputs]
    sampled = u < epochs.pi
    twice = np.array([coordinated.uniforms(one, asked_twice) for one in of_epoch]) < single.SECOND_SHARE
    folds = np.array([coordinated.folds(one, ids) for one in of_epoch])
    return replace(epochs, sampled=sampled, twice=sampled & twice, folds=folds)
