"""Answers at the desk: listed, shown beside their document, approved, rejected, and taken back."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotations import responses
from annotations.kinds.canonical import CanonicalQuestion
from annotations.kinds.entities import EntitiesQuestion
from annotations.models import Response
from crowd.models import Assignment, Hit, HitBatch, HitQuestion
from kbpo.accounts.models import User
from kbpo.pages import answers
from tests import crowd
from tests.factories import (
    ADA,
    HALLOW,
    AssignmentFactory,
    DocumentFactory,
    HitFactory,
    LabelFactory,
    QuestionFactory,
    ResponseFactory,
    WorkerIdentityFactory,
)
from tests.integration.desk.conftest import hours, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("account")]


def page_of(desk: Client, assignment: Assignment) -> str:
    return text_of(desk.get(reverse("desk_answer", args=[assignment.pk])))


def decide(desk: Client, assignment: Assignment, action: str, **data: str) -> Any:
    return desk.post(reverse("desk_decide", args=[assignment.pk, action]), data)


def ticked(assignment: Assignment) -> dict[int, list[str]]:
    return {
        said.question.pk: [choice.value for choice in said.step.choices if choice.checked]
        for shown in answers.parts(assignment)
        for said in shown.part.said
    }


def test_what_waits_for_a_person_comes_first_and_the_oldest_of_it(
    desk: Client, post: Any, send: Any, now: datetime
) -> None:
    send(post())
    early = send(post(), flag="Right on 0 of 2.", submitted_at=now - hours(2))
    late = send(post(), flag="Far too fast.", submitted_at=now - hours(1))
    found = list(answers.listed(show="flagged"))
    assert found == [early, late]
    text = text_of(desk.get(reverse("desk_answers")))
    assert text.index("Right on 0 of 2.") < text.index("Far too fast.")


def test_what_is_decided_waits_for_nobody(post: Any, send: Any) -> None:
    send(post(), flag="Far too fast.", decision="approve")
    assert not answers.listed(show="flagged").exists()


def test_answers_are_listed_by_state_batch_and_worker(
    batch: HitBatch, post: Any, send: Any, approve: Any, reject: Any
) -> None:
    person = WorkerIdentityFactory.create()
    waiting, approved, rejected = send(post()), send(post(), worker=person), send(post())
    approve(approved)
    reject(rejected)
    AssignmentFactory.create(hit=post())  # on somebody's screen
    found = {show: set(answers.listed(show=show)) for show in answers.SHOWN}
    assert found == {
        "flagged": set(),
        "waiting": {waiting},
        "approved": {approved},
        "rejected": {rejected},
        "all": {waiting, approved, rejected},
    }
    assert set(answers.listed(show="all", user_id=person.user_id)) == {approved}
    assert not answers.listed(show="all", batch_id=batch.pk + 1).exists()


@pytest.mark.slow
def test_long_lists_are_paged_and_cost_few_queries(
    desk: Client, post: Any, send: Any, django_assert_max_num_queries: Any
) -> None:
    hits = [post() for _ in range(18)]
    for hit in hits:
        for _ in range(3):
            send(hit)
    with django_assert_max_num_queries(8):
        assert "1–50 of 54" in text_of(desk.get(reverse("desk_answers"), {"show": "all"}))


def test_an_answer_stands_beside_its_document_with_those_of_others(
    desk: Client, post: Any, send: Any, now: datetime
) -> None:
    hit = post()
    assignment = send(
        hit,
        flag="Far too fast.",
        accepted_at=now - timedelta(seconds=14),
        comment="Hard to read.",
    )
    send(hit)
    send(hit, crowd.NONE)
    assert ticked(assignment) == {hit.questions.get().pk: ["per:place_of_birth|0"]}
    text = page_of(desk, assignment)
    assert "She founded Quill Press there in 1961." in text
    assert "14 s after it was accepted" in text
    assert "Far too fast." in text
    assert "Hard to read." in text
    assert "12.0 s. Does not count until it is approved." in text
    assert "1 other None of these 1 other" in text.replace("was born in B Port Hallow ", "")


def test_experts_and_what_is_no_vote_are_not_among_the_counts(post: Any, send: Any, operator: User) -> None:
    hit = post()
    assignment = send(hit)
    send(hit, crowd.NONE, flag="Far too fast.")
    responses.record(question=hit.questions.get(), worker=operator, answer=crowd.NONE, as_expert=True)
    [said] = answers.parts(assignment)[0].part.said
    assert not any(choice.votes for choice in said.step.choices)
    assert [vote.words for vote in said.others] == ["None of these"] * 2


def test_companions_are_shown_in_the_order_of_the_hit(post: Any, send: Any) -> None:
    hit = post()
    main = hit.questions.get()
    name = QuestionFactory.create(document=main.document, asked=CanonicalQuestion(ADA, ADA))
    assignment = send(hit)
    HitQuestion.objects.create(hit=hit, question=name, position=1)
    own = responses.record(question=name, worker=assignment.worker.user, answer=crowd.RIGHT)
    assignment.responses.add(own)
    assert ticked(assignment) == {main.pk: ["per:place_of_birth|0"], name.pk: ["right"]}
    assert len(answers.parts(assignment)) == 1


@pytest.mark.parametrize(("said", "words"), [(crowd.BORN, "rightly"), (crowd.NONE, "wrongly")])
def test_a_gold_question_is_shown_with_what_is_right(
    desk: Client, post: Any, send: Any, said: Any, words: str
) -> None:
    gold = QuestionFactory.create(settled=True)
    LabelFactory.create(question=gold)
    assignment = send(post(), gold=gold)
    given = responses.Answer(question=gold, worker=assignment.worker.user, answer=said, is_vote=False)
    assignment.responses.add(*responses.record_many(answers=[given]))
    text = page_of(desk, assignment)
    assert f"to learn of the worker: answered {words}. Right is: Ada Quill was born in Port Hallow" in text


def test_an_answer_that_could_not_be_counted_is_shown_as_the_page_had_it(desk: Client, post: Any) -> None:
    hit = post()
    question = hit.questions.get()
    assignment = AssignmentFactory.create(
        hit=hit,
        sent=True,
        problem="Question 7 was answered by this worker before.",
        flag="An answer could not be counted.",
        answer={"version": 1, "answers": [{"question": question.pk, "answer": crowd.NONE}]},
    )
    assert ticked(assignment) == {question.pk: ["none"]}
    assert "Question 7 was answered by this worker before." in page_of(desk, assignment)


@pytest.mark.parametrize(
    "answer",
    [None, [], {"answers": 7}, {"answers": [{"question": "x"}, 3]}, {"answers": [{"answer": {}}]}],
    ids=repr,
)
def test_an_answer_of_any_form_can_be_looked_at(desk: Client, post: Any, answer: Any) -> None:
    hit = post()
    assignment = AssignmentFactory.create(
        hit=hit, sent=True, answer=answer, raw="<script>alert(1)</script>", comment="<b>&"
    )
    response = desk.get(reverse("desk_answer", args=[assignment.pk]))
    assert response.status_code == 200
    assert "<script>alert" not in response.content.decode()
    assert "Nothing that can be read was said to it." in text_of(response)


def test_an_answer_to_this_question_of_a_wrong_form_shows_nothing_ticked(post: Any) -> None:
    hit = post()
    question = hit.questions.get()
    for said in ({"relations": [{"predicate": "none such", "subject": 9}]}, {"right": True}, {}):
        assignment = AssignmentFactory.create(
            hit=hit, sent=True, answer={"answers": [{"question": question.pk, "answer": said}]}
        )
        assert ticked(assignment) == {question.pk: []}


def test_a_tutorial_can_be_looked_at(desk: Client, post: Any) -> None:
    hit = post()
    HitQuestion.objects.all().delete()
    assert "It holds no questions" in page_of(desk, AssignmentFactory.create(hit=hit, sent=True))


def test_a_marked_document_is_shown_with_how_much_others_marked_alike(desk: Client, batch: HitBatch) -> None:
    document = DocumentFactory.create(corpus=batch.corpus)
    question = QuestionFactory.create(document=document, asked=EntitiesQuestion())
    ada, hallow = ({"start": span.start, "end": span.end} for span in (ADA, HALLOW))
    mentions = [{**ada, "type": "PER", "entity": 1}, {**hallow, "type": "GPE", "entity": 2}]
    said = {
        "version": 1,
        "mentions": mentions,
        "entities": [
            {"id": 1, "canonical": ada, "link": {"page": "Ada Quill (founder)"}},
            {"id": 2, "canonical": hallow, "link": {"none": True}},
        ],
    }
    assignment = AssignmentFactory.create(hit=HitFactory.create(batch=batch, questions=[question]), sent=True)
    own = ResponseFactory.create(question=question, worker=assignment.worker.user, answer=said, seconds=300)
    assignment.responses.set([own])
    ResponseFactory.create(question=question, answer=said | {"mentions": mentions[:1]})
    text = page_of(desk, assignment)
    assert "Ada Quill , person → Ada Quill (founder)" in text
    assert "Port Hallow , place → no page" in text
    assert "300 s." in text
    assert "marked 1 mention, 1 of them the same" in text
    assert "She founded Quill Press there in 1961." in text


def test_what_is_only_begun_is_not_shown(desk: Client, post: Any) -> None:
    assignment = AssignmentFactory.create(hit=post())
    assert desk.get(reverse("desk_answer", args=[assignment.pk])).status_code == 404


def test_an_answer_costs_as_many_queries_for_many_questions(
    desk: Client, post: Any, send: Any, django_assert_max_num_queries: Any
) -> None:
    hit = post()
    assignment = send(hit, flag="Far too fast.")
    for position in range(1, 10):
        HitQuestion.objects.create(hit=hit, question=QuestionFactory.create(), position=position)
    with django_assert_max_num_queries(14):
        page_of(desk, assignment)


# Deciding


def test_work_is_approved_and_paid_after_a_look(desk: Client, operator: User, post: Any, send: Any) -> None:
    assignment = send(post(), flag="Far too fast.")
    response = decide(desk, assignment, "approve")
    assignment.refresh_from_db()
    assert (assignment.decision, assignment.decided_by) == ("approve", operator)
    assert response.url == reverse("desk_answer", args=[assignment.pk])


def test_after_a_decision_the_next_one_may_follow(desk: Client, post: Any, send: Any) -> None:
    first, second = (send(post(), flag="Far too fast.") for _ in range(2))
    assert "on to the next" in page_of(desk, first)
    assert decide(desk, first, "approve", next="1").url == reverse("desk_answer", args=[second.pk])
    assert "on to the next" not in page_of(desk, second)


def test_work_is_rejected_with_the_reason_that_its_worker_is_told(
    desk: Client, operator: User, post: Any, send: Any
) -> None:
    assignment = send(post(), flag="Far too fast.")
    decide(desk, assignment, "reject", reason="Every answer is the first one on the page.")
    assignment.refresh_from_db()
    assert (assignment.decision, assignment.decided_by) == ("reject", operator)
    assert assignment.feedback == "Every answer is the first one on the page."
    assert "told: “Every answer is the first one on the page.”" in page_of(desk, assignment)


@pytest.mark.parametrize("reason", ["", "   ", "x" * 1025])
def test_a_rejection_without_a_reason_is_refused_and_nothing_typed_is_lost(
    desk: Client, post: Any, send: Any, reason: str
) -> None:
    assignment = send(post(), flag="Far too fast.")
    response = decide(desk, assignment, "reject", reason=reason)
    assignment.refresh_from_db()
    assert (response.status_code, assignment.decision) == (400, "")
    assert reason.strip() in response.content.decode()
    assert 'role="alert"' in response.content.decode()


def test_a_rejection_is_taken_back(desk: Client, post: Any, send: Any, reject: Any) -> None:
    assignment = send(post(), flag="Far too fast.")
    reject(assignment)
    assert not Response.objects.get().is_valid
    assert "Pay it after all" in page_of(desk, assignment)
    decide(desk, assignment, "override", reason="It was right after all.")
    assignment.refresh_from_db()
    assert (assignment.decision, assignment.override_feedback) == ("override", "It was right after all.")
    assert "Pay it after all" not in page_of(desk, assignment)


def test_what_is_decided_is_not_decided_again(desk: Client, post: Any, send: Any, approve: Any) -> None:
    assignment = send(post())
    approve(assignment)
    assert decide(desk, assignment, "reject", reason="Too late.").status_code == 409
    assert "Reject it" not in page_of(desk, assignment)


def test_no_other_decision_exists(desk: Client, post: Any, send: Any) -> None:
    assignment = send(post())
    assert decide(desk, assignment, "delete").status_code == 404
    assert desk.get(reverse("desk_decide", args=[assignment.pk, "approve"])).status_code == 405


def test_flagged_work_says_by_when_its_worker_was_told_to_be_paid(desk: Client, post: Any, send: Any) -> None:
    at = datetime(2026, 11, 1, 12, tzinfo=UTC)
    assignment = send(post(), flag="Far too fast.", submitted_at=at)
    assert Hit.objects.get().batch.auto_approval_seconds == 3 * 24 * 3600
    assert "the worker was told that it is paid by 4 November, 12:00 UTC" in page_of(desk, assignment)
