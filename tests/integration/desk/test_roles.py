"""Roles for a corpus: what they open, and to whom they are closed."""

from collections.abc import Callable
from datetime import datetime

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotations import conflicts, responses, roles
from annotations.models import Corpus, CorpusMaker, CorpusRole, Question
from annotations.roles import Act
from crowd import budget, posting, review
from crowd.annotators import queue
from crowd.models import Hit
from crowd.pricing.terms import BatchTerms
from evaluation.kbp.task import TASK as KBP
from evaluation.submissions import submitting
from kbpo.accounts.models import User
from kbpo.core.errors import Conflict, NotAllowed, OverBudget
from tests import crowd
from tests.factories import CorpusFactory, QuestionFactory, TeamFactory, UserFactory, give
from tests.integration.desk.conftest import Send, text_of

pytestmark = pytest.mark.django_db
Post = Callable[..., Hit]
ROLES = ("organiser", "reviewer", "paymaster")


def someone(corpus: Corpus, *names: str) -> User:
    return give(UserFactory.create(), corpus, *names)


def compete(user: User, corpus: Corpus) -> None:
    conflicts.add_competitor(corpus=corpus, team=TeamFactory.create(members=[user]))


@pytest.mark.parametrize("role", ROLES)
def test_a_role_opens_its_acts_for_its_corpus_alone(role: str, corpus: Corpus) -> None:
    person, other = someone(corpus, role), CorpusFactory.create()
    opened = {act for act in Act if role in roles.OPENED_BY[act]}
    assert {act for act in Act if roles.may(person, act, corpus)} == opened == roles.acts(person)
    assert not [act for act in Act if roles.may(person, act, other)]


def test_operators_may_do_every_act_and_visitors_none(operator: User, corpus: Corpus) -> None:
    assert all(roles.may(operator, act, corpus) for act in Act)
    assert not any(roles.may(None, act, corpus) for act in Act)


def test_who_competes_keeps_what_is_open_and_loses_what_is_sealed(corpus: Corpus) -> None:
    person = someone(corpus, *ROLES)
    compete(person, corpus)
    assert roles.acts(person) == set(Act) - roles.SEALED == {Act.KEEP, Act.PAY}
    with pytest.raises(NotAllowed, match="a team of yours competes"):
        roles.check(person, Act.REVIEW, corpus)


def test_operators_alone_give_roles(operator: User, corpus: Corpus, now: datetime) -> None:
    person = someone(corpus, "organiser")
    with pytest.raises(NotAllowed, match="Only operators"):
        roles.give(user=person, corpus=corpus, role="reviewer", by=person, now=now)
    given = roles.give(user=person, corpus=corpus, role="reviewer", by=operator, now=now)
    assert (given.given_by, given.given_at) == (operator, now)
    with pytest.raises(Conflict, match="already"):
        roles.give(user=person, corpus=corpus, role="reviewer", by=operator, now=now)


def test_nobody_whose_team_competes_is_made_a_reviewer(operator: User, corpus: Corpus, now: datetime) -> None:
    person = UserFactory.create()
    compete(person, corpus)
    with pytest.raises(Conflict, match="competes"):
        roles.give(user=person, corpus=corpus, role="reviewer", by=operator, now=now)
    assert roles.give(user=person, corpus=corpus, role="paymaster", by=operator, now=now)


@pytest.mark.parametrize("role", ["organiser", "reviewer"])
def test_the_team_of_who_sees_what_is_sampled_cannot_submit(role: str, corpus: Corpus) -> None:
    person = someone(corpus, role)
    team = TeamFactory.create(members=[person])
    with pytest.raises(NotAllowed, match="sees what is sampled"):
        submitting.upload(
            user=person,
            team=team,
            corpus=corpus,
            task=KBP,
            name="baseline",
            file=SimpleUploadedFile("a.kb", b"run\n"),
        )


def test_an_operator_gives_and_takes_roles_on_a_page(desk: Client, corpus: Corpus) -> None:
    person = UserFactory.create()
    given = {"user": person.email.upper(), "corpus": corpus.tag, "role": "reviewer"}
    assert desk.post(reverse("desk_roles"), given).status_code == 302
    role = CorpusRole.objects.get(user=person)
    assert person.email in text_of(desk.get(reverse("desk_roles")))
    desk.post(reverse("desk_role_take", args=[role.pk]))
    assert not CorpusRole.objects.exists()


def test_an_operator_lets_somebody_make_corpora(desk: Client) -> None:
    person = UserFactory.create()
    assert desk.post(reverse("desk_roles"), {"maker": person.email}).status_code == 302
    desk.post(reverse("desk_maker_stop", args=[CorpusMaker.objects.get(user=person).pk]))
    assert not roles.may_make(person)


def test_a_role_is_not_given_to_nobody(desk: Client, corpus: Corpus) -> None:
    given = {"user": "nobody@example.org", "corpus": corpus.tag, "role": "reviewer"}
    response = desk.post(reverse("desk_roles"), given)
    assert response.status_code == 400
    assert "Nobody has an account" in text_of(response)


def test_a_reviewer_decides_the_work_of_their_corpus_alone(
    send: Send, post: Post, corpus: Corpus, now: datetime
) -> None:
    assignment = send(post())
    with pytest.raises(NotAllowed):
        review.approve(assignment=assignment, by=someone(CorpusFactory.create(), "reviewer"), now=now)
    review.approve(assignment=assignment, by=someone(corpus, "reviewer"), now=now)


def test_nobody_decides_about_their_own_work(send: Send, post: Post, corpus: Corpus, now: datetime) -> None:
    assignment = send(post())
    worker = assignment.worker.user
    give(worker, corpus, "reviewer")
    with pytest.raises(NotAllowed, match="your own work"):
        review.approve(assignment=assignment, by=worker, now=now)


def test_a_reviewer_gets_the_expert_questions_of_their_corpus_alone(corpus: Corpus, now: datetime) -> None:
    reviewer = someone(corpus, "reviewer")
    QuestionFactory.create(state=Question.State.EXPERT)  # of another corpus
    mine = QuestionFactory.create(document__corpus=corpus, state=Question.State.EXPERT)
    assert [row.corpus for row in queue.waiting(worker=reviewer, now=now, as_expert=True)] == [corpus]
    assert queue.next_question(worker=reviewer, now=now, as_expert=True) == mine


def test_a_reviewer_answers_no_question_of_another_corpus(corpus: Corpus) -> None:
    reviewer = someone(CorpusFactory.create(), "reviewer")
    question = QuestionFactory.create(document__corpus=corpus, state=Question.State.EXPERT)
    with pytest.raises(NotAllowed, match="You may not see and decide"):
        responses.record(question=question, worker=reviewer, answer=crowd.NONE, as_expert=True)


@pytest.fixture
def terms(corpus: Corpus, account: None) -> BatchTerms:
    crowd.ask(corpus)
    return BatchTerms(corpus=corpus, kind="relation", provider="marketplace", reward_cents=15)


def test_an_organiser_opens_work_from_a_budget_of_the_corpus(terms, corpus, operator, now) -> None:
    organiser = someone(corpus, "organiser")
    budget.create_budget(scope="month", key=budget.month(now), cap_cents=100_00, by=operator)
    with pytest.raises(OverBudget, match="There is no budget for"):
        posting.open_batch(terms, by=organiser, now=now)
    crowd.fund(corpus)
    assert posting.open_batch(terms, by=organiser, now=now).created_by == organiser


def test_an_organiser_opens_no_work_on_another_corpus(
    terms: BatchTerms, purse: object, now: datetime
) -> None:
    with pytest.raises(NotAllowed):
        posting.open_batch(terms, by=someone(CorpusFactory.create(), "organiser"), now=now)
    assert not Hit.objects.exists()


def test_a_paymaster_makes_budgets_for_their_corpus_and_none_for_a_month(
    corpus: Corpus, client: Client
) -> None:
    client.force_login(someone(corpus, "paymaster"))
    other, address = CorpusFactory.create(), reverse("desk_budgets")

    def make(scope: str, key: str) -> int:
        return client.post(address, {"scope": scope, "key": key, "cap_cents": "10.00"}).status_code

    made = [make("corpus", corpus.tag), make("corpus", other.tag), make("month", "2026-12")]
    assert made == [
        302,
        400,
        400,
    ]


def test_a_paymaster_sees_the_ledger_of_their_corpus_alone(
    send: Send, post: Post, corpus: Corpus, client: Client
) -> None:
    send(post())
    for mine, is_shown in ((corpus, True), (CorpusFactory.create(), False)):
        client.force_login(someone(mine, "paymaster"))
        page = text_of(client.get(reverse("desk_ledger")))
        rows = b"".join(client.get(reverse("desk_ledger_csv")).streaming_content).decode()
        assert (corpus.tag in page, corpus.tag in rows) == (is_shown, is_shown)


def test_work_of_another_corpus_is_not_there(send: Send, post: Post, client: Client) -> None:
    assignment = send(post())
    client.force_login(someone(CorpusFactory.create(), *ROLES))
    addresses = [
        reverse("desk_answer", args=[assignment.pk]),
        reverse("desk_batch", args=[assignment.hit.batch_id]),
        reverse("desk_corpus", args=[assignment.hit.batch.corpus.tag]),
    ]
    assert [client.get(address).status_code for address in addresses] == [404, 404, 404]


def test_who_competes_is_told_why_the_desk_is_closed(corpus: Corpus, batch: object, client: Client) -> None:
    person = someone(corpus, "organiser")
    compete(person, corpus)
    client.force_login(person)
    assert "competes in this corpus" in text_of(client.get(reverse("desk_corpus", args=[corpus.tag])))
    assert client.get(reverse("exhaustive", args=[corpus.tag])).status_code == 403
