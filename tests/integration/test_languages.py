"""A Chinese, an Arabic and a Spanish corpus, from loading to scores, on the pages of the site and of HITs."""

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotations import labels, questions
from annotations.kinds.relation import Mention, RelationQuestion
from annotations.models import AnnotatedMention, Corpus, Document, Label, Question, Sentence
from evaluation.models import Estimate, Score, Submission, SubsetScore
from kbpo import pipeline
from tests.arrivals import KEYS, field
from tests.factories import HitFactory, QuestionFactory, UserFactory
from tests.integration.hits.conftest import HIT_HOST, address, html_of, token_of
from tests.languages import SAMPLES, TYPES, Sample
from tests.ontologies import TAC

pytestmark = pytest.mark.django_db

EMPLOYED = "per:employee_or_member_of|0"


@pytest.fixture(params=SAMPLES, ids=lambda sample: sample.language)
def sample(request: pytest.FixtureRequest) -> Sample:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def corpus(sample: Sample, tmp_path: Path) -> Corpus:
    path = sample.write_corpus(tmp_path / "corpus.jsonl")
    call_command("load_corpus", str(path), "--corpus", "c", "--language", sample.language, verbosity=0)
    return Corpus.objects.get()


@pytest.fixture
def document(corpus: Corpus) -> Document:
    return corpus.documents.get(doc_id="D0")


@pytest.fixture
def submission(corpus: Corpus, sample: Sample, tmp_path: Path) -> Submission:
    gold = sample.write_gold(tmp_path / "gold.jsonl")
    call_command("load_gold", str(gold), "--corpus", "c", "--documents", "4", "--seed", "1", verbosity=0)
    kb = sample.write_kb(tmp_path / "one.kb")
    call_command("submit", str(kb), "--corpus", "c", "--team", "A", "--name", "one", verbosity=0)
    pipeline.advance()
    Submission.objects.update(is_public=True)
    return Submission.objects.get()


@pytest.fixture
def browser() -> Client:
    """Somebody who annotates on the site."""
    client = Client()
    client.force_login(UserFactory.create(annotator=True))
    return client


@pytest.fixture(autouse=True)
def signed(settings: Any) -> None:
    settings.MTURK_KEYS = KEYS


def attributes(sample: Sample) -> str:
    return f'lang="{sample.language}" dir="{sample.direction}"'


def elements(html: str, pattern: str) -> list[str]:
    """List the elements' beginnings that match."""
    return re.findall(f"<{pattern}[^>]*>", html)


def marking(sample: Sample) -> dict[str, Any]:
    spans = {role: sample.span(0, role) for role in TYPES}
    return {
        "mentions": [
            {**spans[role]._asdict(), "type": kind, "entity": number}
            for number, (role, kind) in enumerate(TYPES.items())
        ],
        "entities": [
            {"id": number, "canonical": spans[role]._asdict(), "link": {"page": sample.named(0)[role]}}
            for number, role in enumerate(TYPES)
        ],
    }


def relation_question(document: Document, sample: Sample) -> Question:
    """Ask about the person and the company of the first document."""
    person, company = Mention(sample.span(0, "person"), "PER"), Mention(sample.span(0, "company"), "ORG")
    return QuestionFactory.create(document=document, asked=RelationQuestion.about(person, company, TAC))


def test_a_document_has_three_sentences_and_its_words(document: Document, sample: Sample) -> None:
    sentences = Sentence.objects.filter(document=document)
    assert [sentence.index for sentence in sentences] == [0, 1, 2]
    assert sum(len(sentence.token_starts) for sentence in sentences) == sample.words


@pytest.fixture
def scored(submission: Submission, tmp_path: Path) -> Submission:
    gold = str(tmp_path / "gold.jsonl")
    call_command("simulate_crowd", "--corpus", "c", "--gold", gold, "--error", "0", verbosity=0)
    pipeline.advance()
    submission.refresh_from_db()
    return submission


@pytest.mark.slow
def test_claims_are_read_judged_and_scored(scored: Submission, sample: Sample) -> None:
    assert scored.state == "scored"
    assert scored.predictions.count() == 15
    scores = Score.objects.filter(submission=scored, part="relation", level=95)
    precisions = Estimate.objects.filter(score__in=scores, measure="precision")
    assert scores.count() == precisions.count() > 0
    assert all(one.estimate is not None and 0.5 < one.estimate < 1 for one in precisions)
    (frequency, *_) = SubsetScore.objects.filter(submission=scored, division="frequency")
    assert frequency.name


def test_a_relation_is_asked_on_the_site_and_settled(
    document: Document, sample: Sample, browser: Client
) -> None:
    question = relation_question(document, sample)
    question.votes_needed = 1
    question.save()
    page = reverse("annotate_question", args=[question.pk])
    assert browser.post(reverse("annotate_start")).url == page
    html = html_of(browser.get(page))
    assert '<html lang="en">' in html
    for element in ("h2", 'div class="text"'):
        assert all(attributes(sample) in one for one in elements(html, element))
        assert elements(html, element)
    assert f"<bdi {attributes(sample)}>{sample.named(0)['person']}</bdi></b> works or worked for" in html
    browser.post(page, {f"q{question.pk}": EMPLOYED})
    labels.settle_questions()
    said = Label.objects.get(question=question, claim=EMPLOYED)
    assert said.value == 1


def test_a_relation_is_asked_in_a_hit_and_sent(document: Document, sample: Sample) -> None:
    question = relation_question(document, sample)
    hit = HitFactory.create(batch__corpus=document.corpus, questions=[question])
    client = Client(headers={"host": HIT_HOST}, enforce_csrf_checks=True)
    response = client.get(address(hit))
    html = html_of(response)
    assert '<html lang="en">' in html
    assert attributes(sample) in elements(html, 'div class="text"')[0]
    assert f"<bdi {attributes(sample)}>{sample.named(0)['company']}</bdi>" in html
    given = {"token": token_of(response), field(question): EMPLOYED}
    assert client.post(address(hit), given).status_code == 200
    [answer] = hit.assignments.get().answer["answers"]
    assert answer["answer"]["relations"] == [{"predicate": "per:employee_or_member_of", "subject": 0}]


def test_a_whole_document_is_asked_on_the_site_settled_and_linked_in_its_own_wikipedia(
    document: Document, sample: Sample, browser: Client
) -> None:
    question = questions.ask_entities([document.pk])[document.pk]
    Question.objects.update(votes_needed=1)
    page = reverse("annotate_question", args=[question.pk])
    assert browser.post(reverse("annotate_start")).url == page
    html = html_of(browser.get(page))
    assert attributes(sample) in elements(html, "h1")[0]
    assert attributes(sample) in elements(html, 'div class="text words"')[0]
    assert f'data-pages="/annotate/pages/{sample.language}/"' in html
    data = json.loads(
        unescape(re.findall(r'id="document-data" type="application/json">(.*?)</script>', html)[0])
    )
    assert data["language"] == sample.language[:2]
    assert sum(len(one["words"]) for one in data["sentences"]) == sample.words
    done = browser.post(page, json.dumps({"answer": marking(sample)}), content_type="application/json")
    assert done.status_code == 200
    labels.settle_questions()
    mentions = AnnotatedMention.objects.filter(annotation__document=document, annotation__source="crowd")
    assert {(one.start, one.end) for one in mentions} == {tuple(sample.span(0, role)) for role in TYPES}
    start = f"https://{sample.language[:2]}.wikipedia.org/wiki/"
    assert all(one.link.startswith(start) for one in mentions)


def test_a_whole_document_is_asked_in_a_hit_and_sent(document: Document, sample: Sample) -> None:
    question = questions.ask_entities([document.pk])[document.pk]
    hit = HitFactory.create(batch__corpus=document.corpus, batch__kind="entities", questions=[question])
    client = Client(headers={"host": HIT_HOST}, enforce_csrf_checks=True)
    response = client.get(address(hit))
    html = html_of(response)
    assert attributes(sample) in elements(html, "h1")[0]
    assert attributes(sample) in elements(html, 'div class="text words"')[0]
    done = client.post(
        address(hit),
        json.dumps({"answer": marking(sample)}),
        content_type="application/json",
        headers={"accept": "application/json", "authorization": f"Bearer {token_of(response)}"},
    )
    assert done.status_code == 200
    assert len(hit.assignments.get().answer["answers"][0]["answer"]["mentions"]) == 3


@pytest.mark.slow
def test_the_explorer_sets_the_corpus_apart_from_the_site(
    scored: Submission, document: Document, sample: Sample, client: Client
) -> None:
    person = sample.named(0)["person"]
    name = f"<bdi {attributes(sample)}>{person}</bdi>"
    system = html_of(client.get(reverse("system", args=["c", scored.pk])))
    assert name in system
    assert all(attributes(sample) in one for one in elements(system, 'p class="snippet"'))
    shown = html_of(client.get(reverse("document", args=["c", "D0"])))
    assert '<html lang="en">' in shown
    assert attributes(sample) in elements(shown, "h1")[0]
    assert attributes(sample) in elements(shown, 'article class="text"')[0]
    assert name in shown
    listed = html_of(client.get(reverse("documents", args=["c"]), {"q": sample.part}))
    assert attributes(sample) in elements(listed, 'p class="passage small"')[0]
    assert document.title in listed
    found = html_of(client.get(reverse("entities", args=["c"]), {"q": sample.part}))
    assert name in found
    assert f"in {document.corpus.written_in.name}." in html_of(client.get(reverse("corpus", args=["c"])))


@pytest.mark.slow
def test_the_leaderboard_says_the_language(scored: Submission, sample: Sample, client: Client) -> None:
    answer = client.get("/api/v1/corpora/c/leaderboard/")
    assert answer.json()["language"] == sample.language
