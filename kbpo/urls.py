"""The site's addresses."""

from functools import partial

from allauth.account import views as allauth
from django.contrib import admin
from django.db import transaction
from django.urls import include, path, re_path

from evaluation.kbp.explorer.showcase import find_showcase
from evaluation.views.home import home, welcome
from evaluation.views.submission import submission
from kbpo.api.reference import reference
from kbpo.api.unknown import UnknownView
from kbpo.pages import site
from kbpo.pages.money.costs import Prices
from kbpo.pages.views.mine import first_page

urlpatterns = [
    path(
        "",
        first_page,
        {"board": home, "visitors": partial(welcome, find_showcase=find_showcase)},
        name="home",
    ),
    # With their mail in one transaction: no account without its confirmation, whenever the process is killed.
    path("accounts/signup/", transaction.atomic(allauth.signup), name="account_signup"),
    path(
        "accounts/password/reset/", transaction.atomic(allauth.password_reset), name="account_reset_password"
    ),
    path("submissions/<int:pk>/", submission, {"prices": Prices()}, name="submission"),
    path("about/", site.about, name="about"),
    path("robots.txt", site.robots, name="robots"),
    path("favicon.ico", site.favicon, name="favicon"),
    path("help/api/", reference, name="help_api"),
    path("api/v1/", include("kbpo.api.urls")),
    re_path(r"^api/", UnknownView.as_view(), name="api_unknown"),
    path("", include("evaluation.urls")),
    path("", include("kbpo.accounts.urls")),
    path("", include("kbpo.webhooks.urls")),
    path("", include("marketplace.urls")),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
    path("try/", include("crowd.views.trying_urls")),
    path("annotate/", include("crowd.views.annotator_urls")),
    path("desk/", include("kbpo.pages.urls")),
    path("crowd/prolific/", include("crowd.providers.prolific.urls")),
]

handler400 = "kbpo.core.refusals.unreadable"
handler500 = "kbpo.core.refusals.broken"
