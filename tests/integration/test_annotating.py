"""The pages on which people answer questions."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotations.kinds.canonical import CanonicalQuestion
from annotations.kinds.relation import Mention, RelationQuestion
from annotations.models import Document, Question, Response
from crowd.models import Reservation
from kbpo.accounts.models import User
from tests.factories import (
    ADA,
    PRESS,
    SHE,
    DocumentFactory,
    QuestionFactory,
    ResponseFactory,
    SubmissionFactory,
    TeamFactory,
    UserFactory,
)
from tests.ontologies import TAC

pytestmark = pytest.mark.django_db

FOUNDED = "per:organizations_founded|0"


@pytest.fixture
def document() -> Document:
    return DocumentFactory.create(sentences=True)


@pytest.fixture
def founded(document: Document) -> Question:
    asked = RelationQuestion.about(Mention(SHE, "PER"), Mention(PRESS, "ORG"), TAC)
    return QuestionFactory.create(document=document, asked=asked)


@pytest.fixture
def she_is_ada(document: Document) -> Question:
    return QuestionFactory.create(document=document, asked=CanonicalQuestion(SHE, ADA))


@pytest.fixture
def worker() -> User:
    return UserFactory.create(annotator=True)


@pytest.fixture
def browser(worker: User) -> Client:
    client = Client()
    client.force_login(worker)
    return client


def html_of(response: HttpResponse) -> str:
    """The page with its white space folded: where a template breaks its lines is nobody's promise."""
    return " ".join(response.content.decode().split())


def page(question: Question) -> str:
    return reverse("annotate_question", args=[question.pk])


def start(browser: Client, **fields: str) -> Any:
    return browser.post(reverse("annotate_start"), fields)


def answers(founded: Question, she_is_ada: Question, **changes: Any) -> dict[str, Any]:
    return {f"q{founded.pk}": FOUNDED, f"q{she_is_ada.pk}": "right", **changes}


def test_an_annotator_sees_what_is_waiting_and_starts(browser: Client, founded: Question) -> None:
    assert "1 question waiting" in html_of(browser.get(reverse("annotate")))
    assert start(browser, corpus=founded.document.corpus.tag).url == page(founded)


def test_where_nothing_waits_the_page_says_so(browser: Client) -> None:
    assert "Nothing is waiting for you" in html_of(browser.get(reverse("annotate")))
    assert start(browser).url == reverse("annotate")


def test_a_question_shows_the_document_its_mentions_and_its_choices(
    browser: Client, founded: Question, she_is_ada: Question
) -> None:
    start(browser)
    html = html_of(browser.get(page(founded)))
    assert ">A person</span>&nbsp;</span>She</span>" in html
    assert ">B organization</span>&nbsp;</span>Quill Press</span>" in html
    assert f'name="q{founded.pk}" value="{FOUNDED}"' in html
    assert f'name="q{she_is_ada.pk}" value="right"' in html


def test_answers_are_recorded_and_the_next_question_follows(
    browser: Client, worker: User, founded: Question, she_is_ada: Question
) -> None:
    later = QuestionFactory.create(document__corpus=founded.document.corpus)
    start(browser)
    answered = browser.post(page(founded), answers(founded, she_is_ada))
    assert answered.url == page(later)
    assert Response.objects.get(question=founded).answer["relations"] == [
        {"predicate": "per:organizations_founded", "subject": 0}
    ]
    assert Response.objects.get(question=she_is_ada).answer["right"] is True
    assert all(response.seconds is not None for response in Response.objects.filter(worker=worker))


def test_an_answer_is_not_refused_for_a_character_that_a_word_processor_pastes(
    browser: Client, founded: Question, she_is_ada: Question
) -> None:
    start(browser)
    sent = answers(founded, she_is_ada, pasted="one\x0btwo\0")
    assert browser.post(page(founded), sent).status_code == 302
    assert Response.objects.count() == 2


def test_a_form_sent_twice_is_the_same_answer(
    browser: Client, founded: Question, she_is_ada: Question
) -> None:
    start(browser)
    for _ in range(2):
        assert browser.post(page(founded), answers(founded, she_is_ada)).status_code == 302
    assert Response.objects.count() == 2


def test_another_answer_to_the_same_question_is_refused(
    browser: Client, founded: Question, she_is_ada: Question
) -> None:
    start(browser)
    browser.post(page(founded), answers(founded, she_is_ada))
    again = browser.post(page(founded), answers(founded, she_is_ada, **{f"q{founded.pk}": "none"}))
    assert again.status_code == 409
    assert "your first answer stays" in html_of(again)


@pytest.mark.parametrize(
    "value",
    [
        [],
        ["none", FOUNDED],
        ["per:place_of_birth|0"],
        ["per:organizations_founded|1"],
        ["per:organizations_founded|0|8-11"],
        [FOUNDED, FOUNDED],
        ["<script>alert(1)</script>"],
        ["x" * 1_000_000],
    ],
)
def test_a_refused_answer_comes_back_with_everything_kept(
    browser: Client, founded: Question, she_is_ada: Question, value: list[str]
) -> None:
    start(browser)
    refused = browser.post(page(founded), answers(founded, she_is_ada, **{f"q{founded.pk}": value}))
    html = html_of(refused)
    assert refused.status_code == 400
    assert 'role="alert"' in html
    assert 'value="right" data-key="y" checked' in html
    assert "<script>alert" not in html
    assert len(html) < 50_000
    assert not Response.objects.exists()


def test_an_answer_to_half_of_the_page_is_refused(
    browser: Client, founded: Question, she_is_ada: Question
) -> None:
    start(browser)
    refused = browser.post(page(founded), {f"q{founded.pk}": FOUNDED})
    assert refused.status_code == 400
    assert f'value="{FOUNDED}" data-key="3" checked' in html_of(refused)


def test_answers_to_questions_of_others_are_refused_or_left_alone(browser: Client, founded: Question) -> None:
    start(browser)
    beside = QuestionFactory.create(document=founded.document)
    elsewhere = QuestionFactory.create()
    refused = browser.post(page(founded), {f"q{founded.pk}": FOUNDED, f"q{beside.pk}": "none"})
    assert refused.status_code == 403
    browser.post(page(founded), {f"q{founded.pk}": FOUNDED, f"q{elsewhere.pk}": "none", "q": "1", "qx": "1"})
    assert list(Response.objects.values_list("question", flat=True)) == [founded.pk]


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_question_that_one_was_not_given_does_not_exist(
    browser: Client, founded: Question, method: str
) -> None:
    assert getattr(browser, method)(page(founded)).status_code == 404


def test_a_question_that_is_answered_is_not_shown_again(browser: Client, founded: Question) -> None:
    start(browser)
    browser.post(page(founded), {f"q{founded.pk}": FOUNDED})
    shown = browser.get(page(founded), follow=True)
    assert "You have answered that question" in html_of(shown)


def test_a_question_whose_time_is_up_goes_back(browser: Client, founded: Question) -> None:
    start(browser)
    past = timezone.now() - timedelta(hours=1)
    Reservation.objects.update(taken_at=past, expires_at=past + timedelta(minutes=15))
    assert "Your time for that question ran out" in html_of(browser.get(page(founded), follow=True))


def test_a_late_answer_is_taken(browser: Client, founded: Question) -> None:
    start(browser)
    past = timezone.now() - timedelta(hours=1)
    Reservation.objects.update(taken_at=past, expires_at=past + timedelta(minutes=15))
    Question.objects.update(state="settled", settled_at=past)
    assert browser.post(page(founded), {f"q{founded.pk}": FOUNDED}).status_code == 302
    seconds = Response.objects.get().seconds
    assert seconds is not None
    assert seconds >= 3600


def test_a_question_settled_meanwhile_is_not_shown(browser: Client, founded: Question) -> None:
    start(browser)
    Question.objects.update(state="settled", settled_at=timezone.now())
    assert "was settled without you" in html_of(browser.get(page(founded), follow=True))


@pytest.mark.parametrize("name", ["annotate", "annotate_expert"])
def test_visitors_are_asked_to_sign_in(name: str) -> None:
    assert reverse("account_login") in Client().get(reverse(name)).url


@pytest.mark.parametrize(
    ("role", "home", "expert"),
    [({}, 403, 403), ({"annotator": True}, 200, 403), ({"operator": True}, 200, 200)],
)
def test_each_sees_what_their_role_allows(role: dict[str, bool], home: int, expert: int) -> None:
    client = Client()
    client.force_login(UserFactory.create(**role))
    assert client.get(reverse("annotate")).status_code == home
    assert client.get(reverse("annotate_expert")).status_code == expert
    assert client.post(reverse("annotate_start"), {"expert": "1"}).status_code == (
        302 if expert == 200 else 403
    )


def test_competitors_are_told_why_they_may_not_judge(
    browser: Client, worker: User, founded: Question
) -> None:
    SubmissionFactory.create(corpus=founded.document.corpus, team=TeamFactory.create(members=[worker]))
    html = html_of(browser.get(reverse("annotate")))
    assert "A team of yours competes here" in html
    assert start(browser, corpus=founded.document.corpus.tag).url == reverse("annotate")


def test_who_joins_a_competing_team_while_holding_a_question_is_refused(
    browser: Client, worker: User, founded: Question
) -> None:
    start(browser)
    SubmissionFactory.create(corpus=founded.document.corpus, team=TeamFactory.create(members=[worker]))
    assert browser.post(page(founded), {f"q{founded.pk}": FOUNDED}).status_code == 403
    assert not Response.objects.exists()


def test_an_expert_sees_the_votes_and_settles(founded: Question) -> None:
    ResponseFactory.create_batch(2, question=founded)
    Question.objects.update(state="expert")
    client = Client()
    client.force_login(UserFactory.create(operator=True))
    assert start(client, expert="1").url == page(founded)
    html = html_of(client.get(page(founded)))
    assert "2 votes" in html
    assert client.post(page(founded), {f"q{founded.pk}": "none"}).url == reverse("annotate_expert")
    assert Question.objects.get().state == "settled"


def test_an_annotator_sees_no_votes(browser: Client, founded: Question) -> None:
    ResponseFactory.create(question=founded)
    start(browser)
    assert "votes" not in html_of(browser.get(page(founded)))


def test_a_documents_markup_is_shown_and_never_run(browser: Client) -> None:
    evil = "<script>alert(1)</script> & <b>Acme</b>"
    document = DocumentFactory.create(text=evil, title="<script>alert(2)</script>")
    asked = RelationQuestion.about(
        Mention(ADA._replace(start=0, end=10), "PER"), Mention(SHE._replace(start=4, end=30), "ORG"), TAC
    )
    question = QuestionFactory.create(document=document, asked=asked)
    start(browser)
    html = html_of(browser.get(page(question)))
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(2)" in html


def test_a_page_and_an_answer_cost_few_queries(
    browser: Client,
    founded: Question,
    she_is_ada: Question,
    django_assert_max_num_queries: Callable[[int], Any],
) -> None:
    QuestionFactory.create_batch(20, document__corpus=founded.document.corpus)
    start(browser)
    with django_assert_max_num_queries(9):
        browser.get(page(founded))
    with django_assert_max_num_queries(32):
        browser.post(page(founded), answers(founded, she_is_ada))
