"""Simulated workers on the marketplace and its HIT pages, over HTTP as browsers speak it.

A worker has a slot of five seconds for each answer: accepts the next HIT, opens the marketplace's page of it
and the HIT's own page in its frame, saves twice while answering, sends the answer to the HIT's page, and what
that returns to the marketplace. A slot that begins late is not skipped; the worker then does not pause.
"""

import html
import http.client
import json
import random
import re
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from urllib.parse import urlencode, urlsplit

SLOT = 5.0  # seconds
TIMEOUT = 60.0
STEPS = ("accept", "task", "page", "save", "answer", "hand over")
_FRAME = re.compile(r'<iframe[^>]*?\ssrc="([^"]+)"', re.DOTALL)
_TOKEN = re.compile(r'name="token"\s+value="([^"]+)"')
_FIELD = re.compile(r'name="(q\d+)"')


class Failed(Exception):
    """A request was answered with something else than it should."""


@dataclass
class Outcome:
    """What happened in a run.

    Attributes
    ----------
    seconds : dict of str to list of float
        By step, what each request took.
    acknowledged : int
        Answers that the HIT's page said are stored.
    handed_over : int
        Answers that the marketplace took.
    late : list of float
        By how many seconds answers were sent later than the slots wanted.
    failures : list of str
    first, last : float
        When it began, and when the last answer was stored.
    """

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    acknowledged: int = 0
    handed_over: int = 0
    late: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    first: float = 0.0
    last: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)


@dataclass
class Worker:
    """One simulated worker.

    Attributes
    ----------
    site : (str, int)
    group : str
        The type of work that is accepted.
    session, csrf : str
    outcome : Outcome
    rng : random.Random
    """

    site: tuple[str, int]
    group: str
    session: str
    csrf: str
    outcome: Outcome
    rng: random.Random

    def work(self, begin: float, end: float) -> None:
        """Answer once in each slot until the end; times are of `time.monotonic`."""
        slot = begin + self.rng.random() * SLOT
        while slot < end and time.monotonic() < end:
            _wait_until(slot)
            try:
                self._answer(slot)
            except (Failed, OSError, http.client.HTTPException) as error:
                with self.outcome.lock:
                    self.outcome.failures.append(f"{type(error).__name__}: {error}")
            slot += SLOT

    def _answer(self, slot: float) -> None:
        cookies = f"sessionid={self.session}; csrftoken={self.csrf}"
        signed_in = {"Cookie": cookies, "X-CSRFToken": self.csrf}
        site = f"http://{self.site[0]}:{self.site[1]}"
        response = self._ask(
            "accept", "POST", f"{site}/work/groups/{self.group}/accept/", signed_in, expect=302
        )
        where = response.headers["Location"]
        if not where.startswith("/work/tasks/"):
            raise Failed(f"nothing to accept: sent to {where}")
        task = self._ask("task", "GET", f"{site}{where}", signed_in).text
        frame = html.unescape(_first(_FRAME, task))
        page = self._ask("page", "GET", frame, {}).text
        token, name = _first(_TOKEN, page), _first(_FIELD, page)
        split = urlsplit(frame)
        draft = f"{split.scheme}://{split.netloc}{split.path}draft/"
        for number, after in ((1, 1.5), (2, 3.0)):
            _wait_until(slot + after)
            save = {"number": number, "step": 0, "fields": {name: ["none"], f"seconds-{name}": ["2"]}}
            self._ask("save", "POST", draft, {"Authorization": f"Bearer {token}"}, json.dumps(save))
        _wait_until(slot + 4.0)
        late = max(0.0, time.monotonic() - slot - 4.0)
        form = urlencode({"token": token, name: "none", f"seconds-{name}": "4"})
        told = json.loads(self._ask("answer", "POST", frame, {"Accept": "application/json"}, form).text)
        with self.outcome.lock:
            self.outcome.acknowledged += 1
            self.outcome.last = time.monotonic()
            self.outcome.late.append(late)
        self._ask("hand over", "POST", told["action"], {}, urlencode(told["fields"]))
        with self.outcome.lock:
            self.outcome.handed_over += 1

    def _ask(
        self, step: str, method: str, url: str, headers: dict[str, str], body: str = "", *, expect: int = 200
    ) -> "_Response":
        split = urlsplit(url)
        kind = "application/json" if body.startswith("{") else "application/x-www-form-urlencoded"
        connection = http.client.HTTPConnection(split.hostname or "", split.port, timeout=TIMEOUT)
        started = time.monotonic()
        try:
            address = f"{split.path}?{split.query}" if split.query else split.path
            given = {"Content-Type": kind, "Connection": "close", **headers}
            connection.request(method, address, body or None, given)
            answer = connection.getresponse()
            text = answer.read().decode()
        finally:
            connection.close()
        seconds = time.monotonic() - started
        with self.outcome.lock:
            self.outcome.seconds[step].append(seconds)
        if answer.status != expect:
            raise Failed(f"{step}: status {answer.status}: {' '.join(text.split())[:200]}")
        return _Response(answer.headers, text)


@dataclass
class _Response:
    headers: http.client.HTTPMessage
    text: str


def run(
    workers: list[dict[str, str]], *, site: tuple[str, int], group: str, seconds: float, seed: int
) -> Outcome:
    """Have workers work for some time, all at once."""
    begin = time.monotonic() + 1.0
    outcome = Outcome(first=begin)
    end = begin + seconds
    threads = []
    for number, worker in enumerate(workers):
        rng = random.Random(seed * 10_000 + number)
        one = Worker(site, group, worker["session"], worker["csrf"], outcome, rng)
        threads.append(threading.Thread(target=one.work, args=(begin, end), daemon=True))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds + 4 * TIMEOUT)
    return outcome


def _wait_until(moment: float) -> None:
    if (pause := moment - time.monotonic()) > 0:
        time.sleep(pause)


def _first(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    if found is None:
        raise Failed(f"{pattern.pattern} is not in: {' '.join(text.split())[:200]}")
    return found[1]
