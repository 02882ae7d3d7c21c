"""The operations of the requester API, by their names in MTurk's service model."""

from collections.abc import Callable, Mapping

from marketplace.operations import assignments, hits, workers
from marketplace.operations.call import Answer, Call

__all__ = ["OPERATIONS", "Answer", "Call"]

OPERATIONS: Mapping[str, Callable[[Call], Answer]] = {
    "CreateHITType": hits.create_hit_type,
    "CreateHITWithHITType": hits.create_hit_with_hit_type,
    "CreateHIT": hits.create_hit,
    "GetHIT": hits.get_hit,
    "ListHITs": hits.list_hits,
    "ListReviewableHITs": hits.list_reviewable_hits,
    "UpdateExpirationForHIT": hits.update_expiration_for_hit,
    "UpdateHITReviewStatus": hits.update_hit_review_status,
    "CreateAdditionalAssignmentsForHIT": hits.create_additional_assignments_for_hit,
    "DeleteHIT": hits.delete_hit,
    "ListAssignmentsForHIT": assignments.list_assignments_for_hit,
    "GetAssignment": assignments.get_assignment,
    "ApproveAssignment": assignments.approve_assignment,
    "RejectAssignment": assignments.reject_assignment,
    "SendBonus": assignments.send_bonus,
    "ListBonusPayments": assignments.list_bonus_payments,
    "GetAccountBalance": assignments.get_account_balance,
    "CreateQualificationType": workers.create_qualification_type,
    "ListQualificationTypes": workers.list_qualification_types,
    "AssociateQualificationWithWorker": workers.associate_qualification_with_worker,
    "DisassociateQualificationFromWorker": workers.disassociate_qualification_from_worker,
    "GetQualificationScore": workers.get_qualification_score,
    "CreateWorkerBlock": workers.create_worker_block,
    "DeleteWorkerBlock": workers.delete_worker_block,
    "ListWorkerBlocks": workers.list_worker_blocks,
}
