"""The life of a corpus through the API, and the leaderboard's rows."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotations.challenges import dates, versions
from annotations.challenges.dates import PhaseDetails
from annotations.models import CorpusPhase
from evaluation.models import Submission
from tests import factories as make
from tests.integration.api.conftest import Program, token
from tests.integration.api.test_resources import send

pytestmark = pytest.mark.django_db
PHASE = {"name": "test", "starts_at": "2026-12-01T12:00:00Z"}
NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
KB = b"run\n:E1\ttype\tPER\n"


@pytest.fixture
def news(db):
    return make.CorpusFactory.create(tag="news", name="News", anonymous_days=30)


@pytest.fixture
def operator(db):
    return make.UserFactory.create(operator=True)


@pytest.fixture
def organiser(news):
    return Program(token(make.give(make.UserFactory.create(), news, "organiser"), "organise"))


@pytest.fixture
def asks(user):
    make.TeamFactory.create(members=[user], name="Alpha")
    return Program(token(user, "submit"))


def hand_in(asks, name="run"):
    given = {"corpus": "news", "team": "Alpha", "name": name, "format": "tac2016", "again": True}
    return asks("POST", "submissions/", {**given, "upload": send(asks, KB)})


def kind_of(answer):
    return answer.status_code, answer.json()["type"].rpartition("#")[2]


def test_an_open_corpus_says_so(news):
    found = Program().get("corpora/news/")
    assert (found["state"], found["changes_at"], found["phase"], found["phases"]) == ("open", None, None, [])
    assert (found["rules_version"], found["terms_version"], found["anonymous_days"]) == (None, None, 30)
    assert found["anonymous_until"] == (timezone.now() + timedelta(days=30)).date().isoformat()


def test_a_corpus_says_when_it_closes_and_which_phase_is_on(news, operator):
    start = timezone.now() - timedelta(days=1)
    details = PhaseDetails("test", start, start + timedelta(days=9), most_submissions=2)
    dates.add_phase(corpus=news, by=operator, details=details, now=NOW)
    (found,) = Program().get("corpora/")["results"]
    assert (found["state"], found["phase"], found["phases"][0]["most_submissions"]) == ("open", "test", 2)
    assert found["changes_at"] == found["phases"][0]["ends_at"]


def test_a_list_of_corpora_asks_as_much_for_many_as_for_one(news, operator):
    visitor = Program()

    def count():
        with CaptureQueriesContext(connection) as asked:
            visitor.get("corpora/")
        return len(asked)

    count()
    one = count()
    for tag in ("b", "c"):
        other = make.CorpusFactory.create(tag=tag)
        dates.add_phase(corpus=other, by=operator, details=PhaseDetails("a", NOW), now=NOW)
    assert count() == one


def test_a_corpus_that_is_closed_refuses_with_a_problem_of_its_own(news, organiser, asks):
    assert organiser("PATCH", "corpora/news/", {"closes_at": "2000-01-01T00:00:00Z"}).status_code == 200
    answer = hand_in(asks)
    assert kind_of(answer) == (409, "not-open")
    assert "closed for submissions since 1 Jan 2000, 00:00 UTC" in answer.json()["detail"]


def test_a_member_accepts_terms_by_a_token_and_submits(news, organiser, asks):
    assert organiser("POST", "corpora/news/terms/", {"text": "Be honest."}).status_code == 201
    assert kind_of(hand_in(asks)) == (409, "terms-not-accepted")
    (held,) = asks.get("corpora/news/terms/")["results"]
    assert (held["version"], held["text"], held["accepted"]) == (1, "Be honest.", [])
    done = asks("POST", "corpora/news/terms/accept/", {"team": "Alpha", "version": 1})
    assert (done.status_code, done.json()["team"], done.json()["version"]) == (201, "Alpha", 1)
    assert hand_in(asks).status_code == 201
    assert asks.get("corpora/news/terms/")["results"][0]["accepted"][0]["team"] == "Alpha"
    assert Program().get("corpora/news/terms/")["results"][0]["accepted"] == []


def test_a_token_that_may_only_read_accepts_nothing(news, operator, user, asks):
    versions.write_terms(corpus=news, text="Be honest.", by=operator, now=NOW)
    reader = Program(token(user, "read", name="reader"))
    answer = reader("POST", "corpora/news/terms/accept/", {"team": "Alpha", "version": 1})
    assert answer.status_code == 403


def test_a_full_phase_refuses_with_a_problem_of_its_own(news, operator, asks):
    start = timezone.now() - timedelta(days=1)
    details = PhaseDetails("test", start, most_submissions=1)
    dates.add_phase(corpus=news, by=operator, details=details, now=NOW)
    assert hand_in(asks).status_code == 201
    assert kind_of(hand_in(asks, "again")) == (409, "phase-full")


def test_an_organiser_keeps_phases(news, organiser):
    made = organiser("POST", "corpora/news/phases/", PHASE)
    assert made.status_code == 201
    address = f"corpora/news/phases/{made.json()['id']}/"
    assert kind_of(organiser("POST", "corpora/news/phases/", PHASE | {"name": "b"})) == (409, "conflict")
    changed = organiser("PATCH", address, {"ends_at": "2026-12-08T12:00:00Z"})
    assert (changed.json()["name"], changed.json()["ends_at"]) == ("test", "2026-12-08T12:00:00Z")
    moved = organiser.get("corpora/news/moved-dates/")["results"]
    assert [(one["which"], one["before"]) for one in moved] == [("ends", None), ("starts", None)]
    assert organiser("DELETE", address).status_code == 204
    assert not CorpusPhase.objects.exists()


def test_an_organiser_publishes_and_withdraws_news(news, organiser):
    made = organiser("POST", "corpora/news/news/", {"title": "More data"})
    assert made.status_code == 201
    assert Program().get("corpora/news/news/")["results"][0]["title"] == "More data"
    assert organiser("DELETE", f"corpora/news/news/{made.json()['id']}/").status_code == 204
    assert Program().get("corpora/news/news/")["results"] == []


@pytest.mark.parametrize("address", ["phases/", "rules/", "terms/", "news/"])
def test_only_organisers_write(address, news, asks, user):
    given = {"text": "x", "title": "x", **PHASE}
    assert asks("POST", f"corpora/news/{address}", given).status_code == 403
    other = Program(token(user, "organise", name="no role"))
    assert other("POST", f"corpora/news/{address}", given).status_code == 403


@pytest.fixture
def systems(news):
    team = make.TeamFactory.create(name="Alpha")
    for name in ("Ada", "Bob"):
        make.SubmissionFactory.create(
            corpus=news, team=team, name=name, is_baseline=name == "Bob", state=Submission.State.JUDGING
        )
    make.SubmissionFactory.create(
        corpus=news, team=make.TeamFactory.create(name="Beta"), name="Cleo", state=Submission.State.JUDGING
    )


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("sort=-name", ["Cleo", "Bob", "Ada"]),
        ("q=ad", ["Ada"]),
        ("team=Beta", ["Cleo"]),
        ("baselines=only", ["Bob"]),
        ("baselines=hide&sort=name", ["Ada", "Cleo"]),
        ("labels=100", []),
        ("mine=false&sort=name", ["Ada", "Bob", "Cleo"]),
    ],
)
def test_the_leaderboard_lists_what_the_page_would(asked, names, systems):
    found = Program().get(f"corpora/news/leaderboard/?{asked}")
    assert [row["name"] for row in found["rows"]] == names
    assert found["of"] == 3


@pytest.mark.parametrize("asked", ["sort=hair", "baselines=some", "runs=two", "labels=x"])
def test_what_no_leaderboard_has_is_refused(asked, systems):
    assert Program()("GET", f"corpora/news/leaderboard/?{asked}").status_code == 400
