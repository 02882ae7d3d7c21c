"""Tokens, by which a program asks the API as the person who made them.

A token is a secret of 256 bits, told once. Its SHA-256 is kept: of such a secret that is as good as a slow
hash, and can be looked up.
"""

import hashlib
import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from kbpo.accounts.models import ApiToken, User
from kbpo.core import rate_limits
from kbpo.core.acts import What, record
from kbpo.core.clients import network_of
from kbpo.core.errors import Conflict, InvalidInput
from kbpo.core.names import read_name
from kbpo.core.rate_limits import KNOWN_NETWORK_OF_TOKEN, WRONG_TOKENS

PREFIX = "kbpo_"  # by which people, and programs that look for secrets, know one
MOST = 20  # that one person may have
DAYS = (7, 30, 90, 365)  # that one may be good for
READ, SUBMIT, ORGANISE = "read", "submit", "organise"
#: What each scope lets a token do, for people.
SCOPES: Mapping[str, str] = MappingProxyType(
    {
        READ: "Read whatever you may see: your teams’ submissions, their problems, scores; every token may",
        SUBMIT: "Upload files, check them, submit them for your teams, and say what becomes of them",
        ORGANISE: "Do what you may as an operator, or as an organiser of a corpus",
    }
)
USED_AGAIN = timedelta(minutes=1)  # a use within that of the last one is not written down
_QUARTER_OF_A_YEAR = 90 * 24 * 3600  # seconds


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token that was just made: its row, and the secret, which is kept nowhere."""

    stored: ApiToken
    secret: str


@transaction.atomic
def make(*, user: User, name: str, scopes: Collection[str], days: int, now: datetime) -> NewToken:
    """Make a token for a person.

    Parameters
    ----------
    scopes : collection of str
        Of `SCOPES`. `READ` needs not be among them: whoever changes something has to see what became of it.

    Raises
    ------
    InvalidInput
        If the name does not print, a scope is none of `SCOPES`, or the days none of `DAYS`.
    Conflict
        If another of the person's tokens has the name and is good, or they have as many as may be.
    """
    name = read_name(name, of="A token's name", longest=100, where="name")
    if not set(scopes) <= set(SCOPES):
        raise InvalidInput(f"a token may {', '.join(SCOPES)}, and nothing else", where="scopes")
    if days not in DAYS:
        raise InvalidInput(f"{days} is none of {', '.join(map(str, DAYS))} days", where="days")
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    for ended in ApiToken.objects.filter(user=user, revoked_at=None, name=name, expires_at__lte=now):
        revoke(token=ended, by=user, now=now)
    mine = living(user=user, now=now)
    if ApiToken.objects.filter(user=user, revoked_at=None, name=name).exists():
        raise Conflict(f"you have a token named {name!r} already: revoke it, or choose another name")
    if mine.count() >= MOST:
        raise Conflict(f"you have {MOST} tokens, which is as many as may be: revoke one of them first")
    secret = f"{PREFIX}{secrets.token_urlsafe(32)}"
    stored = ApiToken.objects.create(
        user=user,
        name=name,
        digest=_digest(secret),
        scopes=[scope for scope in SCOPES if scope == READ or scope in scopes],
        created_at=now,
        expires_at=now + timedelta(days=days),
    )
    record(What.TOKEN_MADE, by=user, about=stored, after=_said(stored))
    return NewToken(stored, secret)


@transaction.atomic
def revoke(*, token: ApiToken, by: User | None, now: datetime) -> None:
    """End a token, for good; nothing happens to one that has ended.

    Parameters
    ----------
    by : User or None
        None: somebody at the command line.
    """
    if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now):
        record(What.TOKEN_REVOKED, by=by, about=token, before=_said(token))


@transaction.atomic
def revoke_all(*, user: User, by: User | None, now: datetime) -> None:
    """End all tokens of a person."""
    for token in ApiToken.objects.filter(user=user, revoked_at=None):
        revoke(token=token, by=by, now=now)


def living(*, user: User, now: datetime) -> QuerySet[ApiToken]:
    """Select the tokens of a person that are good now."""
    return ApiToken.objects.filter(user=user, revoked_at=None, expires_at__gt=now)


def find(*, secret: str, address: str, now: datetime) -> ApiToken | None:
    """Return the living token that a secret is of, with its person.

    Wrong ones are counted by network. A network that has used up its guesses is not told whether another one
    is right, unless that token was used there before: others' guesses lock nobody out.

    Parameters
    ----------
    secret : str
        As it was sent.
    address : str
        Of the client.
    now : datetime
        Aware.

    Raises
    ------
    TooMany
        If too many wrong ones came from the network.
    """
    digest = _digest(secret)
    found = ApiToken.objects.select_related("user").filter(digest=digest).filter(_is_good(now)).first()
    counters = rate_limits.by_network(WRONG_TOKENS, address)
    if found is None:
        rate_limits.require_each(counters, now=now)
        return None
    guesses = any(rate_limits.is_reached(limit, *owner, now=now) for limit, owner in counters)
    if guesses and not rate_limits.is_marked(KNOWN_NETWORK_OF_TOKEN, digest, network_of(address), now=now):
        rate_limits.require_each(counters, now=now)
    _note_use(found, address, now)
    return found


def sweep(*, now: datetime) -> int:
    """Delete tokens that ended a quarter of a year ago; return how many."""
    long_ago = now - timedelta(seconds=_QUARTER_OF_A_YEAR)
    ended = ApiToken.objects.filter(Q(expires_at__lte=long_ago) | Q(revoked_at__lte=long_ago))
    return ended.delete()[0]


def _is_good(now: datetime) -> Q:
    return Q(revoked_at=None, expires_at__gt=now, user__is_active=True)


def _note_use(token: ApiToken, address: str, now: datetime) -> None:
    """Write down when and from which network a token is used, once a minute at most."""
    last = token.last_used_at
    if last is None or now - last >= USED_AGAIN:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
        rate_limits.mark(KNOWN_NETWORK_OF_TOKEN, token.digest, network_of(address), now=now)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


def _said(token: ApiToken) -> dict[str, str]:
    # Not its name: what people write has no place in a log that nobody can erase.
    until = timezone.localtime(token.expires_at, timezone.get_default_timezone())
    return {"scopes": ", ".join(token.scopes), "expires": f"{until:%Y-%m-%d}"}
