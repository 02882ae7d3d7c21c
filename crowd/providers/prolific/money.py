"""What there is to spend at Prolific, and what something costs there."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal

from crowd.providers.base import NotEnoughMoney, Refused
from crowd.providers.prolific import rules
from crowd.providers.prolific.api import Api

CURRENCY = "USD"


class Wallet:
    """The money of the workspace that a project is in.

    Parameters
    ----------
    api : Api
    project : str
    fee_percent : Decimal
    """

    def __init__(self, api: Api, *, project: str, fee_percent: Decimal) -> None:
        self._api = api
        self._project = project
        self._fee_percent = fee_percent
        self._workspace = ""

    @property
    def workspace(self) -> str:
        """The workspace's id."""
        if not self._workspace:
            self._workspace = self._api.get(f"projects/{self._project}/")["workspace"]
        return self._workspace

    def fee(self, cents: int) -> int:
        """Return the fee on a payment, in cents."""
        return rules.fee_cents(cents, self._fee_percent)

    def cost(self, reward_cents: int, places: int) -> int:
        """Return what places cost with their fees, in cents."""
        return places * (reward_cents + self.fee(reward_cents))

    def balance(self) -> int:
        """Return what can still be spent, in cents.

        Raises
        ------
        Refused
            If the workspace does not pay in dollars.
        """
        balance = self._api.get(f"workspaces/{self.workspace}/balance/")
        if (currency := balance["currency_code"]) != CURRENCY:
            raise Refused(f"The workspace pays in {currency}; rewards here are in {CURRENCY}.")
        return int(balance["available_balance"])

    def check(self, needed: float) -> None:
        """Refuse to spend more than there is.

        Raises
        ------
        NotEnoughMoney
        """
        if needed > (has := self.balance()):
            raise NotEnoughMoney(
                f"${math.ceil(needed) / 100:.2f} are needed at Prolific; ${has / 100:.2f} are there."
            )

    @contextmanager
    def spending(self, needed: int) -> Iterator[None]:
        """Check that there is enough, before and, where Prolific refuses, after.

        Its error for a want of money is not published, and somebody else may have spent it meanwhile.
        """
        self.check(needed)
        try:
            yield
        except Refused:
            self.check(needed)
            raise
