"""KnowledgeNet under its own ontology: the same files and labels, by other names, have the same scores."""

import gzip
import json
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import transaction

from annotations.models import Corpus
from evaluation.models import Epoch, Submission
from tests.knowledgenet import FOLDER, needs_knowledgenet
from tests.ontologies import DOCS, KNOWLEDGENET, TAC
from tests.samples import current_pi

DOCUMENTS = 60
TAGS = ("tac", "own")

pytestmark = [needs_knowledgenet, pytest.mark.slow, pytest.mark.django_db(transaction=False)]

#: The property for each relation of TAC.
PROPERTIES = {
    one.relation_for(kind): stored
    for own in KNOWLEDGENET.predicates
    if (one := TAC.predicates_by_name.get(own.name)) is not None
    for kind, stored in own.stored_as
}


def some_documents() -> list[dict[str, Any]]:
    """Return the documents with the most true relations."""
    gold = read(FOLDER / "gold.jsonl.gz")
    return sorted(gold, key=lambda row: (-len(row["relations"]), row["doc_id"]))[:DOCUMENTS]


def read(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def about(line: str, doc_ids: set[str]) -> bool:
    places = line.split("\t")[3:4]
    return bool(places) and {place.rpartition(":")[0] for place in places[0].split(",")} <= doc_ids


def cut_down(path: Path, doc_ids: set[str]) -> list[str]:
    """Return what a file says of some documents."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        run_id, *lines = file.read().splitlines()
    kept = [line for line in lines if about(line, doc_ids)]
    named = {line.split("\t")[0] for line in kept}
    types = [line for line in lines if "\ttype\t" in line and line.split("\t")[0] in named]
    return [run_id, *types, *kept]


def by_property(line: str) -> str:
    """Say a line of a relation by the name of KnowledgeNet's property, in its direction."""
    said = KNOWLEDGENET.predicates_by_name.get(line.partition("\t")[2].partition("\t")[0])
    if said is None:
        return line
    subject, _, object_, *rest = line.split("\t")
    (name,) = {stored for _, stored in said.stored_as}
    ends = (object_, subject) if said.turn == "swap" else (subject, object_)
    return "\t".join([ends[0], name, ends[1], *rest])


def renamed(row: dict[str, Any]) -> dict[str, Any]:
    relations = [{**one, "predicate": PROPERTIES[one["predicate"]]} for one in row["relations"]]
    return {**row, "relations": relations}


def command(name: str, *arguments: str) -> None:
    call_command(name, *arguments, stdout=StringIO())


def judge(
    folder: Path,
    tag: str,
    ontology: str,
    say: Callable[[str], str],
    of_gold: Callable[[dict[str, Any]], dict[str, Any]],
) -> None:
    """Load some documents, submit all that the ten systems say of them, and have every claim judged."""
    gold = some_documents()
    doc_ids = {row["doc_id"] for row in gold}
    texts = (row for row in read(FOLDER / "corpus.jsonl.gz") if row["doc_id"] in doc_ids)
    files = {
        "texts.jsonl": [json.dumps({"doc_id": row["doc_id"], "text": row["text"]}) for row in texts],
        "gold.jsonl": [json.dumps(of_gold(row)) for row in gold],
    }
    paths = sorted((FOLDER / "submissions").glob("*.kb.gz"))
    files |= {path.name.removesuffix(".kb.gz"): list(map(say, cut_down(path, doc_ids))) for path in paths}
    for name, lines in files.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    command("load_corpus", str(folder / "texts.jsonl"), "--corpus", tag, "--ontology", ontology)
    Corpus.objects.filter(tag=tag).update(target_half_width=0.001, audit_share=0, policy="fixed")
    command("load_gold", str(folder / "gold.jsonl"), "--corpus", tag)
    for path in paths:
        name = path.name.removesuffix(".kb.gz")
        command("submit", str(folder / name), "--corpus", tag, "--team", f"Team {name[0]}", "--name", name)
    command("advance")
    command("simulate_crowd", "--corpus", tag, "--gold", str(folder / "gold.jsonl"), "--error", "0")
    command("advance")


@pytest.fixture(scope="module")
def judged(
    django_db_setup: None, django_db_blocker: object, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    with django_db_blocker.unblock(), transaction.atomic():  # type: ignore[attr-defined]
        command("load_ontology", str(DOCS / "knowledgenet.toml"))
        judge(tmp_path_factory.mktemp("tac"), "tac", TAC.reference, str, dict)
        judge(tmp_path_factory.mktemp("own"), "own", KNOWLEDGENET.reference, by_property, renamed)
        yield
        transaction.set_rollback(True)


def scores(tag: str) -> dict[tuple[str, ...], Any]:
    found = Submission.objects.filter(corpus__tag=tag, scores__estimates__isnull=False)
    values = ("estimator", "weighting", "part", "standard", "level", "labels", "estimates__measure")
    measured = ("estimates__estimate", "estimates__low", "estimates__high")
    return {
        (name, *map(str, row[: len(values)])): row[len(values) :]
        for name, *row in found.values_list("name", *(f"scores__{one}" for one in (*values, *measured)))
    }


def test_every_claim_is_judged(judged: None) -> None:
    for epoch in Epoch.objects.filter(corpus__tag__in=TAGS):
        assert set(current_pi(epoch).values()) == {1.0}


def test_the_ten_systems_have_the_same_scores_under_their_own_names_and_tacs(judged: None) -> None:
    tac, own = map(scores, TAGS)
    assert len({name for name, *_ in tac}) == 10
    assert own.keys() == tac.keys()
    for key, values in tac.items():
        assert own[key] == pytest.approx(values, abs=1e-9, nan_ok=True), key


def test_claims_have_the_properties_own_names(judged: None) -> None:
    claimed = Submission.objects.filter(corpus__tag="own").values_list(
        "predictions__instance__predicate", flat=True
    )
    assert set(claimed.distinct()) <= set(KNOWLEDGENET.relations_by_name)
