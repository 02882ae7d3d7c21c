"""The service's main job, as people do it: from signing up to a score on the leaderboard."""

import re
from pathlib import Path

import pytest
from django.core import mail
from django.core.management import call_command
from playwright.sync_api import Page, expect

from annotations import responses
from annotations.kinds.registry import read_question
from annotations.kinds.relation import RelationQuestion
from annotations.models import Question, kind_names
from evaluation.models import Submission
from kbpo import pipeline
from kbpo.accounts.models import User
from tests.world import Fact, World

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PASSWORD = "a long pass phrase"


@pytest.fixture(autouse=True)
def media(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(6)
    call_command(
        "load_corpus",
        str(world.write_corpus(tmp_path / "c.jsonl")),
        "--corpus",
        "small",
        "--name",
        "Small",
        "--audit-share",
        "0",
    )
    call_command("load_gold", str(world.write_gold(tmp_path / "g.jsonl")), "--corpus", "small")
    return world


@pytest.fixture
def kb(world: World, tmp_path: Path) -> Path:
    claims = [
        Fact(0, "per:spouse", "first", "second"),
        Fact(1, "per:employee_or_member_of", "first", "org"),
        Fact(2, "per:city_of_birth", "second", "city"),
        Fact(3, "per:parents", "first", "second"),
    ]
    return world.write_kb(tmp_path / "finder.kb", [(fact, 0.75) for fact in claims])


def true_relations(world: World, question: Question) -> list[dict[str, object]]:
    """What an attentive reader ticks."""
    asked = read_question(question.kind, question.payload)
    assert isinstance(asked, RelationQuestion)
    document = int(question.document.doc_id.removeprefix("D"))
    spans = [mention.span for mention in asked.mentions]
    ticked = []
    for offer in asked.offered:
        for fact in world.true:
            named = (world.span(document, fact.subject), world.span(document, fact.object))
            if (
                fact.document == document
                and world.STORED.get(fact.predicate, fact.predicate) == offer.predicate
                and named == (tuple(spans[offer.subject]), tuple(spans[1 - offer.subject]))
            ):
                ticked.append({"predicate": offer.predicate, "subject": offer.subject})
    return ticked


def answer(world: World, question: Question) -> dict[str, object]:
    if question.kind == kind_names.CANONICAL:
        return {"right": True}
    ticked = true_relations(world, question)
    return {"relations": ticked} if ticked else {"relations": [], "none": True}


def sign_up(page: Page, address: str) -> None:
    page.get_by_role("link", name="Create an account").click()
    page.get_by_label("Email").fill(address)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password (again)").fill(PASSWORD)
    page.get_by_role("button", name=re.compile("sign up", re.IGNORECASE)).click()
    expect(page.get_by_text(address).first).to_be_visible()
    link = re.search(r"http://\S+", str(mail.outbox[-1].body))
    assert link is not None
    page.goto(link.group(0))
    page.get_by_role("button", name=re.compile("confirm", re.IGNORECASE)).click()


def judge_by_keyboard(page: Page, world: World) -> int:
    """Answer whatever comes, without touching the mouse, until nothing waits; return how many pages."""
    page.get_by_role("button", name="Start").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/annotate/questions/\d+/"))
    seen = 0
    while True:
        page.wait_for_load_state()
        match = re.search(r"/annotate/questions/(\d+)/", page.url)
        if match is None:
            return seen
        seen += 1
        question = Question.objects.select_related("document").get(pk=int(match.group(1)))
        for step in range(page.locator("[data-step]").count()):
            if step == 0 and question.kind == kind_names.RELATION:
                asked = read_question(question.kind, question.payload)
                assert isinstance(asked, RelationQuestion)
                ticked = true_relations(world, question)
                offers = [{"predicate": offer.predicate, "subject": offer.subject} for offer in asked.offered]
                for key in [str(offers.index(one) + 1) for one in ticked] or ["0"]:
                    page.keyboard.press(key)
            else:
                page.keyboard.press("y")
            page.keyboard.press("Enter")
        expect(page).not_to_have_url(re.compile(rf"/questions/{question.pk}/"))


def test_from_signing_up_to_a_score(open_page, live_server, settings, world: World, kb: Path) -> None:
    settings.SITE_URL = live_server.url  # to which mail leads
    page = open_page("/")
    seen: list[str] = []
    page.on("load", lambda: seen.append(page.url))
    page.get_by_role("link", name="Submit a system").click()
    sign_up(page, "rosa@example.org")

    page.get_by_label("Name of the new team").fill("Wren")
    page.get_by_role("button", name="Make the team").click()
    expect(page.get_by_text("Wren on Small: 4 more of 4 a week")).to_be_visible()
    assert (
        page.get_by_label("Corpus").evaluate("one => one.selectedOptions[0].text")
        == "Small (knowledge base population)"
    )

    page.get_by_label("Name of the system").fill("Finder")
    page.get_by_label("File", exact=True).set_input_files(kb)
    page.get_by_role("button", name="Submit it").click()
    expect(page.get_by_role("heading", name="Finder")).to_be_visible()
    # Sign in, sign up, "check your email", its link, the form twice, and the submission.
    assert len(seen) <= 7, seen

    # The page follows the submission by itself while the pipeline works.
    pipeline.advance()
    submission = Submission.objects.get(name="Finder")
    assert submission.state == "judging"
    expect(page.get_by_text("0 of", exact=False).first).to_be_visible()

    questions = list(Question.objects.select_related("document").order_by("pk"))
    colleague = User.objects.create_user("colleague@example.org", is_annotator=True)  # two who agree suffice
    for question in questions:
        responses.record(question=question, worker=colleague, answer=answer(world, question))
    judge = User.objects.create_user("jan@example.org", PASSWORD, is_annotator=True)
    bench = open_page("/annotate/", user=judge)
    assert judge_by_keyboard(bench, world) >= 4
    assert judge.responses.count() == len(questions)
    assert judge.responses.filter(seconds__gt=0).count() == len(questions)

    pipeline.advance()
    submission.refresh_from_db()
    assert submission.state == "scored"
    score = submission.scores.get(part="all", weighting="instance", level=95, estimator="documents")
    expect(page.get_by_role("heading", name="Scores", exact=True)).to_be_visible()
    page.get_by_role("link", name="Leaderboard", exact=True).click()
    row = page.get_by_role("row", name=re.compile("Finder"))
    precision = score.estimates.get(measure="precision").estimate
    assert precision is not None
    expect(row).to_contain_text(f"{100 * precision:.1f}")
    assert precision == pytest.approx(submission_precision(submission))


def submission_precision(submission: Submission) -> float:
    """The truth: three of the four claims hold, and everything was judged."""
    return sum(
        prediction.probability
        for prediction in submission.predictions.select_related("instance")
        if prediction.instance.predicate != "per:parents"
    )
