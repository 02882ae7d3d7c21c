"""Linking mentions on a HIT's page: the search behind it, and where the answer goes."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.cache import cache
from django.test import Client

from annotations import responses
from annotations.kinds.relation import Mention, RelationQuestion
from annotations.models import Document, Question
from crowd.models import Assignment, Hit
from kbpo.core import rate_limits
from tests.arrivals import field
from tests.factories import PRESS, SHE, YEAR, HitFactory, QuestionFactory, UserFactory
from tests.integration.hits.conftest import address, html_of, token_of
from tests.mediawiki import Wiki, serve_wiki
from tests.ontologies import TAC

pytestmark = pytest.mark.django_db


@pytest.fixture
def wiki(settings: LazySettings) -> Iterator[Wiki]:
    with serve_wiki() as wiki:
        settings.WIKIPEDIA_API_URL = wiki.url
        cache.clear()
        yield wiki
        cache.clear()


@pytest.fixture
def when(document: Document) -> Question:
    asked = RelationQuestion.about(Mention(PRESS, "ORG"), Mention(YEAR, "DATE"), TAC)
    return QuestionFactory.create(document=document, asked=asked)


@pytest.fixture
def linking(when: Question) -> Hit:
    return HitFactory.create(batch__corpus=when.document.corpus, batch__asks_links=True, questions=[when])


def search(browser: Client, hit: Hit, token: str, text: str) -> Any:
    headers = {"accept": "application/json", "authorization": f"Bearer {token}"}
    return browser.get(f"/hits/{hit.annotation}/pages/", {"q": text}, headers=headers)


def send(browser: Client, hit: Hit, fields: dict[str, str]) -> Any:
    token = token_of(browser.get(address(hit)))
    headers = {"accept": "application/json"}
    return browser.post(address(hit), {"token": token, **fields}, headers=headers)


def test_a_page_asks_for_links_where_its_batch_does(browser: Client, hit: Hit, linking: Hit) -> None:
    page = html_of(browser.get(address(linking)))
    assert "Which page of Wikipedia is about" in page
    assert "Which date is" in page
    assert "Wikipedia" not in html_of(browser.get(address(hit)))


def test_links_go_into_the_answer_beside_the_relations(browser: Client, linking: Hit, when: Question) -> None:
    name = field(when)
    fields = {
        name: "org:date_founded|0",
        f"{name}-link-0": "https://en.wikipedia.org/wiki/Quill_Press#History",
        f"{name}-link-1-year": "1961",
        f"seconds-{name}": "4",
        f"seconds-{name}-link-0": "6.5",
    }
    assert send(browser, linking, fields).status_code == 200
    stored = Assignment.objects.get()
    [answer] = stored.answer["answers"]
    assert answer["answer"]["links"] == {"0": {"page": "Quill Press"}, "1": {"date": "1961"}}
    assert answer["seconds"] == 10.5
    assert len(stored.steps) == 2
    response = responses.record(
        question=when, worker=UserFactory.create(annotator=True), answer=answer["answer"]
    )
    assert response.answer["links"]["0"] == {"page": "Quill Press"}


@pytest.mark.parametrize(
    ("changes", "where", "message"),
    [
        ({"-link-0": ""}, "-link-0", "Choose the page"),
        ({"-link-0-none": "none"}, "-link-0", "Either a page or"),
        ({"-link-0": "a|b"}, "-link-0", "no '|'"),
        ({"-link-0": "https://example.org/wiki/X"}, "-link-0", "no address of a page of Wikipedia"),
        ({"-link-1-year": ""}, "-link-1", "Give the year"),
        ({"-link-1-year": "196l"}, "-link-1", "must be a number"),
        ({"-link-1-day": "3"}, "-link-1", "A day needs its month"),
        ({"-link-1-month": "2", "-link-1-day": "30"}, "-link-1", "there is no 1961-02-30"),
        ({"-link-1-none": "none"}, "-link-1", "Either a date or"),
    ],
)
def test_a_link_that_is_missing_or_wrong_is_named(
    browser: Client, linking: Hit, when: Question, changes: dict[str, str], where: str, message: str
) -> None:
    name = field(when)
    good = {"": "none", "-link-0": "Quill Press", "-link-1-year": "1961"}
    fields = {f"{name}{part}": value for part, value in (good | changes).items()}
    response = send(browser, linking, fields)
    assert response.status_code == 400
    assert message in response.json()["detail"]
    assert response.json()["field"] == f"{name}{where}"


def test_the_search_is_for_the_assignments_page_alone(browser: Client, linking: Hit, wiki: Wiki) -> None:
    token = token_of(browser.get(address(linking)))
    found = search(browser, linking, token, "port").json()["pages"]
    assert [page["title"] for page in found] == ["Port Hallow", "Port Hallow F.C."]
    assert search(browser, linking, "forged", "port").status_code == 403
    assert len(wiki.asked) == 1


def test_a_search_that_is_down_says_to_type_the_title(browser: Client, linking: Hit, wiki: Wiki) -> None:
    wiki.behaviour = "500"
    response = search(browser, linking, token_of(browser.get(address(linking))), "port")
    assert response.status_code == 503
    assert "type the page’s title" in response.json()["detail"]


def test_a_page_that_searches_too_often_is_told(
    browser: Client, linking: Hit, wiki: Wiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rate_limits, "WIKIPEDIA_SEARCHES", replace(rate_limits.WIKIPEDIA_SEARCHES, amount=0))
    assert search(browser, linking, token_of(browser.get(address(linking))), "a").status_code == 429
    assert wiki.asked == []


def test_a_mention_that_a_hit_asks_about_twice_is_linked_once(
    browser: Client, document: Document, when: Question
) -> None:
    asked = RelationQuestion.about(Mention(SHE, "PER"), Mention(PRESS, "ORG"), TAC)
    hit = HitFactory.create(batch__asks_links=True, questions=[when])
    assert html_of(browser.get(address(hit))).count("data-lookup") == 1
    other = HitFactory.create(
        batch__asks_links=True, questions=[QuestionFactory.create(document=document, asked=asked)]
    )
    assert html_of(browser.get(address(other))).count("data-lookup") == 2
