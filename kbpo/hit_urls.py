"""The addresses on the HIT pages' own host: those pages, and nothing of the site."""

from django.urls import include, path

urlpatterns = [path("hits/", include("crowd.hits.urls"))]

handler400 = "crowd.hits.views.not_understood"
handler403 = "crowd.hits.views.not_allowed"
handler404 = "crowd.hits.views.not_found"
