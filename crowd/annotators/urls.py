"""The addresses under which questions are answered."""

from django.urls import path

from crowd.annotators import document_views, tutorial_views, views

urlpatterns = [
    path("", views.home, name="annotate"),
    path("start/", views.start, name="annotate_start"),
    path("expert/", views.expert, name="annotate_expert"),
    path("tutorial/", tutorial_views.tutorial, name="annotate_tutorial"),
    path("tutorial/<str:kind>/", tutorial_views.tutorial, name="annotate_tutorial_of"),
    path("questions/<int:question_id>/", views.question, name="annotate_question"),
    path("questions/<int:question_id>/draft/", document_views.save, name="annotate_draft"),
    path("pages/", document_views.pages, name="annotate_pages"),
    path("pages/<str:language>/", document_views.pages, name="annotate_pages"),
]
