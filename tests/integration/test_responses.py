"""Answers, and the labels that they amount to."""

from typing import Any

import pytest
from django.db import connection

from annotations import conflicts, labels, responses
from annotations.kinds.canonical import CanonicalQuestion
from annotations.models import Corpus, Label, Question, Response
from kbpo.accounts.models import User
from kbpo.core.errors import Conflict, InvalidInput, NotAllowed
from tests.factories import ADA, SHE, QuestionFactory, TeamFactory, UserFactory

pytestmark = pytest.mark.django_db

BORN = {"relations": [{"predicate": "per:place_of_birth", "subject": 0}]}
LIVED = {"relations": [{"predicate": "per:place_of_residence", "subject": 0}]}
NONE = {"none": True}


@pytest.fixture
def question() -> Question:
    return QuestionFactory.create()


@pytest.fixture
def canonical() -> Question:
    return QuestionFactory.create(asked=CanonicalQuestion(SHE, ADA))


@pytest.fixture
def worker() -> User:
    return UserFactory.create(annotator=True)


@pytest.fixture
def operator() -> User:
    return UserFactory.create(operator=True)


def vote(question: Question, *answers: Any) -> None:
    for answer in answers:
        responses.record(question=question, worker=UserFactory.create(annotator=True), answer=answer)


def state(question: Question) -> str:
    return Question.objects.get(pk=question.pk).state


def needed(question: Question) -> int:
    return Question.objects.get(pk=question.pk).votes_needed


def values(question: Question) -> dict[str, tuple[bool, int, int, str]]:
    return {
        label.claim: (label.value, label.votes_for, label.votes, label.source)
        for label in Label.objects.filter(question=question)
    }


def test_an_answer_is_kept_in_its_normal_form(question: Question, worker: User) -> None:
    response = responses.record(question=question, worker=worker, answer=BORN, seconds=4.5)
    assert response.answer == {"version": 1, "relations": BORN["relations"], "none": False}
    assert (response.seconds, response.is_expert, response.is_valid) == (4.5, False, True)


def test_the_same_answer_again_is_the_same_response(question: Question, worker: User) -> None:
    first = responses.record(question=question, worker=worker, answer=BORN, seconds=4.5)
    again = responses.record(question=question, worker=worker, answer=BORN, seconds=9)
    assert again == first
    assert Response.objects.get().seconds == 4.5


def test_another_answer_is_refused_and_the_first_stays(question: Question, worker: User) -> None:
    responses.record(question=question, worker=worker, answer=BORN)
    with pytest.raises(Conflict, match="your first answer stays"):
        responses.record(question=question, worker=worker, answer=NONE)
    assert Response.objects.get().answer["relations"] == BORN["relations"]


def test_an_answer_that_does_not_fit_is_not_kept(question: Question, worker: User) -> None:
    with pytest.raises(InvalidInput, match="was not offered"):
        responses.record(
            question=question,
            worker=worker,
            answer={"relations": [{"predicate": "org:parents", "subject": 0}]},
        )
    assert not Response.objects.exists()


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf")])
def test_an_impossible_time_is_refused(question: Question, worker: User, seconds: float) -> None:
    with pytest.raises(InvalidInput, match="seconds is"):
        responses.record(question=question, worker=worker, answer=BORN, seconds=seconds)


def test_a_question_whose_spans_left_the_text_takes_no_answer(question: Question, worker: User) -> None:
    question.document.text = "Short."
    question.document.save()
    with pytest.raises(InvalidInput, match="does not lie within"):
        responses.record(question=question, worker=worker, answer=BORN)


def test_only_annotators_and_operators_answer(question: Question) -> None:
    with pytest.raises(NotAllowed, match="Only annotators"):
        responses.record(question=question, worker=UserFactory.create(), answer=BORN)


def test_only_operators_answer_as_experts(question: Question, worker: User) -> None:
    with pytest.raises(NotAllowed, match="Only operators"):
        responses.record(question=question, worker=worker, answer=BORN, as_expert=True)


def test_nobody_judges_a_corpus_in_which_their_team_competes(question: Question, worker: User) -> None:
    conflicts.add_competitor(corpus=question.document.corpus, team=TeamFactory.create(members=[worker]))
    with pytest.raises(NotAllowed, match="team of yours competes"):
        responses.record(question=question, worker=worker, answer=BORN)


def test_many_answers_are_recorded_together_or_not_at_all(question: Question, worker: User) -> None:
    good = responses.Answer(question=question, worker=worker, answer=BORN)
    bad = responses.Answer(question=question, worker=UserFactory.create(annotator=True), answer={})
    with pytest.raises(InvalidInput):
        responses.record_many(answers=[good, bad])
    assert not Response.objects.exists()


def test_the_same_answer_twice_in_one_batch_is_one_response(question: Question, worker: User) -> None:
    given = responses.Answer(question=question, worker=worker, answer=BORN)
    first, second = responses.record_many(answers=[given, given])
    assert first is second
    assert Response.objects.count() == 1


def test_two_of_three_settle_every_predicate_that_was_offered(question: Question) -> None:
    vote(question, BORN, NONE, BORN)
    assert labels.settle_questions() == 1
    assert state(question) == "settled"
    settled = values(question)
    assert settled.pop("per:place_of_birth|0") == (True, 2, 3, "majority")
    assert set(settled.values()) == {(False, 0, 3, "majority")}
    assert set(settled) == {
        f"{offer['predicate']}|{offer['subject']}" for offer in question.payload["options"]
    } - {"per:place_of_birth|0"}


def test_two_of_three_settle_a_canonical_mention(canonical: Question) -> None:
    vote(canonical, {"right": True}, {"right": True}, {"right": False})
    labels.settle_questions()
    assert values(canonical) == {"right": (True, 2, 3, "majority")}


def test_too_few_votes_settle_nothing(question: Question) -> None:
    vote(question, BORN, BORN)
    assert labels.settle_questions() == 0
    assert state(question) == "open"


def test_votes_that_are_not_valid_do_not_count(question: Question) -> None:
    vote(question, BORN, BORN, NONE)
    Response.objects.filter(answer__none=True).update(is_valid=False)
    assert labels.settle_questions() == 0


def test_votes_that_settle_nothing_ask_for_one_more(question: Question) -> None:
    vote(question, BORN, LIVED, NONE)
    assert labels.settle_questions() == 1
    assert (state(question), needed(question)) == ("open", 4)
    assert labels.settle_questions() == 0
    assert not Label.objects.exists()


def test_a_question_is_settled_as_soon_as_its_votes_suffice(question: Question) -> None:
    for answer, votes_needed in ((LIVED, 3), (NONE, 3), (BORN, 4), (BORN, 5), (BORN, 5)):
        vote(question, answer)
        labels.settle_questions()
        assert needed(question) == votes_needed
    assert state(question) == "settled"
    assert values(question)["per:place_of_birth|0"] == (True, 3, 5, "majority")


def test_what_the_most_votes_leave_open_goes_to_an_expert(question: Question) -> None:
    vote(question, BORN, LIVED, NONE)
    labels.settle_questions()
    vote(question, BORN)
    labels.settle_questions()
    vote(question, LIVED)
    assert (state(question), labels.settle_questions(), state(question)) == ("open", 1, "expert")
    assert not Label.objects.exists()


def test_a_corpus_may_allow_no_more_votes(question: Question) -> None:
    Corpus.objects.update(most_votes=3)
    vote(question, BORN, LIVED, NONE)
    labels.settle_questions()
    assert state(question) == "expert"


@pytest.mark.parametrize(("least", "expected"), [(0.9, "settled"), (0.95, "open")])
def test_a_corpus_may_want_more_than_a_majority(question: Question, least: float, expected: str) -> None:
    Corpus.objects.update(least_posterior=least)
    vote(question, BORN, BORN, NONE)
    labels.settle_questions()
    assert state(question) == expected


def test_a_majority_that_stays_doubtful_goes_to_an_expert(question: Question) -> None:
    Corpus.objects.update(least_posterior=0.95)
    vote(question, BORN, BORN, NONE, BORN, NONE)
    labels.settle_questions()
    assert state(question) == "expert"


def test_only_open_questions_are_sent_to_experts(question: Question) -> None:
    settled = QuestionFactory.create(settled=True)
    assert labels.send_to_experts(questions=[question, settled], by=None) == 1
    assert (state(question), state(settled)) == ("expert", "settled")


def test_an_answer_that_is_no_vote_is_kept_and_settles_nothing(question: Question) -> None:
    vote(question, BORN, BORN)
    answer = responses.Answer(
        question=question, worker=UserFactory.create(annotator=True), answer=BORN, is_vote=False
    )
    assert responses.record_many(answers=[answer])[0].is_valid is False
    assert labels.settle_questions() == 0


def test_settling_twice_is_harmless(question: Question) -> None:
    vote(question, BORN, BORN, BORN)
    assert (labels.settle_questions(), labels.settle_questions()) == (1, 0)


def test_questions_are_settled_a_limited_number_at_a_time_the_oldest_first() -> None:
    questions = QuestionFactory.create_batch(3)
    for question in questions:
        vote(question, BORN, BORN, BORN)
    assert labels.settle_questions(limit=2) == 2
    assert [state(question) for question in questions] == ["settled", "settled", "open"]


def test_an_expert_settles_at_once(question: Question, operator: User) -> None:
    labels.send_to_experts(questions=[question], by=None)
    responses.record(question=question, worker=operator, answer=LIVED, as_expert=True)
    assert state(question) == "settled"
    assert values(question)["per:place_of_residence|0"] == (True, 1, 1, "expert")
    assert values(question)["per:place_of_birth|0"] == (False, 0, 1, "expert")


def test_an_experts_answer_sent_twice_settles_once(question: Question, operator: User) -> None:
    for _ in range(2):
        responses.record(question=question, worker=operator, answer=NONE, as_expert=True)
    assert Response.objects.count() == 1
    assert not any(value for value, *_ in values(question).values())


def test_a_late_answer_is_kept_and_changes_nothing(question: Question, operator: User) -> None:
    responses.record(question=question, worker=operator, answer=BORN, as_expert=True)
    before = values(question)
    vote(question, NONE, NONE, NONE)
    assert labels.settle_questions() == 0
    assert values(question) == before
    assert Response.objects.filter(question=question).count() == 4


def test_an_experts_late_answer_changes_nothing(question: Question, operator: User) -> None:
    vote(question, BORN, BORN, BORN)
    labels.settle_questions()
    responses.record(question=question, worker=operator, answer=NONE, as_expert=True)
    assert values(question)["per:place_of_birth|0"] == (True, 3, 3, "majority")


def test_only_settled_questions_are_published_and_once(question: Question) -> None:
    settled = QuestionFactory.create(settled=True)
    everything = Question.objects.all()
    assert (labels.publish(everything), labels.publish(everything)) == (1, 0)
    assert Question.objects.get(pk=settled.pk).published_at is not None
    assert Question.objects.get(pk=question.pk).published_at is None


def test_complete_votes_nudge_the_pipeline(question: Question, monkeypatch: pytest.MonkeyPatch) -> None:
    nudged: list[str] = []
    monkeypatch.setattr(responses, "nudge", nudged.append)
    vote(question, BORN, BORN)
    assert nudged == []
    vote(question, BORN)
    assert nudged == ["kbpo.pipeline.settle_questions"]


@pytest.mark.django_db(transaction=True)
def test_settling_passes_over_what_somebody_else_holds(question: Question) -> None:
    vote(question, BORN, BORN, BORN)
    other = connection.copy()
    try:
        other.set_autocommit(False)
        with other.cursor() as cursor:
            cursor.execute("SELECT 1 FROM annotations_question WHERE id = %s FOR UPDATE", [question.pk])
        assert labels.settle_questions() == 0
        other.rollback()
    finally:
        other.close()
    assert labels.settle_questions() == 1


@pytest.mark.django_db(transaction=True)
def test_who_refers_to_questions_holds_up_neither_answers_nor_settling(question: Question) -> None:
    """As a sample does whose transaction still goes on: in a circle with others, they waited for ever."""
    other = connection.copy()
    try:
        other.set_autocommit(False)
        with other.cursor() as cursor:
            cursor.execute("SELECT 1 FROM annotations_question WHERE id = %s FOR KEY SHARE", [question.pk])
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '2s'")
        vote(question, BORN, BORN, BORN)
        assert labels.settle_questions() == 1
        other.rollback()
    finally:
        other.close()
        connection.close()


# Under `curtailed`


@pytest.fixture
def curtailed() -> Question:
    return QuestionFactory.create(document__corpus__policy="curtailed")


def test_two_that_agree_settle_a_curtailed_question(curtailed: Question) -> None:
    vote(curtailed, BORN)
    assert (labels.settle_questions(), needed(curtailed)) == (0, 2)
    vote(curtailed, BORN)
    assert (labels.settle_questions(), state(curtailed)) == (1, "settled")
    assert values(curtailed)["per:place_of_birth|0"] == (True, 2, 2, "majority")
    assert values(curtailed)["per:place_of_residence|0"] == (False, 0, 2, "majority")


def test_where_two_differ_a_third_decides(curtailed: Question) -> None:
    vote(curtailed, BORN, NONE)
    assert (labels.settle_questions(), needed(curtailed), state(curtailed)) == (1, 3, "open")
    vote(curtailed, NONE)
    labels.settle_questions()
    assert values(curtailed)["per:place_of_birth|0"] == (False, 1, 3, "majority")


def test_a_difference_on_one_relation_of_several_asks_for_a_third(curtailed: Question) -> None:
    vote(curtailed, BORN, {"relations": [*BORN["relations"], *LIVED["relations"]]})
    labels.settle_questions()
    assert (needed(curtailed), state(curtailed)) == (3, "open")


def test_where_three_differ_a_curtailed_question_goes_on_like_any_other(curtailed: Question) -> None:
    for answer, votes_needed in ((LIVED, 2), (NONE, 3), (BORN, 4), (BORN, 5), (LIVED, 5)):
        vote(curtailed, answer)
        labels.settle_questions()
        assert needed(curtailed) == votes_needed
    assert state(curtailed) == "expert"


@pytest.mark.parametrize(("least", "expected"), [(0.98, "settled"), (0.99, "open")])
def test_a_corpus_may_want_more_than_two_that_agree(curtailed: Question, least: float, expected: str) -> None:
    Corpus.objects.update(least_posterior=least)
    vote(curtailed, BORN, BORN)
    labels.settle_questions()
    assert state(curtailed) == expected
    vote(curtailed, BORN)
    labels.settle_questions()
    assert state(curtailed) == "settled"


def test_a_vote_that_ceases_to_count_before_a_third_is_made_up_for(curtailed: Question) -> None:
    vote(curtailed, BORN, NONE)
    labels.settle_questions()
    Response.objects.filter(answer__none=True).update(is_valid=False)
    vote(curtailed, BORN)
    assert (labels.settle_questions(), state(curtailed)) == (0, "open")
    vote(curtailed, BORN)
    labels.settle_questions()
    assert values(curtailed)["per:place_of_birth|0"] == (True, 3, 3, "majority")


def test_the_corpora_of_one_run_are_settled_each_by_its_policy(
    question: Question, curtailed: Question
) -> None:
    for one in (question, curtailed):
        vote(one, BORN, BORN)
    labels.settle_questions()
    assert (state(question), state(curtailed)) == ("open", "settled")


def test_under_an_unknown_policy_nothing_is_settled(question: Question) -> None:
    vote(question, BORN, BORN, BORN)
    Corpus.objects.update(policy="eager")
    assert labels.settle_questions() == 0
    with pytest.raises(InvalidInput, match="unknown policy 'eager'; known are curtailed, fixed"):
        Corpus.objects.get().judged_by  # noqa: B018
