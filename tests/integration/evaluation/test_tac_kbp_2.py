"""A corpus under TAC KBP's second version: what the first only reads is submitted, judged and scored."""

from collections.abc import Iterator
from functools import partial
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import transaction
from django.test import Client

from annotations.models import Corpus
from evaluation.models import Submission
from tests.ontologies import TAC, TAC_2
from tests.small_corpus import Text, knowledge_base, mentions, right_and_wrong, write_corpus, write_gold

pytestmark = pytest.mark.django_db

TAG = "second"
TEXTS = (
    Text(
        "hale",
        "Ruben Hale, 51, a Methodist of Irish descent whom friends call Red, was fined for illegal fishing."
        " He died of pneumonia.",
        mentions(
            PER=["Ruben Hale"],
            NUMBER=["51"],
            GROUP=["Methodist", "Irish"],
            STRING=["Red", "illegal fishing", "pneumonia"],
        ),
        [
            ("per:age", "Ruben Hale", "51"),
            ("per:religion", "Ruben Hale", "Methodist"),
            ("per:origin", "Ruben Hale", "Irish"),
            ("per:alternate_names", "Ruben Hale", "Red"),
            ("per:charges", "Ruben Hale", "illegal fishing"),
            ("per:cause_of_death", "Ruben Hale", "pneumonia"),
        ],
        [("per:origin", "Ruben Hale", "Methodist"), ("per:cause_of_death", "Ruben Hale", "illegal fishing")],
    ),
    Text(
        "league",
        "The Harbour League, or HL, a Liberal club of 340 members, is at harbour-league.example.",
        mentions(
            ORG=["Harbour League"], STRING=["HL", "harbour-league.example"], GROUP=["Liberal"], NUMBER=["340"]
        ),
        [
            ("org:alternate_names", "Harbour League", "HL"),
            ("org:political_religious_affiliation", "Harbour League", "Liberal"),
            ("org:number_of_employees_members", "Harbour League", "340"),
            ("org:website", "Harbour League", "harbour-league.example"),
        ],
        [("org:website", "Harbour League", "HL")],
    ),
)


@pytest.fixture(scope="module")
def judged(
    django_db_setup: None, django_db_blocker: object, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Everything through the commands; people make no errors, and every claim is judged."""
    folder = tmp_path_factory.mktemp(TAG)
    command = partial(call_command, stdout=StringIO())
    right, wrong = right_and_wrong(TEXTS)
    texts = write_corpus(folder / "texts.jsonl", TEXTS)
    gold = write_gold(folder / "gold.jsonl", TEXTS)
    with django_db_blocker.unblock(), transaction.atomic():  # type: ignore[attr-defined]
        command("load_corpus", str(texts), corpus=TAG, ontology=TAC_2.reference, policy="fixed")
        Corpus.objects.filter(tag=TAG).update(target_half_width=0.001, audit_share=0)
        command("load_gold", str(gold), corpus=TAG)
        for name, claims in {"all": right, "mixed": [*right[::2], *wrong]}.items():
            file = folder / f"{name}.kb"
            file.write_text(knowledge_base(name, TEXTS, TAC_2, claims), encoding="utf-8")
            command("submit", str(file), corpus=TAG, team=name, name=name)
        command("advance")
        command("simulate_crowd", corpus=TAG, gold=gold, error=0)
        command("advance")
        yield
        transaction.set_rollback(True)


def system(name: str) -> Submission:
    return Submission.objects.get(corpus__tag=TAG, name=name)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "precision", "recall"), [("all", 1, 1), ("mixed", 5 / 8, 5 / 10)])
def test_strings_are_scored_as_they_are_judged(
    judged: None, name: str, precision: float, recall: float
) -> None:
    score = system(name).scores.get(
        part="all", weighting="instance", estimator="documents", standard="votes", level=95
    )
    found = dict(score.estimates.values_list("measure", "estimate"))
    assert (found["precision"], found["recall"]) == (pytest.approx(precision), pytest.approx(recall))


def test_the_ten_predicates_that_the_first_version_only_reads_are_claims(judged: None) -> None:
    claimed = set(system("all").predictions.values_list("instance__predicate", flat=True))
    assert claimed == set(TAC_2.relations_by_name) - set(TAC.relations_by_name)


def test_a_page_shows_a_string_s_words(judged: None, client: Client) -> None:
    page = client.get(f"/corpora/{TAG}/systems/{system('all').pk}/?predicate=org:website").content.decode()
    assert "harbour-league.example</mark>" in page
