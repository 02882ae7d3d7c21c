"""What holds for all of the API: who asks, how it refuses, limits, pages, and scripts of other sites."""

import pytest
from django.test import Client

from evaluation.submissions.visibility import is_operator
from kbpo.accounts import request_limits
from kbpo.accounts.factors import has_factor
from kbpo.core.limits import Limit
from tests import factories as make
from tests.integration.api.conftest import Program, token

pytestmark = pytest.mark.django_db


def test_a_token_says_who_asks(user):
    me = Program(token(user, "read")).get("me/")
    assert (me["email"], me["token"]["scopes"]) == (user.email, ["read"])


def test_a_token_needs_no_csrf(user):
    answer = Program(token(user, "submit"))("POST", "checks/", {})
    assert answer.status_code == 400  # and not 403


def test_a_session_needs_csrf(user):
    client = Client(enforce_csrf_checks=True)
    client.force_login(user)
    assert client.post("/api/v1/checks/", {}, "application/json").status_code == 403


@pytest.mark.parametrize("address", ["me/", "corpora/"])
def test_a_wrong_token_is_refused_even_where_none_is_needed(address, db):
    answer = Program("kbpo_wrong")("GET", address)
    assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, 'Bearer realm="KBP Online"')


def test_a_token_beside_a_cookie_counts_alone(user):
    client = Client()
    client.force_login(make.UserFactory.create())
    answer = client.get("/api/v1/me/", headers={"Authorization": f"Bearer {token(user)}"})
    assert answer.json()["email"] == user.email


def test_an_operators_token_is_an_ordinary_persons_unless_it_may_organise(db):
    operator = make.UserFactory.create(operator=True)
    hidden = make.SubmissionFactory.create(is_public=False)
    address = f"submissions/{hidden.pk}/"
    assert Program(token(operator, "read", "submit", name="a"))("GET", address).status_code == 404
    assert Program(token(operator, name="b")).get(address)["id"] == hidden.pk
    operator.refresh_from_db()
    assert is_operator(operator)


def test_an_operators_token_asks_for_a_second_factor_where_pages_do(settings):
    operator = make.UserFactory.create(operator=True)
    secret = token(operator)
    settings.OPERATORS_NEED_FACTORS = True
    assert not has_factor(operator)
    assert Program(secret)("GET", "me/").status_code == 403


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/nothing", 404),
        ("POST", "/api/v1/nothing/", 404),
        ("GET", "/api/v1/corpora", 404),
        ("GET", "/api/v1/corpora/none/", 404),
        ("DELETE", "/api/v1/me/", 401),
        ("GET", "/api/v1/corpora/?limit=0", 400),
        ("GET", "/api/v1/corpora/?cursor=!", 400),
    ],
)
def test_every_refusal_is_a_problem(method, path, status, db):
    answer = Client().generic(method, path)
    assert answer.headers["Content-Type"] == "application/problem+json"
    found = answer.json()
    assert (answer.status_code, found["status"]) == (status, status)
    assert set(found) == {"type", "title", "status", "detail", "errors"}
    assert found["detail"]


def test_a_problem_names_the_fields_that_are_wrong(user):
    found = Program(token(user))("POST", "submissions/", {"name": "a"}).json()
    assert {one["field"] for one in found["errors"]} == {"corpus", "team", "upload"}


def test_what_has_not_changed_is_not_sent_again(db):
    make.CorpusFactory.create()
    first = Program()("GET", "corpora/")
    again = Program()("GET", "corpora/", If_None_Match=first.headers["ETag"])
    assert (again.status_code, again.content) == (304, b"")
    make.CorpusFactory.create()
    assert Program()("GET", "corpora/", If_None_Match=first.headers["ETag"]).status_code == 200


def test_that_nothing_has_changed_is_told_to_scripts_of_other_sites_with_their_limits(db):
    first = Program()("GET", "corpora/")
    again = Program()("GET", "corpora/", If_None_Match=first.headers["ETag"])
    assert again.status_code == 304
    assert again.headers["Access-Control-Allow-Origin"] == "*"
    assert {"Access-Control-Expose-Headers", "RateLimit", "RateLimit-Policy"} <= set(again.headers)


def test_scripts_of_other_sites_read_what_is_public(db):
    answer = Program()("GET", "corpora/", Origin="https://elsewhere.example")
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    asked = Program()("OPTIONS", "corpora/", Origin="https://elsewhere.example")
    assert asked.headers["Access-Control-Allow-Methods"] == "GET, HEAD"
    assert "Authorization" not in asked.headers["Access-Control-Allow-Headers"]


def test_scripts_of_other_sites_see_nothing_of_whoever_is_signed_in(user):
    client = Client()
    client.force_login(user)
    for path in ("/api/v1/corpora/", "/api/v1/me/"):
        assert "Access-Control-Allow-Origin" not in client.get(path).headers
    assert "Access-Control-Allow-Origin" not in Program(token(user))("GET", "corpora/").headers
    assert "Access-Control-Allow-Origin" not in Program()("OPTIONS", "me/").headers


def test_every_answer_says_how_much_may_still_be_asked(user, monkeypatch):
    monkeypatch.setattr(request_limits, "CALLS_OF_TOKEN", Limit("few", 2, 60, "calls with this token"))
    asks = Program(token(user))
    first = asks("GET", "me/")
    assert '"token";q=2;w=60' in first.headers["RateLimit-Policy"]
    assert '"token";r=1;t=60' in first.headers["RateLimit"]
    asks("GET", "me/")
    third = asks("GET", "me/")
    assert (third.status_code, third.headers["Retry-After"]) == (429, "60")
    assert '"token";r=0' in third.headers["RateLimit"]
    assert Program(token(user, name="another"))("GET", "me/").status_code == 200


def test_a_list_comes_in_pages_each_row_once(db):
    corpus = make.CorpusFactory.create(tag="news")
    made = [make.DocumentFactory.create(corpus=corpus).doc_id for _ in range(5)]
    seen, address = [], "corpora/news/documents/?limit=2"
    while address:
        page = Program().get(address)
        seen += [row["doc_id"] for row in page["results"]]
        address = page["next"] and page["next"].removeprefix("http://testserver/api/v1/")
    assert seen == made


def test_a_page_keeps_what_was_asked_for(db):
    corpus = make.CorpusFactory.create(tag="news")
    for number in range(3):
        make.DocumentFactory.create(corpus=corpus, title=f"Ada {number}")
    assert "q=Ada" in Program().get("corpora/news/documents/?limit=2&q=Ada")["next"]
