"""What operators may look at. All of it is written by services alone; secrets are not shown."""

from kbpo.core.admin import register_read_only
from marketplace.models import (
    Assignment,
    Hit,
    HitType,
    LedgerEntry,
    Qualification,
    QualificationType,
    Requester,
    RequesterKey,
    Worker,
    WorkerBlock,
)

register_read_only(Requester, columns="name owner available_cents held_cents created_at")
register_read_only(
    RequesterKey, columns="access_key_id requester is_active rate burst created_at", exclude=["secret"]
)
register_read_only(
    LedgerEntry,
    columns="at requester kind available_cents held_cents worker hit",
    filters="kind requester",
    date_hierarchy="at",
)
register_read_only(
    HitType,
    columns="title requester reward_cents duration_seconds",
    filters="requester",
    search="title type_id",
)
register_read_only(
    Hit,
    columns="hit_id hit_type annotation max_assignments taken pending expires_at",
    search="hit_id annotation",
)
register_read_only(
    Assignment,
    columns="assignment_id worker hit state submitted_at feedback reply",
    filters="state",
    search="assignment_id worker__worker_id hit__hit_id",
)
register_read_only(Worker, columns="worker_id user created_at", search="worker_id user__email")
register_read_only(QualificationType, columns="name requester type_id is_active")
register_read_only(Qualification, columns="qualification_type worker value granted_at revoked_at")
register_read_only(WorkerBlock, columns="worker requester reason created_at")
