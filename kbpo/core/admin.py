"""What every page of the admin builds on."""

from functools import wraps
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.admin.options import TO_FIELD_VAR
from django.core.exceptions import BadRequest
from django.db.models import Model
from django.http import HttpRequest
from django.http.response import HttpResponseBase

if TYPE_CHECKING:
    _ModelAdmin = admin.ModelAdmin[Any]
else:
    _ModelAdmin = admin.ModelAdmin  # no subscripts when it runs


class OperatorsSite(admin.AdminSite):
    """The admin, which `kbpo.core.admin_config` makes the site's."""

    site_header = site_title = "KBP Online: operators"
    index_title = "What there is"

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """Refuse a column without a name, which Django's pages would look for and fail."""
        page = super().admin_view(view, cacheable)

        @wraps(page)
        def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if "" in (request.GET.get(TO_FIELD_VAR), request.POST.get(TO_FIELD_VAR)):
                raise BadRequest(f"{TO_FIELD_VAR} names no column")
            response: HttpResponseBase = page(request, *args, **kwargs)
            return response

        return checked


class ReadOnlyAdmin(_ModelAdmin):
    """Lets operators look, and nobody change: these rows are written by services alone."""

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
