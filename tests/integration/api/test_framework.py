"""What holds for all of the API: who asks, how it refuses, limits, pages, and scripts of other sites."""

import logging
from dataclasses import replace

import pytest
from django.test import Client

from evaluation.submissions.visibility import is_operator
from kbpo.accounts import tokens
from kbpo.accounts.factors import has_factor
from kbpo.core import rate_limits
from kbpo.core.errors import TooLarge
from kbpo.core.parsers import MOST_BYTES, JsonParser
from kbpo.core.rate_limits import RateLimit
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


def test_a_body_in_chunks_is_refused_and_not_taken_for_none(user):
    answer = Program(token(user))("POST", "checks/", Transfer_Encoding="chunked")
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "Content-Length")


def test_what_is_not_there_is_said_without_the_name_of_a_class(user):
    body = {"corpus": "none", "team": "Others", "name": "x", "upload": "6a204bd8-9d5c-4ad7-8d6a-9d2b5a3c1f2e"}
    asks = Program(token(user))
    errors = {one["field"]: one["detail"] for one in asks("POST", "submissions/", body).json()["errors"]}
    assert errors == {"corpus": "there is no corpus none", "team": "you are in no team Others"}
    assert "at this address" in asks("GET", "corpora/none/").json()["detail"]


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
        ("DELETE", "/api/v1/me/", 405),
        ("QUERY", "/api/v1/corpora/", 405),
        ("POST", "/api/v1/submissions/", 401),
        ("GET", "/api/v1/corpora/?limit=0", 400),
        ("GET", "/api/v1/corpora/?cursor=!", 400),
        ("GET", "/api/v1/corpora/?cursor=%00", 400),
        ("GET", "/api/v1/corpora/?nothing=%00", 400),
        ("GET", "/api/v1/corpora/a%00b/", 400),
        ("GET", "/api/v1/%00", 400),
        ("GET", "/api/v1/corpora/%ED%A0%80/", 404),
        ("GET", "/api/v1/submissions/?corpus=" + "x" * 5_000, 400),
        ("GET", f"/api/v1/submissions/{'9' * 40}/", 404),
        ("GET", f"/api/v1/corpora/{'x' * 5_000}/", 404),
    ],
)
def test_every_refusal_is_a_problem(method, path, status, db):
    answer = Client().generic(method, path)
    assert answer.headers["Content-Type"] == "application/problem+json"
    found = answer.json()
    assert (answer.status_code, found["status"]) == (status, status)
    assert set(found) == {"type", "title", "status", "detail", "errors"}
    assert found["detail"]


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"{", {}, 400),
        (rb'{"name": "\ud800"}', {}, 400),
        (rb'{"name": "\u0000"}', {}, 400),
        (b'{"description": NaN}', {}, 400),
        (b'"\xff"', {}, 400),
        (b"[]", {}, 400),
        (b"{}", {"Content_Type": "text/plain"}, 415),
        (b"name=a", {"Content_Type": "application/x-www-form-urlencoded"}, 415),
        (b"{}", {"Accept": "text/html"}, 406),
        (b'"' + b"x" * MOST_BYTES + b'"', {}, 413),
    ],
)
def test_a_body_that_is_not_taken_is_a_problem_too(user, body, headers, status):
    answer = Program(token(user))("POST", "submissions/", body, **headers)
    assert (answer.status_code, answer.json()["status"]) == (status, status)
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_no_more_of_a_body_is_read_than_is_taken(user, monkeypatch):
    read = []
    stream = type("Endless", (), {"read": lambda self, size=-1: read.append(size) or b"x" * size})()
    with pytest.raises(TooLarge):
        JsonParser().parse(stream)
    assert read == [MOST_BYTES + 1]


def test_a_form_in_the_address_changes_nothing(db):
    make.CorpusFactory.create()
    assert Program().get("corpora/?format=xml")["results"]


def test_a_method_that_is_none_is_said_before_what_a_token_may(user):
    answer = Program(token(user, "read"))("PUT", "me/")
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD, OPTIONS")


def test_a_problem_names_the_fields_that_are_wrong(user):
    found = Program(token(user))("POST", "submissions/", {"name": "a"}).json()
    assert {one["field"] for one in found["errors"]} == {"corpus", "team", "upload"}


@pytest.mark.parametrize("query", ["cursor=!", "limit=0"])
def test_a_problem_names_the_part_of_the_address_that_is_wrong(query, db):
    found = Program()("GET", f"corpora/?{query}").json()
    assert [one["field"] for one in found["errors"]] == [query.split("=")[0]]


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
    monkeypatch.setattr(rate_limits, "API_CALLS_BY_TOKEN", RateLimit("few", 2, 60, "calls with this token"))
    asks = Program(token(user))
    first = asks("GET", "me/")
    assert '"token";q=2;w=60' in first.headers["RateLimit-Policy"]
    assert '"token";r=1;t=60' in first.headers["RateLimit"]
    asks("GET", "me/")
    third = asks("GET", "me/")
    assert (third.status_code, third.headers["Retry-After"]) == (429, "60")
    assert '"token";r=0' in third.headers["RateLimit"]
    assert Program(token(user, name="another"))("GET", "me/").status_code == 200


def test_an_account_with_many_tokens_is_counted_as_one(user, monkeypatch):
    few = RateLimit("few", 2, 60, "calls by your account")
    monkeypatch.setattr(rate_limits, "API_CALLS", replace(rate_limits.API_CALLS, account=few))
    statuses = [Program(token(user, name=f"{n}"))("GET", "me/").status_code for n in range(3)]
    assert statuses == [200, 200, 429]


def test_a_network_of_visitors_is_counted_as_one(db, monkeypatch):
    few = RateLimit("few", 2, 60, "calls from your network")
    monkeypatch.setattr(rate_limits, "API_CALLS", replace(rate_limits.API_CALLS, network=few))
    answers = [Program()("GET", "corpora/") for _ in range(3)]
    assert [one.status_code for one in answers] == [200, 200, 429]
    left = [one.headers["RateLimit"].rpartition(";")[0] for one in answers]
    assert left == ['"network";r=1', '"network";r=0', '"network";r=0']
    assert Client().get("/api/v1/corpora/", REMOTE_ADDR="203.0.113.9").status_code == 200


def test_who_guesses_tokens_is_told_when_to_come_again(db, monkeypatch):
    monkeypatch.setattr(tokens, "WRONG_TOKENS", RateLimit("few", 1, 900, "wrong tokens from your network"))
    statuses = [Program("kbpo_wrong")("GET", "corpora/") for _ in range(2)]
    assert [one.status_code for one in statuses] == [401, 429]
    assert 0 < int(statuses[1].headers["Retry-After"]) <= 900


def test_an_etag_of_one_persons_answer_opens_nothing_to_another(user):
    team = make.TeamFactory.create(members=[user])
    submission = make.SubmissionFactory.create(team=team, state="scored")
    address = f"submissions/{submission.pk}/"
    own = Program(token(user))("GET", address)
    others = Program()("GET", address, If_None_Match=own.headers["ETag"])
    assert (others.status_code, others.json()["digest"]) == (200, "")
    assert {"Authorization", "Cookie"} <= set(own.headers["Vary"].split(", "))
    assert own.headers["Cache-Control"] == "private, no-cache"


def test_no_answer_lets_scripts_of_other_sites_send_what_signs_somebody_in(user):
    asked = [
        Program(secret)(method, address, Origin="https://elsewhere.example")
        for secret in ("", token(user))
        for method in ("GET", "OPTIONS")
        for address in ("corpora/", "me/", "submissions/", "nothing/", "openapi.json")
    ]
    assert not [one for one in asked if "Access-Control-Allow-Credentials" in one.headers]


@pytest.mark.parametrize("address", ["me/", "corpora/"])
def test_a_token_stands_in_no_log_and_no_answer_when_something_breaks(
    user, address, monkeypatch, caplog, settings
):
    settings.DEBUG = False
    for name in ("django", "kbpo"):
        monkeypatch.setattr(logging.getLogger(name), "propagate", True)
    secret = token(user)

    def fail(*_):
        raise RuntimeError("broken")

    monkeypatch.setattr("kbpo.api.resources.people.Me", fail)
    monkeypatch.setattr("kbpo.api.resources.corpora._counted", fail)
    client = Client(raise_request_exception=False)
    answer = client.get(f"/api/v1/{address}", headers={"Authorization": f"Bearer {secret}"})
    assert (answer.status_code, answer.json()["status"]) == (500, 500)
    assert "broken" in caplog.text
    shown = "".join(f"{one.getMessage()}{one.exc_text}" for one in caplog.records)
    assert secret not in shown + answer.content.decode() + str(answer.headers)


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
