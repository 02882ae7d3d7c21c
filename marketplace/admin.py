"""What operators may look at. All of it is written by services alone; secrets are not shown."""

from django.contrib import admin

from kbpo.core.admin import ReadOnlyAdmin
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


@admin.register(Requester)
class RequesterAdmin(ReadOnlyAdmin):
    """Requesters and their balances."""

    list_display = ["name", "owner", "available_cents", "held_cents", "created_at"]


@admin.register(RequesterKey)
class RequesterKeyAdmin(ReadOnlyAdmin):
    """Keys, without their secrets."""

    list_display = ["access_key_id", "requester", "is_active", "rate", "burst", "created_at"]
    exclude = ["secret"]


@admin.register(LedgerEntry)
class LedgerEntryAdmin(ReadOnlyAdmin):
    """Every movement of money."""

    list_display = ["at", "requester", "kind", "available_cents", "held_cents", "worker", "hit"]
    list_filter = ["kind", "requester"]
    list_select_related = ["requester", "worker", "hit"]
    date_hierarchy = "at"


@admin.register(HitType)
class HitTypeAdmin(ReadOnlyAdmin):
    """Types of HITs."""

    list_display = ["title", "requester", "reward_cents", "duration_seconds"]
    list_filter = ["requester"]
    search_fields = ["title", "type_id"]


@admin.register(Hit)
class HitAdmin(ReadOnlyAdmin):
    """HITs."""

    list_display = ["hit_id", "hit_type", "annotation", "max_assignments", "taken", "pending", "expires_at"]
    list_select_related = ["hit_type"]
    search_fields = ["hit_id", "annotation"]


@admin.register(Assignment)
class AssignmentAdmin(ReadOnlyAdmin):
    """Assignments, with rejections and what workers say to them."""

    list_display = ["assignment_id", "worker", "hit", "state", "submitted_at", "feedback", "reply"]
    list_filter = ["state"]
    list_select_related = ["worker", "hit"]
    search_fields = ["assignment_id", "worker__worker_id", "hit__hit_id"]


@admin.register(Worker)
class WorkerAdmin(ReadOnlyAdmin):
    """Workers and who they are."""

    list_display = ["worker_id", "user", "created_at"]
    list_select_related = ["user"]
    search_fields = ["worker_id", "user__email"]


@admin.register(QualificationType)
class QualificationTypeAdmin(ReadOnlyAdmin):
    """Qualification types."""

    list_display = ["name", "requester", "type_id", "is_active"]


@admin.register(Qualification)
class QualificationAdmin(ReadOnlyAdmin):
    """Who has which qualification."""

    list_display = ["qualification_type", "worker", "value", "granted_at", "revoked_at"]
    list_select_related = ["qualification_type", "worker"]


@admin.register(WorkerBlock)
class WorkerBlockAdmin(ReadOnlyAdmin):
    """Who is blocked by whom."""

    list_display = ["worker", "requester", "reason", "created_at"]
    list_select_related = ["worker", "requester"]
