"""A HIT's page in the marketplace's frame, from another origin: answered, kept, sent, paid."""

import json
import random
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from django.conf import LazySettings
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Frame, FrameLocator, Page, Route, expect

from annotations.kinds.canonical import CanonicalQuestion
from annotations.kinds.relation import Mention, RelationQuestion
from annotations.models import Question, Response
from crowd import budget, page_names
from crowd.interfaces.addresses import hit_url
from crowd.interfaces.registry import find_tutorial
from crowd.interfaces.relation.form import ticked_values
from crowd.models import Assignment, Hit
from crowd.providers import mturk as mturk_provider
from kbpo import pipeline
from kbpo.accounts.models import User
from kbpo_formats.spans import Span
from marketplace import ledger, requesters
from tests import boto, crowd
from tests.arrivals import KEYS, arrival
from tests.browser.conftest import OpenPage
from tests.browser.looks import fit_fingers, looks, picture
from tests.external_questions import external_question
from tests.factories import (
    ADA,
    PRESS,
    SHE,
    TEXT,
    YEAR,
    DocumentFactory,
    HitFactory,
    QuestionFactory,
    UserFactory,
    WorkerIdentityFactory,
)
from tests.mediawiki import Wiki, serve_wiki
from tests.ontologies import TAC

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

BEFORE = "Nothing of note happened here. " * 40


@pytest.fixture(autouse=True)
def two_hosts(settings: LazySettings, live_server) -> None:
    """The site by one name of this machine, the HIT pages by the other."""
    settings.SITE_URL = live_server.url
    settings.HIT_BASE_URL = f"http://127.0.0.1:{urlsplit(live_server.url).port}"


@pytest.fixture
def keys() -> tuple[str, str]:
    requester = requesters.create_requester(name="The lab")
    ledger.deposit(requester=requester, cents=100_00, now=timezone.now())
    key = requesters.create_key(requester=requester, now=timezone.now())
    return key.access_key_id, key.secret


@pytest.fixture
def mturk(live_server, keys: tuple[str, str], settings: LazySettings):
    settings.MTURK_KEYS = keys
    client = boto.mturk(live_server.url + reverse("requester_api"), keys)
    yield client
    client.close()


@pytest.fixture
def worker() -> User:
    return UserFactory.create(annotator=True)


@pytest.fixture
def hit() -> Hit:
    """Who founded what, far down in a document, and her full name."""
    document = DocumentFactory.create(text=f"{BEFORE}{TEXT} {BEFORE}".strip(), sentences=True)
    asked = RelationQuestion.about(Mention(moved(SHE), "PER"), Mention(moved(PRESS), "ORG"), TAC)
    questions = [
        QuestionFactory.create(document=document, asked=asked),
        QuestionFactory.create(document=document, asked=CanonicalQuestion(moved(SHE), moved(ADA))),
    ]
    return HitFactory.create(batch__corpus=document.corpus, questions=questions)


def moved(span: Span) -> Span:
    return Span(span.start + len(BEFORE), span.end + len(BEFORE))


def post(mturk, hit: Hit, **more: object) -> str:
    given = {
        "Title": hit.batch.title,
        "Description": hit.batch.description,
        "Reward": "0.15",
        "AssignmentDurationInSeconds": 600,
        "LifetimeInSeconds": 3600,
        "RequesterAnnotation": hit.annotation,
        "Question": external_question(hit_url(hit), 0),
    }
    made: str = mturk.create_hit(**given | more)["HIT"]["HITId"]
    Hit.objects.filter(pk=hit.pk).update(provider_id=made)
    return made


def preview(open_page: OpenPage, worker: User, **options: object) -> Page:
    page = open_page(reverse("work"), user=worker, **options)
    page.get_by_role("link", name="Judge a claim").click()
    expect(page.get_by_role("heading", name="Preview")).to_be_visible()
    return page


def accept(open_page: OpenPage, worker: User, **options: object) -> tuple[Page, FrameLocator]:
    page = preview(open_page, worker, **options)
    page.get_by_role("button", name="Accept").click()
    frame = page.frame_locator("[data-frame]")
    expect(frame.get_by_role("button", name=re.compile("Next|Send"))).to_be_enabled()
    return page, frame


def frame_of(page: Page) -> Frame:
    return next(frame for frame in page.frames if "/hits/" in frame.url)


def test_from_the_preview_to_the_money(open_page: OpenPage, mturk, hit: Hit, worker: User) -> None:
    hit_id = post(mturk, hit)
    page = preview(open_page, worker)
    frame = page.frame_locator("[data-frame]")
    expect(frame.get_by_text("This is a preview")).to_be_visible()
    expect(frame.get_by_role("heading", name="Examples")).to_be_visible()
    expect(frame.get_by_text("Quill Press")).to_have_count(0)

    page.get_by_role("button", name="Accept").press("Enter")
    frame.get_by_label("founded").check()
    expect(frame.get_by_text("Saved", exact=True)).to_be_visible()
    frame.get_by_role("button", name="Next").click()
    frame.get_by_label("Yes, it is right").check()
    frame.get_by_text("Comment").click()
    frame.get_by_label("Anything that we should know").fill("Clear.")
    frame.get_by_role("button", name="Send").click()
    expect(page.get_by_role("status").filter(has_text="Your answer is in")).to_be_visible()

    [sent] = mturk.list_assignments_for_hit(HITId=hit_id)["Assignments"]
    assignment = Assignment.objects.get()
    assert (assignment.provider_id, assignment.provider_worker_id) == (sent["AssignmentId"], sent["WorkerId"])
    assert assignment.worker is not None
    assert assignment.worker.user == worker
    posted = json.loads(re.search(r"<FreeText>(.*?)</FreeText>", sent["Answer"])[1])  # type: ignore[index]
    asked = Question.objects.values_list("pk", flat=True)
    assert page_names.reveal(Hit.objects.get(), posted, asked) == assignment.answer
    assert posted["comment"] == "Clear."
    assert all(one["seconds"] > 0 for one in posted["answers"])

    mturk.approve_assignment(AssignmentId=sent["AssignmentId"])
    page.get_by_role("link", name="My earnings").click()
    expect(page.get_by_text("$0.15 so far.")).to_be_visible()


@pytest.mark.slow
def test_a_reload_in_the_middle_loses_nothing(open_page: OpenPage, mturk, hit: Hit, worker: User) -> None:
    post(mturk, hit)
    page, frame = accept(open_page, worker)
    frame.get_by_label("founded").check()
    frame.get_by_role("button", name="Next").click()
    frame.get_by_label("No, it is wrong").check()
    frame.get_by_text("Comment").click()
    frame.get_by_label("Anything that we should know").press_sequentially("Half a tho")
    expect(frame.get_by_text("Saved", exact=True)).to_be_visible()
    page.reload()
    expect(frame.get_by_text("2 of 2")).to_be_visible()
    expect(frame.get_by_label("No, it is wrong")).to_be_checked()
    expect(frame.get_by_label("Anything that we should know")).to_have_value("Half a tho")
    frame.get_by_role("button", name="Back").click()
    expect(frame.get_by_label("founded")).to_be_checked()


@pytest.mark.slow
def test_a_cut_connection_is_said_and_saved_when_it_is_back(
    open_page: OpenPage, mturk, hit: Hit, worker: User
) -> None:
    post(mturk, hit)
    page, frame = accept(open_page, worker)

    def cut(route: Route) -> None:
        route.abort()

    page.context.route("**/hits/**", cut)
    frame.get_by_label("founded").check()
    expect(frame.locator("[data-saved]")).to_have_text("Not saved yet: no connection. Trying again…")
    frame.get_by_role("button", name="Next").click()
    frame.get_by_label("Yes, it is right").check()
    frame.get_by_role("button", name="Send").click()
    expect(frame.get_by_role("alert")).to_contain_text("Not sent: no connection")
    page.context.unroute("**/hits/**", cut)
    expect(frame.get_by_text("Saved", exact=True)).to_be_visible()
    draft = Assignment.objects.get().draft
    said = [values for name, values in draft["fields"].items() if name.startswith("q")]
    assert sorted(said) == [["per:organizations_founded|0"], ["right"]]  # fields are named at random
    frame.get_by_role("button", name="Send").click()
    expect(page.get_by_role("status").filter(has_text="Your answer is in")).to_be_visible()


@pytest.mark.slow
def test_what_is_ticked_before_the_scripts_come_is_saved_when_they_do(
    open_page: OpenPage, mturk, hit: Hit, worker: User
) -> None:
    post(mturk, hit)
    page = preview(open_page, worker)
    held: list[Route] = []
    page.context.route(re.compile(r"/js/steps"), lambda route: held.append(route))
    page.get_by_role("button", name="Accept").click()
    frame = page.frame_locator("[data-frame]")
    frame.get_by_label("founded").check()
    assert held, "the scripts came before the hand"
    for route in held:
        route.continue_()
    expect(frame.get_by_text("Saved", exact=True)).to_be_visible()
    draft = Assignment.objects.get().draft
    assert ["per:organizations_founded|0"] in draft["fields"].values()


@pytest.mark.slow
def test_it_is_done_with_the_keyboard_alone(open_page: OpenPage, mturk, hit: Hit, worker: User) -> None:
    post(mturk, hit)
    page = preview(open_page, worker)
    press_until_focused(page, page.get_by_role("button", name="Accept"))
    page.keyboard.press("Enter")
    frame = page.frame_locator("[data-frame]")
    expect(frame.get_by_role("button", name="Next")).to_be_enabled()
    first = frame.get_by_role("group", name="What does the document say")
    for _ in range(40):
        if first.evaluate("group => document.activeElement && group.contains(document.activeElement)"):
            break
        page.keyboard.press("Tab")
    for key in ("3", "Enter", "y", "Enter"):
        page.keyboard.press(key)
    expect(page.get_by_role("status").filter(has_text="Your answer is in")).to_be_visible()
    assert len(Assignment.objects.get().answer["answers"]) == 2


def press_until_focused(page: Page, target) -> None:
    for _ in range(40):
        page.keyboard.press("Tab")
        if target.evaluate("target => target === document.activeElement"):
            return
    pytest.fail("cannot be reached by the Tab key")


def test_it_is_a_plain_form_without_scripts(open_page: OpenPage, mturk, hit: Hit, worker: User) -> None:
    hit_id = post(mturk, hit)
    page = open_page(reverse("work"), user=worker, scripts=False)
    page.get_by_role("link", name="Judge a claim").click()
    page.get_by_role("button", name="Accept").click()
    frame = page.frame_locator("[data-frame]")
    frame.get_by_label("founded").check()
    frame.get_by_role("button", name="Send").click()
    expect(frame.get_by_role("alert").filter(has_text="Question 2 of 2")).to_be_visible()
    expect(frame.get_by_label("founded")).to_be_checked()
    frame.get_by_label("Yes, it is right").check()
    frame.get_by_role("button", name="Send").click()
    expect(frame.get_by_role("heading", name="One more step")).to_be_visible()
    frame.get_by_role("button", name="Send").click()
    expect(frame.get_by_text("Your answer is in")).to_be_visible()
    assert len(mturk.list_assignments_for_hit(HITId=hit_id)["Assignments"]) == 1


@pytest.fixture
def wiki(settings: LazySettings) -> Iterator[Wiki]:
    with serve_wiki() as wiki:
        settings.WIKIPEDIA_API_URL = wiki.url
        cache.clear()
        yield wiki
        cache.clear()


@pytest.fixture
def linking() -> Hit:
    document = DocumentFactory.create(sentences=True)
    asked = RelationQuestion.about(Mention(PRESS, "ORG"), Mention(YEAR, "DATE"), TAC)
    question = QuestionFactory.create(document=document, asked=asked)
    return HitFactory.create(batch__corpus=document.corpus, batch__asks_links=True, questions=[question])


@pytest.mark.slow
def test_a_mention_is_linked_by_keyboard_and_a_date_is_given(
    open_page: OpenPage, mturk, linking: Hit, worker: User, wiki: Wiki
) -> None:
    post(mturk, linking)
    page, frame = accept(open_page, worker)
    frame.get_by_label("None of these").check()
    frame.get_by_role("button", name="Next").click()

    field = frame.get_by_role("combobox", name="Title of the page")
    field.press_sequentially("port h")
    expect(frame.get_by_role("option")).to_have_count(2)
    expect(frame.get_by_role("status").filter(has_text="2 pages found")).to_be_visible()
    picture(page, "link")
    field.press("ArrowDown")
    field.press("ArrowDown")
    expect(frame.get_by_role("option", name="Port Hallow F.C.")).to_have_attribute("aria-selected", "true")
    field.press("Enter")
    expect(field).to_have_value("Port Hallow F.C.")
    expect(frame.get_by_role("listbox")).to_be_hidden()
    field.press("Enter")

    frame.get_by_label("Year").fill("1961")
    picture(page, "date")
    frame.get_by_label("Day").fill("31")
    frame.get_by_role("button", name="Send").click()
    expect(frame.get_by_role("alert")).to_contain_text("A day needs its month")
    frame.get_by_label("Month").fill("10")
    frame.get_by_role("button", name="Send").click()
    expect(page.get_by_role("status").filter(has_text="Your answer is in")).to_be_visible()
    [answer] = Assignment.objects.get().answer["answers"]
    assert answer["answer"]["links"] == {"0": {"page": "Port Hallow F.C."}, "1": {"date": "1961-10-31"}}


def test_what_a_wiki_says_is_shown_as_text(
    open_page: OpenPage, mturk, linking: Hit, worker: User, wiki: Wiki
) -> None:
    post(mturk, linking)
    _, frame = accept(open_page, worker)
    frame.get_by_label("None of these").check()
    frame.get_by_role("button", name="Next").click()
    frame.get_by_role("combobox").fill("<b>")
    expect(frame.get_by_role("option")).to_have_text("<b>Bold</b><script>alert(1)</script>")


@pytest.mark.slow
def test_while_the_search_is_down_the_title_is_typed(
    open_page: OpenPage, mturk, linking: Hit, worker: User, wiki: Wiki
) -> None:
    wiki.behaviour = "500"
    post(mturk, linking)
    page, frame = accept(open_page, worker)
    frame.get_by_label("None of these").check()
    frame.get_by_role("button", name="Next").click()
    frame.get_by_role("combobox").fill("quill press")
    expect(frame.get_by_text("The search of Wikipedia is down: type the page’s title.")).to_be_visible()
    frame.get_by_role("button", name="Next").click()
    frame.get_by_label("No date").check()
    frame.get_by_role("button", name="Send").click()
    expect(page.get_by_role("status").filter(has_text="Your answer is in")).to_be_visible()
    [answer] = Assignment.objects.get().answer["answers"]
    assert answer["answer"]["links"] == {"0": {"page": "Quill press"}, "1": {"none": True}}


@pytest.mark.slow
def test_no_page_takes_the_title_away_and_gives_it_back(
    open_page: OpenPage, mturk, linking: Hit, worker: User, wiki: Wiki
) -> None:
    post(mturk, linking)
    _, frame = accept(open_page, worker)
    frame.get_by_label("None of these").check()
    frame.get_by_role("button", name="Next").click()
    field = frame.get_by_role("combobox")
    field.fill("Quill Press")
    frame.get_by_label("No page").check()
    expect(field).to_have_value("")
    frame.get_by_label("No page").uncheck()
    expect(field).to_have_value("Quill Press")
    frame.get_by_label("No page").check()
    field.fill("Quill")
    expect(frame.get_by_label("No page")).not_to_be_checked()


WORDS = [
    "the",
    "of",
    "a",
    "bank",
    "town",
    "river",
    "born",
    "lives",
    "met",
    "press",
    "quill",
    "council",
    "year",
]


@pytest.mark.slow
def test_ten_long_documents_weigh_less_than_a_hundred_kilobytes(browser, live_server, settings) -> None:
    """Everything that a first visit fetches, as it comes over the wire."""
    words = random.Random(0)
    questions = []
    for _ in range(10):
        before = " ".join(words.choice(WORDS) + str(words.randrange(100)) for _ in range(3000))
        document = DocumentFactory.create(text=f"{before} {TEXT} {before}", sentences=True)
        by = len(before) + 1
        she, press, ada = (Span(span.start + by, span.end + by) for span in (SHE, PRESS, ADA))
        for asked in (
            RelationQuestion.about(Mention(she, "PER"), Mention(press, "ORG"), TAC),
            CanonicalQuestion(she, ada),
            CanonicalQuestion(press, press),
        ):
            questions.append(QuestionFactory.create(document=document, asked=asked))
    hit = HitFactory.create(batch__asks_links=True, questions=questions)
    context = browser.new_context()
    page = context.new_page()
    weights: list[int] = []
    client = context.new_cdp_session(page)
    client.send("Network.enable")
    client.on("Network.loadingFinished", lambda event: weights.append(event["encodedDataLength"]))
    settings.MTURK_KEYS = KEYS
    page.goto(f"{hit_url(hit)}?{arrival(hit, f'{live_server.url}/x')}")
    expect(page.get_by_text("1 of 50")).to_be_visible()
    page.wait_for_load_state("networkidle")
    context.close()
    assert len(weights) >= 8  # the page, three sheets, four scripts
    print(f"{sum(weights):,} bytes in {len(weights)} answers: {sorted(weights)}")
    assert sum(weights) <= 100_000


@pytest.mark.slow
def test_from_learning_to_the_money(
    open_page: OpenPage, keys: tuple[str, str], hit: Hit, worker: User, settings: LazySettings, live_server
) -> None:
    """The whole way, with the service's own posting, collecting, reviewing and paying."""
    Hit.objects.all().delete()
    settings.MTURK_ENDPOINT_URL = live_server.url + reverse("requester_api")
    settings.MTURK_KEYS = keys
    corpus = Question.objects.all()[0].document.corpus
    operator = UserFactory.create(operator=True)
    budget.create_budget(scope="corpus", key=corpus.tag, cap_cents=50_00, by=operator)
    given = {"corpus": corpus, "kind": "relation", "provider": "marketplace", "by": operator}
    now = timezone.now()
    crowd.open_tutorial(**given, reward_cents=5, places=3, now=now)
    crowd.open_batch(**given, reward_cents=15, now=now)
    work()

    page = open_page(reverse("work"), user=worker)
    expect(page.get_by_role("link", name="How are two names")).to_be_visible()
    expect(page.get_by_text("You do not qualify yet")).to_be_visible()
    page.get_by_role("link", name="Learn to say").click()
    page.get_by_role("button", name="Accept").press("Enter")
    frame = page.frame_locator("[data-frame]")
    picture(page, "tutorial-start")
    frame.get_by_role("button", name="Begin").click()
    for index, practice in enumerate(find_tutorial("relation", TAC).practice):
        expect(frame.get_by_role("heading", name=f"Question {index + 1} of 10")).to_be_visible()
        expect(frame.get_by_text("Keys ?")).to_be_visible()  # the script is there
        choices = practice.page({}).steps[0].choices
        right = ticked_values(practice.asked, practice.right_answer)
        if index == 1:
            picture(page, "tutorial-question")
            right = [choice.value for choice in choices if choice.value not in right][:1]
        for choice in choices:
            if choice.value in right:
                page.keyboard.press(choice.key)
        page.keyboard.press("Enter")
        verdict = "Not quite" if index == 1 else "Right"
        expect(frame.get_by_role("heading", name=verdict, exact=True)).to_be_visible()
        if index == 1:
            picture(page, "tutorial-explained")
        expect(frame.get_by_role("link", name=re.compile("Next|See how it went"))).to_be_focused()
        page.keyboard.press("Enter")
    expect(frame.get_by_role("heading", name="9 of 10 right")).to_be_visible()
    picture(page, "tutorial-result")
    frame.get_by_role("button", name="Send").click()
    expect(page.get_by_role("status").filter(has_text="Your answer is in")).to_be_visible()
    work()

    page.goto(reverse("work"))
    page.get_by_role("link", name="How are two names").click()
    page.get_by_role("button", name="Accept").press("Enter")
    frame.get_by_label("founded").check()
    frame.get_by_role("button", name="Next").click()
    frame.get_by_label("Yes, it is right").check()
    frame.get_by_role("button", name="Send").click()
    expect(page.get_by_role("status").filter(has_text="Your answer is in")).to_be_visible()
    work()
    answers = {response.question.kind: response for response in Response.objects.filter(worker=worker)}
    assert set(answers) == {"relation", "canonical"}
    assert answers["canonical"].answer == {"version": 1, "right": True}
    assert answers["relation"].seconds > 0

    page.get_by_role("link", name="My earnings").click()
    expect(page.get_by_text("$0.95 so far.")).to_be_visible()  # 5 and 15 cents, and a bonus of 75
    page.get_by_role("link", name="My work").click()
    expect(page.get_by_role("row").filter(has_text="Learn to say")).to_contain_text("Approved")
    assert budget.audit().problems == ()


def work() -> None:
    """Do all that is due, as the service's workers do, whenever the next look would be."""
    for _ in range(2):
        Hit.objects.filter(state=Hit.State.POSTED).update(next_look_at=timezone.now())
        for stage in (
            pipeline.post_hits,
            pipeline.collect_work,
            pipeline.review_work,
            pipeline.grant_qualifications,
            pipeline.pay_bonuses,
        ):
            stage()
    mturk_provider.connect.cache_clear()


@pytest.mark.slow
def test_several_passages_are_gone_through_one_after_the_other(
    open_page: OpenPage, mturk, hit: Hit, worker: User
) -> None:
    other = DocumentFactory.create(corpus=hit.batch.corpus, title="The second one", sentences=True)
    asked = RelationQuestion.about(Mention(SHE, "PER"), Mention(PRESS, "ORG"), TAC)
    question = QuestionFactory.create(document=other, asked=asked)
    hit.hit_questions.create(question=question, position=2)
    post(mturk, hit)
    page, frame = accept(open_page, worker)
    second = frame.get_by_role("heading", name="The second one")
    expect(second).to_be_hidden()
    frame.get_by_label("founded").locator("visible=true").check()
    frame.get_by_role("button", name="Next").click()
    frame.get_by_label("Yes, it is right").check()
    frame.get_by_role("button", name="Next").click()
    expect(second).to_be_visible()
    expect(frame.get_by_role("region", name="The document")).to_have_count(1)
    frame.get_by_label("None of these").locator("visible=true").check()
    frame.get_by_role("button", name="Back").click()
    expect(second).to_be_hidden()
    frame.get_by_role("button", name="Next").click()
    frame.get_by_role("button", name="Send").click()
    expect(page.get_by_role("status").filter(has_text="Your answer is in")).to_be_visible()
    answers = {one["question"]: one["answer"] for one in Assignment.objects.get().answer["answers"]}
    assert len(answers) == 3
    assert answers[question.pk]["none"] is True


@pytest.mark.slow
def test_a_second_window_is_told_that_another_saved_later(
    open_page: OpenPage, mturk, hit: Hit, worker: User
) -> None:
    post(mturk, hit)
    page, frame = accept(open_page, worker)
    twin = page.context.new_page()
    twin.goto(page.url)
    twin_frame = twin.frame_locator("[data-frame]")
    for key in (1, 2):
        twin_frame.locator(f"[data-key='{key}']").check()
        expect(twin_frame.get_by_text("Saved", exact=True)).to_be_visible()
    frame.get_by_label("None of these").check()
    expect(frame.locator("[data-saved]")).to_contain_text("another window")
    frame.get_by_label("None of these").uncheck()
    expect(frame.get_by_text("Saved", exact=True)).to_be_visible()


@pytest.mark.slow
def test_what_was_typed_just_before_leaving_is_kept(
    open_page: OpenPage, mturk, hit: Hit, worker: User
) -> None:
    post(mturk, hit)
    page, frame = accept(open_page, worker)
    frame.get_by_text("Comment").click()
    frame.get_by_label("Anything that we should know").press_sequentially("Gone")
    page.goto(reverse("work_mine"))
    page.wait_for_load_state("networkidle")
    page.go_back()
    expect(frame.get_by_label("Anything that we should know")).to_have_value("Gone")


@looks(360, 1280)
def test_every_page_fits_its_frame(
    open_page: OpenPage, linking: Hit, live_server, settings, wiki: Wiki, width: int, scheme: str
) -> None:
    """The same pages by themselves, as a frame of this width shows them."""
    lesson = HitFactory.create(batch__is_tutorial=True, batch__title="Learn it")
    settings.MTURK_KEYS = KEYS
    given = arrival(lesson, f"{live_server.url}/x")
    page = open_page(f"{hit_url(lesson)}?{given}", width=width, scheme=scheme)

    def look(name: str) -> None:
        fits(page.main_frame, page, f"page-{name}-{width}-{scheme}", width)

    look("start")
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_role("heading", name="Question 1 of 10")).to_be_visible()
    look("practice")
    page.get_by_label("works or worked for").check()
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_role("heading", name="Not quite")).to_be_visible()
    look("explained")

    given = arrival(linking, f"{live_server.url}/x")
    page.goto(f"{hit_url(linking)}?{given}")
    page.get_by_label("None of these").check()
    page.get_by_role("button", name="Next").click()
    page.get_by_role("combobox").fill("port")
    expect(page.get_by_role("option")).to_have_count(2)
    look("link")
    page.keyboard.press("Escape")
    page.get_by_label("No page").check()
    page.get_by_role("button", name="Next").click()
    look("date")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("alert")).to_contain_text("no date")
    look("missing")

    page.goto(f"{hit_url(linking).removesuffix('/')}/passages/1/?{given}")
    look("whole")
    page.goto(f"{hit_url(linking)}?{arrival(linking, 'https://evil.example.org/x')}")
    expect(page.get_by_role("heading", name="This task cannot be done here")).to_be_visible()
    look("refused")
    worker = WorkerIdentityFactory.create(worker_id="W1")
    Assignment.objects.filter(hit=linking).update(
        state="submitted", submitted_at=timezone.now(), worker=worker
    )
    page.goto(f"{hit_url(linking)}?{given}")
    expect(page.get_by_role("heading", name="Your answer is in")).to_be_visible()
    look("done")


def fits(frame: Frame, page: Page, name: str, width: int) -> None:
    picture(page, name)
    assert frame.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    if width == 360:
        assert fit_fingers(frame, "label.option, button, summary, a.button", at_least=0)


@pytest.mark.slow
@looks(360, 1280)
def test_no_page_scrolls_sideways_and_targets_fit_a_finger(
    open_page: OpenPage, mturk, hit: Hit, worker: User, width: int, scheme: str
) -> None:
    post(mturk, hit)
    page = preview(open_page, worker, width=width, scheme=scheme)
    expect(page.frame_locator("[data-frame]").get_by_text("This is a preview")).to_be_visible()
    check(page, f"preview-{width}-{scheme}")
    page.get_by_role("button", name="Accept").click()
    frame = page.frame_locator("[data-frame]")
    expect(frame.get_by_label("founded")).to_be_enabled()
    check(page, f"task-{width}-{scheme}")
    frame.get_by_label("founded").check()
    frame.get_by_role("button", name="Next").click()
    check(page, f"second-{width}-{scheme}")


def check(page: Page, name: str) -> None:
    fits(frame_of(page), page, name, 360 if "360" in name else 1280)
