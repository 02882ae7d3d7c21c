"""The addresses under which questions are answered."""

from django.urls import path

from crowd.views import annotators, documents, tutorials

urlpatterns = [
    path("", annotators.home, name="annotate"),
    path("start/", annotators.start, name="annotate_start"),
    path("expert/", annotators.expert, name="annotate_expert"),
    path("tutorial/", tutorials.tutorial, name="annotate_tutorial"),
    path("tutorial/<str:kind>/", tutorials.tutorial, name="annotate_tutorial_of"),
    path("questions/<int:question_id>/", annotators.question, name="annotate_question"),
    path("questions/<int:question_id>/draft/", documents.save, name="annotate_draft"),
    path("pages/", documents.pages, name="annotate_pages"),
    path("pages/<str:language>/", documents.pages, name="annotate_pages"),
]
