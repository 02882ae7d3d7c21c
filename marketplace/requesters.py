"""Requesters and their keys."""

from datetime import datetime

from django.db import IntegrityError, transaction

from kbpo.accounts.models import User
from kbpo.core.acts import What, record
from kbpo.core.errors import InvalidInput
from kbpo.core.names import read_name
from marketplace.models import Requester, RequesterKey
from marketplace.protocol.identifiers import new_access_key_id, new_secret


def create_requester(*, name: str, owner: User | None = None) -> Requester:
    """Open an account without money.

    Parameters
    ----------
    name : str
        What workers see: 1 to 100 characters, of no other requester.
    owner : User, optional
        Gets the workers' replies to rejections by mail.

    Raises
    ------
    InvalidInput
        If the name is empty, too long or taken, or has characters that nobody sees.
    """
    name = read_name(name, of="A requester's name", longest=100)
    try:
        with transaction.atomic():
            return Requester.objects.create(name=name, owner=owner)
    except IntegrityError:
        raise InvalidInput(f"There is a requester “{name}” already.") from None


@transaction.atomic
def create_key(*, requester: Requester, now: datetime, rate: float = 20, burst: float = 100) -> RequesterKey:
    """Make a pair of keys for a requester.

    Parameters
    ----------
    requester : Requester
    now : datetime
    rate : float
        Requests a second, in the long run; more than 0.
    burst : float
        Requests at once, after a rest; 1 or more.

    Raises
    ------
    InvalidInput
        If rate or burst is too small.
    """
    if rate <= 0 or burst < 1:
        raise InvalidInput(f"rate must be above 0 and burst 1 or more, not {rate:g} and {burst:g}")
    key = RequesterKey.objects.create(
        requester=requester,
        access_key_id=new_access_key_id(),
        secret=new_secret(),
        rate=rate,
        burst=burst,
        created_at=now,
    )
    record(What.KEY_MADE, by=None, about=requester, after={"access_key_id": key.access_key_id})
    return key


@transaction.atomic
def revoke_key(*, name: str, access_key_id: str) -> None:
    """Have a requester's key work no more. Whatever was done with it stays.

    Raises
    ------
    InvalidInput
        If the requester has no such key.
    """
    keys = RequesterKey.objects.filter(requester__name=name, access_key_id=access_key_id)
    if not keys.update(is_active=False):
        raise InvalidInput(f"{name} has no key {access_key_id}", where="--revoke")
    record(What.KEY_REVOKED, by=None, about=keys.get().requester, after={"access_key_id": access_key_id})
