"""Operations on assignments, and the money that goes to workers."""

from django.db import transaction

from marketplace import ledger, lifecycle, tokens, workers
from marketplace.models import Assignment, LedgerEntry
from marketplace.operations.call import Answer, Call
from marketplace.operations.hits import counted_hit, write_hit
from marketplace.protocol import paging
from marketplace.protocol.errors import RequestError, invalid_parameter, missing_assignment, wrong_state

STATES = {
    "Submitted": Assignment.State.SUBMITTED,
    "Approved": Assignment.State.APPROVED,
    "Rejected": Assignment.State.REJECTED,
}
STATUSES = {state: status for status, state in STATES.items()}


def list_assignments_for_hit(call: Call) -> Answer:
    """List the answered assignments of a HIT, in the order of their answers: what is new comes last."""
    hit = lifecycle.find_hit(call.requester, call.params["HITId"])
    statuses = sorted(set(call.params.get("AssignmentStatuses") or STATES))
    rows = hit.assignments.filter(state__in=[STATES[status] for status in statuses]).select_related(
        "worker", "hit"
    )
    scope = f"ListAssignmentsForHIT {hit.hit_id} {' '.join(statuses)}"
    found = paging.page(rows, call.params, scope=scope, by=("submitted_at", "pk"))
    return paging.answer("Assignments", found, write_assignment)


def get_assignment(call: Call) -> Answer:
    """Return an answered assignment and its HIT."""
    assignment = _answered(call)
    return {
        "Assignment": write_assignment(assignment),
        "HIT": write_hit(counted_hit(assignment.hit_id), call.now),
    }


def approve_assignment(call: Call) -> Answer:
    """Approve and pay an assignment."""
    lifecycle.approve(
        requester=call.requester,
        assignment_id=call.params["AssignmentId"],
        now=call.now,
        feedback=call.params.get("RequesterFeedback", ""),
        override=call.params.get("OverrideRejection", False),
    )
    return {}


def reject_assignment(call: Call) -> Answer:
    """Reject an assignment, with a reason."""
    lifecycle.reject(
        requester=call.requester,
        assignment_id=call.params["AssignmentId"],
        now=call.now,
        feedback=call.params["RequesterFeedback"],
    )
    return {}


@transaction.atomic
def send_bonus(call: Call) -> Answer:
    """Pay a worker more for an assignment that they answered."""
    requester = ledger.lock_requester(call.requester.pk)
    token = call.params.get("UniqueRequestToken")
    if (request_id := tokens.find_result(requester, "SendBonus", token, call.now)) is not None:
        raise RequestError(
            "DuplicateRequest",
            f"The idempotency token {token!r} has already been processed, in request {request_id}.",
        )
    cents = ledger.read_amount("BonusAmount", call.params["BonusAmount"], least=1)
    if not call.params["Reason"].strip():
        raise invalid_parameter("Reason", "is empty; the worker is told what a bonus is for.")
    worker = workers.find_worker(call.params["WorkerId"])
    assignment = (
        Assignment.objects.select_related("hit", "worker")
        .filter(
            hit__requester=requester,
            assignment_id=call.params["AssignmentId"],
            worker=worker,
            state__in=Assignment.ANSWERED,
        )
        .first()
    )
    if assignment is None:
        raise missing_assignment(f"{call.params['AssignmentId']} of {worker.worker_id}")
    ledger.pay_bonus(requester, assignment, cents, reason=call.params["Reason"], now=call.now)
    tokens.keep_result(requester, "SendBonus", token, call.request_id, call.now)
    return {}


def list_bonus_payments(call: Call) -> Answer:
    """List the bonuses of a HIT or of an assignment, in the order of their payment."""
    rows = LedgerEntry.objects.filter(requester=call.requester, kind=LedgerEntry.Kind.BONUS)
    if "AssignmentId" in call.params:
        lifecycle.find_assignment(call.requester, call.params["AssignmentId"])
        rows = rows.filter(assignment__assignment_id=call.params["AssignmentId"])
    elif "HITId" in call.params:
        rows = rows.filter(hit=lifecycle.find_hit(call.requester, call.params["HITId"]))
    else:
        raise RequestError("MissingParameters", "Either HITId or AssignmentId must be given.")
    scope = f"ListBonusPayments {call.params.get('HITId')} {call.params.get('AssignmentId')}"
    found = paging.page(rows.select_related("worker", "assignment"), call.params, scope=scope, by=("pk",))
    return paging.answer("BonusPayments", found, _write_bonus)


def get_account_balance(call: Call) -> Answer:
    """Return what can be spent, and what is set aside for work that was asked for."""
    call.requester.refresh_from_db()
    return {
        "AvailableBalance": ledger.write_amount(call.requester.available_cents),
        "OnHoldBalance": ledger.write_amount(call.requester.held_cents),
    }


def write_assignment(assignment: Assignment) -> Answer:
    """Return an answered assignment as the API does."""
    return {
        "AssignmentId": assignment.assignment_id,
        "WorkerId": assignment.worker.worker_id,
        "HITId": assignment.hit.hit_id,
        "AssignmentStatus": STATUSES[Assignment.State(assignment.state)],
        "AutoApprovalTime": assignment.auto_approve_at,
        "AcceptTime": assignment.accepted_at,
        "SubmitTime": assignment.submitted_at,
        "ApprovalTime": assignment.approved_at,
        "RejectionTime": assignment.rejected_at,
        "Deadline": assignment.deadline,
        "Answer": assignment.answer,
        "RequesterFeedback": assignment.feedback or None,
    }


def _answered(call: Call) -> Assignment:
    assignment = lifecycle.find_assignment(call.requester, call.params["AssignmentId"])
    if assignment.state not in Assignment.ANSWERED:
        raise wrong_state("Assignment", "Submitted, Approved, Rejected", assignment.state.capitalize())
    return assignment


def _write_bonus(entry: LedgerEntry) -> Answer:
    assert entry.worker is not None  # the database says so
    assert entry.assignment is not None
    return {
        "WorkerId": entry.worker.worker_id,
        "BonusAmount": ledger.write_amount(entry.paid_cents),
        "AssignmentId": entry.assignment.assignment_id,
        "Reason": entry.reason,
        "GrantTime": entry.at,
    }
