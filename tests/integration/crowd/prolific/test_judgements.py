"""What systems write is judged at Prolific: studies of few texts, their pages, and the way back."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from annotations.kinds.correctness import CorrectnessQuestion
from annotations.kinds.quality import QualityQuestion
from annotations.models import Corpus, Question, Response
from crowd.models import Assignment, Hit
from kbpo_formats.spans import Span
from tests import crowd
from tests.arrivals import field
from tests.factories import DocumentFactory, QuestionFactory
from tests.prolific import Clock, FakeProlific

pytestmark = pytest.mark.usefixtures("account")

ASKS = "Who built the mill?"
PASSAGE = "Ada Quill built it in 1802."
TEXT = f"{ASKS}\n\n{PASSAGE}"
EDIT = "The mayor opened the bridge."


def ask(corpus: Corpus, kind: str, number: int) -> Question:
    document = DocumentFactory.create(corpus=corpus, text=TEXT, sentences=True)
    asked = {
        "quality": QualityQuestion(f"the mayor number {number} opened a bridge"),
        "correctness": CorrectnessQuestion(f"Quill {number}", Span(0, 19), (Span(21, len(TEXT)),)),
    }[kind]
    question: Question = QuestionFactory.create(document=document, asked=asked, votes_needed=1)
    return question


def filled(kind: str, name: str) -> dict[str, str]:
    if kind == "quality":
        ratings = {f"{name}-{one}": "0" for one in ("fluency", "redundancy", "overall")}
        return {**ratings, f"{name}-edit": EDIT}
    verdict = {f"{name}-p1": "right", f"{name}-p1-words": "0-2", f"{name}-p1-sure": "yes"}
    return {f"{name}-plausible": "yes", **verdict}


@pytest.mark.parametrize("kind", ["quality", "correctness"])
def test_a_study_is_answered_on_its_page_and_paid(
    browser: Client,
    arrive: Callable[[str], str],
    fake: FakeProlific,
    corpus: Corpus,
    clock: Clock,
    kind: str,
    settings: Any,
) -> None:
    settings.CROWD_MOST_PERCENT = 100
    asked = [ask(corpus, kind, number) for number in range(3)]
    given = {"corpus": corpus, "kind": kind, "provider": "prolific", "reward_cents": 800}  # for 1,000 words
    crowd.open_batch(**given, by=crowd.operator(), now=clock())
    crowd.post(clock())
    hit = Hit.objects.get()  # what takes seconds is bundled
    assert hit.questions.count() == 3
    (study,) = fake.published()
    assert study["reward"] == hit.reward_cents
    address = arrive("w1")
    token = re.search(r'name="token"\s+value="([^"]+)"', browser.get(address).content.decode())
    assert token is not None
    form = {"token": token[1]}
    for question in asked:
        form |= filled(kind, field(question, hit))
    told = browser.post(address, form, headers={"accept": "application/json"}).json()
    code = study["completion_codes"][0]["code"]
    assert told["next"] == f"https://app.prolific.com/submissions/complete?cc={code}"
    fake.complete(Assignment.objects.get().provider_id, code)
    clock.forward(minutes=5)
    crowd.collect(clock())
    answers = Response.objects.values_list("answer", flat=True)
    assert len(answers) == 3
    for answer in answers:
        assert answer["edit"] == EDIT if kind == "quality" else answer["passages"][0]["verdict"] == 1
    assert crowd.approve_all(clock()) == 1
    crowd.check_books()
    assert fake.paid > hit.reward_cents


def test_no_study_asks_one_person_for_more_than_their_share(
    corpus: Corpus, clock: Clock, settings: Any
) -> None:
    settings.CROWD_MOST_PERCENT = 50
    for number in range(4):
        ask(corpus, "quality", number)
    given = {"corpus": corpus, "kind": "quality", "provider": "prolific", "reward_cents": 800}
    crowd.open_batch(**given, by=crowd.operator(), now=clock())
    crowd.post(clock())
    assert [hit.questions.count() for hit in Hit.objects.all()] == [2, 2]
