"""Money: promised before anything is asked, settled when it is paid, given back when it is not needed.

Every cent stands in the ledger, with the budgets that it counts against. Whoever changes budgets locks their
rows first, in the order of their ids, so that sums and caps hold whoever spends at the same time; the
database's own constraint stands behind that. Repeating an act is harmless: an entry's key comes once.
"""

from crowd.budget.auditing import Audit, Owed, audit, owed
from crowd.budget.caps import change_cap, check_own, create_budget, dollars, matching, month
from crowd.budget.spending import (
    Promise,
    awaited,
    hand_out,
    next_key,
    outstanding,
    pay,
    pay_bonus,
    release,
    release_batch,
    release_bonus,
    reserve,
    reserve_bonus,
)

__all__ = [
    "Audit",
    "Owed",
    "Promise",
    "audit",
    "awaited",
    "change_cap",
    "check_own",
    "create_budget",
    "dollars",
    "hand_out",
    "matching",
    "month",
    "next_key",
    "outstanding",
    "owed",
    "pay",
    "pay_bonus",
    "release",
    "release_batch",
    "release_bonus",
    "reserve",
    "reserve_bonus",
]
