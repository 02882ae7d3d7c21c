"""A team's addresses: who adds, changes, tries and removes them."""

from collections.abc import Collection
from datetime import timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from kbpo.accounts.mails import writing
from kbpo.accounts.models import Team, User
from kbpo.core import rate_limits
from kbpo.core.clock.nudge import nudge
from kbpo.core.errors import Conflict, InvalidInput, NotAllowed
from kbpo.webhooks import signing
from kbpo.webhooks.addresses import check_url
from kbpo.webhooks.announcing import SEND_TASK, TRIED_FOR, write
from kbpo.webhooks.events import EVENTS, TEST
from kbpo.webhooks.models import Delivery, Webhook

MOST = 5  # of a team


def add(*, user: User, team: Team, url: str, events: Collection[str]) -> Webhook:
    """Add an address to a team's. The secret of what it returns is shown once.

    Raises
    ------
    NotAllowed
        `user` is no member.
    InvalidInput
        The address may not be sent to, there is no such event, or none is chosen.
    Conflict
        The team has the address already, or as many as may be.
    TooMany
        `user` has added too many today.
    """
    require_member(user, team)
    url, chosen = _checked(url), _chosen(events)
    rate_limits.require(rate_limits.WEBHOOKS, str(user.pk), now=timezone.now())
    with transaction.atomic():
        Team.objects.select_for_update(no_key=True).get(pk=team.pk)
        if team.webhooks.count() >= MOST:
            raise Conflict(f"{team} has {MOST} addresses, which is as many as may be: remove one first.")
        try:
            with transaction.atomic():
                return Webhook.objects.create(
                    team=team, url=url, events=chosen, made_by=user, made_at=timezone.now()
                )
        except IntegrityError:
            raise Conflict(f"{team} has {url} already: change what it is told.") from None


@transaction.atomic
def choose_events(*, user: User, webhook: Webhook, events: Collection[str]) -> None:
    """Choose what an address is told. Errors as of `add`."""
    require_member(user, webhook.team)
    webhook.events = _chosen(events)
    webhook.save(update_fields=["events"])


@transaction.atomic
def make_secret(*, user: User, webhook: Webhook) -> str:
    """Return a new secret for an address; the old one signs nothing any more, what waits included."""
    require_member(user, webhook.team)
    webhook.secret = signing.new_secret()
    webhook.save(update_fields=["secret"])
    return webhook.secret


@transaction.atomic
def switch_on(*, user: User, webhook: Webhook) -> None:
    """Send to an address again that was switched off; what it missed is sent only if somebody asks for it."""
    require_member(user, webhook.team)
    webhook.disabled_at = webhook.failing_since = None
    webhook.save(update_fields=["disabled_at", "failing_since"])


@transaction.atomic
def remove(*, user: User, webhook: Webhook) -> None:
    """Remove an address, and what was sent to it."""
    require_member(user, webhook.team)
    webhook.delete()


def send_test(*, user: User, webhook: Webhook) -> Delivery:
    """Have something harmless sent to an address, once, be it switched off or not.

    Raises
    ------
    NotAllowed
        `user` is no member.
    TooMany
        Its team has had too many sent.
    """
    require_member(user, webhook.team)
    now = timezone.now()
    rate_limits.require(rate_limits.WEBHOOK_TESTS, str(webhook.team_id), now=now)
    data = {"team": webhook.team.name, "links": {"page": writing.address_of("webhook", webhook.pk)}}
    [delivery] = write(TEST, to=[webhook], data=data, now=now, tried_for=timedelta())
    return delivery


def send_again(*, user: User, delivery: Delivery) -> None:
    """Have a delivery sent once more, with the same id and body: it is tried for a day.

    Raises
    ------
    NotAllowed
        `user` is no member.
    Conflict
        The address is switched off, or the delivery is on its way.
    TooMany
        Its team has had too many sent.
    """
    webhook = delivery.webhook
    require_member(user, webhook.team)
    if webhook.disabled_at is not None:
        raise Conflict(f"{webhook} is switched off: switch it on first.")
    now = timezone.now()
    rate_limits.require(rate_limits.WEBHOOK_TESTS, str(webhook.team_id), now=now)
    done = Delivery.objects.filter(pk=delivery.pk).exclude(delivered_at=None, failed_at=None)
    if not done.update(
        delivered_at=None,
        failed_at=None,
        due_at=now,
        give_up_at=now + TRIED_FOR,
        attempts=0,
        status=None,
        error="",
    ):
        raise Conflict("This delivery is on its way already.")
    nudge(SEND_TASK)


def require_member(user: User, team: Team) -> None:
    """Refuse somebody who is not of the team."""
    if not team.memberships.filter(user=user).exists():
        raise NotAllowed(f"You are not a member of {team}.")


def _checked(url: str) -> str:
    sites = (settings.SITE_URL, settings.HIT_BASE_URL)
    hosts = tuple(host for host in (urlsplit(site).hostname for site in sites) if host)
    return check_url(url, own_hosts=hosts, is_anywhere=settings.DEVELOPMENT)


def _chosen(events: Collection[str]) -> list[str]:
    if unknown := set(events) - set(EVENTS):
        raise InvalidInput(f"there is no event {min(unknown)!r}: there are {', '.join(EVENTS)}")
    if not events:
        raise InvalidInput("choose at least one event, or remove the address")
    return [name for name in EVENTS if name in set(events)]
