"""Who has a page that carries an ETag is told that it is still the same."""

import pytest
from django.db import transaction
from django.http.response import HttpResponseBase
from django.test import Client

from tests.integration.any_request.asking import encoded, routes
from tests.integration.any_request.site import HIT_HOST, Site, is_of_hits

pytestmark = pytest.mark.django_db


def get(site: Site, client: Client, name: str, known: str = "") -> HttpResponseBase:
    """Ask for the example of a route, without a trace; with the ETag of a page that is known."""
    headers = {"HTTP_HOST": HIT_HOST} if is_of_hits(name) else {}
    if known:
        headers["HTTP_IF_NONE_MATCH"] = known
    query = encoded(site.queries.get(name, {})).decode()
    with transaction.atomic():
        answer = client.get(f"{site.address(name)}?{query}", **headers)
        if answer.streaming:
            b"".join(answer)
        transaction.set_rollback(True)
    return answer


def client_of(user: object) -> Client:
    client = Client(raise_request_exception=False)
    if user is not None:
        client.force_login(user)  # type: ignore[arg-type]
    return client


def names() -> list[str]:
    return [name for name, _ in routes() if not name.startswith("admin:")]


def test_a_visitor_who_has_a_page_is_told_that_it_is_the_same(site: Site) -> None:
    changed = {}
    for name in names():
        first = get(site, client_of(None), name)
        if first.status_code == 200 and "ETag" in first.headers:
            again = get(site, client_of(None), name, known=first.headers["ETag"])
            if again.status_code != 304:
                changed[name] = again.status_code
    assert not changed
