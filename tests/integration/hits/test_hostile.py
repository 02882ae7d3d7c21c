"""What pages are sent by those who mean harm, or by chance: refused with a reason, or stored inert."""

import json
from typing import Any

import pytest
from django.test import Client

from annotations.models import Question
from crowd.hits import tokens
from crowd.models import Assignment, Hit
from tests.arrivals import field
from tests.factories import AssignmentFactory, HitFactory, QuestionFactory
from tests.integration.hits.conftest import FOUNDED, address, answers_to, html_of, save, token_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def token(browser: Client, hit: Hit) -> str:
    """The token of a worker who has ticked something already."""
    token = token_of(browser.get(address(hit)))
    save(browser, hit, token, {"number": 1, "step": 0, "fields": {"comment": ["kept"]}})
    return token


@pytest.fixture(autouse=True)
def nothing_is_lost(token: str) -> Any:
    """Whatever comes, what was saved before stays."""
    yield
    assert Assignment.objects.get(provider_id="3A").draft["fields"]["comment"] == ["kept"]


def send(browser: Client, hit: Hit, fields: dict[str, Any], **changes: str) -> Any:
    return browser.post(address(hit, **changes), fields, headers={"accept": "application/json"})


def test_an_offer_that_was_not_made_is_refused(
    browser: Client, hit: Hit, token: str, founded: Question, she_is_ada: Question
) -> None:
    for value in ("per:place_of_birth|0", "per:organizations_founded|1", "per:nonsense|x", "|", "0"):
        fields = answers_to(founded, she_is_ada, token=token) | {field(founded): value}
        response = send(browser, hit, fields)
        assert response.status_code == 400
        assert "was not offered" in response.json()["detail"]
    assert Assignment.objects.get().answer is None


def test_another_hits_question_is_not_answered_here(
    browser: Client, hit: Hit, token: str, founded: Question, she_is_ada: Question
) -> None:
    other = QuestionFactory.create()
    fields = answers_to(founded, she_is_ada, token=token) | {field(other, hit): "none"}
    assert send(browser, hit, fields).status_code == 200
    answered = [one["question"] for one in Assignment.objects.get().answer["answers"]]
    assert answered == [founded.pk, she_is_ada.pk]


@pytest.mark.parametrize("forged", ["", "nonsense", "WzEsIlcxIl0:1abcde:" + "A" * 43])
def test_a_forged_token_is_refused(
    browser: Client, hit: Hit, founded: Question, she_is_ada: Question, forged: str
) -> None:
    response = send(browser, hit, answers_to(founded, she_is_ada, token=forged))
    assert response.status_code == 403
    assert "reload it" in response.json()["detail"]
    assert save(browser, hit, forged, {"number": 9, "step": 0, "fields": {}}).status_code == 403


def test_another_workers_token_is_refused(
    browser: Client, hit: Hit, founded: Question, she_is_ada: Question
) -> None:
    theirs = token_of(browser.get(address(hit, assignmentId="3B", workerId="W2")))
    response = send(browser, hit, answers_to(founded, she_is_ada, token=theirs))
    assert response.status_code == 403
    assert not Assignment.objects.filter(answer__isnull=False).exists()


def test_another_hits_token_is_refused(
    browser: Client, hit: Hit, founded: Question, she_is_ada: Question
) -> None:
    other = AssignmentFactory.create(hit=HitFactory.create(), provider_id="3A", provider_worker_id="W1")
    theirs = tokens.issue(other)
    assert send(browser, hit, answers_to(founded, she_is_ada, token=theirs)).status_code == 403
    assert save(browser, hit, theirs, {"number": 9, "step": 0, "fields": {}}).status_code == 409
    other.delete()


def test_an_answer_under_another_assignments_address_is_refused(
    browser: Client, hit: Hit, token: str, founded: Question, she_is_ada: Question
) -> None:
    fields = answers_to(founded, she_is_ada, token=token)
    assert send(browser, hit, fields, assignmentId="3B").status_code == 403


def test_an_answer_that_was_sent_is_not_changed_by_a_replay(
    browser: Client, hit: Hit, token: str, founded: Question, she_is_ada: Question
) -> None:
    fields = answers_to(founded, she_is_ada, token=token)
    assert send(browser, hit, fields).status_code == 200
    assert send(browser, hit, fields).status_code == 200
    stored = Assignment.objects.get()
    Assignment.objects.filter(pk=stored.pk).delete()
    AssignmentFactory.create(
        pk=stored.pk,
        hit=hit,
        provider_id="3A",
        provider_worker_id="W1",
        sent=True,
        answer=stored.answer,
        draft=stored.draft,
    )
    response = send(browser, hit, fields | {field(founded): "none"})
    assert "sent already" in response.json()["detail"]
    assert save(browser, hit, token, {"number": 9, "step": 0, "fields": {}}).json().keys() == {"detail"}
    assert Assignment.objects.get().answer == stored.answer


def test_ten_megabytes_are_refused_unread(browser: Client, hit: Hit, token: str) -> None:
    response = save(browser, hit, token, b" " * (10 << 20))
    assert response.status_code == 413
    assert "Shorten what you have typed" in response.json()["detail"]
    assert send(browser, hit, {"token": token, "comment": "x" * (10 << 20)}).status_code == 413


def test_a_form_of_many_fields_is_refused(browser: Client, hit: Hit, token: str) -> None:
    response = send(browser, hit, {"token": token} | {f"f{number}": "" for number in range(2000)})
    assert response.status_code == 413


@pytest.mark.parametrize(
    "body",
    [
        "",
        "[",
        "[" * 60_000,
        "[]",
        "null",
        '{"number": 2}',
        '{"number": true, "step": 0, "fields": {}}',
        '{"number": 0, "step": 0, "fields": {}}',
        '{"number": 1e3, "step": 0, "fields": {}}',
        '{"number": 99999999999, "step": 0, "fields": {}}',
        '{"number": 2, "step": -1, "fields": {}}',
        '{"number": 2, "step": 0, "fields": []}',
        '{"number": 2, "step": 0, "fields": {"q1": "none"}}',
        '{"number": 2, "step": 0, "fields": {"q1": [1]}}',
        '{"number": 2, "step": 0, "fields": {}, "more": 1}',
        json.dumps({"number": 2, "step": 0, "fields": {"comment": ["x" * 3000]}}),
        json.dumps({"number": 2, "step": 0, "fields": {str(number): [] for number in range(501)}}),
        json.dumps({"number": 2, "step": 0, "fields": {"x" * 200: []}}),
    ],
)
def test_a_save_of_another_form_is_refused_in_words(browser: Client, hit: Hit, token: str, body: str) -> None:
    response = save(browser, hit, token, body)
    assert response.status_code == 400
    assert len(response.json()["detail"]) > 20


def test_what_a_database_cannot_hold_is_replaced(
    browser: Client, hit: Hit, token: str, founded: Question, she_is_ada: Question
) -> None:
    body = '{"number": 2, "step": 0, "fields": {"comment": ["kept"], "q\\u0000": ["\\ud800\\u0000"]}}'
    assert save(browser, hit, token, body).status_code == 200
    fields = answers_to(founded, she_is_ada, token=token, comment="a\0b")
    assert send(browser, hit, fields).status_code == 200
    assert Assignment.objects.get().comment == "a\ufffdb"


def test_markup_in_a_save_is_shown_as_text(browser: Client, hit: Hit, token: str) -> None:
    attack = '</textarea><script>alert(1)</script>"'
    fields = {"comment": ["kept", attack], "seconds-q1": [attack]}
    save(browser, hit, token, {"number": 2, "step": 0, "fields": {**fields, "comment": ["kept"]}})
    Assignment.objects.update(draft={"step": 0, "fields": {"comment": [attack]}})
    page = html_of(browser.get(address(hit)))
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
    Assignment.objects.update(draft={"step": 0, "fields": {"comment": ["kept"]}})


@pytest.mark.parametrize("ticks", [[FOUNDED, "none"], [FOUNDED, FOUNDED], ["none", "none", FOUNDED]])
def test_contradictions_are_refused(
    browser: Client, hit: Hit, token: str, founded: Question, she_is_ada: Question, ticks: list[str]
) -> None:
    fields = answers_to(founded, she_is_ada, token=token) | {field(founded): ticks}
    assert send(browser, hit, fields).status_code == 400


def test_two_verdicts_on_one_name_are_refused(
    browser: Client, hit: Hit, token: str, founded: Question, she_is_ada: Question
) -> None:
    fields = answers_to(founded, she_is_ada, token=token) | {field(she_is_ada): ["right", "wrong"]}
    assert send(browser, hit, fields).status_code == 400


def test_a_comment_that_is_too_long_is_refused_and_comes_back(
    browser: Client, hit: Hit, token: str, founded: Question, she_is_ada: Question
) -> None:
    fields = answers_to(founded, she_is_ada, token=token, comment="long " * 500)
    response = browser.post(address(hit), fields)
    assert response.status_code == 400
    assert "at most 2,000 characters" in html_of(response)
    assert "long long" in html_of(response)
