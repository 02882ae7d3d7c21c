"""What every page of the admin builds on."""

from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar, cast

from django.contrib import admin
from django.contrib.admin.options import TO_FIELD_VAR
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import BadRequest
from django.db.models import ForeignKey, Model, URLField
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse

from kbpo.core.acts import What, record
from kbpo.core.errors import NotAllowed

if TYPE_CHECKING:
    _ModelAdmin = admin.ModelAdmin[Any]
else:
    _ModelAdmin = admin.ModelAdmin  # no subscripts when it runs


UNSAID = "not kept here"


class OperatorsSite(admin.AdminSite):
    """The admin, which `kbpo.core.admin_config` makes the site's."""

    site_header = site_title = "KBP Online: operators"
    index_title = "What there is"

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Lead to the site's own sign-in: a door, with its limits and second factors, for all."""
        if request.user.is_authenticated:
            raise NotAllowed("The admin is for operators; ask one of them if you should be one.")
        target = request.POST.get(REDIRECT_FIELD_NAME) or request.GET.get(REDIRECT_FIELD_NAME)
        return redirect_to_login(target or reverse("admin:index", current_app=self.name))

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
    """Lets operators look, and nobody change: these rows are written by services alone.

    Where a class lets some fields change, what was changed stands in the audit log as `changed_as`; of fields
    in `unsaid`, only that they were.
    """

    formfield_overrides: ClassVar[Any] = {URLField: {"assume_scheme": "https"}}

    changed_as: What | None = None
    unsaid: tuple[str, ...] = ()

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

    def save_model(self, request: HttpRequest, obj: Model, form: Any, change: bool) -> None:
        """Save what was changed, and write that down."""
        super().save_model(request, obj, form, change)
        if self.changed_as is None or not form.changed_data:
            return
        by, names = cast(AbstractBaseUser, request.user), form.changed_data
        before = {name: UNSAID if name in self.unsaid else form.initial.get(name) for name in names}
        after = {name: UNSAID if name in self.unsaid else getattr(obj, name) for name in names}
        record(self.changed_as, by=by, about=obj, before=before, after=after)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Admit operators."""
        return self.has_view_permission(request)


def register_read_only(
    *models: type[Model],
    columns: str,
    filters: str = "",
    search: str = "",
    related: str = "",
    **options: Any,
) -> None:
    """Register models that operators only look at.

    Parameters
    ----------
    *models : type of Model
    columns, filters, search : str
        Names of fields, with spaces between them: of the list, its filters, and what its search looks in.
    related : str
        Foreign keys to load with each row although they are not columns, because `__str__` uses them.
    **options
        Further attributes of the `ModelAdmin`.
    """
    for model in models:
        keys = {field.name for field in model._meta.fields if isinstance(field, ForeignKey)}
        attributes = {
            "list_display": columns.split(),
            "list_filter": filters.split(),
            "search_fields": search.split(),
            "list_select_related": [*sorted(keys.intersection(columns.split())), *related.split()],
        }
        admin.site.register(model, type(f"{model.__name__}Admin", (ReadOnlyAdmin,), attributes | options))
