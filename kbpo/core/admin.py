"""What every page of the admin builds on."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

if TYPE_CHECKING:
    _ModelAdmin = admin.ModelAdmin[Any]
else:
    _ModelAdmin = admin.ModelAdmin  # no subscripts when it runs

admin.site.site_header = admin.site.site_title = "KBP Online: operators"
admin.site.index_title = "What there is"


class ReadOnlyAdmin(_ModelAdmin):
    """Lets operators look, and nobody change: these rows are written by services alone."""

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Find a row; ``?_to_field=`` names no column, and Django would fail to find that one."""
        return super().get_object(request, object_id, from_field or None)

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Refuse."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Refuse."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Refuse."""
        return False

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Admit operators."""
        return bool(request.user.is_active and getattr(request.user, "is_operator", False))

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Admit operators."""
        return self.has_view_permission(request)
