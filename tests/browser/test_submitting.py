"""Submitting a system, as a person does."""

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import expect

from evaluation.models import Submission
from kbpo import pipeline
from tests.factories import (
    CorpusFactory,
    DocumentFactory,
    EpochFactory,
    InstanceFactory,
    PredictionFactory,
    ProblemFactory,
    SampleBatchFactory,
    ScoreFactory,
    SubmissionFactory,
    TeamFactory,
    UserFactory,
)

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
KB = """\
run1
:E1\ttype\tPER
:E1\tcanonical_mention\t"Ada Quill"\tDOC:0-8
:E1\tmention\t"Ada Quill"\tDOC:0-8
:E2\ttype\tGPE
:E2\tcanonical_mention\t"Port Hallow"\tDOC:22-32
:E2\tmention\t"Port Hallow"\tDOC:22-32
:E1\tper:city_of_birth\t:E2\tDOC:0-33\t0.8
"""


@pytest.fixture(autouse=True)
def media(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.fixture
def member():
    user = UserFactory()
    TeamFactory(name="Wren", members=[user])
    corpus = CorpusFactory(tag="news", name="News")
    DocumentFactory(corpus=corpus, doc_id="DOC", sentences=True)
    EpochFactory(corpus=corpus)
    return user


@pytest.fixture
def kb(tmp_path):
    path = tmp_path / "run1.kb"
    path.write_text(KB)
    return path


def fill_in(page, kb, name="Finder"):
    page.get_by_label("Name of the system").fill(name)
    page.get_by_label("File", exact=True).set_input_files(kb)
    page.get_by_label("Judge it as soon as it is accepted").uncheck()


@pytest.mark.slow
def test_a_page_follows_its_submission_by_itself(open_page, member, kb):
    page = open_page("/submissions/new/", user=member)
    fill_in(page, kb)
    page.get_by_role("button", name="Submit it").click()
    expect(page.get_by_role("heading", name="Waiting to be read")).to_be_visible()
    pipeline.validate_submissions()
    expect(page.get_by_role("heading", name="Accepted")).to_be_visible()
    expect(page.get_by_role("button", name="Have it judged")).to_be_visible()


def test_a_refused_form_keeps_the_chosen_file(open_page, member, kb):
    SubmissionFactory(team=member.teams.get(), corpus__tag="other", name="Finder")
    Submission.objects.update(corpus=member.teams.get().submissions.get().corpus)
    page = open_page("/submissions/new/?corpus=other", user=member)
    fill_in(page, kb)
    page.get_by_role("button", name="Submit it").click()
    expect(page.get_by_role("alert")).to_contain_text("choose another name")
    page.get_by_label("Name of the system").fill("Finder 2")
    page.get_by_role("button", name="Submit it").click()
    expect(page.get_by_role("heading", name="Finder 2")).to_be_visible()


def test_a_system_is_submitted_without_scripts(open_page, member, kb):
    page = open_page("/submissions/new/", user=member, scripts=False)
    fill_in(page, kb)
    page.get_by_role("button", name="Submit it").click()
    expect(page.get_by_role("heading", name="Waiting to be read")).to_be_visible()


def test_nobody_withdraws_by_one_click(open_page, member):
    submission = SubmissionFactory(team=member.teams.get(), state="judging")
    page = open_page(f"/submissions/{submission.pk}/", user=member)
    button = page.get_by_role("button", name=f"Withdraw {submission.name}")
    expect(button).to_be_hidden()
    page.get_by_text("Withdraw this system").click()
    button.click()
    expect(page.get_by_role("heading", name="Withdrawn")).to_be_visible()


@pytest.fixture
def full(member):
    """A site with something on every page; the addresses of its pages."""
    corpus = CorpusFactory(tag="full", name="A corpus with a name that is rather long for a small telephone")
    for index in range(3):
        submission = SubmissionFactory(
            corpus=corpus,
            team=member.teams.get(),
            name=f"system-with-an-unbroken-name-{index}" * 2,
            state="scored",
        )
        document = DocumentFactory(corpus=corpus, sentences=True, title="unbroken" * 12)
        PredictionFactory(submission=submission, instance=InstanceFactory(document=document))
        batch = SampleBatchFactory(submission=submission, epoch__number=index + 1, epoch__released=True)
        for part in ("all", "relation", "linking"):
            ScoreFactory(batch=batch, part=part)
    SubmissionFactory(corpus=corpus, team=member.teams.get(), state="judging")
    kb = ContentFile(b"run\n" + b"unbroken" * 200 + b"\n:E1\tper:likes\t:E2\n", name="a.kb")
    refused = SubmissionFactory(corpus=corpus, team=member.teams.get(), state="refused", file=kb)
    ProblemFactory(submission=refused, line=2, text="unbroken" * 12)
    ProblemFactory(submission=refused, line=3, column=2, severity="WARNING")
    accepted = SubmissionFactory(corpus=corpus, team=member.teams.get(), state="accepted")
    PredictionFactory(
        submission=accepted, instance=InstanceFactory(document=document, predicate="per:spouse")
    )
    EpochFactory(corpus=corpus, number=9)
    failed = SubmissionFactory(corpus=corpus, team=member.teams.get(), state="failed")
    return [
        "/?corpus=full",
        "/corpora/full/",
        "/corpora/full/documents/",
        f"/corpora/full/documents/{document.doc_id}/",
        f"/corpora/full/systems/{submission.pk}/",
        f"/submissions/{submission.pk}/",
        "/submissions/",
        f"/submissions/{refused.pk}/",
        f"/submissions/{refused.pk}/problems/",
        f"/submissions/{refused.pk}/lines/?line=2",
        f"/submissions/{accepted.pk}/",
        f"/submissions/{failed.pk}/",
        "/submissions/new/",
        "/check/",
        "/",
        "/teams/",
        f"/teams/{member.teams.get().pk}/",
        "/help/",
        "/no/such/page/",
    ]


@pytest.mark.parametrize(
    "width", [360, *(pytest.param(width, marks=pytest.mark.slow) for width in (800, 1280, 1920))]
)
def test_no_page_is_wider_than_the_screen(open_page, member, full, width):
    page = open_page("/", user=member, width=width)
    for address in full:
        page.goto(address)
        wider = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wider <= 0, address


CONTRAST = """
() => {
  const paint = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const rgba = (colour) => {
    paint.clearRect(0, 0, 1, 1);
    paint.fillStyle = colour;
    paint.fillRect(0, 0, 1, 1);
    return [...paint.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((v) => {
      v /= 255;
      return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = rgba(getComputedStyle(one).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255, 255];
  };
  const faint = new Set();
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const [a, b] = [light(rgba(style.color)), light(ground(element))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) faint.add(`${element.tagName}.${element.className}`);
  }
  return [...faint];
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_word_stands_out_from_its_ground(open_page, member, full, scheme):
    page = open_page("/", user=member, scheme=scheme)
    for address in full:
        page.goto(address)
        assert page.evaluate(CONTRAST) == [], address


def test_the_keyboard_reaches_the_content_at_once(open_page, member):
    page = open_page("/submissions/", user=member)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Submit a system")).to_be_focused()
