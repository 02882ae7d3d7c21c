"""What is kept about a person here: the addresses that they added. Their secrets are the team's."""

from collections.abc import Mapping

from kbpo.accounts.models import Membership, User
from kbpo.accounts.personal.parts import Leaving, Part, Rows
from kbpo.webhooks.models import Webhook


def _export(user: User) -> Mapping[str, Rows]:
    added = Webhook.objects.filter(made_by=user).order_by("pk")
    return {"webhooks": added.values("team__name", "url", "events", "made_at", "disabled_at")}


def _forget(leaving: Leaving) -> None:
    """Remove the addresses of teams that nobody is left in: nobody could."""
    teams = Membership.objects.filter(user=leaving.user).values("team")
    others = Membership.objects.exclude(user=leaving.user).values("team")
    Webhook.objects.filter(team__in=teams).exclude(team__in=others).delete()


PART = Part("webhooks", _export, _forget)
