"""The page of a whole document, and drafts: who gets it, what is kept, and what is refused."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotations import questions
from annotations.models import Document, DocumentAnnotation, Question, Response
from crowd.annotators import drafts, queue
from crowd.models import Reservation
from kbpo import pipeline
from kbpo.accounts.models import User
from kbpo.core import rate_limits
from kbpo.core.errors import Conflict, InvalidInput, NotAllowed
from tests.factories import DocumentFactory, UserFactory
from tests.mediawiki import Wiki, serve_wiki

pytestmark = pytest.mark.django_db

EMPTY = {"mentions": [], "entities": []}
ADA: dict[str, Any] = {
    "mentions": [{"start": 0, "end": 9, "type": "PER", "entity": 1}],
    "entities": [{"id": 1, "canonical": {"start": 0, "end": 9}, "link": {"none": True}}],
}


@pytest.fixture
def document() -> Document:
    return DocumentFactory.create(segmented=True)


@pytest.fixture
def question(document: Document) -> Question:
    return questions.ask_entities([document.pk])[document.pk]


@pytest.fixture
def worker() -> User:
    return UserFactory.create(annotator=True)


@pytest.fixture
def browser(worker: User) -> Client:
    client = Client()
    client.force_login(worker)
    return client


@pytest.fixture
def held(browser: Client, question: Question) -> Reservation:
    browser.post(reverse("annotate_start"))
    return Reservation.objects.get()


def page(question: Question) -> str:
    return reverse("annotate_question", args=[question.pk])


def post(client: Client, address: str, data: object) -> Any:
    return client.post(address, json.dumps(data), content_type="application/json")


def save(client: Client, question: Question, number: object, draft: object) -> Any:
    address = reverse("annotate_draft", args=[question.pk])
    return post(client, address, {"number": number, "draft": draft})


def data_of(client: Client, question: Question) -> dict[str, Any]:
    html = client.get(page(question)).content.decode()
    _, _, rest = html.partition('<script id="document-data" type="application/json">')
    return json.loads(rest.partition("</script>")[0])


def test_starting_leads_to_the_document(browser: Client, question: Question) -> None:
    assert browser.post(reverse("annotate_start")).url == page(question)
    html = browser.get(page(question)).content.decode()
    assert "Wikipedia page" in html


def test_the_page_has_every_word_in_its_place(
    browser: Client, held: Reservation, question: Question, document: Document
) -> None:
    data = data_of(browser, question)
    for sentence in data["sentences"]:
        gaps = [*sentence["gaps"], ""]
        text = "".join(word + gap for word, gap in zip(sentence["words"], gaps, strict=True))
        assert document.text[sentence["start"] :].startswith(text)
    assert [sentence["paragraph"] for sentence in data["sentences"]] == [True, False]
    assert (data["draft"], data["number"]) == (None, 0)


def test_suggestions_are_words_by_their_numbers(browser: Client, document: Document) -> None:
    document.suggestions = [
        {"start": 0, "end": 8, "type": "PER", "canonical": [0, 9], "link": ""},  # cut in a word
        {
            "start": 22,
            "end": 33,
            "type": "GPE",
            "canonical": [22, 33],
            "link": "https://en.wikipedia.org/wiki/Port_Hallow",
        },
        {"start": 9, "end": 10, "type": "PER", "canonical": [9, 10], "link": ""},  # a blank
    ]
    document.save()
    question = questions.ask_entities([document.pk])[document.pk]
    browser.post(reverse("annotate_start"))
    assert data_of(browser, question)["suggestions"] == [
        {"first": 0, "last": 1, "type": "PER", "canonical": [0, 1], "link": None},
        {"first": 5, "last": 6, "type": "GPE", "canonical": [5, 6], "link": {"page": "Port Hallow"}},
    ]


def test_an_answer_is_recorded_and_the_page_told_where_to_go_on(
    browser: Client, held: Reservation, question: Question
) -> None:
    answered = post(browser, page(question), {"answer": ADA})
    assert (answered.status_code, answered.json()) == (200, {"next": reverse("annotate")})
    response = Response.objects.get()
    assert response.answer["mentions"] == ADA["mentions"]
    assert response.seconds is not None
    assert not Reservation.objects.exists()


def test_the_same_answer_again_is_the_same_and_another_is_refused(
    browser: Client, held: Reservation, question: Question
) -> None:
    for _ in range(2):
        assert post(browser, page(question), {"answer": ADA}).status_code == 200
    refused = post(browser, page(question), {"answer": EMPTY})
    assert (refused.status_code, Response.objects.count()) == (409, 1)
    assert "your first answer stays" in refused.json()["detail"]


@pytest.mark.parametrize("sent", [{}, {"answer": None}, {"answer": {"mentions": 3}}, [], "x", None])
def test_an_answer_that_is_none_is_refused_and_the_draft_stays(
    browser: Client, held: Reservation, question: Question, sent: object
) -> None:
    save(browser, question, 1, {"words": 3})
    refused = post(browser, page(question), sent)
    assert refused.status_code == 400
    assert refused.json()["detail"]
    assert Reservation.objects.get().draft == {"words": 3}


def test_three_answers_make_an_annotation(question: Question) -> None:
    for person in UserFactory.create_batch(3, annotator=True):
        client = Client()
        client.force_login(person)
        client.post(reverse("annotate_start"))
        post(client, page(question), {"answer": ADA})
    pipeline.advance()
    assert DocumentAnnotation.objects.get().completed_at is not None


def test_a_draft_is_kept_and_comes_back(browser: Client, held: Reservation, question: Question) -> None:
    assert save(browser, question, 3, {"words": 16}).json() == {"saved": True, "number": 3}
    data = data_of(browser, question)
    assert (data["draft"], data["number"]) == ({"words": 16}, 3)


def test_an_older_draft_never_wins(browser: Client, held: Reservation, question: Question) -> None:
    save(browser, question, 3, {"words": 16})
    for number in (3, 2):
        assert save(browser, question, number, {}).json() == {"saved": False, "number": 3}
    assert Reservation.objects.get().draft == {"words": 16}


@pytest.mark.parametrize(
    ("number", "draft"), [(0, {}), (True, {}), ("1", {}), (2**31, {}), (None, {}), (1, []), (1, None)]
)
def test_a_draft_that_is_none_is_refused(
    browser: Client, held: Reservation, question: Question, number: object, draft: object
) -> None:
    assert save(browser, question, number, draft).status_code == 400


@pytest.mark.parametrize(
    "body",
    [
        '{"number": 1, "draft": {"a": NaN}}',
        '{"number": 1, "draft": {"a": 1e999}}',
        '{"number": 1, "draft": {"a": ' + "[" * 50 + "]" * 50 + "}}",
        '{"number": 1, "draft": ' + "[" * 100_000,
        "not json",
    ],
)
def test_a_draft_that_cannot_be_stored_is_refused(
    browser: Client, held: Reservation, question: Question, body: str
) -> None:
    address = reverse("annotate_draft", args=[question.pk])
    assert browser.post(address, body, content_type="application/json").status_code == 400
    assert Reservation.objects.get().draft is None


def test_what_no_text_can_hold_is_replaced_in_a_draft(
    browser: Client, held: Reservation, question: Question
) -> None:
    save(browser, question, 1, {"a\0": ["\ud800", 1.5, None, True]})
    assert Reservation.objects.get().draft == {"a\ufffd": ["\ufffd", 1.5, None, True]}


def test_a_draft_of_megabytes_is_refused(browser: Client, held: Reservation, question: Question) -> None:
    refused = save(browser, question, 1, {"a": "x" * (1 << 20)})
    assert (refused.status_code, Reservation.objects.get().draft) == (413, None)


def test_each_save_holds_the_document_for_as_long_again(
    worker: User, held: Reservation, question: Question
) -> None:
    later = held.taken_at + timedelta(hours=1, minutes=50)
    drafts.save_draft(worker=worker, question=question, number=1, draft={}, now=later)
    held.refresh_from_db()
    assert held.expires_at == later + timedelta(hours=2)


def test_a_save_that_comes_too_late_is_kept_and_takes_nobodys_place(
    worker: User, held: Reservation, question: Question
) -> None:
    late = held.expires_at + timedelta(minutes=1)
    assert drafts.save_draft(worker=worker, question=question, number=1, draft={"a": 1}, now=late).saved
    expires_at = held.expires_at
    held.refresh_from_db()
    assert (held.expires_at, held.draft) == (expires_at, {"a": 1})


def test_who_comes_back_too_late_goes_on_if_there_is_a_place_left(
    browser: Client, held: Reservation, question: Question
) -> None:
    save(browser, question, 1, {"words": 16})
    past = timezone.now() - timedelta(hours=5)
    Reservation.objects.update(taken_at=past, expires_at=past + timedelta(hours=2))
    assert data_of(browser, question)["draft"] == {"words": 16}
    assert Reservation.objects.get().expires_at > timezone.now()


def test_who_comes_back_when_all_places_are_taken_is_told(
    browser: Client, worker: User, held: Reservation, question: Question
) -> None:
    past = timezone.now() - timedelta(hours=5)
    Reservation.objects.update(taken_at=past, expires_at=past + timedelta(hours=2))
    for person in UserFactory.create_batch(3, annotator=True):
        queue.next_question(worker=person, now=timezone.now())
    shown = browser.get(page(question), follow=True)
    assert "Your time for that question ran out" in shown.content.decode()
    assert post(browser, page(question), {"answer": ADA}).status_code == 200  # it is taken all the same


def test_drafts_are_for_those_who_hold_the_document(question: Question, browser: Client) -> None:
    refused = save(browser, question, 1, {})
    assert (refused.status_code, refused.json()["detail"]) == (403, "That question was not given to you.")
    assert "signed out" in save(Client(), question, 1, {}).json()["detail"]


def test_a_draft_after_the_answer_is_refused(
    browser: Client, worker: User, held: Reservation, question: Question
) -> None:
    post(browser, page(question), {"answer": ADA})
    with pytest.raises(Conflict, match="sent your answer"):
        drafts.save_draft(worker=worker, question=question, number=1, draft={}, now=timezone.now())


def test_only_whole_documents_have_drafts(browser: Client, question: Question) -> None:
    Question.objects.update(kind="relation")
    assert save(browser, question, 1, {}).status_code == 404


def test_drafts_are_refused_by_the_service_too(worker: User, question: Question) -> None:
    with pytest.raises(NotAllowed):
        drafts.save_draft(worker=worker, question=question, number=1, draft={}, now=timezone.now())
    with pytest.raises(InvalidInput, match="must be a whole number"):
        drafts.save_draft(worker=worker, question=question, number=-1, draft={}, now=timezone.now())


def test_markup_in_a_document_is_shown_and_never_run(browser: Client) -> None:
    document = DocumentFactory.create(text="</script><script>alert(1)</script> Ada", segmented=True)
    question = questions.ask_entities([document.pk])[document.pk]
    browser.post(reverse("annotate_start"))
    html = browser.get(page(question)).content.decode()
    assert "<script>alert" not in html
    assert data_of(browser, question)["sentences"]


def test_a_page_a_save_and_an_answer_cost_few_queries(
    browser: Client,
    held: Reservation,
    question: Question,
    django_assert_max_num_queries: Callable[[int], Any],
) -> None:
    with django_assert_max_num_queries(9):
        browser.get(page(question))
    with django_assert_max_num_queries(7):
        save(browser, question, 1, {})
    with django_assert_max_num_queries(30):
        post(browser, page(question), {"answer": ADA})


@pytest.fixture
def wiki(settings: LazySettings) -> Iterator[Wiki]:
    with serve_wiki() as wiki:
        settings.WIKIPEDIA_API_URL = wiki.url
        cache.clear()
        yield wiki
        cache.clear()


def search(client: Client, text: str) -> Any:
    return client.get(reverse("annotate_pages"), {"q": text})


def test_annotators_find_pages_of_wikipedia(browser: Client, wiki: Wiki) -> None:
    found = search(browser, "port").json()["pages"]
    assert found[0]["title"] == "Port Hallow"
    wiki.behaviour = "500"
    assert search(browser, "other").status_code == 503


def test_nobody_else_searches_and_nobody_too_often(
    browser: Client, wiki: Wiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert search(Client(), "port").status_code == 403
    stranger = Client()
    stranger.force_login(UserFactory.create())
    assert search(stranger, "port").status_code == 403
    monkeypatch.setattr(rate_limits, "WIKIPEDIA_SEARCHES", replace(rate_limits.WIKIPEDIA_SEARCHES, amount=0))
    assert search(browser, "port").status_code == 429
    assert wiki.asked == []
