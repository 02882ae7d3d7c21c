"""Every address says who may keep its page: with a validator for everybody, or privately."""

import pytest
from django.db import transaction
from django.http.response import HttpResponseBase
from django.test import Client

from tests.integration.any_request.asking import encoded, routes
from tests.integration.any_request.site import HIT_HOST, Site, is_of_hits

pytestmark = pytest.mark.django_db

#: Open to visitors, and yet a visitor's alone: a form with its token, what is of a HIT or of a mail's reader.
OF_ONE_VISITOR = {
    "account_confirm_email",
    "account_inactive",
    "account_login",
    "account_logout",
    "account_reset_password",
    "account_reset_password_done",
    "account_reset_password_from_key",
    "account_reset_password_from_key_done",
    "account_signup",
    "account_email_verification_sent",
    "check",
    "hit",
    "hit_pages",
    "hit_passage",
    "mail_off",
    "socialaccount_login_cancelled",
    "try_out",
}
#: The same file for everybody, whoever asks: of public texts, of a snapshot, or of the site itself.
SAME_FOR_ALL = {"api_data_file", "data_file", "favicon", "robots"}


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


def is_private(answer: HttpResponseBase) -> bool:
    return not {"private", "no-store"}.isdisjoint(answer.headers["Cache-Control"].split(", "))


def names() -> list[str]:
    return [name for name, _ in routes() if not name.startswith("admin:")]


@pytest.mark.slow
def test_what_visitors_see_has_a_validator_or_is_theirs_alone(site: Site) -> None:
    wrong = {}
    for name in names():
        answer = get(site, client_of(None), name)
        rules = answer.headers["Cache-Control"].split(", ")
        if "no-store" not in rules and ("no-cache" in rules or not is_private(answer)):
            is_right = not answer.cookies and ("ETag" in answer.headers or "Last-Modified" in answer.headers)
        else:
            is_right = answer.status_code != 200 or name in OF_ONE_VISITOR
        if not is_right:
            wrong[name] = answer.headers["Cache-Control"]
    assert not wrong


@pytest.mark.slow
def test_what_is_a_visitors_alone_is_kept_by_nobody_else(site: Site) -> None:
    assert all(is_private(get(site, client_of(None), name)) for name in OF_ONE_VISITOR)


@pytest.mark.slow
def test_a_visitor_who_has_a_page_is_told_that_it_is_the_same(site: Site) -> None:
    changed = {}
    for name in set(names()) - OF_ONE_VISITOR:
        first = get(site, client_of(None), name)
        if first.status_code == 200 and "ETag" in first.headers:
            again = get(site, client_of(None), name, known=first.headers["ETag"])
            if again.status_code != 304:
                changed[name] = again.status_code
    assert not changed


@pytest.mark.slow
@pytest.mark.parametrize("who", ["member", "annotator", "operator"])
def test_what_somebody_sees_who_is_signed_in_is_theirs_alone(site: Site, who: str) -> None:
    wrong = {}
    for name in names():
        answer = get(site, client_of(site.people[who]), name)
        if not is_private(answer) and name not in SAME_FOR_ALL:
            wrong[name] = answer.headers["Cache-Control"]
    assert not wrong
