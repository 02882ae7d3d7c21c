"""The site's addresses."""

from django.contrib import admin
from django.urls import include, path

from evaluation.views.submission import submission
from kbpo.pages.money.costs import Prices

urlpatterns = [
    path("submissions/<int:pk>/", submission, {"prices": Prices()}, name="submission"),
    path("", include("evaluation.urls")),
    path("", include("kbpo.accounts.urls")),
    path("", include("marketplace.urls")),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
    path("annotate/", include("crowd.views.annotator_urls")),
    path("desk/", include("kbpo.pages.urls")),
    path("crowd/prolific/", include("crowd.providers.prolific.urls")),
]
