import pytest
from django.contrib.auth.models import AnonymousUser
from django.template.loader import render_to_string
from django.test import Client

from kbpo.core.errors import Conflict, InvalidInput, NotAllowed, TooMany, TryAgain
from kbpo.core.refusals import RefusalMiddleware, api_exception_handler


@pytest.fixture
def middleware():
    return RefusalMiddleware(lambda request: None)


@pytest.fixture
def request_(rf, db):
    request = rf.get("/")
    request.user = AnonymousUser()
    return request


@pytest.mark.parametrize(
    ("error", "status"), [(InvalidInput("no"), 400), (NotAllowed("no"), 403), (Conflict("no"), 409)]
)
def test_a_refusal_keeps_its_status(middleware, request_, error, status):
    assert middleware.process_exception(request_, error).status_code == status


def test_a_refusal_is_shown_as_it_is_and_escaped(middleware, request_):
    page = middleware.process_exception(request_, Conflict("“<b>” is gone.")).content.decode()
    assert "“&lt;b&gt;” is gone." in page


def test_other_errors_are_left_alone(middleware, request_):
    assert middleware.process_exception(request_, ValueError("bug")) is None


def test_the_api_answers_a_refusal_in_json():
    answer = api_exception_handler(Conflict("It is gone."), {})
    assert (answer.status_code, answer.content_type) == (409, "application/problem+json")
    assert answer.data == {
        "type": "http://localhost:8000/help/api/#conflict",
        "title": "Too late, or too early, for that",
        "status": 409,
        "detail": "It is gone.",
        "errors": [],
    }


def test_the_api_leaves_other_errors_alone():
    assert api_exception_handler(ValueError("bug"), {}) is None


@pytest.mark.parametrize("name", ["400.html", "403.html", "403_csrf.html", "404.html"])
def test_an_error_page_is_of_one_piece_with_the_rest(request_, name):
    assert 'class="masthead"' in render_to_string(name, request=request_)


def test_the_page_for_our_own_mistakes_needs_nothing():
    assert "Something broke on our side" in render_to_string("500.html")


def test_a_page_that_does_not_exist_is_designed(client, db, settings):
    settings.DEBUG = False
    answer = client.get("/no/such/page/")
    assert answer.status_code == 404
    assert "There is no such page" in answer.content.decode()


def test_a_form_without_its_token_is_refused_in_words(db):
    answer = Client(enforce_csrf_checks=True).post("/accounts/login/", {})
    assert answer.status_code == 403
    assert "This form was too old" in answer.content.decode()


def test_what_takes_a_moment_is_no_matter_of_being_too_late(middleware, request_):
    page = middleware.process_exception(request_, TryAgain("It is being stored: try again in a moment."))
    assert page.status_code == 423
    assert "Not at this moment" in page.content.decode()


def test_the_api_says_of_what_takes_a_moment_that_the_same_may_be_tried_again():
    answer = api_exception_handler(TryAgain("It is being stored."), {})
    assert (answer.status_code, answer.data["type"].rpartition("#")[2]) == (423, "busy")


def test_a_refusal_says_what_to_do_next(middleware, request_):
    page = middleware.process_exception(request_, Conflict("It is gone.")).content.decode()
    assert "Nothing was changed. Go back and reload the page" in page


def test_a_refusal_leads_back_to_the_page_of_ours_that_it_came_from(middleware, request_):
    request_.META["HTTP_REFERER"] = "http://testserver/teams/?all"
    page = middleware.process_exception(request_, Conflict("It is gone.")).content.decode()
    assert 'href="/teams/?all"' in page


@pytest.mark.parametrize("before", ["https://elsewhere.example/x", "http://testserver//elsewhere.example/"])
def test_a_refusal_leads_nowhere_else(middleware, request_, before):
    request_.META["HTTP_REFERER"] = before
    page = middleware.process_exception(request_, Conflict("It is gone.")).content.decode()
    assert "elsewhere" not in page
    assert "Go to the first page" in page


def test_a_refusal_that_ends_says_when(middleware, request_):
    answer = middleware.process_exception(request_, TooMany("Enough.", retry_after=3600))
    assert (answer.status_code, answer["Retry-After"]) == (429, "3600")
    assert "It can be sent again in about 60 minutes." in answer.content.decode()


def test_a_form_that_is_too_large_is_refused_as_that(client, db, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100
    answer = client.post("/accounts/login/", {"login": "a" * 200})
    assert answer.status_code == 413
    assert "That is too large" in answer.content.decode()
