"""The first page of who is signed in: what waits for them, how their submissions stand, their quotas."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotations.models import Corpus, CorpusRole
from evaluation.kbp.task import TASK as KBP
from evaluation.models import Submission
from evaluation.registry import task_of
from evaluation.scoring.own import read_own
from evaluation.submissions import quota
from kbpo.accounts import teams
from kbpo.accounts.models import Team, User
from kbpo.pages.waiting import read_waiting
from tests.factories import (
    CorpusFactory,
    QuestionFactory,
    SampleBatchFactory,
    ScoreFactory,
    SubmissionFactory,
    TeamFactory,
    UserFactory,
)

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)


@dataclass
class Mine:
    """Somebody in a team, a corpus, and a browser in which they are signed in."""

    user: User
    team: Team
    corpus: Corpus
    browser: Client

    def submit(self, **fields: object) -> Submission:
        """Have the team submit something."""
        return SubmissionFactory(corpus=self.corpus, team=self.team, **fields)

    def page(self, address: str = "/") -> str:
        """Return what a page says."""
        return self.browser.get(address).content.decode()


@pytest.fixture
def mine(client: Client) -> Mine:
    user = UserFactory()
    client.force_login(user)
    return Mine(user, TeamFactory(members=[user]), CorpusFactory(tag="news", name="News"), client)


def words(user: User) -> list[str]:
    return [one.words for one in read_waiting(user, now=timezone.now())]


def test_who_is_signed_in_sees_no_hero(mine: Mine) -> None:
    for address in ("/", "/leaderboard/", "/?corpus=news"):
        assert "How much of what a system knows is true?" not in mine.page(address)


def test_a_visitor_sees_the_leaderboard_there(mine: Mine, client: Client) -> None:
    client.logout()
    assert "Waits for you" not in client.get("/").content.decode()


def test_who_is_in_no_team_is_told_to_make_one(client: Client, db: None) -> None:
    client.force_login(UserFactory())
    assert "Make a team" in client.get("/").content.decode()


def test_who_has_submitted_nothing_is_told_what_to_do_first(mine: Mine) -> None:
    for address in ("/", "/submissions/"):
        assert "Nothing has been submitted yet. First" in mine.page(address)


def test_nobody_sees_what_other_teams_have(mine: Mine) -> None:
    SubmissionFactory(corpus=mine.corpus, name="Theirs", state="accepted")
    assert "Theirs" not in mine.page()


def test_what_waits_for_a_go_ahead_or_another_try_is_named(mine: Mine) -> None:
    mine.submit(name="Read", state="accepted", go_ahead=False)
    mine.submit(name="Broken", state="failed")
    mine.submit(name="Running", state="judging")
    assert words(mine.user) == [
        "Broken on News stopped, by a fault of ours",
        "Read on News is read, and is judged once you say so",
    ]


def test_of_many_that_wait_the_others_are_counted(mine: Mine) -> None:
    for number in range(8):
        mine.submit(name=f"Read {number}", state="accepted", go_ahead=False)
    assert words(mine.user)[-1] == "3 more submissions wait for you"


def test_an_invitation_waits(mine: Mine) -> None:
    other = TeamFactory(name="Wren", members=[host := UserFactory(name="Robin")])
    teams.invite(user=host, team=other, email=mine.user.email)
    assert words(mine.user) == ["Robin invites you to the team Wren"]


def test_questions_wait_for_an_annotator(db: None) -> None:
    QuestionFactory()
    assert words(UserFactory(annotator=True)) == ["1 question waits to be judged"]
    assert words(UserFactory()) == []


@pytest.mark.parametrize("who", ["operator", "reviewer", "elsewhere"])
def test_what_votes_did_not_settle_waits_for_those_who_review_it(db: None, who: str) -> None:
    question = QuestionFactory(state="expert")
    user = UserFactory(operator=who == "operator")
    corpus = question.document.corpus if who == "reviewer" else CorpusFactory()
    if who != "operator":
        CorpusRole.objects.create(user=user, corpus=corpus, role="reviewer", given_at=NOW)
    expected = [] if who == "elsewhere" else ["1 question that votes did not settle"]
    assert words(user) == expected


def test_operators_see_teams_and_what_stopped(mine: Mine, settings) -> None:
    settings.TEAMS_NEED_APPROVAL = True
    TeamFactory(approved_at=None)
    mine.submit(state="failed")
    found = words(UserFactory(operator=True))
    assert any("for approval" in one for one in found)
    assert "1 submission stopped" in found


def own(mine: Mine, *found: Submission, now: datetime = NOW):
    return read_own(found, find_task=task_of, now=now)


def test_an_accepted_one_says_until_when_it_waits_and_why(mine: Mine) -> None:
    mine.corpus.weekly_quota = 1
    mine.corpus.save()
    taken = NOW - timedelta(days=3)
    mine.submit(state="scored", quota_taken_at=taken)
    waiting = mine.submit(state="accepted", go_ahead=True, quota_asked_at=NOW)
    (found,) = own(mine, waiting)
    assert found.heading == "Accepted; waits until Friday, 27 November"
    assert (
        "Your quota of the week is used up: its claims are sampled on Friday, 27 November at 12:00 UTC"
        in (found.next_step)
    )
    assert not found.waits_for_team


def test_one_without_a_go_ahead_waits_for_its_team(mine: Mine) -> None:
    (found,) = own(mine, mine.submit(state="accepted", go_ahead=False))
    assert found.heading == "Accepted; waits for your go-ahead"
    assert found.waits_for_team


def test_one_of_a_team_that_is_not_approved_says_so(mine: Mine, settings) -> None:
    settings.TEAMS_NEED_APPROVAL = True
    Team.objects.filter(pk=mine.team.pk).update(approved_at=None)
    mine.team.refresh_from_db()
    (found,) = own(mine, mine.submit(state="accepted", go_ahead=True))
    assert found.heading == "Accepted; waits until your team is approved"


def test_one_that_is_judged_says_how_far_it_is(mine: Mine) -> None:
    batch = SampleBatchFactory(submission=mine.submit(state="judging"))
    batch.questions.add(QuestionFactory(settled=True), QuestionFactory())
    (found,) = own(mine, batch.submission)
    assert found.progress == (1, 2)
    assert "1 of 2 questions settled" in mine.page()


def test_one_that_is_scored_has_the_score_that_the_board_shows(mine: Mine) -> None:
    batch = SampleBatchFactory(submission=mine.submit(state="scored"))
    ScoreFactory(batch=batch, level=KBP.choices.level, f=(0.5, 0.4, 0.6), rank=2)
    (found,) = own(mine, batch.submission)
    assert found.score is not None
    assert (found.score.measure.estimate, found.score.measure.low, found.score.rank) == (0.5, 0.4, 2)
    assert "50.0" in mine.page()


def test_of_a_corpus_of_another_installation_the_state_is_shown(mine: Mine) -> None:
    Corpus.objects.filter(pk=mine.corpus.pk).update(task="nothing")
    mine.submit(name="Old", state="scored")
    assert "Old" in mine.page()


def test_a_quota_says_what_is_left_and_when_it_is_renewed(mine: Mine) -> None:
    taken = NOW - timedelta(days=3)
    mine.submit(state="scored", quota_taken_at=taken, uploaded_by=mine.user)
    (found,) = quota.read_quotas(corpus=mine.corpus, teams=[mine.team], user=mine.user, now=NOW)
    assert (found.left, found.renewed_at) == (3, taken + quota.WINDOW)
    another = Submission(team=mine.team, corpus=mine.corpus, uploaded_by=mine.user)
    assert found.left == quota.standing(submission=another, now=NOW).left


def test_where_nothing_is_taken_nothing_is_renewed(mine: Mine) -> None:
    (found,) = quota.read_quotas(corpus=mine.corpus, teams=[mine.team], user=mine.user, now=NOW)
    assert (found.left, found.renewed_at) == (mine.corpus.weekly_quota, None)


def test_the_list_is_paged(mine: Mine) -> None:
    for number in range(27):
        mine.submit(name=f"System {number}", state="refused")
    assert "1–25 of 27" in mine.page("/submissions/")
    assert "System 0<" in mine.page("/submissions/?page=2")


def queries(mine: Mine, address: str) -> int:
    with CaptureQueriesContext(connection) as found:
        assert mine.browser.get(address).status_code == 200
    return len(found)


@pytest.mark.parametrize(("address", "most"), [("/", 22), ("/submissions/", 16)])
def test_its_queries_do_not_grow_with_submissions(mine: Mine, address: str, most: int) -> None:
    numbers = []
    for count in (1, 6):
        for number in range(count):
            for state in ("accepted", "judging", "scored", "refused"):
                made = mine.submit(name=f"{state} {count} {number}", state=state, go_ahead=state != "refused")
                if state in ("judging", "scored"):
                    batch = SampleBatchFactory(submission=made, epoch__number=made.pk, epoch__released=True)
                    ScoreFactory(batch=batch, level=KBP.choices.level)
        numbers.append(queries(mine, address))
    assert numbers[0] == numbers[1] <= most
