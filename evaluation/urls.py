"""Addresses of the evaluation's pages."""

from collections.abc import Iterator

from django.urls import URLPattern, path, re_path

from evaluation.classification.views import items
from evaluation.generation.views.metrics import metrics
from evaluation.generation.views.outputs import metric, outputs, pair
from evaluation.kbp.views.documents import choose, document, documents
from evaluation.kbp.views.entities import entities, entity
from evaluation.kbp.views.exhaustive import exhaustive
from evaluation.kbp.views.explorer import system
from evaluation.views.challenge import accept as accept_terms
from evaluation.views.challenge import feed, news, rules
from evaluation.views.check import check, checked
from evaluation.views.compare import compare
from evaluation.views.corpora import corpus
from evaluation.views.data import accept, data
from evaluation.views.data import file as data_file
from evaluation.views.epochs import labels, sample
from evaluation.views.files import download_problems, lines, normalised, problems
from evaluation.views.help import example, help, schema
from evaluation.views.history import history_file, score
from evaluation.views.home import home
from evaluation.views.method import method
from evaluation.views.snapshots import all_snapshots, snapshot, snapshot_csv
from evaluation.views.submission import ACTIONS, act, edit_links, set_anonymous
from evaluation.views.submissions import submissions
from evaluation.views.team import team
from evaluation.views.upload import discard, upload

#: Whose file it is: what was submitted, and what is only checked, have the same pages.
KINDS = {"submission": "submissions/<int:pk>/", "check": "checks/<uuid:pk>/"}


def _of_files() -> Iterator[URLPattern]:
    for kind, base in KINDS.items():
        given = {"kind": kind}
        yield path(f"{base}problems/", problems, given, name=f"{kind}_problems")
        yield path(f"{base}lines/", lines, given, name=f"{kind}_lines")
        yield path(f"{base}accepted.gz", normalised, given, name=f"{kind}_normalised")
        for suffix in ("csv", "json"):
            yield path(
                f"{base}problems.{suffix}",
                download_problems,
                {**given, "suffix": suffix},
                name=f"{kind}_problems_{suffix}",
            )


urlpatterns = [
    path("leaderboard/", home, name="leaderboard"),
    path("help/", help, name="help"),
    path("help/examples/<str:name>", example, name="help_example"),
    path("help/schemas/<str:task>.json", schema, name="help_schema"),
    path("method/", method, name="method"),
    path("documents/", choose, name="choose_documents"),
    path("corpora/<str:tag>/", corpus, name="corpus"),
    path("corpora/<str:tag>/data/", data, name="data"),
    path("corpora/<str:tag>/data/accept/", accept, name="data_accept"),
    path("corpora/<str:tag>/data/<str:name>", data_file, name="data_file"),
    path("corpora/<str:tag>/rules/", rules, name="rules"),
    path("corpora/<str:tag>/rules/accept/", accept_terms, name="terms_accept"),
    path("corpora/<str:tag>/news/", news, name="news"),
    path("corpora/<str:tag>/news.atom", feed, name="news_feed"),
    path("corpora/<str:tag>/compare/", compare, name="compare"),
    path("corpora/<str:tag>/metrics/", metrics, name="metrics"),
    path("corpora/<str:tag>/systems/<int:pk>/", system, name="system"),
    path("corpora/<str:tag>/items/<int:pk>/", items, name="items"),
    path("corpora/<str:tag>/outputs/", pair, name="output_pair"),
    path("corpora/<str:tag>/outputs/<int:pk>/", outputs, name="outputs"),
    path("corpora/<str:tag>/outputs/<int:pk>/metric/", metric, name="output_metric"),
    path("corpora/<str:tag>/documents/", documents, name="documents"),
    path("corpora/<str:tag>/exhaustive/", exhaustive, name="exhaustive"),
    path("corpora/<str:tag>/documents/<path:doc_id>/", document, name="document"),
    path("corpora/<str:tag>/entities/", entities, name="entities"),
    re_path(r"^corpora/(?P<tag>[^/]+)/entities/(?P<key>[0-9a-f]{16})/$", entity, name="entity"),
    path("corpora/<str:tag>/epochs/<int:number>/sample.jsonl", sample, name="sample"),
    re_path(
        r"^corpora/(?P<tag>[^/]+)/epochs/(?P<number>[0-9]{1,9})/labels\.(?P<kind>jsonl|csv)$",
        labels,
        name="labels",
    ),
    path("corpora/<str:tag>/snapshots/", all_snapshots, name="snapshots"),
    re_path(r"^corpora/(?P<tag>[^/]+)/snapshots/(?P<number>[0-9]+[.][0-9]+)/$", snapshot, name="snapshot"),
    re_path(
        r"^corpora/(?P<tag>[^/]+)/snapshots/(?P<number>[0-9]+[.][0-9]+)\.csv$",
        snapshot_csv,
        name="snapshot_csv",
    ),
    path("submissions/", submissions, name="submissions"),
    path("submissions/new/", upload, name="upload"),
    re_path(
        rf"^submissions/(?P<pk>[0-9]{{1,18}})/(?P<action>{'|'.join(ACTIONS)})/$",
        act,
        name="submission_act",
    ),
    path("submissions/<int:pk>/anonymous/", set_anonymous, name="submission_anonymous"),
    path("submissions/<int:pk>/links/", edit_links, name="submission_links"),
    re_path(
        r"^submissions/(?P<pk>[0-9]{1,18})/history\.(?P<kind>csv|json)$",
        history_file,
        name="submission_history",
    ),
    re_path(
        r"^submissions/(?P<pk>[0-9]{1,18})/scores/(?P<number>[0-9]{1,9})/$", score, name="submission_score"
    ),
    path("teams/<int:pk>/public/", team, name="public_team"),
    path("check/", check, name="check"),
    path("checks/<uuid:pk>/", checked, name="checked"),
    path("uploads/<uuid:pk>/discard/", discard, name="upload_discard"),
    *_of_files(),
]
