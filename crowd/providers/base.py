"""What every provider of work offers: the one interface behind which MTurk and Prolific are.

A provider acts outside the database. Every act may be repeated: what a request token or a state at the
provider shows as done already is done, and no error. Who calls it holds no lock.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from kbpo.core.errors import KbpoError


class ProviderError(KbpoError):
    """A provider did not do what was asked."""


class NoAnswer(ProviderError):
    """No answer, a server's error, or too many requests: it may have been done, and is to be tried again."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Refused(ProviderError):
    """The provider understood and declined; the same request will be declined again."""


class NotEnoughMoney(Refused):
    """The account's balance does not cover what was asked."""


class NotFound(Refused):
    """The provider knows nothing of that name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewHit:
    """A piece of work to be published.

    Attributes
    ----------
    token : str
        At most 64 characters; a second publication with it is the first.
    annotation : str
        Our own name of it, at most 255 bytes, kept by the provider.
    title, description, keywords : str
    url : str
        Of the page on which the work is done.
    reward_cents : int
    places : int
        Assignments.
    duration_seconds, lifetime_seconds, auto_approval_seconds : int
    qualified_for : str or None
        Only workers whom `Provider.grant` has qualified for this may accept it.
    unqualified_for : str or None
        Only workers who are not qualified for this yet: a tutorial.
    group : str
        HITs of a group are offered, paused and ended together where the provider knows such a thing.
    estimated_seconds : int or None
        That the work takes, where it is known.
    """

    token: str
    annotation: str
    title: str
    description: str
    keywords: str
    url: str
    reward_cents: int
    places: int
    duration_seconds: int
    lifetime_seconds: int
    auto_approval_seconds: int
    qualified_for: str | None = None
    unqualified_for: str | None = None
    group: str = ""
    estimated_seconds: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedHit:
    """A HIT as the provider knows it.

    Attributes
    ----------
    provider_id, annotation : str
    created_at, expires_at : datetime
    places : int
        In all.
    open, held : int
        Places that can be accepted, and those that a worker is at.
    sent : int
        Assignments that came in, as far as the provider counts them; its lists may lag behind.
    """

    provider_id: str
    annotation: str
    created_at: datetime
    expires_at: datetime
    places: int
    open: int
    held: int
    sent: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmittedWork:
    """An assignment that a worker has sent.

    Attributes
    ----------
    assignment_id, worker_id : str
        Only both together are its name.
    state : {"submitted", "approved", "rejected"}
    accepted_at, submitted_at : datetime
    fields : mapping of str to str
        What the page sent.
    raw : str
        As it was handed over.
    """

    assignment_id: str
    worker_id: str
    state: str
    accepted_at: datetime
    submitted_at: datetime
    fields: Mapping[str, str]
    raw: str


class Provider(Protocol):
    """A place where workers find work. Every method may raise the errors above."""

    @property
    def name(self) -> str:
        """Return which of `WorkerIdentity.Provider` its workers' names belong to."""

    @property
    def reopens_rejected(self) -> bool:
        """Say whether the provider gives the place of rejected work to somebody else by itself."""

    def fee_cents(self, *, reward_cents: int, places: int) -> int:
        """Return the provider's fee for one assignment of a HIT with so many places."""

    def bonus_fee_cents(self, *, cents: int) -> int:
        """Return the provider's fee for a bonus."""

    def publish(self, hit: NewHit) -> PublishedHit:
        """Publish a HIT; one that was published with the same token is returned."""

    def get(self, provider_id: str) -> PublishedHit:
        """Return a HIT as it stands; `NotFound` if it is gone."""

    def published_since(self, since: datetime) -> Iterator[PublishedHit]:
        """Go through the HITs that were made since a time, to find those whose answer was lost."""

    def extend(self, provider_id: str, *, places: int, token: str) -> None:
        """Add places to a HIT, once for a token; `Refused` where its size may not grow so far."""

    def expire(self, provider_id: str) -> None:
        """Let nobody accept a HIT any more; who is at it may finish."""

    def prolong(self, provider_id: str, *, until: datetime) -> None:
        """Let a HIT be found until a time."""

    def collect(self, provider_id: str) -> Iterator[SubmittedWork]:
        """Go through all that was sent for a HIT, whatever its state."""

    def check_pay(self, *, reward_cents: int, seconds: int) -> None:
        """Refuse, as `InvalidInput`, a reward that the provider does not take for so many seconds."""

    def check_rejection(self, feedback: str) -> None:
        """Refuse, as `InvalidInput`, what the provider would not take as a reason to reject."""

    def approve(self, assignment_id: str, *, feedback: str, override: bool = False) -> None:
        """Approve an assignment; with `override` one that was rejected."""

    def reject(self, assignment_id: str, *, feedback: str) -> None:
        """Reject an assignment."""

    def pay_bonus(self, *, worker_id: str, assignment_id: str, cents: int, message: str, token: str) -> None:
        """Pay a bonus, once for a token."""

    def grant(self, worker_id: str, *, kind: str) -> None:
        """Qualify a worker for a kind of work."""

    def block(self, worker_id: str, *, reason: str) -> None:
        """Give a worker no more of our work."""

    def unblock(self, worker_id: str, *, reason: str) -> None:
        """Give a worker our work again."""

    def remove(self, provider_id: str) -> None:
        """Take a HIT whose work is all reviewed off the provider's books."""

    def balance_cents(self) -> int | None:
        """Return what the account holds; None where the provider does not say."""


def first_of(found: Iterable[PublishedHit], annotations: Sequence[str]) -> dict[str, PublishedHit]:
    """Return, for each annotation, the earliest HIT that carries it."""
    wanted = set(annotations)
    earliest: dict[str, PublishedHit] = {}
    for hit in found:
        if hit.annotation in wanted and (
            hit.annotation not in earliest or hit.created_at < earliest[hit.annotation].created_at
        ):
            earliest[hit.annotation] = hit
    return earliest
