"""The addresses of the HIT pages, on their own host alone."""

from django.urls import path

from crowd.hits import views

urlpatterns = [
    path("<str:annotation>/", views.task, name="hit"),
    path("<str:annotation>/draft/", views.draft, name="hit_draft"),
    path("<str:annotation>/pages/", views.pages, name="hit_pages"),
    path("<str:annotation>/passages/<int:number>/", views.passage, name="hit_passage"),
]
