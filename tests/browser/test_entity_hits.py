"""A HIT of a whole document in the marketplace's frame: marked, kept, sent, counted."""

import json
import random
import re
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from django.conf import LazySettings
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Frame, FrameLocator, Page, Route, expect
from playwright.sync_api import Response as PageResponse
from whitenoise.compress import Compressor

from annotations import questions
from annotations.models import Document, Question, Response
from crowd import budget
from crowd.interfaces.addresses import hit_url
from crowd.models import Assignment, Hit
from crowd.providers import mturk as mturk_provider
from crowd.providers import registry
from kbpo import pipeline
from kbpo.accounts.models import User
from marketplace import ledger, requesters
from marketplace.workers import worker_for
from tests import crowd
from tests.arrivals import KEYS, arrival
from tests.browser.conftest import OpenPage
from tests.browser.looks import fit_fingers, looks, picture
from tests.factories import CorpusFactory, DocumentFactory, HitFactory, UserFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TEXT = "Ada Quill founded Quill Press in Port Hallow on 3 May 1961. She was its president."
WORDS = ["the", "of", "a", "bank", "town", "river", "born", "lives", "met", "press", "quill", "council"]
Begin = Callable[..., tuple[Page, FrameLocator]]


@pytest.fixture(autouse=True)
def two_hosts(settings: LazySettings, live_server) -> None:
    """The site by one name of this machine, the HIT pages by the other; an account with the marketplace."""
    settings.SITE_URL = live_server.url
    settings.HIT_BASE_URL = f"http://127.0.0.1:{urlsplit(live_server.url).port}"
    settings.MTURK_ENDPOINT_URL = live_server.url + reverse("requester_api")
    requester = requesters.create_requester(name="The lab")
    ledger.deposit(requester=requester, cents=100_00, now=timezone.now())
    key = requesters.create_key(requester=requester, now=timezone.now())
    settings.MTURK_KEYS = (key.access_key_id, key.secret)


@pytest.fixture
def document() -> Document:
    corpus = CorpusFactory.create()
    return DocumentFactory.create(corpus=corpus, title="The Quills", text=TEXT, segmented=True)


@pytest.fixture
def question(document: Document) -> Question:
    return questions.ask_entities([document.pk])[document.pk]


@pytest.fixture
def worker(question: Question) -> User:
    """Somebody who has learned it; the document is posted."""
    person = UserFactory.create(annotator=True)
    operator = UserFactory.create(operator=True)
    corpus = question.document.corpus
    budget.create_budget(scope="corpus", key=corpus.tag, cap_cents=50_00, by=operator)
    given = {"corpus": corpus, "kind": "entities", "provider": "marketplace", "by": operator}
    crowd.open_batch(**given, reward_cents=325, now=timezone.now())
    work()
    registry.provider("marketplace").grant(worker_for(person).worker_id, kind="entities tac-kbp@1")
    mturk_provider.connect.cache_clear()
    return person


@pytest.fixture
def begin(open_page: OpenPage, worker: User) -> Begin:
    """Go from the list of work through the preview into the task."""

    def act(**options: object) -> tuple[Page, FrameLocator]:
        page = open_page(reverse("work"), user=worker, **options)
        page.get_by_role("link", name="Mark every person").click()
        frame = page.frame_locator("[data-frame]")
        expect(frame.get_by_text("This is a preview")).to_be_visible()
        page.get_by_role("button", name="Accept").click()
        expect(frame.get_by_text("This is a preview")).to_be_hidden()
        expect(frame.get_by_role("option", name="Ada", exact=True)).to_be_visible()
        return page, frame

    return act


def work() -> None:
    for _ in range(2):
        Hit.objects.filter(state=Hit.State.POSTED).update(next_look_at=timezone.now())
        for stage in (pipeline.post_hits, pipeline.collect_work, pipeline.review_work):
            stage()


def mark(page: Page, frame: FrameLocator) -> None:
    """Mark a person and a place, each without a page."""
    frame.locator("[data-text]").focus()
    page.keyboard.press("Control+Home")
    for key in ("Shift+ArrowRight", "p", "n", *["ArrowRight"] * 5, "Shift+ArrowRight", "g", "n"):
        page.keyboard.press(key)
    expect(frame.locator("[data-aloud]")).to_contain_text("no page")


def tags(frame: FrameLocator) -> list[str]:
    return frame.locator(".w[data-tag]").evaluate_all("found => found.map(w => w.dataset.tag)")


def send(frame: FrameLocator) -> None:
    frame.get_by_role("button", name="Check and send").click()
    frame.get_by_role("dialog").get_by_role("button", name="Send").click()


def frame_of(page: Page) -> Frame:
    return next(frame for frame in page.frames if "/hits/" in frame.url)


@pytest.mark.slow
def test_a_worker_marks_a_document_and_is_paid(begin: Begin, question: Question, worker: User) -> None:
    page, frame = begin()
    mark(page, frame)
    expect(frame.get_by_text("Saved", exact=True)).to_be_visible()
    frame.get_by_text("Comment").click()
    frame.get_by_label("Anything that we should know").fill("A short one.")
    send(frame)
    expect(page.get_by_role("status").filter(has_text="Your answer is in")).to_be_visible()
    work()
    work()
    response = Response.objects.get()
    assert (response.question, response.worker, response.is_valid) == (question, worker, True)
    assert [one["type"] for one in response.answer["mentions"]] == ["PER", "GPE"]
    assert response.seconds is not None
    assert response.seconds > 0
    assignment = Assignment.objects.get()
    assert (assignment.comment, assignment.state) == ("A short one.", "approved")
    assert [one["step"] for one in assignment.steps] == ["mark", "check"]
    assert budget.audit().problems == ()


@pytest.mark.slow
def test_a_reload_goes_on_where_one_was(begin: Begin) -> None:
    page, frame = begin()
    mark(page, frame)
    frame.get_by_text("Comment").click()
    frame.get_by_label("Anything that we should know").fill("Half a thought")
    expect(frame.get_by_text("Saved", exact=True)).to_be_visible()
    page.reload()
    expect(frame.get_by_role("option", name="Ada", exact=True)).to_be_visible()
    assert tags(frame) == ["P1", "G2"]
    expect(frame.get_by_label("Anything that we should know")).to_have_value("Half a thought")


@pytest.mark.slow
def test_nothing_is_lost_while_the_server_is_away(begin: Begin) -> None:
    page, frame = begin()

    def away(route: Route) -> None:
        route.abort() if route.request.method == "POST" else route.continue_()

    page.route("**/hits/**", away)
    mark(page, frame)
    expect(frame.locator("[data-saved]")).to_contain_text("Trying again")
    send(frame)
    expect(frame.get_by_role("alert")).to_contain_text("Not sent: no connection")
    assert tags(frame) == ["P1", "G2"]
    page.unroute("**/hits/**")
    frame.get_by_role("dialog").get_by_role("button", name="Send").click()
    expect(page.get_by_role("status").filter(has_text="Your answer is in")).to_be_visible()
    assert len(Assignment.objects.get().answer["answers"][0]["answer"]["mentions"]) == 2


def test_a_refused_answer_says_why_and_can_be_sent_again(begin: Begin) -> None:
    page, frame = begin()
    mark(page, frame)
    refusal = {"status": 400, "content_type": "application/json", "body": json.dumps({"detail": "Too odd."})}
    answer = re.compile(r"/hits/[^/]+/\?")

    def refuse(route: Route) -> None:
        route.fulfill(**refusal) if route.request.method == "POST" else route.continue_()

    page.route(answer, refuse)
    send(frame)
    expect(frame.get_by_role("alert")).to_contain_text("Not sent: Too odd.")
    page.unroute(answer)
    page.reload()
    expect(frame.get_by_role("option", name="Ada", exact=True)).to_be_visible()
    assert tags(frame) == ["P1", "G2"]
    send(frame)
    expect(page.get_by_role("status").filter(has_text="Your answer is in")).to_be_visible()


def test_a_preview_has_the_tutorials_examples_and_no_document(open_page: OpenPage, worker: User) -> None:
    page = open_page(reverse("work"), user=worker)
    page.get_by_role("link", name="Mark every person").click()
    frame = page.frame_locator("[data-frame]")
    expect(frame.get_by_role("heading", name="Examples")).to_be_visible()
    expect(frame.get_by_role("option")).to_have_count(0)
    assert not Assignment.objects.exists()


@pytest.mark.slow
def test_three_thousand_words_weigh_less_than_a_hundred_kilobytes(browser, live_server, settings) -> None:
    """Everything that a first visit fetches."""
    rng = random.Random(0)
    sentences = [
        " ".join(rng.choice(WORDS) + str(rng.randrange(100)) for _ in range(19)).capitalize() + "."
        for _ in range(150)
    ]
    document = DocumentFactory.create(text=" ".join(sentences), segmented=True)
    question = questions.ask_entities([document.pk])[document.pk]
    hit = HitFactory.create(batch__kind="entities", batch__corpus=document.corpus, questions=[question])
    context = browser.new_context()
    page = context.new_page()
    answers = []
    page.on("response", lambda answer: answers.append(answer))
    settings.MTURK_KEYS = KEYS
    page.goto(f"{hit_url(hit)}?{arrival(hit, f'{live_server.url}/x')}")
    expect(page.get_by_role("option").first).to_be_visible()
    page.wait_for_load_state("networkidle")
    weights = {urlsplit(answer.url).path: weight(answer) for answer in answers}
    context.close()
    assert len(weights) >= 15  # the page, four sheets, and the scripts
    print(f"{sum(weights.values()):,} bytes: {weights}")
    assert sum(weights.values()) <= 100_000


def weight(answer: PageResponse) -> int:
    """What an answer weighs on the wire; files as a server sends them, which has compressed them before."""
    sizes = answer.request.sizes()
    if "/static/" not in answer.url:
        return sizes["responseHeadersSize"] + sizes["responseBodySize"]
    return sizes["responseHeadersSize"] + len(Compressor.compress_gzip(answer.body()))


@looks(360, 768, 1280)
def test_it_fits_the_marketplaces_frame(begin: Begin, width: int, scheme: str) -> None:
    page, frame = begin(width=width, scheme=scheme, has_touch=width < 1280)
    mark(page, frame)
    frame.locator("[data-text]").evaluate("text => text.scrollIntoView()")
    picture(page, f"entities-hit-{width}-{scheme}")
    inner = frame_of(page)
    assert inner.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.goto(inner.url)  # by itself: a screen that is touched is not told to a frame from elsewhere
    expect(page.get_by_role("option", name="Ada", exact=True)).to_be_visible()
    picture(page, f"entities-hit-alone-{width}-{scheme}")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    if width == 360:
        assert fit_fingers(page, "button, summary")
