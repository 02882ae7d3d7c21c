"""HITs and tutorials under an ontology of another shape than TAC's, and under guidelines of a corpus' own."""

import json
import re
from datetime import timedelta
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from annotations import ontologies, questions
from annotations.kinds.relation import Mention, RelationQuestion
from annotations.models import Corpus, Document, Question, Response
from crowd import posting, qualifying
from crowd.annotators import answering, queue
from crowd.interfaces.registry import find_tutorial
from crowd.models import Assignment, Bonus, Hit, TutorialAttempt, WorkerQualification
from crowd.models.qualification import Skill
from crowd.pricing.terms import BatchTerms
from kbpo.core.errors import InvalidInput
from tests import crowd
from tests.arrivals import field
from tests.boats import ADA, BOATS, GULL, TOML, load_boats
from tests.factories import HitFactory, QuestionFactory, UserFactory, WorkerIdentityFactory
from tests.integration.hits.conftest import address, html_of, token_of
from tests.ontologies import TAC

pytestmark = pytest.mark.django_db

SAILS = "crew:sails-on_1|0"
OWN = """
[relations]
"crew:sails-on_1" = "Only as the captain."
"""


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return load_boats(tmp_path)


@pytest.fixture
def document(corpus: Corpus) -> Document:
    return corpus.documents.get()


@pytest.fixture
def sails(document: Document) -> Question:
    asked = RelationQuestion.about(Mention(ADA, "CREW"), Mention(GULL, "BOAT_2"), BOATS)
    return questions.ask([(document.pk, asked)])[document.pk, asked]


@pytest.fixture
def sails_hit(sails: Question, corpus: Corpus) -> Hit:
    return HitFactory.create(batch__corpus=corpus, questions=[sails])


def give_guidelines(corpus: Corpus, folder: Path, text: str = OWN) -> None:
    (folder / "own.toml").write_text(text, encoding="utf-8")
    ontologies.load_guidelines(path=folder / "own.toml", corpus=corpus)


def send(browser: Client, hit: Hit, sails: Question) -> Any:
    token = token_of(browser.get(address(hit)))
    return browser.post(address(hit), {"token": token, field(sails): SAILS})


def test_a_page_asks_in_the_words_of_the_ontology(browser: Client, sails_hit: Hit) -> None:
    page = html_of(browser.get(address(sails_hit)))
    assert "A sailor" in page
    assert "sails on" in page
    assert "In any position, now or once." in page


def test_a_page_takes_an_answer_with_an_odd_name(browser: Client, sails_hit: Hit, sails: Question) -> None:
    assert send(browser, sails_hit, sails).status_code == 200
    (answer,) = Assignment.objects.get().answer["answers"]
    assert answer["answer"]["relations"] == [{"predicate": "crew:sails-on_1", "subject": 0}]


def test_a_page_refuses_a_relation_of_another_ontology(
    browser: Client, sails_hit: Hit, sails: Question
) -> None:
    token = token_of(browser.get(address(sails_hit)))
    response = browser.post(address(sails_hit), {"token": token, field(sails): "per:spouse|0"})
    assert response.status_code == 400
    assert "was not offered; offered were crew:sails-on_1" in html_of(response)


def test_a_document_s_page_has_the_types_of_the_ontology(browser: Client, document: Document) -> None:
    question = questions.ask_entities([document.pk])[document.pk]
    hit = HitFactory.create(batch__corpus=document.corpus, batch__kind="entities", questions=[question])
    page = browser.get(address(hit)).content.decode()
    data = json.loads(re.findall(r'<script id="document-data"[^>]*>(.*?)</script>', page, re.DOTALL)[0])
    assert data["types"] == [
        {"name": "CREW", "word": "sailor", "key": "k", "link": "page", "number": 1},
        {"name": "BOAT_2", "word": "boat", "key": "b", "link": "page", "number": 2},
        {"name": "RIG", "word": "rig", "key": "i", "link": None, "number": 3},
    ]
    assert [one["type"] for one in data["suggestions"]] == ["BOAT_2"]
    assert "Boats by their names, without what they are." in page


def test_a_page_shows_the_guidelines_with_which_it_was_begun(
    browser: Client, sails_hit: Hit, corpus: Corpus, tmp_path: Path
) -> None:
    browser.get(address(sails_hit))
    give_guidelines(corpus, tmp_path)
    assert "In any position, now or once." in html_of(browser.get(address(sails_hit)))
    later = html_of(browser.get(address(sails_hit, assignmentId="3B", workerId="W2")))
    assert "Only as the captain." in later


def test_an_annotator_answers_under_the_guidelines_that_the_page_showed(
    corpus: Corpus, sails: Question, tmp_path: Path
) -> None:
    first, second = UserFactory.create_batch(2, annotator=True)
    for worker in (first, second):
        assert queue.next_question(worker=worker, now=timezone.now(), corpus=corpus) == sails
        give_guidelines(corpus, tmp_path)
    for worker in (first, second):
        answering.submit(worker=worker, answers={sails.pk: {"none": True}}, now=timezone.now())
    assert list(Response.objects.order_by("worker").values_list("guidelines__version", flat=True)) == [
        None,
        1,
    ]


def test_a_question_that_is_held_again_stays_under_the_guidelines_that_its_page_showed(
    corpus: Corpus, sails: Question, tmp_path: Path
) -> None:
    worker, now = UserFactory.create(annotator=True), timezone.now()
    queue.next_question(worker=worker, now=now, corpus=corpus)
    give_guidelines(corpus, tmp_path)
    queue.next_question(worker=worker, now=now + timedelta(hours=1), corpus=corpus)
    (answer,) = answering.submit(worker=worker, answers={sails.pk: {"none": True}}, now=now, page_of=sails.pk)
    assert answer.guidelines is None


def test_what_a_page_sends_to_the_provider_says_its_guidelines(
    browser: Client, corpus: Corpus, sails: Question, sails_hit: Hit, tmp_path: Path
) -> None:
    give_guidelines(corpus, tmp_path)
    assert "&quot;guidelines&quot;:1" in send(browser, sails_hit, sails).content.decode()


def test_who_has_passed_one_tutorial_has_not_passed_that_of_another_ontology(corpus: Corpus) -> None:
    lesson, tac = (
        HitFactory.create(batch__is_tutorial=True, **more) for more in ({"batch__corpus": corpus}, {})
    )
    qualifying.qualify(
        provider="marketplace",
        worker_id="W1",
        skill=Skill("relation", TAC.reference),
        now=timezone.now(),
    )
    assert qualifying.is_qualified(batch=tac.batch, worker_id="W1")
    assert not qualifying.is_qualified(batch=lesson.batch, worker_id="W1")


def test_passing_a_tutorial_qualifies_for_its_ontology_alone(
    browser: Client, corpus: Corpus, settings: LazySettings
) -> None:
    settings.MTURK_ENDPOINT_URL = "http://127.0.0.1:9/"
    hit = HitFactory.create(batch__corpus=corpus, batch__is_tutorial=True)
    token = token_of(browser.get(address(hit)))
    browser.post(address(hit), {"token": token, "begin": "1"})
    for index, one in enumerate(find_tutorial("relation", BOATS).practice):
        page = one.page({})
        right = one.review(one.right_answer).choices
        ticked = [
            choice.value for choice, said in zip(page.steps[0].choices, right, strict=True) if said.is_right
        ]
        browser.post(address(hit), {"token": token, "practice": str(index), "q0": ticked})
    attempt = TutorialAttempt.objects.get()
    assert (attempt.has_passed, attempt.ontology_id) == (True, "boats-2@3")
    crowd.fund(corpus)
    assignment = Assignment.objects.get()
    assignment.worker = WorkerIdentityFactory.create(worker_id="W1")
    assignment.save()
    qualifying.settle_attempt(assignment=assignment, now=timezone.now())
    assert WorkerQualification.objects.get().skill == Skill("relation", "boats-2@3")
    assert Bonus.objects.get().reason == "tutorial relation boats-2@3"


def test_a_tutorial_goes_on_with_the_examples_with_which_it_was_begun(
    browser: Client, corpus: Corpus, tmp_path: Path
) -> None:
    hit = HitFactory.create(batch__corpus=corpus, batch__is_tutorial=True)
    token = token_of(browser.get(address(hit)))
    browser.post(address(hit), {"token": token, "begin": "1"})
    own = """
[[examples]]
text = "The [Skua|BOAT_2] is a [cutter|RIG]."
holds = ["X__rigged-as 1"]
explanation = "It says so."
practice = true
"""
    give_guidelines(corpus, tmp_path, own)
    assert "Dunlin" in html_of(browser.get(address(hit)))


def test_what_has_no_examples_cannot_be_taught(corpus: Corpus, tmp_path: Path) -> None:
    give_guidelines(corpus, tmp_path, "examples = []\n")
    terms = BatchTerms(corpus=corpus, kind="relation", provider="marketplace", reward_cents=50)
    for opens in (partial(posting.open_tutorial, places=3), posting.open_batch):
        with pytest.raises(InvalidInput, match="boats-2@3 has no examples to be practised"):
            opens(terms, by=None, now=timezone.now())


def test_whoever_loads_an_ontology_without_examples_is_told(tmp_path: Path) -> None:
    (tmp_path / "bare.toml").write_text(TOML[: TOML.index("[[examples]]")], encoding="utf-8")
    said = StringIO()
    call_command("load_ontology", str(tmp_path / "bare.toml"), stdout=said)
    assert "has no examples to be practised, so there is no tutorial" in said.getvalue()


def test_annotators_are_offered_the_tutorial_of_each_corpus_guidelines(
    client: Client, corpus: Corpus, sails: Question, tmp_path: Path
) -> None:
    ours, _ = (QuestionFactory.create().document.corpus for _ in range(2))
    give_guidelines(ours, tmp_path, '[types]\nPER = "People alone."\n')
    client.force_login(UserFactory.create(annotator=True))
    page = client.get("/annotate/").content.decode()
    offered = set(re.findall(r'/annotate/tutorial/relation/\?corpus=([^"]+)', page))
    assert offered == {"boats", ours.tag}


def test_annotators_learn_under_the_ontology_of_the_corpus(client: Client, corpus: Corpus) -> None:
    client.force_login(UserFactory.create(annotator=True))
    page = html_of(client.get("/annotate/tutorial/entities/", {"corpus": "boats"}))
    assert "Whoever sails a boat, by name" in page
    client.post("/annotate/tutorial/entities/?corpus=boats", {"begin": "1"})
    assert "Skua" in html_of(client.get("/annotate/tutorial/entities/", {"corpus": "boats"}))
