"""An anonymous system: its name and its team's occur nowhere that a stranger comes, until its date."""

import random
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.db.models.functions import Now
from django.utils import timezone

from evaluation.models import Submission
from evaluation.submissions import anonymity
from kbpo.core.errors import InvalidInput, NotAllowed
from tests.factories import (
    DocumentFactory,
    EpochFactory,
    InstanceFactory,
    PredictionFactory,
    SampleBatchFactory,
    ScoreFactory,
    SubmissionFactory,
    TeamFactory,
    UserFactory,
)

pytestmark = pytest.mark.django_db
NAME, TEAM, WORDS = "Zyxquark-7", "Vebblethorpe Lab", "by the wumpole method"


@pytest.fixture
def member():
    user = UserFactory()
    TeamFactory(name=TEAM, members=[user])
    return user


@pytest.fixture
def system(member):
    """A scored system with a claim, in a released epoch, beside another."""
    epoch = EpochFactory(corpus__tag="veiled", released=True)
    found = [
        SubmissionFactory(corpus=epoch.corpus, team=team, name=name, description=words, state="scored")
        for team, name, words in ((member.teams.get(), NAME, WORDS), (TeamFactory(), "other", ""))
    ]
    document = DocumentFactory(corpus=epoch.corpus, doc_id="d1", sentences=True)
    instance = InstanceFactory(document=document)
    for one in found:
        ScoreFactory(batch=SampleBatchFactory(epoch=epoch, submission=one))
        PredictionFactory(submission=one, instance=instance)
    return found[0]


def veil(system, user, days=30):
    now = timezone.now()
    anonymity.set_anonymous(submission=system, user=user, until=now + timedelta(days=days), now=now)


def addresses(system):
    """Return every public address that knows the system or its corpus."""
    other = Submission.objects.exclude(pk=system.pk).get()
    of_corpus, api = "/corpora/veiled/", "/api/v1/"
    pages = ("", "?runs=one", "documents/", "documents/d1/", "entities/", "epochs/1/sample.jsonl", "data/")
    return [
        "/",
        *(f"{of_corpus}{one}" for one in pages),
        f"{of_corpus}?sort=team",
        f"{of_corpus}systems/{system.pk}/",
        *(f"{of_corpus}compare/{one}" for one in ("", f"?a={system.pk}&b={other.pk}")),
        f"/submissions/{system.pk}/",
        *(f"{api}submissions/{one}" for one in ("", f"{system.pk}/", f"{system.pk}/predictions/")),
        f"{api}submissions/{system.pk}/scores/",
        f"{api}corpora/veiled/leaderboard/",
        f"{api}corpora/veiled/compare/?a={system.pk}&b={other.pk}",
        f"{api}corpora/veiled/documents/d1/",
        f"{api}corpora/veiled/epochs/1/",
    ]


def read(client, address):
    response = client.get(address)
    assert response.status_code in (200, 404), address
    body = b"".join(response.streaming_content) if response.streaming else response.content
    return body.decode()


@pytest.mark.parametrize("stranger", ["visitor", "another team"])
def test_a_strangers_pages_name_neither_it_nor_its_team(system, member, client, stranger):
    if stranger == "another team":
        client.force_login(UserFactory())
    named = [address for address in addresses(system) if NAME in read(client, address)]
    assert len(named) > 8  # the walk comes where names are
    veil(system, member)
    for address in addresses(system):
        page = read(client, address)
        assert not [one for one in (NAME, TEAM, WORDS) if one in page], address


def test_its_team_and_operators_see_the_names(system, member, client):
    veil(system, member)
    for user in (member, UserFactory(operator=True)):
        client.force_login(user)
        for address in ("/corpora/veiled/", f"/submissions/{system.pk}/", "/api/v1/submissions/"):
            assert NAME in read(client, address)


def test_its_row_tells_its_team_alone_that_others_do_not_see_the_name(system, member, client):
    words = "anonymous to others until"
    waiting = SubmissionFactory(corpus=system.corpus, team=system.team, name="later", state="judging")
    for user, is_told in ((member, True), (UserFactory(), False)):
        client.force_login(user)
        assert words not in read(client, "/corpora/veiled/")
        for one in (system, waiting):
            veil(one, member)
        assert read(client, "/corpora/veiled/").count(words) == (2 if is_told else 0)
        Submission.objects.update(anonymous_until=None)


def test_it_is_found_neither_by_its_teams_name_nor_by_its_own(system, member, client):
    veil(system, member)
    assert client.get("/api/v1/submissions/", {"team": TEAM}).json()["results"] == []
    assert 'class="system"' not in client.get("/corpora/veiled/", {"q": NAME}).content.decode()


def test_the_command_that_lists_a_board_does_not_name_it(system, member):
    veil(system, member)
    out = StringIO()
    call_command("leaderboard", "--corpus", "veiled", "--json", stdout=out)
    assert NAME not in out.getvalue()


def test_after_its_date_everybody_sees_the_names(system, member, client):
    veil(system, member)
    Submission.objects.filter(pk=system.pk).update(anonymous_until=Now() - timedelta(seconds=1))
    assert NAME in read(client, "/corpora/veiled/")


def test_the_alias_of_a_team_stays_whichever_run_and_however_often(system, member):
    veil(system, member)
    system.refresh_from_db()
    first = system.alias
    other = SubmissionFactory(corpus=system.corpus, team=system.team, state="scored")
    veil(other, member)
    veil(system, member, days=20)
    system.refresh_from_db()
    other.refresh_from_db()
    assert (system.alias, system.alias_run) == (first, 1)
    assert (other.alias, other.alias_run) == (first, 2)


def test_a_number_is_drawn_and_says_nothing_of_who_came_first(system, member):
    now = timezone.now()
    for seed, one in enumerate(Submission.objects.order_by("pk"), 1):
        anonymity.veil(submission=one, until=now + timedelta(days=1), now=now, rng=random.Random(seed))
    numbers = set(Submission.objects.values_list("alias", flat=True))
    assert len(numbers) == 2
    assert min(numbers) >= anonymity.LEAST


@pytest.mark.parametrize("days", [0, -3, 181])
def test_a_date_must_be_to_come_and_within_what_the_corpus_allows(system, member, days):
    with pytest.raises(InvalidInput, match="must be after today"):
        veil(system, member, days=days)


def test_a_corpus_may_have_no_anonymous_systems(system, member):
    system.corpus.anonymous_days = 0
    system.corpus.save()
    with pytest.raises(InvalidInput, match="no anonymous systems"):
        veil(system, member)


def test_only_its_team_makes_a_system_anonymous(system):
    with pytest.raises(NotAllowed):
        veil(system, UserFactory())


@pytest.mark.slow
def test_runs_that_are_anonymous_are_not_counted_with_the_team(system, member, client):
    """Else the number of a team's runs would tell whose they are."""
    ScoreFactory(
        batch=SampleBatchFactory(
            epoch=system.batch.epoch,
            submission=SubmissionFactory(corpus=system.corpus, team=system.team, state="scored"),
        )
    )
    assert "best of 2 runs" in read(client, "/corpora/veiled/?runs=one")
    veil(system, member)
    assert "best of" not in read(client, "/corpora/veiled/?runs=one").replace("best of several", "")


def test_the_page_sets_a_day_and_takes_it_back(system, member, client):
    client.force_login(member)
    day = (timezone.now() + timedelta(days=5)).date().isoformat()
    client.post(f"/submissions/{system.pk}/anonymous/", {"until": day})
    system.refresh_from_db()
    assert system.anonymous_until.date().isoformat() == day
    client.post(f"/submissions/{system.pk}/anonymous/", {"until": ""})
    system.refresh_from_db()
    assert system.anonymous_until is None
