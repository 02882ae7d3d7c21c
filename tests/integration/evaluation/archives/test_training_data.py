"""Training data from archives: examples, how they were drawn, and weights that give published scores back."""

import json
import os
import re
import subprocess
import sys
from collections import defaultdict

import numpy as np
import pytest
import yaml
from django.core.management import call_command
from django.db.models import F

from annotations.models import Corpus, Document, Label
from evaluation.design import epochs
from evaluation.kbp.task import TASK as KBP
from evaluation.models import Edition, Epoch, Estimate, SampledUnit
from evaluation.scoring import estimation
from kbpo import pipeline
from kbpo.core.storage.folder import path_of
from kbpo_archive.errors import BadArchive
from kbpo_archive.reading import Archive
from kbpo_archive.training.making import Folder, make
from kbpo_archive.training.schema import LIST, SETS, SPLITS, split_of
from tests.archives import recomputed, released
from tests.world import World

pytestmark = pytest.mark.django_db


def corpus_file(folder):
    """Write the file of texts as the data page gives it."""
    path = folder / "corpus.jsonl"
    with path.open("w") as stream:
        for one in Document.objects.order_by("pk"):
            sentences = list(one.sentences.order_by("index").values_list("start", flat=True))
            stream.write(json.dumps({"doc_id": one.doc_id, "text": one.text, "sentences": sentences}) + "\n")
    return folder


def made(archive, folder, texts=None):
    """Make training data; return its examples by set and split, read line by line."""
    with Archive(path_of(archive.place)) as opened:
        make(opened, Folder(folder), texts)
    found = defaultdict(dict)
    for path in sorted(folder.glob("data/*/*.jsonl")):
        found[path.parent.name][path.stem] = [json.loads(line) for line in path.read_text().splitlines()]
    return found


def every(splits):
    return [example for split in splits.values() for example in split]


def published_precision(estimator=None):
    """Return each system's precision by its number: of the relation, by votes, as its sample was designed."""
    rows = Estimate.objects.filter(
        measure="precision",
        score__epoch__number=1,
        score__part="relation",
        score__standard="votes",
        score__level=95,
        score__weighting=F("score__epoch__weighting"),
    )
    if estimator:
        rows = rows.filter(score__estimator=estimator)
    return dict(rows.values_list("score__submission__batch__number", "estimate"))


def test_weighted_labels_give_the_published_precision_of_every_system(judged, tmp_path):
    examples = every(made(released(0.5), tmp_path / "out")["relation_extraction"])
    sums, weights = defaultdict(float), defaultdict(float)
    for example in examples:
        for one in example["claimed"]:
            sums[one["system"]] += one["weight"] * example["label"]
            weights[one["system"]] += one["weight"]
    published = published_precision()
    assert sums.keys() == published.keys() == {1, 2, 3, 4}
    for system, precision in published.items():
        assert abs(min(1.0, max(0.0, sums[system])) - precision) < 1e-9
        assert abs(weights[system] - 1) < 1e-9


def test_weights_by_pi_estimate_how_much_systems_claim(judged, tmp_path):
    archive = released(None)
    examples = every(made(archive, tmp_path / "out")["relation_extraction"])
    with Archive(path_of(archive.place)) as opened:
        units = opened.table("units")
    assert [example["pi"] for example in examples if example["known"]] == [1.0] * sum(units["known"])
    claimed = sum(1 / example["pi"] for example in examples)
    assert len(examples) == units["sampled"].sum() < units["unit"].size
    assert claimed == pytest.approx((units["sampled"] / units["pi"]).sum(), rel=1e-12)


def test_examples_that_do_not_hold_are_there_with_their_votes(judged, tmp_path):
    found = made(released(None), tmp_path / "out")
    assert {example["label"] for example in every(found["relation_extraction"])} == {0, 1}
    assert {example["label"] for example in every(found["entity_linking"])} <= {0, 1}
    for example in every(found["relation_extraction"]):
        own = [one for one in example["offers"] if one["relation"] == example["relation"]]
        own = next(one for one in own if not one["is_reversed"])
        assert (own["label"], own["votes"]) == (example["label"], example["votes"])
        agreeing = example["votes_for"] if example["label"] else example["votes"] - example["votes_for"]
        assert example["agreement"] == agreeing / example["votes"] > 0.5


@pytest.mark.slow
def test_no_document_is_in_two_splits_and_every_field_is_described(judged, tmp_path):
    found = made(released(1.0), tmp_path / "out")
    assert found.keys() == SETS.keys()
    for name, splits in found.items():
        described = [(one.name, [inner.name for inner in one.fields]) for one in SETS[name].fields]
        for split, examples in splits.items():
            assert {split_of(example["doc_id"]) for example in examples} == {split}
            for example in examples:
                assert list(example) == [field for field, _ in described]
                for field, inner in described:
                    assert all(list(one) == inner for one in example[field]) if inner else True
        ids = [example["id"] for example in every(splits)]
        assert len(ids) == len(set(ids)) > 0


def test_documents_annotated_in_full_are_examples_once_they_are_retired(judged, tmp_path):
    archive = released(0.5)
    found = made(archive, tmp_path / "out")
    documents, coreference = every(found["relation_extraction_documents"]), every(found["coreference"])
    with Archive(path_of(archive.place)) as opened:
        retired, true = opened.table("documents"), opened.table("true_relations")
        population = opened.manifest["documents"]["population"]
    assert (
        {one["doc_id"] for one in documents} == {one["doc_id"] for one in coreference} == {*retired["doc_id"]}
    )
    assert sum(len(one["relations"]) for one in documents) == true["document"].size
    assert sum(one["weight"] for one in documents) == pytest.approx(population)
    mentions = [(one["doc_id"], mention) for one in coreference for mention in one["mentions"]]
    links = every(found["entity_linking_documents"])
    assert {(doc_id, one["start"], one["end"]) for doc_id, one in mentions} == {
        (one["doc_id"], one["mention_start"], one["mention_end"]) for one in links
    }
    names = {(one["doc_id"], one["mention_start"]): one["name_start"] for one in links}
    for one in coreference:
        of_entity = defaultdict(set)
        for mention in one["mentions"]:
            of_entity[mention["entity"]].add(names[one["doc_id"], mention["start"]])
        assert all(len(some) == 1 for some in of_entity.values())


def test_with_texts_places_have_their_words(judged, tmp_path):
    archive, texts = released(0.5), corpus_file(tmp_path)
    found = made(archive, tmp_path / "out", texts)
    stored = dict(Document.objects.values_list("doc_id", "text"))
    for example in every(found["relation_extraction"]):
        whole, start = stored[example["doc_id"]], example["text_start"]
        assert whole[start:].startswith(example["text"])
        for side in ("subject", "object"):
            first, last = example[f"{side}_start"], example[f"{side}_end"]
            assert whole[first:last] == example[f"{side}_text"]
            assert example["text"][first - start : last - start] == example[f"{side}_text"]
    assert {one["text"] for one in every(found["coreference"])} <= set(stored.values())


@pytest.mark.slow
def test_without_texts_no_word_is_there(judged, tmp_path):
    made(released(0.5), tmp_path / "out")
    whole = "".join(path.read_text() for path in (tmp_path / "out").rglob("*.jsonl"))
    for document in Document.objects.all():
        assert not any(word in whole for word in document.text.replace(".", "").split() if word[0].isupper())


def test_a_text_that_was_removed_stays_out(judged, tmp_path):
    archive, texts = released(0.5), corpus_file(tmp_path)
    lines = [json.loads(line) for line in (texts / "corpus.jsonl").read_text().splitlines()]
    for line in lines:
        line["text"] = "█" * len(line["text"])
    (texts / "corpus.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = made(archive, tmp_path / "out", texts)
    assert {example["text"] for name in found for example in every(found[name])} == {None}


@pytest.mark.slow
def test_what_is_left_out_of_removed_documents_is_said_with_its_weight(judged, tmp_path):
    unit = SampledUnit.objects.filter(epoch__number=1).order_by("pk").first()
    document = unit.question.document
    Label.objects.filter(question__document=document).update(
        source="removed", value=1, votes=0, votes_for=0, posterior=None
    )
    Epoch.objects.update(scores_due=True)
    assert estimation.score_epoch(epoch_id=Epoch.objects.get(number=1).pk, task=KBP)
    pipeline.advance()
    archive = released(None)
    examples = every(made(archive, tmp_path / "out")["relation_extraction"])
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    left_out = {one["system"]: one for one in manifest["left_out"]}
    assert left_out
    sums, weights = defaultdict(float), defaultdict(float)
    for example in examples:
        for one in example["claimed"]:
            sums[one["system"]] += one["weight"] * example["label"]
            weights[one["system"]] += one["weight"]
    card = (tmp_path / "out" / "README.md").read_text()
    for system, precision in published_precision().items():
        lacking = left_out.get(system, {"weight": 0.0, "precision": 0.0})
        assert abs(weights[system] + lacking["weight"] - 1) < 1e-9
        assert abs(sums[system] + lacking["precision"] - precision) < 1e-9
        assert (f"| {system} | {lacking.get('claims')} |" in card) == (system in left_out)


def test_the_texts_of_another_corpus_are_refused(judged, tmp_path):
    archive, texts = released(0.5), corpus_file(tmp_path)
    lines = [json.loads(line) for line in (texts / "corpus.jsonl").read_text().splitlines()]
    for line in lines:
        line["text"] = line["text"].upper()
    (texts / "corpus.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(BadArchive, match="its SHA-256 differs"):
        made(archive, tmp_path / "out", texts)


@pytest.mark.slow
def test_the_card_names_every_file_and_every_field(judged, tmp_path):
    found = made(released(1.0), tmp_path / "out")
    card = yaml.safe_load((tmp_path / "out" / "README.md").read_text().split("---\n")[1])
    files = {
        (one["config_name"], file["split"]): file["path"]
        for one in card["configs"]
        for file in one["data_files"]
    }
    assert files == {
        (name, split): f"data/{name}/{split}.jsonl" for name, splits in found.items() for split in splits
    }
    assert {split for _, split in files} <= set(SPLITS)
    for one in card["dataset_info"]:
        fields = {field["name"]: field for field in one["features"]}
        assert list(fields) == [field.name for field in SETS[one["config_name"]].fields]
        for field in SETS[one["config_name"]].fields:
            told = fields[field.name]
            assert ("list" in told) if field.kind == LIST else told["dtype"] == field.kind


TYPES = {"string": str, "int64": int, "float64": (float, int)}


def is_of(value, feature):
    """Say whether `datasets` takes a value for what the card says of it: anything may be null."""
    if value is None:
        return True
    if "list" in feature:
        inner = {one["name"]: one for one in feature["list"]}
        return all(
            one.keys() == inner.keys() and all(is_of(one[name], inner[name]) for name in inner)
            for one in value
        )
    return isinstance(value, TYPES[feature["dtype"]]) and not isinstance(value, bool)


def test_what_the_card_says_is_what_datasets_reads(judged, tmp_path):
    """By its rules, without it: it is 400 MB with what it needs. The next test has it, if it is there."""
    texts = corpus_file(tmp_path)
    made(released(1.0), tmp_path / "out", texts)
    out = tmp_path / "out"
    card = yaml.safe_load((out / "README.md").read_text().split("---\n")[1])
    features = {
        one["config_name"]: {field["name"]: field for field in one["features"]}
        for one in card["dataset_info"]
    }
    assert features.keys() == {one["config_name"] for one in card["configs"]}
    named = []
    for config in card["configs"]:
        assert re.fullmatch(r"[A-Za-z0-9_.-]+", config["config_name"])
        splits = [one["split"] for one in config["data_files"]]
        assert len(splits) == len(set(splits))
        assert all(re.fullmatch(r"\w+(\.\w+)*", split) for split in splits)
        fields = features[config["config_name"]]
        for one in config["data_files"]:
            named.append(one["path"])
            lines = (out / one["path"]).read_text(encoding="utf-8").splitlines()
            assert lines
            for line in lines:
                example = json.loads(line)
                assert example.keys() == fields.keys()
                wrong = [name for name, value in example.items() if not is_of(value, fields[name])]
                assert not wrong, (one["path"], wrong)
    there = [str(path.relative_to(out)) for path in out.glob("data/**/*.jsonl")]
    assert sorted(named) == sorted(there)


LOAD = """
import json, sys
from datasets import get_dataset_config_names, load_dataset
folder = sys.argv[1]
print(json.dumps({
    config: {split: list(rows) for split, rows in load_dataset(folder, config).items()}
    for config in get_dataset_config_names(folder)
}))
"""


def test_datasets_loads_every_example_as_it_is_written(judged, tmp_path):
    python = os.environ.get("DATASETS_PYTHON", "")
    if not python:
        pytest.importorskip("datasets", reason="it is no requirement: docs/training.md says how to run this")
    written = made(released(1.0), tmp_path / "out", corpus_file(tmp_path))
    loaded = subprocess.run(
        [python or sys.executable, "-c", LOAD, str(tmp_path / "out")],
        env={"HF_HOME": str(tmp_path / "cache"), "HF_HUB_OFFLINE": "1", "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert loaded.returncode == 0, loaded.stderr
    found = json.loads(loaded.stdout)
    assert found.keys() == written.keys() == SETS.keys()
    for name, splits in written.items():
        assert found[name] == splits


def test_a_folder_with_something_in_it_is_refused(judged, tmp_path):
    (tmp_path / "here").write_text("mine")
    with pytest.raises(BadArchive, match="is there already"):
        Folder(tmp_path)


@pytest.mark.slow
def test_under_independent_draws_a_mean_over_draws_is_the_published_precision(tmp_path, settings):
    settings.MEDIA_ROOT = str(tmp_path / "media")
    settings.KBPO_EPOCH_SECRET = bytes(range(32))
    world = World(24)
    corpus, gold = world.write_corpus(tmp_path / "corpus.jsonl"), str(world.write_gold(tmp_path / "gold"))
    call_command("load_corpus", str(corpus), "--corpus", "drawn", "--design", "iid", verbosity=0)
    Corpus.objects.update(target_half_width=0.1)
    for number in range(2):
        path = str(
            world.write_kb(tmp_path / f"{number}.kb", world.system(recall=0.5, precision=0.6, seed=number))
        )
        call_command("submit", path, "--corpus", "drawn", "--team", "Alpha", "--name", f"d{number}")
    pipeline.advance()
    call_command("simulate_crowd", "--corpus", "drawn", "--gold", gold, "--error", "0.1")
    pipeline.advance()
    epochs.release(corpus=Corpus.objects.get(tag="drawn"), task=KBP)
    assert recomputed("drawn").agrees
    archive = Edition.objects.get(kind=Edition.Kind.EPOCH)
    examples = every(made(archive, tmp_path / "out")["relation_extraction"])
    sums = defaultdict(float)
    for example in examples:
        assert example["pi"] is None
        for one in example["claimed"]:
            sums[one["system"]] += one["weight"] * example["label"]
    published = published_precision("simple")
    assert len(published) == 2
    assert all(abs(sums[system] - precision) < 1e-9 for system, precision in published.items())
    expected = np.array([example["expected_draws"] for example in examples])
    assert (expected > 0).all()
    assert sum(example["draws"] for example in examples) == sum(
        batch.draws for batch in archive.epoch.batches.all()
    )
