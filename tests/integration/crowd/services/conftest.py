"""The services on a provider in memory, and a clock that stands still until it is moved."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from annotations.models import Corpus, Question
from crowd import posting
from crowd.models import Assignment, Budget, Hit, HitBatch
from crowd.providers import registry
from kbpo.accounts.models import User
from tests import crowd
from tests.crowd import Say, answer_json, say_none
from tests.factories import CorpusFactory
from tests.fake_provider import TAKES, FakeProvider


@dataclass
class Desk:
    """An operator with a corpus, a budget, a provider and a clock."""

    corpus: Corpus
    operator: User
    now: datetime = datetime(2026, 11, 20, 12, tzinfo=UTC)
    provider: FakeProvider = field(init=False)
    budget: Budget = field(init=False)
    sent: int = 0

    def __post_init__(self) -> None:
        self.provider = FakeProvider(lambda: self.now)
        self.budget = crowd.fund(self.corpus)

    def wait(self, **time: float) -> None:
        self.now += timedelta(**time)

    def open(self, **options: object) -> HitBatch:
        given = {
            "corpus": self.corpus,
            "kind": "relation",
            "provider": "marketplace",
            "reward_cents": 15,
            "by": self.operator,
            "now": self.now,
        }
        return crowd.open_batch(**given | options)

    def post(self) -> int:
        return crowd.post(self.now)

    def posted(self, documents: int = 1, votes: int = 3, **options: object) -> list[Hit]:
        """Ask questions and post their HITs."""
        crowd.ask(self.corpus, documents)
        Question.objects.update(votes_needed=votes)
        batch = self.open(**options)
        self.post()
        return list(batch.hits.order_by("pk"))

    def send(
        self,
        hit: Hit,
        worker: str = "",
        say: Say = say_none,
        text: str | None = None,
        ident: str = "",
        took: timedelta = TAKES,
    ) -> str:
        """Send work of a worker; return its assignment's id."""
        hit.refresh_from_db()
        self.sent += 1
        ident = ident or f"A{self.sent}"
        answer = answer_json(hit.questions.order_by("pk"), say) if text is None else text
        assert hit.provider_id is not None
        worker = worker or f"W{self.sent}"
        self.provider.send(hit.provider_id, ident, worker, {"answer": answer}, took)
        return ident

    def collect(self) -> int:
        return crowd.collect(self.now)

    def decide(self) -> int:
        return crowd.approve_all(self.now)

    def plan(self) -> int:
        return posting.plan_batches(now=self.now)

    def assignment(self, ident: str) -> Assignment:
        return Assignment.objects.get(provider_id=ident)

    def money(self) -> tuple[int, int]:
        self.budget.refresh_from_db()
        return self.budget.reserved_cents, self.budget.paid_cents


@pytest.fixture
def desk(db: None, monkeypatch: pytest.MonkeyPatch) -> Desk:
    desk = Desk(CorpusFactory.create(), crowd.operator())
    monkeypatch.setattr(registry, "configured", lambda: ["marketplace"])
    monkeypatch.setattr(registry, "provider", lambda name: desk.provider)
    return desk
