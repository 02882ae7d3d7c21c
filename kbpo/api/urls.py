"""Addresses of the API, version 1. Their names begin with ``api_``."""

from django.urls import path, re_path

from evaluation.views.submission import ACTIONS
from kbpo.api.reference import IndexView, SchemaView
from kbpo.api.resources.annotations import AnnotationsView
from kbpo.api.resources.board import ComparisonView, LeaderboardView
from kbpo.api.resources.challenges import (
    AcceptTermsView,
    MovedDatesView,
    NewsView,
    PhasesView,
    PhaseView,
    PostView,
    RulesView,
    TermsView,
)
from kbpo.api.resources.checks import ChecksView, CheckView
from kbpo.api.resources.corpora import CorporaView, CorpusView
from kbpo.api.resources.data import DataFileView, DataView
from kbpo.api.resources.documents import DocumentsView, DocumentView
from kbpo.api.resources.epochs import EpochsView, EpochView, LabelsView, ReleaseView
from kbpo.api.resources.files import (
    CheckAllProblemsView,
    CheckFileView,
    CheckProblemsView,
    SubmissionAllProblemsView,
    SubmissionFileView,
    SubmissionProblemsView,
)
from kbpo.api.resources.forecasts import ForecastView
from kbpo.api.resources.metrics import MetricsView
from kbpo.api.resources.people import MeView, QuotasView, TeamsView, TeamView
from kbpo.api.resources.results import PredictionsView, ScoresView
from kbpo.api.resources.snapshots import CitationView, HistoryView, SnapshotsView, SnapshotView
from kbpo.api.resources.submissions import ActView, AnonymousView, SubmissionsView, SubmissionView
from kbpo.api.resources.uploads import UploadsView, UploadView
from kbpo.api.resources.vocabularies import ClassListsView, ClassListView, OntologiesView, OntologyView

_CORPUS = "corpora/<str:tag>/"
_SUBMISSION = "submissions/<int:pk>/"
_CHECK = "checks/<uuid:pk>/"

urlpatterns = [
    path("", IndexView.as_view(), name="api_index"),
    path("openapi.json", SchemaView.as_view(), name="api_schema"),
    path("me/", MeView.as_view(), name="api_me"),
    path("teams/", TeamsView.as_view(), name="api_teams"),
    path("teams/<int:pk>/", TeamView.as_view(), name="api_team"),
    path("ontologies/", OntologiesView.as_view(), name="api_ontologies"),
    path("ontologies/<str:reference>/", OntologyView.as_view(), name="api_ontology"),
    path("class-lists/", ClassListsView.as_view(), name="api_class_lists"),
    path("class-lists/<str:name>/<int:version>/", ClassListView.as_view(), name="api_class_list"),
    path("corpora/", CorporaView.as_view(), name="api_corpora"),
    path(_CORPUS, CorpusView.as_view(), name="api_corpus"),
    path(f"{_CORPUS}phases/", PhasesView.as_view(), name="api_phases"),
    path(f"{_CORPUS}phases/<int:pk>/", PhaseView.as_view(), name="api_phase"),
    path(f"{_CORPUS}moved-dates/", MovedDatesView.as_view(), name="api_moved_dates"),
    path(f"{_CORPUS}rules/", RulesView.as_view(), name="api_rules"),
    path(f"{_CORPUS}terms/", TermsView.as_view(), name="api_terms"),
    path(f"{_CORPUS}terms/accept/", AcceptTermsView.as_view(), name="api_accept_terms"),
    path(f"{_CORPUS}news/", NewsView.as_view(), name="api_news"),
    path(f"{_CORPUS}news/<int:pk>/", PostView.as_view(), name="api_post"),
    path(f"{_CORPUS}data/", DataView.as_view(), name="api_data"),
    path(f"{_CORPUS}data/<str:name>", DataFileView.as_view(), name="api_data_file"),
    path(f"{_CORPUS}documents/", DocumentsView.as_view(), name="api_documents"),
    path(f"{_CORPUS}documents/<path:doc_id>/", DocumentView.as_view(), name="api_document"),
    path(f"{_CORPUS}annotations/", AnnotationsView.as_view(), name="api_annotations"),
    path(f"{_CORPUS}leaderboard/", LeaderboardView.as_view(), name="api_leaderboard"),
    path(f"{_CORPUS}compare/", ComparisonView.as_view(), name="api_compare"),
    path(f"{_CORPUS}metrics/", MetricsView.as_view(), name="api_metrics"),
    path(f"{_CORPUS}quotas/", QuotasView.as_view(), name="api_quotas"),
    path(f"{_CORPUS}epochs/", EpochsView.as_view(), name="api_epochs"),
    path(f"{_CORPUS}epochs/<int:number>/", EpochView.as_view(), name="api_epoch"),
    path(f"{_CORPUS}epochs/<int:number>/labels/", LabelsView.as_view(), name="api_labels"),
    path(f"{_CORPUS}epochs/<int:number>/release/", ReleaseView.as_view(), name="api_release"),
    path(f"{_CORPUS}snapshots/", SnapshotsView.as_view(), name="api_snapshots"),
    path(f"{_CORPUS}snapshots/<str:number>/", SnapshotView.as_view(), name="api_snapshot"),
    path("uploads/", UploadsView.as_view(), name="api_uploads"),
    path("uploads/<uuid:pk>/", UploadView.as_view(), name="api_upload"),
    path("checks/", ChecksView.as_view(), name="api_checks"),
    path(_CHECK, CheckView.as_view(), name="api_check"),
    path(f"{_CHECK}problems/", CheckProblemsView.as_view(), name="api_check_problems"),
    path(f"{_CHECK}problems/all/", CheckAllProblemsView.as_view(), name="api_check_all_problems"),
    path(f"{_CHECK}file/", CheckFileView.as_view(), name="api_check_file"),
    path("submissions/", SubmissionsView.as_view(), name="api_submissions"),
    path(_SUBMISSION, SubmissionView.as_view(), name="api_submission"),
    path(f"{_SUBMISSION}problems/", SubmissionProblemsView.as_view(), name="api_submission_problems"),
    path(
        f"{_SUBMISSION}problems/all/",
        SubmissionAllProblemsView.as_view(),
        name="api_submission_all_problems",
    ),
    path(f"{_SUBMISSION}file/", SubmissionFileView.as_view(), name="api_submission_file"),
    path(f"{_SUBMISSION}predictions/", PredictionsView.as_view(), name="api_predictions"),
    path(f"{_SUBMISSION}forecast/", ForecastView.as_view(), name="api_forecast"),
    path(f"{_SUBMISSION}scores/", ScoresView.as_view(), name="api_scores"),
    path(f"{_SUBMISSION}history/", HistoryView.as_view(), name="api_history"),
    path(f"{_SUBMISSION}citation/", CitationView.as_view(), name="api_citation"),
    path(f"{_SUBMISSION}anonymous/", AnonymousView.as_view(), name="api_submission_anonymous"),
    re_path(
        rf"^submissions/(?P<pk>[0-9]{{1,18}})/(?P<action>{'|'.join(ACTIONS)})/$",
        ActView.as_view(),
        name="api_submission_act",
    ),
]
