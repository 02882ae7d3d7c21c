"""The addresses under which questions are answered."""

from django.urls import path

from crowd.views import annotators, drafts, tutorials

urlpatterns = [
    path("", annotators.home, name="annotate"),
    path("start/", annotators.start, name="annotate_start"),
    path("expert/", annotators.expert, name="annotate_expert"),
    path("tutorial/", tutorials.tutorial, name="annotate_tutorial"),
    path("tutorial/<str:kind>/", tutorials.tutorial, name="annotate_tutorial_of"),
    path("questions/<int:question_id>/", annotators.question, name="annotate_question"),
    path("questions/<int:question_id>/draft/", drafts.save, name="annotate_draft"),
    path("pages/", drafts.pages, name="annotate_pages"),
    path("pages/<str:language>/", drafts.pages, name="annotate_pages_of"),
]
