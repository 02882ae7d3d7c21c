"""People and teams: operators give roles here, and read the audit log."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.http import HttpRequest

from kbpo.accounts.models import Membership, Team, User
from kbpo.core.acts import What
from kbpo.core.admin import ReadOnlyAdmin, register_read_only
from kbpo.core.models import AuditEntry

if TYPE_CHECKING:
    _TabularInline = admin.TabularInline[Membership, Team]
else:
    _TabularInline = admin.TabularInline  # no subscripts when it runs


class MembershipInline(_TabularInline):
    """Who is in a team, for a look."""

    model = Membership
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse: members add members."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse."""
        return False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Admit operators."""
        return bool(getattr(request.user, "is_operator", False))


@admin.register(User)
class UserAdmin(ReadOnlyAdmin):
    """People: an operator may make somebody an annotator, and close an account.

    Who is an operator, and may use the admin, is for a superuser to say.
    """

    changed_as = What.ACCOUNT_CHANGED
    unsaid = ("name",)
    list_display = ["email", "name", "is_annotator", "is_operator", "is_active", "date_joined"]
    list_filter = ["is_annotator", "is_operator", "is_active"]
    search_fields = ["email", "name"]
    ordering = ["email"]
    fields = [
        "email",
        "name",
        "is_annotator",
        "is_active",
        "is_operator",
        "is_staff",
        "date_joined",
        "last_login",
    ]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """Leave the operators' own roles to superusers."""
        fixed = ["email", "date_joined", "last_login"]
        return fixed if request.user.is_superuser else [*fixed, "is_operator", "is_staff"]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Admit operators, but to superusers' accounts only superusers."""
        if isinstance(obj, User) and obj.is_superuser and not request.user.is_superuser:
            return False
        return self.has_view_permission(request)


register_read_only(Team, columns="name created_at", search="name", inlines=[MembershipInline])
register_read_only(
    AuditEntry,
    columns="at by what kind about",
    filters="what",
    search="by__email about",
    date_hierarchy="at",
)
