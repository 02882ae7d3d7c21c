"""Asking through a provider: batches of HITs, planned with their money, and an outbox that posts them.

A HIT's row and the money for it are committed before the provider hears of it. From then on the row says what
is wanted (to be posted, more places, another end), and `post_next` makes it so, one HIT at a time: claimed by
a lease, called without a transaction, recorded. Whatever is lost on the way is found again by the request
token while the provider knows it, and by the HIT's annotation after that.

Rows are locked in one order: batch, HIT, assignment, question, budget.
"""

from crowd.posting.opening import (
    Preview,
    check_pay,
    free,
    open_batch,
    open_tutorial,
    preview,
    within_share,
)
from crowd.posting.planning import plan_batches, plan_more, plan_next
from crowd.posting.publishing import post_next
from crowd.posting.removing import remove_next
from crowd.posting.steering import (
    cancel_batch,
    drop_next,
    expire_batch,
    extend_batch,
    pause_batch,
    resume_batch,
)
from crowd.posting.withdrawing import lock_hits, withdraw_document

__all__ = [
    "Preview",
    "cancel_batch",
    "check_pay",
    "drop_next",
    "expire_batch",
    "extend_batch",
    "free",
    "lock_hits",
    "open_batch",
    "open_tutorial",
    "pause_batch",
    "plan_batches",
    "plan_more",
    "plan_next",
    "post_next",
    "preview",
    "remove_next",
    "resume_batch",
    "withdraw_document",
    "within_share",
]
