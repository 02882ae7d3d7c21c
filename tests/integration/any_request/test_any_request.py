"""No request makes the service fail: whatever anybody sends to whatever address, the answer is no 500."""

import json
from collections.abc import Mapping, Sequence
from urllib.parse import quote_from_bytes

import pytest
from django.test import Client
from django.urls import URLPattern

from tests.integration.any_request.asking import (
    HOLE,
    Request,
    ask,
    encoded,
    headers_read,
    json_holes,
    names_read,
    routes,
)
from tests.integration.any_request.site import HIT_HOST, Site, is_of_hits
from tests.integration.any_request.values import (
    FEW_TEXTS,
    HEADERS,
    JSON_VALUES,
    LIKELY_TEXTS,
    TEXTS,
    VERY_LONG,
)

pytestmark = pytest.mark.django_db

ROUTES = dict(routes())
#: The admin's, and those for signing in.
LIBRARIES = ("admin:", "account_", "mfa_", "usersessions_", "socialaccount_", "openid_connect_")
OURS = sorted(name for name in ROUTES if not name.startswith(LIBRARIES))
THEIRS = sorted(set(ROUTES) - set(OURS))
#: Django's own, which take the same forms of each model.
ADMIN = [name for name in THEIRS if name.startswith("admin:")]

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data; boundary=b"
JSON = "application/json"
LONGEST_ADDRESS = 8_000  # more than servers let through
METHODS = ("HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "QUERY")


def part(headers: str, content: str) -> bytes:
    return f"--b\r\n{headers}\r\n\r\n{content}\r\n".encode()


NAMED = 'Content-Disposition: form-data; name="name"'
BODIES: dict[str, tuple[bytes, str]] = {
    "JSON": (json.dumps({"a": [1]}).encode(), JSON),
    "JSON with a lone surrogate": (rb'{"name": "\ud800"}', JSON),
    "deep JSON": (b"[" * 100_000, JSON),
    "JSON of one long number": (b"9" * 100_000, JSON),
    "broken JSON": (b"{", JSON),
    "fields that are none": (b"\xff" * 100, FORM),
    "too many fields": (b"&".join(b"a%d=1" % number for number in range(2_000)), FORM),
    "parts without a boundary": (b"--b", "multipart/form-data"),
    "parts with a strange boundary": (b"--b", "multipart/form-data; boundary=" + "b" * 300),
    "a part that is cut off": (f'--b\r\n{NAMED}; filename="'.encode(), MULTIPART),
    "a part without a name": (part("Content-Disposition: form-data", "x") + b"--b--\r\n", MULTIPART),
    "a part in broken base64": (
        part(f"{NAMED}\r\nContent-Transfer-Encoding: base64", "!") + b"--b--\r\n",
        MULTIPART,
    ),
    "nothing of a kind that is none": (b"", "x" * 5_000),
}


class Asking:
    """Asks one address as one person in many ways, and collects what failed."""

    def __init__(self, site: Site, client: Client, who: str, name: str) -> None:
        self.client, self.who = client, who
        self.address = site.address(name)
        self.examples = [str(value) for value in site.things.get(name, {}).values()]
        self.query = site.queries.get(name, {})
        self.form = site.forms.get(name, {})
        self.requests = [Request("GET"), Request("POST", encoded(self.form)), *site.requests.get(name, [])]
        self.headers = {"Host": HIT_HOST} if is_of_hits(name) else {}
        self.failed: list[str] = []

    def one(
        self, words: str, method: str, query: bytes = b"", body: bytes = b"", kind: str = FORM, **headers: str
    ) -> int:
        query = query or encoded(self.query)
        return self._ask(
            words, method, f"{self.address}?{query[:LONGEST_ADDRESS].decode()}", body, kind, **headers
        )

    def _ask(
        self, words: str, method: str, address: str, body: bytes = b"", kind: str = FORM, **headers: str
    ) -> int:
        answer = ask(self.client, method, address, body, kind, **{**self.headers, **headers})
        if answer.status >= 500 or answer.fault:
            what = f"{method} by {self.who}, {words}: {answer.status}"
            self.failed.append(f"{what}\n{answer.fault[-1500:]}")
        return answer.status

    def as_it_should_be(self) -> int:
        """Send the requests that are in order; return how many of them are taken."""
        return sum(
            self.one("all right", one.method, body=one.body, kind=one.kind, **one.headers) < 400
            for one in self.requests
        )

    def addresses(self, texts: dict[str, bytes]) -> None:
        """Put each value into each place of the address."""
        for words, value in texts.items():
            for example in self.examples:
                address = self.address.replace(example, quote_from_bytes(value[:300], safe="/"))
                self._ask(f"{words} for {example!r}", "GET", address)

    def names(self, method: str) -> set[str]:
        """Return the names that are read of address and form; none where the method is not taken."""
        with names_read() as names:
            if self.one("all right", method, body=encoded(self.form) if method == "POST" else b"") == 405:
                return set()
        return names | set(self.form) | set(self.query)

    def everything_at_once(self, method: str, names: set[str], texts: dict[str, bytes]) -> None:
        """Give each value to all names that are read."""
        if not names:
            return
        for words, value in texts.items():
            fields = encoded({}, **dict.fromkeys(names, value))
            self.one(f"{words} for everything", method, fields)
            if method == "POST":
                self.one(f"{words} for every field", method, body=fields)

    def one_by_one(self, method: str, names: set[str]) -> None:
        """Give each value to each name, all others being as they should be."""
        for name in sorted(names):
            for words, value in LIKELY_TEXTS.items():
                if method == "POST":
                    self.one(f"{words} for {name}", method, body=encoded(self.form, **{name: value}))
                else:
                    self.one(f"{words} for {name}", method, encoded(self.query, **{name: value}))
            several = encoded({name: "a"}) + b"&" + encoded({name: "b"})
            self.one(f"several {name} in the address", method, several)
            if method == "POST":
                self.one(f"several {name}", method, body=encoded(self.form) + b"&" + several)
                self.one(f"a very long {name}", method, body=encoded(self.form, **{name: VERY_LONG}))
                self.one(f"a file for {name}", method, body=self._with_file(name), kind=MULTIPART)
        if method == "POST":
            for words, value in TEXTS.items():
                odd = quote_from_bytes(value).encode() + b"=1"
                self.one(f"{words} as a field's name", method, body=encoded(self.form) + b"&" + odd)

    def bodies(self) -> None:
        """Send what is no form, or as no browser sends it."""
        for words, (body, kind) in BODIES.items():
            self.one(words, "POST", b"page=1", body, kind)
        for one in self.requests:
            if one.kind == JSON:
                self._documents(one)
        for method in METHODS:
            self.one("another method", method)

    def headers_of_all_kinds(self) -> None:
        """Give each header each of its values."""
        for one in self.requests:
            self._headers(one, HEADERS)

    def headers_that_are_read(self, route: URLPattern) -> None:
        """Give each header that a request in order brings all values, and each that the view reads one.

        What is read before any address is looked at is so everywhere alike.
        """
        for one in self.requests:
            with headers_read(route) as read:
                self.one("all right", one.method, body=one.body, kind=one.kind, **one.headers)
            values = {name: values[:1] for name, values in HEADERS.items() if name.upper() in read}
            self._headers(one, values | {name: HEADERS[name] for name in one.headers if name in HEADERS})

    def _headers(self, one: Request, given: Mapping[str, Sequence[str]]) -> None:
        for name, values in given.items():
            for value in values:
                headers = {**one.headers, name: value}
                self.one(f"{name}: {value[:40]!r}", one.method, b"", one.body, one.kind, **headers)

    def _documents(self, one: Request) -> None:
        """Put each value into each place of a request's JSON."""
        for place, hole in json_holes(json.loads(one.body)):
            for words, value in JSON_VALUES.items():
                body = hole.replace(HOLE, value).encode()
                what = f"{words} for {place or 'all'}"
                self._ask(what, one.method, one.address or self.address, body, one.kind, **one.headers)

    def _with_file(self, name: str) -> bytes:
        others = [
            part(f'Content-Disposition: form-data; name="{key}"', str(value))
            for key, value in self.form.items()
            if key != name
        ]
        file = part(f'Content-Disposition: form-data; name="{name}"; filename="a\0b"', "run")
        return b"".join([*others, file, b"--b--\r\n"])


def throw(site: Site, clients: dict[str, Client], name: str, *, thorough: bool) -> list[str]:
    """Ask an address as two people; return what failed.

    The person to whom most of it is open asks most, and a visitor less. If not thorough, each address gets
    the values that a service is most likely to stumble over, and one of the others, by turns.
    """
    assert name in site.things or not ROUTES[name].pattern.regex.groups, f"give `build` an example of {name}"
    everybody = [Asking(site, client, who, name) for who, client in clients.items()]
    most = max(everybody, key=lambda asking: (asking.as_it_should_be(), asking.who != "visitor"))
    two = [asking for asking in everybody if asking is most or asking.who == "visitor"]
    for asking in two:
        if thorough:
            texts = TEXTS if asking is most else LIKELY_TEXTS
        else:
            texts = LIKELY_TEXTS | another(name) if asking is most else FEW_TEXTS
        asking.addresses(TEXTS if thorough else texts)
        for method in ("GET", "POST"):
            names = asking.names(method)
            asking.everything_at_once(method, names, texts)
            if thorough and asking is most:
                asking.one_by_one(method, names)
    most.bodies()
    if thorough:
        most.headers_of_all_kinds()
    else:
        most.headers_that_are_read(ROUTES[name])
    return [failed for asking in two for failed in asking.failed]


def another(name: str) -> dict[str, bytes]:
    """Return one of the less likely values: with as many addresses as there are, each comes to several."""
    words = sorted(set(TEXTS) - set(LIKELY_TEXTS))
    chosen = words[sorted(ROUTES).index(name) % len(words)]
    return {chosen: TEXTS[chosen]}


@pytest.mark.parametrize("name", OURS[::8])
def test_likely_mistakes_in_a_request_do_not_make_the_service_fail(name, site, clients):
    failed = throw(site, clients, name, thorough=False)
    assert not failed, f"{len(failed)} requests failed\n" + "\n".join(failed[:10])


@pytest.mark.slow
@pytest.mark.parametrize("name", OURS)
def test_no_request_to_us_makes_the_service_fail(name, site, clients):
    failed = throw(site, clients, name, thorough=True)
    assert not failed, f"{len(failed)} requests failed\n" + "\n".join(failed[:10])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["help", "api_leaderboard", "hit_home"])
def test_no_header_makes_the_service_fail_wherever_it_is_read_before_the_address(name, site, clients):
    asking = Asking(site, clients["visitor"], "visitor", name)
    asking.headers_of_all_kinds()
    assert not asking.failed, asking.failed[:10]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in THEIRS if not name.startswith("admin:")] + ADMIN[::5])
def test_no_request_to_a_librarys_pages_makes_the_service_fail(name, site, clients):
    failed = throw(site, clients, name, thorough=not name.startswith("admin:"))
    assert not failed, f"{len(failed)} requests failed\n" + "\n".join(failed[:10])


@pytest.mark.parametrize("length", ["x", "-1", "٣", "9" * 30, "9" * 5_000])
@pytest.mark.parametrize("name", ["work_submit", "hit", "prolific_hook"])
def test_a_length_that_is_none_is_refused_where_lengths_are_looked_at(name, length, site, clients):
    asking = Asking(site, clients["visitor"], "visitor", name)
    headers = {"Content-Length": length}
    status = asking.one("a length that is none", "POST", body=encoded(asking.form), **headers)
    assert (status // 100, asking.failed) == (4, [])
