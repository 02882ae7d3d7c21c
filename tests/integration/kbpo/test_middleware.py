from typing import Any

import pytest
from django.test import Client

from tests.factories import UserFactory


def test_every_page_refuses_to_be_framed(client: Client, db: None) -> None:
    response = client.get("/accounts/login/")
    assert response.headers["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in response.headers["Content-Security-Policy"]


def test_a_page_that_is_not_there_refuses_as_well(client: Client, db: None) -> None:
    response = client.get("/no/such/page/")
    assert response.status_code == 404
    assert "frame-ancestors 'none'" in response.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    "address", ["/corpora/%00/", "/?corpus=%0B", "/api/v1/corpora/a%00b/leaderboard/", "/?%EF%BF%BE=1"]
)
def test_an_address_that_nothing_can_have_is_refused_in_words(client: Client, db: None, address: str) -> None:
    response = client.get(address)
    assert response.status_code == 400
    assert "The address holds the character U+" in response.content.decode()


def test_a_posted_name_that_nothing_can_have_is_refused_in_words(client: Client, db: None) -> None:
    client.force_login(UserFactory.create(annotator=True))
    assert client.post("/annotate/start/", {"corpus": "\0"}).status_code == 400


@pytest.mark.parametrize("form", [{"name": "a\0"}, {"other": ["a", "\x0b"]}, {"\0": "a"}])
def test_a_form_that_nothing_can_keep_is_refused_with_the_field(
    client: Client, db: None, form: dict[str, str]
) -> None:
    client.force_login(UserFactory.create())
    response = client.post("/teams/name/", form)
    assert response.status_code == 400
    assert "holds the character U+000" in response.content.decode()


@pytest.fixture
def read_only(settings: Any) -> None:
    settings.READ_ONLY = True


def test_while_the_site_takes_nothing_in_it_is_read(client: Client, db: None, read_only: None) -> None:
    assert [client.get(address).status_code for address in ("/", "/accounts/login/")] == [200, 200]


def test_while_the_site_takes_nothing_in_a_form_is_told_so(client: Client, db: None, read_only: None) -> None:
    client.force_login(UserFactory.create())
    response = client.post("/teams/name/", {"name": "a"})
    assert (response.status_code, response.headers["Retry-After"]) == (503, "10")
    assert "takes nothing in for a while. Nothing was changed." in response.content.decode()


def test_while_the_site_takes_nothing_in_a_program_is_told_so(
    client: Client, db: None, read_only: None
) -> None:
    response = client.post("/api/v1/submissions/", {})
    assert (response.status_code, response.json()["status"]) == (503, 503)
    assert response.headers["Content-Type"] == "application/problem+json"


def test_while_the_site_takes_nothing_in_paid_workers_are_told_that_their_work_is_kept(
    client: Client, db: None, read_only: None, settings: Any
) -> None:
    settings.HIT_BASE_URL, settings.ALLOWED_HOSTS = "https://tasks.example.org", ["tasks.example.org"]
    response = client.post("/hits/none/answer/", {}, headers={"Host": "tasks.example.org"})
    assert response.status_code == 503
    assert "What you typed is kept" in response.content.decode()
