"""Who wants which mail: all of it, but for what they switched off."""

from collections.abc import Collection, Iterable
from typing import Any

from django.core import signing
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.crypto import salted_hmac

from kbpo.accounts.mails.kinds import KINDS, Kind
from kbpo.accounts.models import UnwantedMail, User
from kbpo.core.errors import InvalidInput

_SALT = "kbpo.accounts.mails"


def digest(address: str) -> str:
    """Return what an address is known by that belongs to no account: nobody can read it back."""
    return salted_hmac(_SALT, address.strip().lower(), algorithm="sha256").hexdigest()


def wanting(kind: str, people: QuerySet[User]) -> list[User]:
    """Select those of some people who get a kind of mail, in the order of their accounts."""
    off = UnwantedMail.objects.filter(kind=kind)
    found = people.filter(is_active=True).exclude(pk__in=off.filter(user__isnull=False).values("user"))
    unwanted = set(off.exclude(address="").values_list("address", flat=True))
    return [user for user in found.order_by("pk").distinct() if digest(user.email) not in unwanted]


def wants(kind: str, address: str) -> bool:
    """Say whether whoever has an address, be there an account or not, gets a kind of mail."""
    is_theirs = Q(user__email__iexact=address) | Q(address=digest(address))
    return not UnwantedMail.objects.filter(is_theirs, kind=kind).exists()


def offered(user: User) -> list[Kind]:
    """List the kinds of mail that somebody can get."""
    return [kind for kind in KINDS.values() if user.is_operator or not kind.is_for_operators]


def switched_off(user: User) -> set[str]:
    """Select the kinds of mail that somebody does not want."""
    return set(_theirs(user).values_list("kind", flat=True))


@transaction.atomic
def choose(*, user: User, wanted: Collection[str]) -> None:
    """Have somebody get these kinds of mail, and no others of those they are offered.

    Raises
    ------
    InvalidInput
        One is no kind of mail, or not theirs.
    """
    kinds = {kind.name for kind in offered(user)}
    if unknown := set(wanted) - kinds:
        raise InvalidInput(
            f"there is no mail of the kind {min(unknown)!r} for you: there is {', '.join(sorted(kinds))}"
        )
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    _theirs(user).filter(kind__in=kinds).delete()
    off = [UnwantedMail(user=user, kind=kind) for kind in sorted(kinds - set(wanted))]
    UnwantedMail.objects.bulk_create(off, ignore_conflicts=True)  # a link may be followed meanwhile


def token(kind: str, owner: User | str) -> str:
    """Return what a link carries by which mail of a kind is switched off, for an account or an address.

    Who has it can do nothing else with it. It does not run out: mail is read late.
    """
    whose: Any = owner.pk if isinstance(owner, User) else digest(owner)
    return signing.dumps([kind, whose], salt=_SALT)


def read_token(given: str) -> tuple[Kind, User | None, str]:
    """Return of which kind of mail a link is, and whose: an account, or what an address is known by.

    Raises
    ------
    InvalidInput
        The service did not make it, or the account is closed.
    """
    try:
        name, whose = signing.loads(given, salt=_SALT)
    except signing.BadSignature:
        raise InvalidInput("this link is not complete: copy all of it from the mail") from None
    user = None
    if isinstance(whose, int):
        user = User.objects.filter(pk=whose, is_active=True).first()
    if name not in KINDS or (isinstance(whose, int) and user is None):
        raise InvalidInput("this link is of mail that is not sent any more")
    return KINDS[name], user, "" if user else whose


@transaction.atomic
def switch_off(*, given: str) -> Kind:
    """Switch off the mail of a link; again, where it is off, is no error.

    Raises
    ------
    InvalidInput
        As `read_token`.
    """
    kind, user, address = read_token(given)
    UnwantedMail.objects.bulk_create(
        [UnwantedMail(user=user, address=address, kind=kind.name)], ignore_conflicts=True
    )
    return kind


def rows_about(user: User) -> Iterable[dict[str, Any]]:
    """Yield what is kept of somebody's choices."""
    return [{"kind": kind} for kind in sorted(switched_off(user))]


def erase(user: User) -> None:
    """Forget somebody's choices."""
    _theirs(user).delete()


def _theirs(user: User) -> QuerySet[UnwantedMail]:
    return UnwantedMail.objects.filter(Q(user=user) | Q(address=digest(user.email)))
