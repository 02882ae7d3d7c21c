"""The leaderboard's page: what its address asks for, what it asks of the database, who may keep it."""

import re

import pytest
from django.core.management import call_command

from annotations.models import Corpus
from evaluation.models import Submission
from evaluation.submissions import standing_for
from kbpo.core.errors import Conflict, NotAllowed
from tests.factories import (
    EpochFactory,
    SampleBatchFactory,
    ScoreFactory,
    SubmissionFactory,
    TeamFactory,
    UserFactory,
    give,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def epoch():
    return EpochFactory(corpus__tag="news")


@pytest.fixture
def member():
    user = UserFactory()
    TeamFactory(name="Ours", members=[user])
    return user


def scored(epoch, name, f=0.5, rank=None, **fields):
    submission = SubmissionFactory(corpus=epoch.corpus, name=name, state="scored", **fields)
    batch = SampleBatchFactory(epoch=epoch, submission=submission)
    ScoreFactory(batch=batch, f=(f, f - 0.1, f + 0.1), rank=rank)
    return submission


def names(client, query=""):
    """Return the systems that the board lists, in order."""
    page = client.get(f"/corpora/news/{query}").content.decode()
    found = re.findall(r'scope="row"[^>]*class="system">\s*<a[^>]*>(.*?)</a>', page, re.DOTALL)
    return [re.sub("<[^>]*>", "", one) for one in found]


@pytest.mark.parametrize(
    ("ranks", "query", "is_said"), [((1, 2), "", False), ((2, 1), "", True), ((2, 1), "?sort=f1", False)]
)
def test_ranks_that_fall_are_explained(epoch, client, ranks, query, is_said):
    scored(epoch, "first", 0.7, rank=ranks[0])
    scored(epoch, "second", 0.5, rank=ranks[1])
    page = client.get(f"/corpora/news/{query}").content.decode()
    assert ("need not rise from row to row" in page) == is_said


def test_the_address_says_the_order_and_what_is_left_out(epoch, client):
    for name, f, is_baseline in (("b", 0.7, False), ("a xylem", 0.6, True), ("c", 0.5, False)):
        scored(epoch, name, f, is_baseline=is_baseline)
    assert names(client) == ["b", "a xylem", "c"]
    assert names(client, "?sort=name") == ["a xylem", "b", "c"]
    assert names(client, "?sort=-name&baselines=hide") == ["c", "b"]
    assert names(client, "?q=XYLEM") == ["a xylem"]


def test_beyond_fifty_systems_there_are_pages_whose_ranks_go_on(epoch, client):
    for index in range(52):
        scored(epoch, f"s{index:02}", 0.9 - index / 100)
    assert names(client, "?page=2") == ["s50", "s51"]
    page = client.get("/corpora/news/?page=2&sort=f1").content.decode()
    assert "?page=1&amp;sort=f1#board" in page


def test_only_the_columns_that_are_asked_for_are_shown(epoch, client):
    scored(epoch, "one")
    page = client.get("/corpora/news/?show=recall").content.decode()
    assert 'data-name="Recall"' in page
    assert 'data-name="Precision"' not in page
    assert 'data-name="labels"' not in page


@pytest.mark.parametrize("query", ["?sort=colour", "?show=colour", "?runs=two", "?page=x", "?baselines=all"])
def test_what_a_board_does_not_have_is_refused(epoch, client, query):
    assert client.get(f"/corpora/news/{query}").status_code == 400


def test_only_ones_own_systems_can_be_listed(epoch, client, member):
    scored(epoch, "mine", team=member.teams.get())
    scored(epoch, "theirs")
    client.force_login(member)
    assert names(client, "?mine=1") == ["mine"]


def test_an_empty_corpus_says_what_to_do_and_offers_no_choices(client):
    EpochFactory(corpus__tag="news")
    page = client.get("/corpora/news/").content.decode()
    assert "Get the data" in page
    assert "weighting=" not in page


def test_two_systems_are_drawn_with_words_beside_the_picture(epoch, client):
    scored(epoch, "one")
    assert "<figure" not in client.get("/corpora/news/").content.decode()
    scored(epoch, "two")
    page = client.get("/corpora/news/").content.decode()
    assert 'id="plane-words">2 systems' in page
    assert "<figure" not in client.get("/corpora/news/?part=linking").content.decode()


def test_sixty_systems_take_no_more_queries_than_one(epoch, client, django_assert_max_num_queries):
    for index in range(60):
        scored(epoch, f"s{index}")
    with django_assert_max_num_queries(17):
        client.get("/corpora/news/?runs=one&sort=-recall")


# Which run stands for a team


def test_one_run_of_each_team_is_its_chosen_one_and_says_what_the_team_knew(epoch, client, member):
    team = member.teams.get()
    late = SubmissionFactory(corpus=epoch.corpus, team=team, name="late", state="accepted", go_ahead=True)
    scored(epoch, "best", 0.9, team=team)
    chosen = scored(epoch, "chosen", 0.2, team=team)
    assert names(client, "?runs=one") == ["best"]
    standing_for.choose(submission=chosen, user=member)
    assert names(client, "?runs=one") == ["chosen"]
    page = client.get("/corpora/news/?runs=one").content.decode()
    assert "knew the scores of 2 runs" in page
    standing_for.choose(submission=late, user=member)
    assert Submission.objects.get(chosen_at__isnull=False) == late


def test_a_choice_before_any_score_is_one_beforehand(epoch, member):
    one = SubmissionFactory(corpus=epoch.corpus, team=member.teams.get(), state="judging")
    standing_for.choose(submission=one, user=member)
    one.refresh_from_db()
    assert one.chosen_after == 0


def test_withdrawing_a_run_does_not_make_a_team_know_less(epoch, member):
    team = member.teams.get()
    gone = scored(epoch, "gone", team=team)
    Submission.objects.filter(pk=gone.pk).update(state="withdrawn")
    one = SubmissionFactory(corpus=epoch.corpus, team=team, state="judging")
    standing_for.choose(submission=one, user=member)
    one.refresh_from_db()
    assert one.chosen_after == 1


def test_a_run_that_is_not_on_its_way_cannot_stand_for_its_team(epoch, member):
    refused = SubmissionFactory(corpus=epoch.corpus, team=member.teams.get(), state="refused")
    with pytest.raises(Conflict):
        standing_for.choose(submission=refused, user=member)


def test_only_its_team_chooses_a_run(epoch):
    with pytest.raises(NotAllowed):
        standing_for.choose(submission=scored(epoch, "one"), user=UserFactory())


def test_organisers_mark_baselines_and_teams_do_not(epoch, client, member):
    system = scored(epoch, "one", team=member.teams.get())
    address = f"/submissions/{system.pk}/baseline/"
    client.force_login(member)
    assert client.post(address).status_code == 404
    client.force_login(give(UserFactory(), epoch.corpus, "organiser"))
    client.post(address)
    system.refresh_from_db()
    assert system.is_baseline


# Validators


def test_who_has_the_page_is_told_that_it_is_unchanged(epoch, client):
    scored(epoch, "one")
    etag = client.get("/corpora/news/")["ETag"]
    assert client.get("/corpora/news/", HTTP_IF_NONE_MATCH=etag).status_code == 304


@pytest.mark.parametrize("change", ["name", "rank", "baseline", "view"])
def test_a_page_that_changes_has_another_etag(epoch, client, change):
    system = scored(epoch, "one")
    before = client.get("/corpora/news/")["ETag"]
    query = ""
    if change == "name":
        Submission.objects.update(name="another")
    elif change == "baseline":
        Submission.objects.filter(pk=system.pk).update(is_baseline=True)
    elif change == "rank":
        scored(epoch, "two", rank=1)
    else:
        query = "?sort=name"
    assert client.get(f"/corpora/news/{query}")["ETag"] != before


def test_a_member_sees_the_hidden_system_of_their_team_and_a_visitor_does_not(epoch, client, member):
    scored(epoch, "mine", team=member.teams.get(), is_public=False)
    assert names(client) == []
    client.force_login(member)
    assert names(client) == ["mine"]
    client.logout()
    assert names(client, "?sort=name") == []


def test_other_choices_of_scores_are_read_for_themselves(epoch, client):
    scored(epoch, "one", 0.5)
    assert names(client) == ["one"]
    assert names(client, "?level=99") == []
    assert names(client, "?level=95&sort=name") == ["one"]


def test_what_is_hidden_does_not_change_the_etag(epoch, client):
    before = client.get("/corpora/news/")["ETag"]
    scored(epoch, "hidden", is_public=False)
    assert client.get("/corpora/news/")["ETag"] == before


def test_nobody_else_keeps_the_page_of_somebody_who_is_signed_in(epoch, client, member):
    client.force_login(member)
    response = client.get("/corpora/news/")
    assert response["Cache-Control"] == "private"


@pytest.mark.parametrize("address", ["/accounts/login/", "/check/", "/api/v1/corpora/"])
def test_a_page_that_says_nothing_of_it_is_kept_by_nobody_else(db, client, address):
    assert "private" in client.get(address)["Cache-Control"]


def test_the_command_lists_what_everybody_sees(epoch, capsys):
    scored(epoch, "shown")
    call_command("leaderboard", "--corpus", Corpus.objects.get().tag)
    assert "shown" in capsys.readouterr().out
