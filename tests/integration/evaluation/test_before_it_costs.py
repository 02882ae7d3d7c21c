"""What judging would take, said before it begins; and the states on the way."""

import re
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from django.core.cache import cache
from django.utils import timezone

from annotations.models import Question
from evaluation.design import designs, forecast, prices, sampling
from evaluation.kbp.claims import read_claims
from evaluation.kbp.task import TASK as KBP
from evaluation.models import (
    Epoch,
    SampleBatch,
    SampledUnit,
    StageWork,
    Submission,
    SubmissionEvent,
)
from kbpo import pipeline
from kbpo.accounts.models import Membership, Team, User
from kbpo.core import rate_limits
from kbpo.pages.money import costs
from kbpo_estimators import planned_variance
from tests.factories import QuestionFactory, ResponseFactory, SampleBatchFactory, UserFactory, days_ago
from tests.samples import current_pi

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def empty_cache():
    cache.clear()


@pytest.fixture(autouse=True)
def labels_as_uncertain_as_can_be(monkeypatch):
    """What is planned from a system's own claims is not foreseen: see test_planned_variance.py."""
    monkeypatch.setattr(planned_variance, "LEAST_KNOWN", 10**9)


@pytest.fixture
def accepted(submit):
    """An accepted submission that waits for its team's word."""

    def act(name, **kwargs):
        submission = submit(name, **kwargs)
        Submission.objects.filter(pk=submission.pk).update(go_ahead=False)
        pipeline.validate_submissions()
        return Submission.objects.get(pk=submission.pk)

    return act


def let_go(submission):
    Submission.objects.filter(pk=submission.pk).update(go_ahead=True)
    pipeline.sample_submissions()


def pi_of(submission):
    epoch = Epoch.objects.get(corpus=submission.corpus)
    now = current_pi(epoch)
    return np.array([now.get(pk, 0.0) for pk in submission.predictions.values_list("instance_id", flat=True)])


def test_a_forecast_is_what_sampling_then_does(accepted):
    let_go(accepted("first", seed=1))
    second = accepted("second", seed=2)
    foreseen = forecast.forecast(second, KBP)
    before = pi_of(second)
    let_go(second)
    after = pi_of(second)
    assert foreseen.units == len(before)
    assert foreseen.covered == pytest.approx(before.sum())
    assert foreseen.judged == pytest.approx((after - before).sum())


@pytest.mark.slow
def test_a_forecast_does_not_depend_on_what_was_sampled(accepted):
    let_go(accepted("first", seed=1))
    second = accepted("second", seed=2)
    foreseen = forecast.forecast(second, KBP)
    cache.clear()
    SampledUnit.objects.all().delete()
    assert forecast.forecast(second, KBP) == foreseen


def test_the_expected_questions_are_those_asked_on_average(accepted):
    """Of a lone system, over many draws from the design that it would make."""
    second = accepted("second", seed=2)
    foreseen = forecast.forecast(second, KBP).all_questions
    rng = np.random.default_rng(1)
    claims = read_claims(second)
    target = sampling.coordinated.target_variance(second.corpus.target_half_width, second.corpus.target_level)
    epoch = Epoch.objects.get()
    pi = designs.arrive(
        designs.QUADRATIC,
        before=sampling.read_before(epoch, claims.ids),
        p=claims.p,
        known=np.zeros(len(claims.p), bool),
        target_variance=target,
    ).pi
    asked = []
    for _ in range(300):
        drawn = np.flatnonzero(rng.random(len(pi)) < pi)
        rows = [claims.rows[row] for row in drawn]
        pairs = {
            (claim.document_id, *sorted((claim.subject, claim.object)))
            for claim in (row.relation() for row in rows)
        }
        canonicals = {claim for row in rows for claim in row.canonicals()}
        asked.append(len(pairs) + len(canonicals))
    standard_error = np.std(asked, ddof=1) / np.sqrt(len(asked))
    assert abs(np.mean(asked) - foreseen) < 4 * standard_error


def test_what_was_published_before_the_upload_is_known(accepted):
    let_go(accepted("first", seed=1))
    now = timezone.now()
    Question.objects.update(state="settled", settled_at=now, published_at=now)
    again = accepted("again", seed=1)
    foreseen = forecast.forecast(again, KBP)
    sampled = SampledUnit.objects.count()
    assert foreseen.known >= sampled > 0
    assert foreseen.covered >= foreseen.known


@pytest.mark.slow
def test_another_arrival_makes_another_forecast(accepted):
    second = accepted("second", seed=2)
    alone = forecast.forecast(second, KBP)
    let_go(accepted("first", seed=1))
    assert forecast.forecast(second, KBP).covered > alone.covered


def test_the_time_is_taken_from_the_pace_of_the_last_days(db):
    now = timezone.now()
    for hours in range(1, 25):
        QuestionFactory(state="settled", settled_at=now - timedelta(hours=hours))
    QuestionFactory(state="settled", settled_at=days_ago(30))
    QuestionFactory()  # waits already
    assert forecast.time_to_judge(23, now) == pytest.approx(timedelta(hours=24), abs=timedelta(seconds=1))


def test_too_little_was_judged_to_say_how_long(db):
    QuestionFactory(settled=True)
    assert forecast.time_to_judge(5, timezone.now()) is None


@pytest.fixture
def member(client):
    user = User.objects.create_user("m@example.org")
    Membership.objects.create(team=Team.objects.get_or_create(name="Alpha")[0], user=user)
    client.force_login(user)
    return user


def page(client, submission):
    return client.get(f"/submissions/{submission.pk}/").content.decode()


def test_the_page_says_what_it_takes_before_it_takes_it(accepted, member, client):
    found = page(client, accepted("one"))
    for words in (
        "To be judged",
        "is known to",
        "volunteers judge it",
        "4 left in this week",
        "Have it judged",
    ):
        assert words in found


@pytest.mark.slow
def test_what_needs_no_question_costs_nothing(accepted, member, client, monkeypatch):
    """Under the quadratic sum a twin costs: what two claim is judged more surely than what one does."""
    Epoch.objects.update(growth=Epoch.Growth.MAXIMUM)
    price = prices.Expected(cents=20, reward_cents=11, questions=1, hourly_cents=1_320, votes=3.0, paid=7.4)
    monkeypatch.setattr(costs, "expected", lambda *_: price)
    client.force_login(UserFactory.create(operator=True))
    first = accepted("one")
    assert "less than $1" in page(client, first)
    let_go(first)
    assert "nothing more has to be asked" in page(client, accepted("twin"))


def told(client, submission):
    """Return what a member is told on the page and by the API."""
    cache.clear()
    shown = re.search(r'aria-labelledby="costs">.*?</dl>', page(client, submission), re.S)
    return shown[0], client.get(f"/api/v1/submissions/{submission.pk}/forecast/").json()


@pytest.mark.parametrize("growth", [Epoch.Growth.QUADRATIC, Epoch.Growth.MAXIMUM])
def test_a_team_is_told_the_same_whatever_a_hidden_system_claims(accepted, member, client, growth):
    Epoch.objects.update(growth=growth)
    for hours in range(1, 25):
        QuestionFactory(state="settled", settled_at=timezone.now() - timedelta(hours=hours))
    let_go(accepted("public", seed=3, team="Beta"))
    mine = accepted("mine", seed=1)
    alone = told(client, mine)
    hidden = accepted("hidden", seed=1, team="Gamma")  # claims the same as mine
    Submission.objects.filter(pk=hidden.pk).update(is_public=False)
    let_go(hidden)
    assert SampleBatch.objects.count() == 2
    assert told(client, mine) == alone
    assert "Covered" not in alone[0]
    assert alone[1]["details"] is None
    assert alone[1]["days"] > 0
    assert alone[1]["labels"] == forecast.two_digits(alone[1]["labels"]) > 0
    Submission.objects.filter(pk=hidden.pk).update(is_public=True)
    assert told(client, mine)[1]["labels"] != alone[1]["labels"]


def test_labels_of_public_systems_are_counted_off_for_a_team(accepted, member, client):
    mine = accepted("mine", seed=1)
    alone = told(client, mine)[1]["labels"]
    let_go(accepted("public", seed=1, team="Beta"))
    assert told(client, mine)[1]["labels"] < alone


def test_a_team_is_told_nothing_of_a_small_file(accepted, member, client, world):
    claims = world.system(recall=0.7, precision=0.6, seed=1)
    mine = accepted("few", claims=claims[: forecast.FEWEST_UNITS - 1])
    shown, said = told(client, mine)
    assert "a forecast is made of files with 30 claims or more" in shown
    assert "fewer than 30 claims" in said["detail"]


def test_forecasts_of_an_account_are_limited(accepted, member, client, monkeypatch):
    monkeypatch.setattr(rate_limits, "FORECASTS", replace(rate_limits.FORECASTS, amount=1))
    first, second = accepted("first", seed=1), accepted("second", seed=2)
    assert "is known to" in page(client, first)
    assert "is known to" in page(client, first)  # kept, so not counted again
    assert "Too many forecasts by your account" in page(client, second)
    assert client.get(f"/api/v1/submissions/{second.pk}/forecast/").status_code == 429


def test_visitors_do_not_learn_what_it_takes(accepted, client):
    submission = accepted("one")
    Submission.objects.filter(pk=submission.pk).update(go_ahead=True)
    assert "To be judged" not in page(client, submission)


def test_a_used_up_quota_says_when_the_next_is_free(accepted, member, client):
    submission = accepted("one")
    taken = timezone.now() - timedelta(days=3)
    for index in range(4):
        accepted(f"other {index}")
    Submission.objects.exclude(pk=submission.pk).update(quota_taken_at=taken)
    free = taken + timedelta(days=7)
    assert f"the next is free on {free:%-d %B, %H:%M} UTC" in page(client, submission)


def test_the_page_asks_few_queries_however_many_claims(
    accepted, member, client, django_assert_max_num_queries
):
    submission = accepted("one")
    with django_assert_max_num_queries(39):
        page(client, submission)


def test_work_shows_a_sign_of_life(submit, member, client):
    submission = submit("one")
    now = timezone.now()
    StageWork.objects.create(
        submission=submission,
        stage="uploaded",
        attempts=2,
        started_at=now,
        heartbeat_at=now,
        deadline_at=now + timedelta(minutes=10),
    )
    found = page(client, submission)
    assert re.search(r"Reading the file; last sign of life \d s ago; try 2\.", found)
    assert "Reading the file" in client.get(f"/api/v1/submissions/{submission.pk}/").json()["work"]


def test_work_that_has_gone_silent_is_said_to_be_tried_again(submit, member, client):
    submission = submit("one")
    StageWork.objects.create(
        submission=submission,
        stage="uploaded",
        attempts=1,
        started_at=days_ago(1),
        heartbeat_at=days_ago(0.1),
        deadline_at=timezone.now() + timedelta(minutes=10),
    )
    assert "tried again by itself" in page(client, submission)


def test_work_that_ended_in_an_error_says_when_it_is_tried_again(submit, member, client):
    submission = submit("one")
    again = timezone.now() + timedelta(minutes=1)
    StageWork.objects.create(
        submission=submission,
        stage="uploaded",
        attempts=2,
        errors=2,
        error="ZeroDivisionError: secret",
        started_at=days_ago(1),
        heartbeat_at=timezone.now(),
        deadline_at=timezone.now() + timedelta(minutes=10),
        not_before=again,
    )
    found = page(client, submission)
    assert f"stopped 0 s ago, at try 2; we try again at {again:%H:%M} UTC." in found
    assert "secret" not in found
    StageWork.objects.update(not_before=days_ago(0.1))
    assert "we try again any moment now." in page(client, submission)


def test_a_failure_says_its_cause_and_can_be_resumed(submit, member, client):
    submission = submit("one")
    Submission.objects.filter(pk=submission.pk).update(state="failed", failed_in="uploaded")
    SubmissionEvent.objects.create(
        submission=submission, state="failed", detail="We failed at reading the file."
    )
    found = page(client, submission)
    for words in ("We failed at reading the file.", "Try again", "Cancel one"):
        assert words in found
    client.post(f"/submissions/{submission.pk}/resume/")
    assert "Waiting to be read" in page(client, submission)


def test_cancelling_says_that_the_quota_is_given_back(accepted, member, client):
    submission = accepted("one")
    Submission.objects.filter(pk=submission.pk).update(quota_taken_at=timezone.now())
    answer = client.post(f"/submissions/{submission.pk}/cancel/", follow=True)
    assert "its place in the quota is free again" in answer.content.decode()


def test_judging_says_its_team_when_the_last_answer_came(db, client):
    client.force_login(UserFactory(operator=True))
    batch = SampleBatchFactory()
    question = QuestionFactory()
    batch.questions.add(question)
    ResponseFactory(question=question)
    assert re.search(r"The last answer came \d+ s ago", page(client, batch.submission))
