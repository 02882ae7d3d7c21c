"""A receiver on this machine, and a team that has it told."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from kbpo.accounts.models import Team, User
from kbpo.webhooks import managing
from kbpo.webhooks.events import EVENTS
from kbpo.webhooks.models import Webhook
from tests.factories import TeamFactory, UserFactory


@dataclass
class Received:
    """A request that came."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """A server of a team's.

    Attributes
    ----------
    url : str
    received : list of Received
    answers : list of int
        The statuses that it answers with, in order; 200 when they are used up.
    """

    url: str
    received: list[Received] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            found.received.append(Received(self.path, headers, body))
            self.send_response(found.answers.pop(0) if found.answers else 200)
            self.send_header("Location", f"{found.url}/elsewhere")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        found = Receiver(f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, args=[0.01], daemon=True)
        thread.start()
        yield found
        server.shutdown()


@pytest.fixture
def ann() -> User:
    return UserFactory.create(email="ann@example.org")


@pytest.fixture
def team(ann: User) -> Team:
    return TeamFactory.create(name="Blue", members=[ann])


@pytest.fixture
def add(ann: User, team: Team) -> Callable[..., Webhook]:
    """Add an address to the team's."""

    def added(url: str, **fields: object) -> Webhook:
        webhook = managing.add(user=ann, team=team, url=url, events=list(EVENTS))
        Webhook.objects.filter(pk=webhook.pk).update(**fields)
        webhook.refresh_from_db()
        return webhook

    return added
