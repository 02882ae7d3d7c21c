"""The addresses on the HIT pages' own host: those pages, and nothing of the site."""

from django.conf import settings
from django.urls import include, path
from django.views.generic import RedirectView

urlpatterns = [
    path("", RedirectView.as_view(url=settings.SITE_URL), name="hit_home"),  # who typed this host's name
    path("hits/", include("crowd.views.hit_urls")),
]

handler400 = "crowd.views.hits.not_understood"
handler403 = "crowd.views.hits.not_allowed"
handler404 = "crowd.views.hits.not_found"
handler500 = "kbpo.core.refusals.broken"
