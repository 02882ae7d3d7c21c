"""HIT pages: whom they are shown to, where they may be framed, what they keep and hand on."""

import json
from typing import Any

import pytest
from django.conf import LazySettings, settings
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from annotations import conflicts
from annotations.models import Question, Response
from crowd import page_names
from crowd.hits import tokens, verifying
from crowd.models import Assignment, Hit
from kbpo.accounts.models import User
from tests.arrivals import field
from tests.factories import (
    AssignmentFactory,
    HitFactory,
    QuestionFactory,
    ResponseFactory,
    TeamFactory,
    WorkerIdentityFactory,
)
from tests.integration.hits.conftest import (
    SITE,
    SUBMIT_TO,
    address,
    answers_to,
    html_of,
    save,
    token_of,
)

pytestmark = pytest.mark.django_db


def policy_of(response: Any) -> dict[str, str]:
    directives = response.headers["Content-Security-Policy"].split("; ")
    return dict(directive.split(" ", 1) for directive in directives)


def test_the_sites_host_has_no_hit_pages(hit: Hit) -> None:
    assert Client(headers={"host": "localhost:8000"}).get(address(hit)).status_code == 404


@pytest.mark.parametrize("path", ["/work/", "/accounts/login/", "/admin/", "/annotate/", "/marketplace/api/"])
def test_the_hit_pages_host_has_nothing_of_the_site(browser: Client, path: str) -> None:
    response = browser.get(path)
    assert response.status_code == 404
    assert "There is no such task" in html_of(response)


def test_who_types_the_name_of_that_host_alone_is_led_to_the_site(browser: Client) -> None:
    answer = browser.get("/")
    assert (answer.status_code, answer.headers["Location"]) == (302, settings.SITE_URL)


def test_the_hosts_are_told_apart_by_name_whatever_the_port(browser: Client, hit: Hit) -> None:
    assert browser.get(address(hit), headers={"host": "127.0.0.1:9999"}).status_code == 200


def test_the_marketplace_alone_may_frame_a_page_and_gets_its_form(browser: Client, hit: Hit) -> None:
    response = browser.get(address(hit))
    assert policy_of(response)["frame-ancestors"] == SITE
    assert policy_of(response)["form-action"] == f"'self' {SITE}"
    assert "X-Frame-Options" not in response.headers


def test_amazons_workers_see_it_on_amazons_sites(browser: Client, hit: Hit, settings: LazySettings) -> None:
    settings.MTURK_ENDPOINT_URL = "https://mturk-requester.us-east-1.amazonaws.com"
    hit.batch.provider = "mturk"
    hit.batch.save()
    response = browser.get(address(hit, turkSubmitTo="https://www.mturk.com"))
    expected = "https://worker.mturk.com https://workersandbox.mturk.com"
    assert policy_of(response)["frame-ancestors"] == expected


def test_another_service_with_mturks_api_frames_it_from_where_its_api_is(
    browser: Client, hit: Hit, settings: LazySettings
) -> None:
    settings.MTURK_ENDPOINT_URL = "https://work.example.org/api"
    hit.batch.provider = "mturk"
    hit.batch.save()
    response = browser.get(address(hit, turkSubmitTo="https://work.example.org/x"))
    assert policy_of(response)["frame-ancestors"] == "https://work.example.org"


def test_nobody_frames_a_page_for_prolific(
    browser: Client, hit: Hit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifying, "_ask_prolific", lambda *_: None)
    hit.batch.provider = "prolific"
    hit.batch.save()
    response = browser.get(f"/hits/{hit.annotation}/?PROLIFIC_PID=p1&STUDY_ID=s1&SESSION_ID=x1")
    assert policy_of(response)["frame-ancestors"] == "'none'"
    assert Assignment.objects.get().provider_worker_id == "p1"


def test_no_cookie_is_ever_set(browser: Client, hit: Hit, founded: Question, she_is_ada: Question) -> None:
    page = browser.get(address(hit))
    fields = answers_to(founded, she_is_ada, token=token_of(page))
    responses = [page, browser.post(address(hit), fields), save(browser, hit, token_of(page), {})]
    assert all(not response.cookies for response in responses)
    assert not browser.cookies


@pytest.mark.parametrize("given", [{"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"}, {"assignmentId": ""}])
def test_a_preview_shows_the_tutorials_examples_and_nothing_of_the_task(
    browser: Client, hit: Hit, given: dict[str, str]
) -> None:
    page = html_of(browser.get(address(hit, **given)))
    assert "This is a preview: an example of such work" in page
    assert "Quill Press" not in page
    assert 'name="token"' not in page
    assert not Assignment.objects.exists()


def test_a_preview_is_shown_no_document(browser: Client, hit: Hit) -> None:
    whole = address(hit, assignmentId="").replace("?", "passages/1/?")
    assert browser.get(whole).status_code == 403


def test_a_preview_can_be_sent_by_nobody(browser: Client, hit: Hit) -> None:
    response = browser.post(address(hit, assignmentId=""), {"token": ""})
    assert response.status_code == 403


def test_a_worker_is_written_down_once(browser: Client, hit: Hit) -> None:
    identity = WorkerIdentityFactory.create(worker_id="W1")
    for _ in range(2):
        browser.get(address(hit))
    assignment = Assignment.objects.get()
    assert (assignment.provider_id, assignment.worker) == ("3A", identity)
    assert assignment.state == "begun"
    assert assignment.begun_at is not None


def test_an_assignment_that_comes_back_with_another_worker_is_another(browser: Client, hit: Hit) -> None:
    browser.get(address(hit))
    browser.get(address(hit, workerId="W2"))
    assert Assignment.objects.count() == 2


@pytest.mark.parametrize(
    "submit_to",
    [
        "https://evil.example.org",
        "http://localhost:8000@evil.example.org",
        "http://localhost:8000.evil.example.org",
        "http://localhost:9000",
        "https://localhost:8000",
        "http://localhost:8000\\@evil.example.org",
        "//localhost:8000",
        "javascript:alert(1)//http://localhost:8000",
        "http://localhost:8000/?x=",
        "http://localhost:8000/\n",
        "",
    ],
)
def test_an_answer_goes_to_the_provider_alone(browser: Client, hit: Hit, submit_to: str) -> None:
    response = browser.get(address(hit, turkSubmitTo=submit_to))
    assert response.status_code == 400
    assert "Open the task again" in html_of(response)
    assert not Assignment.objects.exists()


@pytest.mark.parametrize(
    "given", [{"workerId": ""}, {"workerId": "W" * 65}, {"workerId": "<b>"}, {"assignmentId": "3A 4"}]
)
def test_names_that_cannot_be_are_refused(browser: Client, hit: Hit, given: dict[str, str]) -> None:
    assert browser.get(address(hit, **given)).status_code == 400


def test_a_worker_whose_team_competes_is_told_to_return_it(browser: Client, hit: Hit) -> None:
    identity = WorkerIdentityFactory.create(worker_id="W1")
    conflicts.add_competitor(corpus=hit.batch.corpus, team=TeamFactory.create(members=[identity.user]))
    response = browser.get(address(hit))
    assert response.status_code == 403
    assert "Return the task" in html_of(response)


def test_a_worker_who_has_answered_it_in_house_is_told_to_return_it(
    browser: Client, hit: Hit, founded: Question
) -> None:
    user: User = WorkerIdentityFactory.create(worker_id="W1").user
    ResponseFactory.create(question=founded, worker=user)
    response = browser.get(address(hit))
    assert response.status_code == 409
    assert "before" in html_of(response)
    assert "Return the task" in html_of(response)


def test_a_worker_who_has_sent_it_in_an_earlier_hit_is_told_to_return_it(
    browser: Client, hit: Hit, founded: Question
) -> None:
    hit.hit_questions.update(is_active=False)
    earlier = HitFactory.create(batch=hit.batch, questions=[founded])
    AssignmentFactory.create(hit=earlier, provider_worker_id="W1", sent=True)
    assert browser.get(address(hit)).status_code == 409


def test_an_assignment_that_was_sent_says_so(browser: Client, hit: Hit) -> None:
    AssignmentFactory.create(hit=hit, provider_id="3A", provider_worker_id="W1", sent=True)
    response = browser.get(address(hit))
    assert response.status_code == 200
    assert "Your answer is in" in html_of(response)


def test_an_answer_is_stored_and_then_handed_to_the_provider(
    browser: Client, hit: Hit, founded: Question, she_is_ada: Question
) -> None:
    token = token_of(browser.get(address(hit)))
    sent = answers_to(
        founded,
        she_is_ada,
        token=token,
        comment=" <script>alert(1)</script>\0 ",
        **{f"seconds-{field(founded)}": "7.5", f"seconds-{field(she_is_ada)}": "nan"},
    )
    response = browser.post(address(hit), sent, headers={"accept": "application/json"})
    assert response.status_code == 200
    told = response.json()
    assert told["action"] == f"{SUBMIT_TO}/mturk/externalSubmit"
    assert told["fields"]["assignmentId"] == "3A"
    answer = json.loads(told["fields"]["answer"])
    revealed = page_names.reveal(Hit.objects.get(), answer, [founded.pk, she_is_ada.pk])
    assert revealed == {
        "version": 1,
        "answers": [
            {
                "question": founded.pk,
                "answer": {
                    "version": 1,
                    "none": False,
                    "relations": [{"predicate": "per:organizations_founded", "subject": 0}],
                },
                "seconds": 7.5,
            },
            {"question": she_is_ada.pk, "answer": {"version": 1, "right": True}},
        ],
        "comment": "<script>alert(1)</script>�",
    }
    assignment = Assignment.objects.get()
    assert (assignment.answer, assignment.state) == (revealed, "begun")
    assert assignment.steps == [{"step": f"q{founded.pk}", "seconds": 7.5}]
    assert not Response.objects.exists()


def test_without_scripts_a_second_page_sends_it(
    browser: Client, hit: Hit, founded: Question, she_is_ada: Question
) -> None:
    token = token_of(browser.get(address(hit)))
    page = html_of(browser.post(address(hit), answers_to(founded, she_is_ada, token=token)))
    assert f'action="{SUBMIT_TO}/mturk/externalSubmit"' in page
    assert 'name="assignmentId" value="3A"' in page
    assert 'name="answer" value="{&quot;version&quot;:1,' in page


def test_what_is_missing_is_named_and_nothing_that_was_typed_is_lost(
    browser: Client, hit: Hit, founded: Question
) -> None:
    token = token_of(browser.get(address(hit)))
    response = browser.post(
        address(hit), {"token": token, field(founded): "none", "comment": "It is <b>odd</b>."}
    )
    page = html_of(response)
    assert response.status_code == 400
    assert "Question 2 of 2: Say for each full name whether it is right or wrong." in page
    assert 'value="none" data-key="0" checked' in page
    assert "It is &lt;b&gt;odd&lt;/b&gt;." in page
    assert Assignment.objects.get().answer is None


def test_a_script_is_told_at_which_step_something_is_missing(
    browser: Client, hit: Hit, founded: Question, she_is_ada: Question
) -> None:
    token = token_of(browser.get(address(hit)))
    fields = {"token": token, field(founded): "none"}
    response = browser.post(address(hit), fields, headers={"accept": "application/json"})
    assert response.status_code == 400
    assert response.json()["field"] == field(she_is_ada)


def test_a_save_is_kept_and_shown_again(browser: Client, hit: Hit, founded: Question) -> None:
    token = token_of(browser.get(address(hit)))
    fields = {field(founded): ["none"], "comment": ["half a tho"], f"seconds-{field(founded)}": ["3.2"]}
    response = save(browser, hit, token, {"number": 1, "step": 1, "fields": fields})
    assert response.json() == {"saved": True, "number": 1}
    page = html_of(browser.get(address(hit)))
    assert 'value="none" data-key="0" checked' in page
    assert "half a tho" in page
    assert f'name="seconds-{field(founded)}" value="3.2"' in page
    assert '{"step": 1, "number": 1}' in page


def test_an_older_save_never_wins(browser: Client, hit: Hit) -> None:
    token = token_of(browser.get(address(hit)))
    for number, text in ((7, "later"), (6, "earlier"), (7, "the same again")):
        body = {"number": number, "step": 0, "fields": {"comment": [text]}}
        response = save(browser, hit, token, body)
    assert response.json() == {"saved": False, "number": 7}
    assert Assignment.objects.get().draft["fields"] == {"comment": ["later"]}


def test_gold_is_asked_besides_and_not_in_the_preview(
    browser: Client, hit: Hit, founded: Question, she_is_ada: Question
) -> None:
    gold = QuestionFactory.create(document__title="The gold one", settled=True)
    AssignmentFactory.create(hit=hit, provider_id="3A", provider_worker_id="W1", gold=gold)
    page = browser.get(address(hit))
    assert "The gold one" in html_of(page)
    assert "The gold one" not in html_of(browser.get(address(hit, assignmentId="")))
    fields = answers_to(founded, she_is_ada, token=token_of(page))
    assert browser.post(address(hit), fields).status_code == 400
    assert browser.post(address(hit), fields | {field(gold, hit): "none"}).status_code == 200
    answered = {one["question"] for one in Assignment.objects.get().answer["answers"]}
    assert answered == {founded.pk, she_is_ada.pk, gold.pk}


def test_a_long_document_is_cut_around_its_mentions_and_can_be_read_whole(browser: Client) -> None:
    far = "Nothing of note happened here. " * 5000
    question = QuestionFactory.create(document__text="Ada Quill was born in Port Hallow. " + far + "The end.")
    hit = HitFactory.create(batch__corpus=question.document.corpus, questions=[question])
    page = html_of(browser.get(address(hit)))
    assert "Read the whole document" in page
    assert "The end." not in page
    whole = address(hit).replace("?", "passages/1/?")
    assert "The end." in html_of(browser.get(whole))
    assert browser.get(whole.replace("passages/1", "passages/2")).status_code == 404


def test_a_save_takes_two_queries_and_a_page_few(
    browser: Client, hit: Hit, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    WorkerIdentityFactory.create(worker_id="W1")
    token = token_of(browser.get(address(hit)))
    with django_assert_num_queries(2):
        save(browser, hit, token, {"number": 1, "step": 0, "fields": {}})
    with django_assert_num_queries(9):
        browser.get(address(hit))


def test_a_page_from_before_questions_had_names_is_taken_and_shown_again(
    browser: Client, hit: Hit, founded: Question, she_is_ada: Question
) -> None:
    """Its fields have the questions' ids, and so has what it saved."""
    gold = QuestionFactory.create(settled=True)
    row = AssignmentFactory.create(hit=hit, provider_id="3A", provider_worker_id="W1", gold=gold)
    row.draft = {"step": 0, "fields": {f"q{founded.pk}": ["none"]}}
    row.save()
    form = {f"q{founded.pk}": "none", f"q{she_is_ada.pk}": "right", f"q{gold.pk}": "none"}
    form |= {"token": tokens.issue(row)}
    json_please = {"accept": "application/json"}
    assert browser.post(address(hit), form, headers=json_please).status_code == 200
    assert 'value="none" data-key="0" checked' in html_of(browser.get(address(hit)))
    assert browser.post(address(hit), form, headers=json_please).status_code == 200
    row.refresh_from_db()
    assert {one["question"] for one in row.answer["answers"]} == {founded.pk, she_is_ada.pk, gold.pk}
