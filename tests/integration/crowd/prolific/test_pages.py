"""A worker of Prolific's on a HIT's page, from Prolific and back."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from annotations.models import Corpus, Question, Response
from crowd.models import Assignment, Hit, HitBatch, ProlificTask
from crowd.providers import registry
from tests import crowd
from tests.arrivals import field
from tests.prolific import Clock, FakeProlific

pytestmark = pytest.mark.usefixtures("account")


def send(browser: Client, address: str, corpus: Corpus) -> Any:
    token = re.search(r'name="token"\s+value="([^"]+)"', browser.get(address).content.decode())
    assert token is not None
    fields = {field(question): "none" for question in Question.objects.filter(document__corpus=corpus)}
    return browser.post(address, {"token": token[1], **fields}, headers={"accept": "application/json"})


def test_an_answer_is_stored_and_the_worker_goes_back_with_the_code(
    browser: Client,
    opened: Callable[..., HitBatch],
    arrive: Callable[[str], str],
    fake: FakeProlific,
    corpus: Corpus,
    clock: Clock,
) -> None:
    opened(3)
    told = send(browser, arrive("w1"), corpus).json()
    code = fake.published()[0]["completion_codes"][0]["code"]
    assert told["next"] == f"https://app.prolific.com/submissions/complete?cc={code}"
    assert (told["action"], told["fields"]) == ("", {})
    assignment = Assignment.objects.get()
    fake.complete(assignment.provider_id, code)
    clock.forward(minutes=1)
    crowd.collect(clock())
    assert Response.objects.count() == 3
    assert Assignment.objects.get().flag == ""


def test_without_scripts_a_link_leads_back(
    browser: Client, opened: Callable[..., HitBatch], arrive: Callable[[str], str], corpus: Corpus
) -> None:
    opened(1)
    address = arrive("w1")
    page = browser.get(address).content.decode()
    token = re.search(r'name="token"\s+value="([^"]+)"', page)
    assert token is not None
    (question,) = Question.objects.filter(document__corpus=corpus)
    answer = browser.post(address, {"token": token[1], field(question): "none"})
    assert 'href="https://app.prolific.com/submissions/complete?cc=' in answer.content.decode()


def test_nobody_new_is_taken_by_a_hit_that_is_closed(
    browser: Client, opened: Callable[..., HitBatch], arrive: Callable[[str], str], corpus: Corpus
) -> None:
    opened(1)
    begun, late = arrive("w1"), arrive("w2")
    assert browser.get(begun).status_code == 200
    hit = Hit.objects.get()
    registry.provider("prolific").expire(hit.provider_id or "")
    refused = browser.get(late)
    assert refused.status_code == 409
    assert "has all the answers that it needs" in " ".join(refused.content.decode().split())
    assert send(browser, begun, corpus).status_code == 200  # who was there may finish
    assert Assignment.objects.count() == 1


def test_a_hit_that_has_ended_takes_nobody_new_though_prolific_sends_them(
    browser: Client, opened: Callable[..., HitBatch], arrive: Callable[[str], str], clock: Clock
) -> None:
    opened(1)
    Hit.objects.update(ended_at=clock())
    assert browser.get(arrive("w1")).status_code == 409


def test_a_worker_who_is_quicker_than_the_answer_to_posting_finds_the_way_back(
    browser: Client,
    opened: Callable[..., HitBatch],
    arrive: Callable[[str], str],
    corpus: Corpus,
    fake: FakeProlific,
) -> None:
    opened(1)
    Hit.objects.update(state="planned", posted_at=None, provider_id=None)
    assert ProlificTask.objects.count() == 1
    told = send(browser, arrive("w1"), corpus).json()
    assert told["next"].endswith(fake.published()[0]["completion_codes"][0]["code"])
