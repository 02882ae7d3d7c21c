"""A HIT of texts to be classed: by keyboard alone, at the desk's width and at a phone's."""

import re

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotations.kinds.choice import ChoiceQuestion
from annotations.models import Question
from annotations.texts.classes import ClassRecord
from crowd.interfaces.addresses import hit_url
from crowd.models import Assignment, Hit
from demo.letters import letters
from tests.arrivals import KEYS, arrival
from tests.browser.conftest import OpenPage
from tests.browser.looks import fit_fingers, looks, picture
from tests.browser.test_hit_pages import two_hosts  # noqa: F401  (a fixture)
from tests.factories import CorpusFactory, DocumentFactory, HitFactory, QuestionFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ASKED = ChoiceQuestion(
    "letters",
    1,
    True,
    (
        ClassRecord("complaint", "The writer is not content, whatever form the letter has."),
        ClassRecord("question", "The writer wants to know something, and waits for an answer."),
        ClassRecord("thanks", "The writer is content with something, and says so."),
    ),
)


@pytest.fixture
def hit(settings) -> Hit:
    settings.MTURK_KEYS = KEYS
    corpus = CorpusFactory.create()
    questions = [
        QuestionFactory.create(
            document=DocumentFactory.create(corpus=corpus, doc_id=one.doc_id, title="", text=one.text),
            asked=ASKED,
        )
        for one in letters()[:2]
    ]
    return HitFactory.create(batch__corpus=corpus, batch__kind="choice", questions=questions)


@looks(360, 1280)
def test_two_texts_are_classed_by_keyboard_alone(
    open_page: OpenPage, hit: Hit, live_server, width: int, scheme: str
) -> None:
    query = arrival(hit, f"{live_server.url}/work/submit/abc", now=timezone.now())
    page = open_page(f"{hit_url(hit)}?{query}", width=width, scheme=scheme)
    expect(page.get_by_text("Which class is the text of?").first).to_be_visible()
    assert fit_fingers(page, ".option", at_least=4)
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Choose a class.")
    page.keyboard.press("1")
    expect(page.get_by_role("radio", name=re.compile("complaint"))).to_be_checked()
    picture(page, f"choice-{width}-{scheme}")
    page.keyboard.press("Enter")
    expect(page.get_by_text("2 of 2")).to_be_visible()
    page.keyboard.press("0")
    expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    page.route("**/work/submit/**", lambda route: route.fulfill(body="sent"))
    page.keyboard.press("Enter")
    expect(page.get_by_text("sent", exact=True)).to_be_visible()
    given = {one["question"]: one["answer"]["class"] for one in Assignment.objects.get().answer["answers"]}
    first, second = Question.objects.order_by("pk")
    assert given == {first.pk: "complaint", second.pk: None}
