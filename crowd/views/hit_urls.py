"""The addresses of the HIT pages, on their own host alone."""

from django.urls import path

from crowd.views import hits

urlpatterns = [
    path("<str:annotation>/", hits.task, name="hit"),
    path("<str:annotation>/draft/", hits.draft, name="hit_draft"),
    path("<str:annotation>/pages/", hits.pages, name="hit_pages"),
    path("<str:annotation>/passages/<int:number>/", hits.passage, name="hit_passage"),
]
