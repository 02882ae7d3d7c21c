"""A provider in memory, which keeps the promises of `crowd.providers.base` and fails when it is told to."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from crowd.models import Hit
from crowd.providers.base import NewHit, NoAnswer, NotFound, PublishedHit, Refused, SubmittedWork
from crowd.providers.fees import mturk_fee_cents
from kbpo.core.errors import InvalidInput
from tests.arrivals import sealed

TAKES = timedelta(minutes=2)  # for a HIT


@dataclass
class FakeHit:
    """A HIT as the provider has it."""

    provider_id: str
    new: NewHit
    created_at: datetime
    expires_at: datetime
    places: int
    held: int = 0
    works: dict[tuple[str, str], SubmittedWork] = field(default_factory=dict)
    unlisted: dict[tuple[str, str], SubmittedWork] = field(default_factory=dict)  # counted, not shown yet


class FakeProvider:
    """Posts, collects and pays in memory.

    `before` and `after` hold, for the name of an operation, errors that are raised one after another instead
    of doing it, or once it is done. `calls` lists every operation.
    """

    name = "marketplace"
    reopens_rejected = False

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self.clock = clock
        self.hits: dict[str, FakeHit] = {}
        self.tokens: dict[str, str] = {}
        self.extensions: set[str] = set()
        self.bonuses: dict[str, tuple[str, int]] = {}
        self.blocked: dict[str, str] = {}
        self.granted: set[tuple[str, str]] = set()
        self.decisions: dict[str, str] = {}
        self.before: dict[str, list[Exception]] = {}
        self.after: dict[str, list[Exception]] = {}
        self.calls: list[str] = []
        self.balance: int | None = None
        self.least_hourly_cents = 0

    def fee_cents(self, *, reward_cents: int, places: int) -> int:
        return mturk_fee_cents(reward_cents, places)

    def bonus_fee_cents(self, *, cents: int) -> int:
        return mturk_fee_cents(cents)

    def _begin(self, operation: str) -> None:
        self.calls.append(operation)
        if self.before.get(operation):
            raise self.before[operation].pop(0)

    def _end(self, operation: str) -> None:
        if self.after.get(operation):
            raise self.after[operation].pop(0)

    def publish(self, hit: NewHit) -> PublishedHit:
        self._begin("publish")
        if hit.token not in self.tokens:
            provider_id = f"HIT{len(self.hits) + 1}"
            self.tokens[hit.token] = provider_id
            self.hits[provider_id] = FakeHit(
                provider_id,
                hit,
                self.clock(),
                self.clock() + timedelta(seconds=hit.lifetime_seconds),
                hit.places,
            )
        self._end("publish")
        return self._published(self.hits[self.tokens[hit.token]])

    def forget_tokens(self) -> None:
        """Do what providers do after a day."""
        self.tokens.clear()

    def get(self, provider_id: str) -> PublishedHit:
        self._begin("get")
        return self._published(self._find(provider_id))

    def published_since(self, since: datetime) -> Iterator[PublishedHit]:
        self._begin("published_since")
        yield from (self._published(hit) for hit in self.hits.values() if hit.created_at >= since)

    def extend(self, provider_id: str, *, places: int, token: str) -> None:
        self._begin("extend")
        hit = self._find(provider_id)
        if hit.places < 10 <= hit.places + places:
            raise Refused("from nine places to ten")
        if token not in self.extensions:
            self.extensions.add(token)
            hit.places += places
        self._end("extend")

    def expire(self, provider_id: str) -> None:
        self._begin("expire")
        self._find(provider_id).expires_at = self.clock()
        self._end("expire")

    def prolong(self, provider_id: str, *, until: datetime) -> None:
        self._begin("prolong")
        self._find(provider_id).expires_at = until

    def collect(self, provider_id: str) -> Iterator[SubmittedWork]:
        self._begin("collect")
        yield from list(self._find(provider_id).works.values())

    def approve(self, assignment_id: str, *, feedback: str, override: bool = False) -> None:
        self._begin("approve")
        self._decide(assignment_id, "approved", ("submitted", "rejected") if override else ("submitted",))
        self._end("approve")

    def check_pay(self, *, reward_cents: int, seconds: int) -> None:
        if 3600 * reward_cents < self.least_hourly_cents * seconds:
            raise InvalidInput(f"{reward_cents} cents for {seconds} s are too few")

    def check_rejection(self, feedback: str) -> None:
        pass

    def reject(self, assignment_id: str, *, feedback: str) -> None:
        self._begin("reject")
        self._decide(assignment_id, "rejected", ("submitted",))
        self.decisions[assignment_id] = feedback
        self._end("reject")

    def pay_bonus(self, *, worker_id: str, assignment_id: str, cents: int, message: str, token: str) -> None:
        self._begin("pay_bonus")
        self.bonuses.setdefault(token, (worker_id, cents))
        self._end("pay_bonus")

    def grant(self, worker_id: str, *, kind: str) -> None:
        self._begin("grant")
        self.granted.add((worker_id, kind))

    def block(self, worker_id: str, *, reason: str) -> None:
        self._begin("block")
        self.blocked[worker_id] = reason

    def unblock(self, worker_id: str, *, reason: str) -> None:
        self._begin("unblock")
        self.blocked.pop(worker_id, None)

    def remove(self, provider_id: str) -> None:
        self._begin("remove")
        self._find(provider_id)
        del self.hits[provider_id]
        self._end("remove")

    def balance_cents(self) -> int | None:
        self._begin("balance_cents")
        return self.balance

    # What workers do, and time

    def send(
        self,
        provider_id: str,
        assignment_id: str,
        worker_id: str,
        fields: Mapping[str, str],
        took: timedelta = TAKES,
    ) -> SubmittedWork:
        """Send what a page sends: an answer with its seal, unless it has one."""
        if "answer" in fields:
            hit = Hit(annotation=self.hits[provider_id].new.annotation)
            who = {"assignment_id": assignment_id, "worker_id": worker_id}
            fields = {**sealed(hit, **who, text=fields["answer"]), **fields}
        work = SubmittedWork(
            assignment_id=assignment_id,
            worker_id=worker_id,
            state="submitted",
            accepted_at=self.clock() - took,
            submitted_at=self.clock(),
            fields=fields,
            raw=repr(dict(fields)),
        )
        self.hits[provider_id].works[assignment_id, worker_id] = work
        return work

    def decide(self, assignment_id: str, state: str) -> None:
        """Decide as time or another tool would."""
        for hit in self.hits.values():
            for key, work in hit.works.items():
                if work.assignment_id == assignment_id:
                    hit.works[key] = replace(work, state=state)

    def _decide(self, assignment_id: str, state: str, allowed: tuple[str, ...]) -> None:
        found = [
            work
            for hit in self.hits.values()
            for work in hit.works.values()
            if work.assignment_id == assignment_id
        ]
        if not found:
            raise NotFound(f"no assignment {assignment_id}")
        if found[0].state == state:
            return
        if found[0].state not in allowed:
            raise Refused(f"it is {found[0].state}")
        self.decide(assignment_id, state)

    def _find(self, provider_id: str) -> FakeHit:
        if provider_id not in self.hits:
            raise NotFound(f"no HIT {provider_id}")
        return self.hits[provider_id]

    def _published(self, hit: FakeHit) -> PublishedHit:
        taken = len(hit.works) + len(hit.unlisted) + hit.held
        return PublishedHit(
            provider_id=hit.provider_id,
            annotation=hit.new.annotation,
            created_at=hit.created_at,
            expires_at=hit.expires_at,
            places=hit.places,
            open=max(0, hit.places - taken) if self.clock() < hit.expires_at else 0,
            held=hit.held,
            sent=len(hit.works) + len(hit.unlisted),
        )


LOST = NoAnswer("the answer was lost")
