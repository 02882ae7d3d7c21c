"""HITs of whole documents: what the page shows, keeps, refuses and hands on."""

import json
import re
from datetime import datetime
from html import unescape
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from annotations import questions
from annotations.models import Document, Question
from crowd import page_names
from crowd.hits.forms import MAX_BODY_BYTES
from crowd.models import Assignment, Hit
from tests.factories import ADA, HALLOW, SHE, DocumentFactory, HitFactory, WorkerIdentityFactory
from tests.integration.hits.conftest import SUBMIT_TO, address, html_of, save, token_of

pytestmark = pytest.mark.django_db

ANSWER = {
    "mentions": [
        {"start": ADA.start, "end": ADA.end, "type": "PER", "entity": 1},
        {"start": SHE.start, "end": SHE.end, "type": "PER", "entity": 1},
        {"start": HALLOW.start, "end": HALLOW.end, "type": "GPE", "entity": 2},
    ],
    "entities": [
        {"id": 1, "canonical": ADA._asdict(), "link": {"none": True}},
        {"id": 2, "canonical": HALLOW._asdict(), "link": {"page": "Port Hallow"}},
    ],
}


@pytest.fixture
def document() -> Document:
    return DocumentFactory.create(segmented=True, title="The Quills")


@pytest.fixture
def question(document: Document) -> Question:
    return questions.ask_entities([document.pk])[document.pk]


@pytest.fixture
def hit(question: Question) -> Hit:
    given = {
        "batch__corpus": question.document.corpus,
        "batch__kind": "entities",
        "batch__estimated_seconds": 4000,
    }
    return HitFactory.create(**given, questions=[question])


def data_of(response: HttpResponse) -> dict[str, Any]:
    found = re.search(r'id="document-data" type="application/json">(.*?)</script>', html_of(response))
    assert found is not None
    data: dict[str, Any] = json.loads(unescape(found[1]))
    return data


def send(browser: Client, hit: Hit, token: str, body: object) -> Any:
    return browser.post(
        address(hit),
        json.dumps(body),
        content_type="application/json",
        headers={"accept": "application/json", "authorization": f"Bearer {token}"},
    )


def test_a_page_has_the_document_word_by_word_and_its_length(browser: Client, hit: Hit) -> None:
    response = browser.get(address(hit))
    data = data_of(response)
    assert data["sentences"][0]["words"][:2] == ["Ada", "Quill"]
    assert (data["draft"], data["number"]) == (None, 0)
    assert "The Quills" in html_of(response)
    assert re.search(r"\d+ words, about \d minutes? \(an estimate\)", html_of(response))


def test_a_preview_shows_the_tutorials_examples_and_no_document(browser: Client, hit: Hit) -> None:
    page = html_of(browser.get(address(hit, assignmentId="")))
    assert "This is a preview: an example of such work" in page
    assert "The Quills" not in page
    assert "document-data" not in page
    assert not Assignment.objects.exists()


def test_a_page_has_the_policy_of_other_hits_and_no_cookie(browser: Client, hit: Hit) -> None:
    response = browser.get(address(hit))
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors http://localhost:8000" in policy
    assert not response.cookies


def test_a_save_is_kept_with_its_comment_and_times_and_shown_again(browser: Client, hit: Hit) -> None:
    token = token_of(browser.get(address(hit)))
    draft = {"words": 3, "mentions": [{"id": 1}]}
    body = {"number": 4, "draft": draft, "comment": "half a tho", "seconds": {"mark": 3.5}}
    assert save(browser, hit, token, body).json() == {"saved": True, "number": 4}
    response = browser.get(address(hit))
    data = data_of(response)
    assert (data["draft"], data["number"], data["seconds"]) == (draft, 4, {"mark": 3.5})
    assert "half a tho" in html_of(response)


def test_an_older_save_never_wins(browser: Client, hit: Hit) -> None:
    token = token_of(browser.get(address(hit)))
    for number in (7, 6):
        response = save(browser, hit, token, {"number": number, "draft": {"of": number}})
    assert response.json() == {"saved": False, "number": 7}
    assert Assignment.objects.get().draft["draft"] == {"of": 7}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("[]", "no JSON object"),
        ({"number": 0, "draft": {}}, "number"),
        ({"number": 1}, "a draft must be a JSON object"),
        ({"number": 1, "draft": {}, "comment": 3}, "a comment"),
        ({"number": 1, "draft": {}, "comment": "x" * 2001}, "2,000"),
        ({"number": 1, "draft": {}, "seconds": {"mark": "long"}}, "seconds of mark"),
        ({"number": 1, "draft": {}, "seconds": {"mark": -1}}, "seconds of mark"),
        ({"number": 1, "draft": {}, "seconds": {"mark": 10**400}}, "seconds of mark"),
        ({"number": 1, "draft": {}, "seconds": []}, "seconds"),
        ({"number": 1, "draft": {}, "fields": {}}, "'fields'"),
    ],
)
def test_a_save_that_is_none_is_refused_in_words(browser: Client, hit: Hit, body: object, words: str) -> None:
    response = save(browser, hit, token_of(browser.get(address(hit))), body)
    assert response.status_code == 400
    assert words in response.json()["detail"]
    assert Assignment.objects.get().draft is None


def test_an_answer_is_stored_and_then_handed_to_the_provider(
    browser: Client, hit: Hit, question: Question
) -> None:
    token = token_of(browser.get(address(hit)))
    body = {"answer": ANSWER, "comment": " A nice one.\0 ", "seconds": {"mark": 60.25, "check": 5}}
    response = send(browser, hit, token, body)
    assert response.status_code == 200, response.json()
    told = response.json()
    assert told["action"] == f"{SUBMIT_TO}/mturk/externalSubmit"
    assert told["fields"]["assignmentId"] == "3A"
    handed = json.loads(told["fields"]["answer"])
    assignment = Assignment.objects.get()
    assert page_names.reveal(Hit.objects.get(), handed, [question.pk]) == assignment.answer
    [answer] = handed["answers"]
    assert answer["question"] != question.pk
    assert answer["seconds"] == 65.2
    assert len(answer["answer"]["mentions"]) == 3
    assert assignment.comment == handed["comment"] == "A nice one.\ufffd"
    assert assignment.steps == [{"step": "mark", "seconds": 60.25}, {"step": "check", "seconds": 5.0}]


def test_a_refused_answer_says_why_and_loses_nothing(browser: Client, hit: Hit) -> None:
    token = token_of(browser.get(address(hit)))
    save(browser, hit, token, {"number": 1, "draft": {"kept": True}, "comment": "Hm."})
    unlinked = ANSWER | {"entities": [{**one, "link": None} for one in ANSWER["entities"]]}
    response = send(browser, hit, token, {"answer": unlinked, "comment": "Hm."})
    assert response.status_code == 400
    assert "say which Wikipedia page “Ada Quill”" in response.json()["detail"]
    assignment = Assignment.objects.get()
    assert assignment.answer is None
    assert assignment.draft["draft"] == {"kept": True}
    assert send(browser, hit, token, {"answer": ANSWER}).status_code == 200


@pytest.mark.parametrize(
    "body", [None, [], {}, {"answer": None}, {"answer": ANSWER, "seconds": {"mark": True}}]
)
def test_what_is_no_answer_is_refused(browser: Client, hit: Hit, body: object) -> None:
    response = send(browser, hit, token_of(browser.get(address(hit))), body)
    assert response.status_code == 400
    assert response.json()["detail"]


def test_a_form_is_refused_in_words(browser: Client, hit: Hit) -> None:
    token = token_of(browser.get(address(hit)))
    response = browser.post(address(hit), {"token": token}, headers={"accept": "application/json"})
    assert response.status_code == 400
    assert "no JSON object" in response.json()["detail"]


def test_too_much_is_refused_before_it_is_read(browser: Client, hit: Hit) -> None:
    token = token_of(browser.get(address(hit)))
    response = send(browser, hit, token, {"answer": ANSWER, "comment": "x" * MAX_BODY_BYTES})
    assert response.status_code == 413


def test_nobody_sends_under_anothers_token(browser: Client, hit: Hit) -> None:
    token = token_of(browser.get(address(hit)))
    browser.get(address(hit, assignmentId="3B", workerId="W2"))
    response = browser.post(
        address(hit, assignmentId="3B", workerId="W2"),
        json.dumps({"answer": ANSWER}),
        content_type="application/json",
        headers={"accept": "application/json", "authorization": f"Bearer {token}"},
    )
    assert response.status_code == 403


def test_an_answer_that_is_with_the_provider_stays(browser: Client, hit: Hit) -> None:
    token = token_of(browser.get(address(hit)))
    assert send(browser, hit, token, {"answer": ANSWER}).status_code == 200
    worker = WorkerIdentityFactory.create(worker_id="W1")
    now: datetime = timezone.now()
    Assignment.objects.update(state="submitted", submitted_at=now, worker=worker)
    assert send(browser, hit, token, {"answer": ANSWER}).status_code == 409
    assert save(browser, hit, token, {"number": 9, "draft": {}}).status_code == 409


def test_it_has_no_passages(browser: Client, hit: Hit) -> None:
    assert browser.get(address(hit).replace("?", "passages/1/?")).status_code == 404


def test_a_save_takes_two_queries_and_a_page_few(
    browser: Client, hit: Hit, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    WorkerIdentityFactory.create(worker_id="W1")
    token = token_of(browser.get(address(hit)))
    with django_assert_num_queries(2):
        save(browser, hit, token, {"number": 1, "draft": {}})
    with django_assert_num_queries(11):
        browser.get(address(hit))
