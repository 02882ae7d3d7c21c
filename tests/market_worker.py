"""A worker on the marketplace and its HIT pages, over HTTP as a browser speaks it."""

import html
import http.client
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.test import Client

from crowd.models import Hit
from crowd.page_names import page_names
from kbpo.accounts.models import User

TIMEOUT = 30.0  # seconds
CSRF = "c" * 32
_FRAME = re.compile(r'<iframe[^>]*?\ssrc="([^"]+)"', re.DOTALL)
_TOKEN = re.compile(r'name="token"\s+value="([^"]+)"')
_FIELD = re.compile(r'name="q(\d+)"')
_DATA = re.compile(r'id="document-data" type="application/json">(.*?)</script>', re.DOTALL)
_TITLE = re.compile(r"<h1[^>]*>\s*(.*?)\s*</h1>", re.DOTALL)

#: From a document's title and the page's data, the answer.
Mark = Callable[[str, Mapping[str, Any]], object]
#: From a question's id, the values to tick.
Tick = Callable[[int], list[str]]


@dataclass
class MarketWorker:
    """A person at the marketplace.

    Attributes
    ----------
    site : str
        Where the marketplace is.
    user : User
        Signed in, and qualified.
    """

    site: str
    user: User

    def __post_init__(self) -> None:
        client = Client()
        client.force_login(self.user)
        session = client.cookies[settings.SESSION_COOKIE_NAME].value
        self._signed_in = {"Cookie": f"sessionid={session}; csrftoken={CSRF}", "X-CSRFToken": CSRF}

    def mark_documents(self, group: str, mark: Mark) -> int:
        """Accept and do all HITs of a group, saving once on the way; return how many."""

        def act(frame: str, page: str, token: str) -> dict[str, Any]:
            signed = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
            data = json.loads(_first(_DATA, page))
            answer = mark(html.unescape(_first(_TITLE, page)), data)
            save = {"number": data["number"] + 1, "draft": {"words": 1}, "seconds": {"mark": 30}}
            split = urlsplit(frame)
            self._ask("POST", f"{split.scheme}://{split.netloc}{split.path}draft/", signed, json.dumps(save))
            body = json.dumps({"answer": answer, "comment": "", "seconds": {"mark": 60, "check": 5}})
            told: dict[str, Any] = json.loads(self._ask("POST", frame, signed, body)[1])
            return told

        return self._do_all(group, act)

    def answer_questions(self, group: str, tick: Tick) -> int:
        """Accept and do all HITs of a group that ask about relations; return how many."""

        def act(frame: str, page: str, token: str) -> dict[str, Any]:
            fields = {f"q{name}": tick(pk) for name, pk in _questions(frame, _FIELD.findall(page)).items()}
            form = urlencode({"token": token, **fields}, doseq=True)
            told: dict[str, Any] = json.loads(
                self._ask("POST", frame, {"Accept": "application/json"}, form)[1]
            )
            return told

        return self._do_all(group, act)

    def _do_all(self, group: str, act: Callable[[str, str, str], dict[str, Any]]) -> int:
        done = 0
        while True:
            accept = f"{self.site}/work/groups/{group}/accept/"
            where = self._ask("POST", accept, self._signed_in, expect=302)[0]["Location"]
            if not where.startswith("/work/tasks/"):
                return done
            task = self._ask("GET", f"{self.site}{where}", self._signed_in)[1]
            frame = html.unescape(_first(_FRAME, task))
            page = self._ask("GET", frame, {})[1]
            told = act(frame, page, _first(_TOKEN, page))
            self._ask("POST", told["action"], {}, urlencode(told["fields"]))
            done += 1

    def _ask(
        self, method: str, url: str, headers: Mapping[str, str], body: str = "", *, expect: int = 200
    ) -> tuple[http.client.HTTPMessage, str]:
        split = urlsplit(url)
        kind = "application/json" if body.startswith("{") else "application/x-www-form-urlencoded"
        connection = http.client.HTTPConnection(split.hostname or "", split.port, timeout=TIMEOUT)
        try:
            address = f"{split.path}?{split.query}" if split.query else split.path
            given = {"Content-Type": kind, "Connection": "close", **headers}
            connection.request(method, address, body or None, given)
            answer = connection.getresponse()
            text = answer.read().decode()
        finally:
            connection.close()
        assert answer.status == expect, f"{method} {url}: {answer.status}: {' '.join(text.split())[:300]}"
        return answer.headers, text


def _questions(frame: str, names: Iterable[str]) -> dict[int, int]:
    """Return the ids of the questions that a page asks, by what it calls them."""
    hit = Hit.objects.get(annotation=urlsplit(frame).path.split("/")[2])
    golds = hit.assignments.exclude(gold=None).values_list("gold", flat=True)
    called = page_names(hit, [*hit.questions.values_list("pk", flat=True), *golds])
    ids = {name: pk for pk, name in called.items()}
    return {int(name): ids[int(name)] for name in names}


def _first(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    assert found is not None, f"{pattern.pattern} is not in: {' '.join(text.split())[:300]}"
    return found[1]
