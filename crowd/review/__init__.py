"""What becomes of work: approved, rejected, taken back; paid once; told to the provider by an outbox.

A rule only ever approves. Work that is flagged waits for a person, and its votes do not count as long as it
waits; work that is held waits too (`holding`). Only a person rejects, with a reason, and what was rejected is
asked again at once. A label that was settled before stays as it is (ADR 27).
"""

from crowd.review.blocks import block_worker, tell_next_block
from crowd.review.bonuses import pay_next_bonus, promise_bonus
from crowd.review.deciding import approve, approve_all, approve_by_rule, due_by, override, reject
from crowd.review.holding import reason as reason_to_hold
from crowd.review.holding import waiting
from crowd.review.outbox import tell_next
from crowd.review.reminders import remind_operators, waits
from crowd.review.settling import close_if_done, flag, lock, set_aside, settle_approved, settle_rejected

__all__ = [
    "approve",
    "approve_all",
    "approve_by_rule",
    "block_worker",
    "close_if_done",
    "due_by",
    "flag",
    "lock",
    "override",
    "pay_next_bonus",
    "promise_bonus",
    "reason_to_hold",
    "reject",
    "remind_operators",
    "set_aside",
    "settle_approved",
    "settle_rejected",
    "tell_next",
    "tell_next_block",
    "waiting",
    "waits",
]
