"""Addresses of the evaluation's pages and API."""

from django.urls import path, re_path

from evaluation.views.api import CompareView, LeaderboardView, SubmissionView
from evaluation.views.compare import compare
from evaluation.views.corpora import corpus
from evaluation.views.documents import choose, document, documents
from evaluation.views.epochs import labels
from evaluation.views.explorer import system
from evaluation.views.help import help
from evaluation.views.home import home
from evaluation.views.method import method
from evaluation.views.submission import act, submission
from evaluation.views.submissions import submissions
from evaluation.views.upload import upload

urlpatterns = [
    path("", home, name="home"),
    path("help/", help, name="help"),
    path("method/", method, name="method"),
    path("documents/", choose, name="choose_documents"),
    path("corpora/<str:tag>/", corpus, name="corpus"),
    path("corpora/<str:tag>/compare/", compare, name="compare"),
    path("corpora/<str:tag>/systems/<int:pk>/", system, name="system"),
    path("corpora/<str:tag>/documents/", documents, name="documents"),
    path("corpora/<str:tag>/documents/<path:doc_id>/", document, name="document"),
    re_path(
        r"^corpora/(?P<tag>[^/]+)/epochs/(?P<number>[0-9]{1,9})/labels\.(?P<kind>jsonl|csv)$",
        labels,
        name="labels",
    ),
    path("submissions/", submissions, name="submissions"),
    path("submissions/new/", upload, name="upload"),
    path("submissions/<int:pk>/", submission, name="submission"),
    re_path(
        r"^submissions/(?P<pk>[0-9]{1,18})/(?P<action>go-ahead|withdraw|publish|hide)/$",
        act,
        name="submission_act",
    ),
    path("api/corpora/<str:tag>/leaderboard/", LeaderboardView.as_view(), name="api_leaderboard"),
    path("api/corpora/<str:tag>/compare/", CompareView.as_view(), name="api_compare"),
    path("api/submissions/<int:pk>/", SubmissionView.as_view(), name="api_submission"),
]
