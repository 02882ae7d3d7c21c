"""What the accounts with providers hold, looked up now and then, so that no page waits for a provider."""

from datetime import datetime

from crowd.models import ProviderAccount
from crowd.providers import registry
from crowd.providers.base import ProviderError


def note_balances(*, now: datetime) -> int:
    """Ask each provider what the account with it holds; return how many answered.

    One that does not answer keeps what it said last, with the error beside it.
    """
    answered = 0
    for name in registry.configured():
        try:
            balance = registry.provider(name).balance_cents()
        except ProviderError as error:
            ProviderAccount.objects.update_or_create(provider=name, defaults={"error": str(error)})
            continue
        ProviderAccount.objects.update_or_create(
            provider=name, defaults={"balance_cents": balance, "noted_at": now, "error": ""}
        )
        answered += 1
    return answered


def accounts() -> list[ProviderAccount]:
    """List the accounts that the site has now, as they were last looked up."""
    return list(ProviderAccount.objects.filter(provider__in=registry.configured()).order_by("provider"))
