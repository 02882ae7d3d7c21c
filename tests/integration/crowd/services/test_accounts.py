"""What accounts hold: looked up now and then, kept while a provider is away."""

from datetime import timedelta

from crowd import accounts
from crowd.models import ProviderAccount
from tests.fake_provider import LOST
from tests.integration.crowd.services.conftest import Desk


def test_a_balance_is_looked_up(desk: Desk) -> None:
    desk.provider.balance = 12_34
    assert accounts.note_balances(now=desk.now) == 1
    [account] = accounts.accounts()
    assert (account.balance_cents, account.noted_at, account.error) == (12_34, desk.now, "")


def test_a_provider_that_is_away_keeps_what_it_said_last(desk: Desk) -> None:
    desk.provider.balance = 12_34
    accounts.note_balances(now=desk.now)
    desk.provider.before["balance_cents"] = [LOST]
    assert accounts.note_balances(now=desk.now + timedelta(minutes=1)) == 0
    [account] = accounts.accounts()
    assert (account.balance_cents, account.noted_at) == (12_34, desk.now)
    assert account.error == "the answer was lost"


def test_accounts_that_the_site_has_no_more_are_not_shown(desk: Desk) -> None:
    ProviderAccount.objects.create(provider="prolific", balance_cents=1, noted_at=desk.now)
    assert accounts.accounts() == []
