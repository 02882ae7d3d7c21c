"""A corpus under the example of Wikidata: loaded, submitted, judged, scored, and looked at."""

import json
from collections.abc import Iterator
from functools import partial
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import transaction
from django.test import Client

from annotations.models import Corpus
from evaluation.kbp.explorer import entity_index
from evaluation.kbp.files.child import read_file
from evaluation.kbp.predictions import store_predictions
from evaluation.kbp.task import TASK as KBP
from evaluation.models import Submission
from evaluation.scoring.finegrained import subset_tables
from kbpo.core.errors import InvalidInput
from kbpo_formats.corpus import Texts
from kbpo_formats.ontologies.normal import write_normal
from tests import small_corpus, wikidata
from tests.ontologies import TAC, WIKIDATA
from tests.world import World

TAG = "dozen"


def command(name: str, *arguments: str) -> None:
    call_command(name, *arguments, stdout=StringIO())


@pytest.fixture(scope="module")
def judged(
    django_db_setup: None, django_db_blocker: object, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Corpus]:
    """Everything through the commands; people make no errors, and every claim is judged."""
    folder = tmp_path_factory.mktemp("dozen")
    right, wrong = small_corpus.right_and_wrong(wikidata.TEXTS)
    knowledge_base = partial(small_corpus.knowledge_base, texts=wikidata.TEXTS, ontology=WIKIDATA)
    systems = {
        "all": knowledge_base("all", claims=right),
        "turned": knowledge_base("turned", claims=right, by_inverses=True),
        "half": knowledge_base("half", claims=[*right[::2], *wrong]),
    }
    texts = small_corpus.write_corpus(folder / "texts.jsonl", wikidata.TEXTS)
    gold = small_corpus.write_gold(folder / "gold.jsonl", wikidata.TEXTS)
    with django_db_blocker.unblock(), transaction.atomic():  # type: ignore[attr-defined]
        command("load_ontology", str(wikidata.TOML))
        command(
            "load_corpus", str(texts), "--corpus", TAG, "--ontology", "wikidata-dozen", "--policy", "fixed"
        )
        Corpus.objects.filter(tag=TAG).update(target_half_width=0.001, audit_share=0)
        command("load_gold", str(gold), "--corpus", TAG)
        for name, file in systems.items():
            (folder / f"{name}.kb").write_text(file, encoding="utf-8")
            command("submit", str(folder / f"{name}.kb"), "--corpus", TAG, "--team", name, "--name", name)
        command("advance")
        command("simulate_crowd", "--corpus", TAG, "--gold", str(gold), "--error", "0")
        command("advance")
        yield Corpus.objects.get(tag=TAG)
        transaction.set_rollback(True)


@pytest.fixture
def corpus(judged: Corpus, db: None) -> Corpus:
    return judged


def system(name: str) -> Submission:
    return Submission.objects.get(corpus__tag=TAG, name=name)


@pytest.mark.parametrize(
    ("name", "precision", "recall"), [("all", 1, 1), ("turned", 1, 1), ("half", 6 / 12, 6 / 12)]
)
def test_scores_are_the_truth_where_every_claim_is_judged(
    corpus: Corpus, name: str, precision: float, recall: float
) -> None:
    score = system(name).scores.get(
        part="all", weighting="instance", estimator="documents", standard="votes", level=95
    )
    found = dict(score.estimates.values_list("measure", "estimate"))
    assert (found["precision"], found["recall"]) == (pytest.approx(precision), pytest.approx(recall))


def test_claims_are_stored_in_one_direction(corpus: Corpus) -> None:
    claimed = [set(system(name).predictions.values_list("instance", flat=True)) for name in ("all", "turned")]
    assert claimed[0] == claimed[1]


def test_subsets_have_the_ontologys_relations_and_words(corpus: Corpus) -> None:
    tables = {one.title: set(one.too_few) for one in subset_tables(system("all"), KBP, "all")}
    assert "P569" in tables["By relation"]
    assert tables["By type of subject"] == {"person", "organization", "place", "work"}


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("", "Claims are of the 12 relations of"),
        ("systems/{half}/", "Edda Strand</b> was born in "),
        ("systems/{half}/?predicate=P1082", "350,000</mark>"),
        ("documents/town/", "population"),
        ("documents/edda/", 'class="type-4"'),
        ("entities/", ">work</option>"),
        ("entities/?type=PLACE", "Malmö"),
    ],
)
def test_its_pages_say_claims_and_types_in_its_words(
    client: Client, corpus: Corpus, path: str, said: str
) -> None:
    entity_index.make_index(corpus=corpus, now=corpus.created_at)
    page = client.get(f"/corpora/{TAG}/{path.format(half=system('half').pk)}")
    assert page.status_code == 200
    assert said in page.content.decode()


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("systems/{half}/?predicate=per:age", "is no relation of wikidata-dozen@1; one is P569"),
        (
            "documents/edda/?relation=per:spouse.0-4.5-9",
            "is no relation of wikidata-dozen@1; one is like P569",
        ),
        ("entities/?type=PER", "is no type of entities; they are PERSON, ORG, PLACE, WORK"),
    ],
)
def test_an_address_with_what_the_ontology_has_not_is_refused(
    client: Client, corpus: Corpus, path: str, said: str
) -> None:
    page = client.get(f"/corpora/{TAG}/{path.format(half=system('half').pk)}")
    assert page.status_code == 400
    assert said in page.content.decode().replace("&#x27;", "'")


def test_the_help_page_lists_what_files_may_state(client: Client, corpus: Corpus) -> None:
    page = client.get("/help/").content.decode()
    assert 'id="wikidata-dozen-1"' in page
    assert "<code>P8810</code>" in page


def test_claims_of_another_ontology_are_not_stored(corpus: Corpus, tmp_path: Path) -> None:
    world = World(1)
    kb = world.write_kb(tmp_path / "kb", [(fact, 0.5) for fact in world.true])
    texts = {json.loads(line)["doc_id"]: world.text(0) for line in world.write_corpus(tmp_path / "c").open()}
    documents = Texts(texts, about={"ontology": write_normal(TAC)})
    with kb.open("rb") as stream:
        read = read_file(stream, "tac2016", documents)
    with pytest.raises(InvalidInput, match=rf"unknown relation 'per:\w+'; {WIKIDATA.reference} has P569"):
        store_predictions(system("half"), read.predictions)
