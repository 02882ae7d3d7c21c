"""What judging a submission costs: expected, and paid so far."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from annotations.models import Corpus, Question
from crowd.models import HitBatch, HitQuestion
from evaluation.models import Submission
from kbpo.pages.money import costs
from tests import crowd
from tests.factories import (
    DocumentFactory,
    EpochFactory,
    InstanceFactory,
    PredictionFactory,
    QuestionFactory,
    ResponseFactory,
    SampleBatchFactory,
    SubmissionFactory,
    TeamFactory,
    UserFactory,
)
from tests.integration.desk.conftest import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("account")]


@pytest.fixture
def questions(corpus: Corpus) -> list[Question]:
    return crowd.ask(corpus, 3)


def judged(corpus: Corpus, questions: list[Question], **fields: Any) -> Submission:
    submission = SubmissionFactory.create(corpus=corpus, state="judging", **fields)
    epoch = corpus.epochs.first() or EpochFactory.create(corpus=corpus)
    SampleBatchFactory.create(submission=submission, epoch=epoch).questions.set(questions)
    return submission


def test_work_is_counted_for_the_first_that_needed_it(
    corpus: Corpus, questions: list[Question], post: Any, send: Any, approve: Any
) -> None:
    first = judged(corpus, questions[:2])
    second = judged(corpus, questions[1:])
    unpaid = judged(corpus, [])
    for question in questions:
        approve(send(post(question)))
    assert costs.paid([first.pk, second.pk, unpaid.pk]) == {first.pk: 36, second.pk: 18}
    assert costs.paid([second.pk]) == {second.pk: 18}
    assert costs.paid([]) == {}


def test_questions_that_are_asked_together_share_what_was_paid(
    corpus: Corpus, questions: list[Question], post: Any, send: Any, approve: Any
) -> None:
    first, second = judged(corpus, questions[:1]), judged(corpus, questions[1:])
    hit = post(questions[0])
    approve(send(hit))
    for position, question in enumerate(questions[1:], 1):
        HitQuestion.objects.create(hit=hit, question=question, position=position)
    assert costs.paid([first.pk, second.pk]) == {first.pk: 6, second.pk: 12}


def test_what_is_promised_or_given_back_is_not_paid(
    corpus: Corpus, questions: list[Question], post: Any, send: Any, reject: Any
) -> None:
    submission = judged(corpus, questions)
    reject(send(post(questions[0])))
    assert costs.paid([submission.pk]) == {}


def test_the_leaderboard_tells_the_cents_paid_or_null(
    corpus: Corpus, questions: list[Question], post: Any, send: Any, approve: Any
) -> None:
    judged(corpus, questions[:1], name="paid")
    judged(corpus, questions[1:], name="unpaid")
    approve(send(post(questions[0])))
    out = StringIO()
    call_command("leaderboard", "--corpus", corpus.tag, "--json", stdout=out)
    found = {row["name"]: row["cost"] for row in json.loads(out.getvalue())["rows"]}
    assert found == {"paid": 18, "unpaid": None}


def test_at_first_a_fair_price_is_expected(corpus: Corpus, purse: Any) -> None:
    submission = SubmissionFactory.create(corpus=corpus, state="accepted")
    found = costs.expected(submission, {"relation": 100.0, "canonical": 100.0})
    assert found is not None
    # 20 s and a companion of 5 s at $15 an hour are 10.4 cents, so 11; the fee is 2; three votes
    assert (found.reward_cents, found.cents, found.votes) == (11, 100 * 3 * 13, 3.0)
    assert found.hourly_cents == 1584


def test_under_curtailed_a_third_vote_is_expected_where_two_differ(corpus: Corpus, purse: Any) -> None:
    corpus.policy = "curtailed"
    found = costs.expected(
        SubmissionFactory.create(corpus=corpus, state="accepted"), {"relation": 100.0, "canonical": 100.0}
    )
    assert found is not None
    assert (found.cents, found.votes) == (round(100 * 2.19 * 13), pytest.approx(2.19))


def vote(corpus: Corpus, *, agreed: int, disputed: int, votes: int = 2, **fields: Any) -> None:
    people = UserFactory.create_batch(votes, annotator=True)
    for number in range(agreed + disputed):
        document = DocumentFactory.create(corpus=corpus)
        question = QuestionFactory.create(document=document, votes_needed=votes, **fields)
        for user in people:
            said = crowd.NONE if number >= agreed and user == people[1] else crowd.BORN
            ResponseFactory.create(question=question, worker=user, answer={"version": 1, **said})


def test_third_votes_that_are_still_out_are_expected(corpus: Corpus) -> None:
    corpus.policy = "curtailed"
    vote(corpus, agreed=16, disputed=4)
    assert costs.votes_a_question(corpus, "relation") == pytest.approx(2.2)


def test_votes_that_another_policy_asked_for_are_not_expected(corpus: Corpus) -> None:
    vote(corpus, agreed=18, disputed=2, votes=3, settled=True)
    assert costs.votes_a_question(corpus, "relation") == 3
    corpus.policy = "curtailed"
    assert costs.votes_a_question(corpus, "relation") == pytest.approx(2.1)


def test_questions_that_an_expert_settled_before_anybody_voted_tell_nothing(corpus: Corpus) -> None:
    corpus.policy = "curtailed"
    QuestionFactory.create_batch(20, document__corpus=corpus, settled=True, votes_needed=3)
    assert costs.votes_a_question(corpus, "relation") == pytest.approx(2.19)


def test_of_few_questions_nothing_is_believed(corpus: Corpus) -> None:
    corpus.policy = "curtailed"
    vote(corpus, agreed=0, disputed=19)
    assert costs.votes_a_question(corpus, "relation") == pytest.approx(2.19)


def test_where_two_that_agree_are_too_few_a_third_is_expected(corpus: Corpus) -> None:
    corpus.policy, corpus.least_posterior = "curtailed", 0.99
    vote(corpus, agreed=20, disputed=0)
    assert costs.votes_a_question(corpus, "relation") == 3


def test_two_answers_about_a_whole_document_are_expected_to_differ(corpus: Corpus) -> None:
    corpus.policy = "curtailed"
    assert costs.votes_a_question(corpus, "entities") == 3


def test_later_the_corpus_last_price_is_expected(corpus: Corpus, batch: HitBatch) -> None:
    submission = SubmissionFactory.create(corpus=corpus, state="accepted")
    found = costs.expected(submission, {"relation": 100.0})
    assert found is not None
    assert (found.reward_cents, found.cents) == (15, 100 * 3 * 18)


def test_bundled_questions_share_a_reward(corpus: Corpus, batch: HitBatch) -> None:
    HitBatch.objects.update(questions_per_hit=10)
    submission = SubmissionFactory.create(corpus=corpus, state="accepted")
    found = costs.expected(submission, {"relation": 100.0})
    assert found is not None
    assert (found.questions, found.cents) == (10, 10 * 3 * 18)


def test_where_nobody_is_paid_nothing_is_expected(corpus: Corpus, settings: Any) -> None:
    submission = SubmissionFactory.create(corpus=corpus, state="accepted")
    assert costs.expected(submission, {"relation": 100.0}) is None  # no budget
    crowd.fund(corpus)
    settings.MTURK_KEYS = None
    assert costs.expected(submission, {"relation": 100.0}) is None  # no account


@pytest.fixture
def member() -> Any:
    return UserFactory.create()


@pytest.fixture
def accepted(corpus: Corpus, member: Any) -> Submission:
    """A submission of 40 claims, each about a pair and two full names of its own."""
    EpochFactory.create(corpus=corpus)
    team = TeamFactory.create(members=[member])
    submission = SubmissionFactory.create(corpus=corpus, state="accepted", team=team)
    for _ in range(40):
        instance = InstanceFactory.create(document__corpus=corpus)
        PredictionFactory.create(submission=submission, instance=instance, probability=1 / 40)
    return submission


def test_the_submitter_sees_what_it_should_cost(
    client: Client, accepted: Submission, member: Any, batch: HitBatch
) -> None:
    client.force_login(member)
    text = text_of(client.get(accepted.get_absolute_url()))
    assert "Cost about $22 with fees, at $" in text  # 40 x 3 x 18 cents


def test_where_nobody_is_paid_the_submitter_sees_that(
    client: Client, accepted: Submission, member: Any
) -> None:
    client.force_login(member)
    assert "Cost none volunteers judge it" in text_of(client.get(accepted.get_absolute_url()))


def test_the_submitter_sees_what_was_paid_and_nobody_else(
    client: Client, corpus: Corpus, questions: list[Question], member: Any, post: Any, send: Any, approve: Any
) -> None:
    submission = judged(corpus, questions, team=TeamFactory.create(members=[member]))
    approve(send(post(questions[0])))
    words = "Its judges were paid $0.18 so far"
    address = submission.get_absolute_url()
    assert words not in text_of(client.get(address))
    client.force_login(member)
    assert words in text_of(client.get(address))
