"""Sending a file over a bad line, and finding out what is wrong with it."""

import csv
import gzip
import json

import pytest
from playwright.sync_api import expect

from evaluation.models import Submission, Upload
from evaluation.views import upload as upload_view
from kbpo import pipeline
from kbpo.core.storage.folder import path_of
from tests.browser.test_submitting import KB
from tests.factories import CorpusFactory, DocumentFactory, EpochFactory, TeamFactory, UserFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PIECE = 1000
BAD = KB.replace("city_of_birth", "likes").replace("DOC:22-32\n:E2\tmention", "DOC:900-910\n:E2\tmention")
PIECES = "**/api/v1/uploads/*-*/"  # where one upload is


@pytest.fixture(autouse=True)
def home(settings, tmp_path, monkeypatch):
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.KBPO_HOME = tmp_path / "home"
    monkeypatch.setattr(upload_view, "PIECE", PIECE)


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
    """A file of nine pieces and a bit."""
    path = tmp_path / "run1.kb"
    path.write_text(KB + "# a remark of forty characters, and so on\n" * 216)
    return path


@pytest.fixture
def bad(tmp_path):
    path = tmp_path / "bad.kb"
    path.write_text(BAD)
    return path


class Line:
    """The line to the server: it lets some pieces through, and then breaks until it is mended."""

    def __init__(self, page, pieces):
        self.left, self.page, self.offsets = pieces, page, []
        page.route(PIECES, self.carry)

    def carry(self, route):
        if route.request.method == "PATCH":
            if self.left == 0:
                return route.abort("connectionreset")
            self.left -= 1
            self.offsets.append(int(route.request.headers["upload-offset"]))
        return route.continue_()

    def mend(self):
        self.left = 1000


def words(page):
    return page.locator("[data-words]")


def fill_in(page, name="Finder"):
    page.get_by_label("Name of the system").fill(name)
    page.get_by_label("Judge it as soon as it is accepted").uncheck()


def submit_file(page):
    page.get_by_role("button", name="Submit it").click()


@pytest.mark.slow
def test_an_upload_goes_on_when_the_line_is_mended(open_page, member, kb):
    page = open_page("/submissions/new/", user=member)
    line = Line(page, pieces=3)
    page.get_by_label("File", exact=True).set_input_files(kb)
    expect(words(page)).to_contain_text("The connection is broken; what was sent is kept")
    assert Upload.objects.get().offset == 3 * PIECE
    line.mend()
    expect(words(page)).to_contain_text("run1.kb is here")
    assert line.offsets == list(range(0, kb.stat().st_size, PIECE))  # no byte went twice
    fill_in(page)
    submit_file(page)
    expect(page.get_by_role("heading", name="Waiting to be read")).to_be_visible()
    assert Submission.objects.get().file.read() == kb.read_bytes()


def test_an_upload_goes_on_after_a_reload(open_page, member, kb):
    page = open_page("/submissions/new/", user=member)
    Line(page, pieces=4)
    page.get_by_label("File", exact=True).set_input_files(kb)
    expect(words(page)).to_contain_text("The connection is broken")
    page.reload()  # over the broken line, else the next attempt may be faster
    page.unroute(PIECES)
    expect(page.get_by_text("choose the same file to go on")).to_be_visible()
    line = Line(page, pieces=1000)
    page.get_by_label("File", exact=True).set_input_files(kb)
    expect(words(page)).to_contain_text("run1.kb is here")
    assert line.offsets[0] == 4 * PIECE
    assert path_of(Upload.objects.get().place).read_bytes() == kb.read_bytes()


@pytest.mark.slow
def test_another_file_is_not_taken_for_the_unfinished_one(open_page, member, kb):
    page = open_page("/submissions/new/", user=member)
    Line(page, pieces=4)
    page.get_by_label("File", exact=True).set_input_files(kb)
    expect(words(page)).to_contain_text("The connection is broken")
    page.reload()  # over the broken line, else the next attempt may be faster
    page.unroute(PIECES)
    kb.write_text(kb.read_text().replace("# a", "# A"))  # as large, and changed since
    page.get_by_label("File", exact=True).set_input_files(kb)
    expect(words(page)).to_contain_text("run1.kb is here")
    assert Upload.objects.count() == 2
    assert path_of(Upload.objects.exclude(digest="").get().place).read_bytes() == kb.read_bytes()


@pytest.mark.slow
def test_a_form_that_is_sent_early_waits_for_its_file(open_page, member, kb):
    page = open_page("/submissions/new/", user=member)
    line = Line(page, pieces=2)
    page.get_by_label("File", exact=True).set_input_files(kb)
    fill_in(page)
    submit_file(page)
    expect(page.get_by_role("button", name="Waiting for the file")).to_be_disabled()
    line.mend()
    expect(page.get_by_role("heading", name="Waiting to be read")).to_be_visible()


@pytest.mark.slow
def test_an_upload_is_paused_and_gone_on_with(open_page, member, kb):
    page = open_page("/submissions/new/", user=member)
    line = Line(page, pieces=2)
    page.get_by_label("File", exact=True).set_input_files(kb)
    expect(words(page)).to_contain_text("The connection is broken")
    page.get_by_role("button", name="Pause").click()
    expect(words(page)).to_contain_text("Paused")
    line.mend()
    page.get_by_role("button", name="Go on").click()
    expect(words(page)).to_contain_text("run1.kb is here")


@pytest.mark.slow
def test_an_upload_is_thrown_away(open_page, member, kb):
    page = open_page("/submissions/new/", user=member)
    page.get_by_label("File", exact=True).set_input_files(kb)
    expect(words(page)).to_contain_text("run1.kb is here")
    with page.expect_response(lambda answer: answer.request.method == "DELETE"):
        page.get_by_role("button", name="Delete it").click()
    expect(words(page)).to_be_hidden()
    assert not Upload.objects.exists()


def test_a_file_is_dropped_on_the_form(open_page, member):
    page = open_page("/submissions/new/", user=member)
    transfer = page.evaluate_handle(
        "() => { const all = new DataTransfer(); all.items.add(new File(['run1'], 'a.kb')); return all; }"
    )
    page.dispatch_event("[data-drop]", "drop", {"dataTransfer": transfer})
    expect(words(page)).to_contain_text("a.kb is here")


def test_an_empty_file_is_refused_at_once(open_page, member, tmp_path):
    empty = tmp_path / "empty.kb"
    empty.touch()
    page = open_page("/submissions/new/", user=member)
    page.get_by_label("File", exact=True).set_input_files(empty)
    expect(words(page)).to_contain_text("the file is empty")


@pytest.mark.slow
def test_the_same_bytes_are_recognised_before_they_are_submitted(open_page, member, kb):
    page = open_page("/submissions/new/", user=member)
    for name, again in (("Finder", False), ("Finder 2", True)):
        page.goto("/submissions/new/")
        page.get_by_label("File", exact=True).set_input_files(kb)
        expect(words(page)).to_contain_text("run1.kb is here")
        expect(page.get_by_text("This corpus has these very bytes already")).to_be_visible(visible=again)
        if again:
            page.get_by_label("Submit them again").check()
        fill_in(page, name)
        submit_file(page)
        expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()


@pytest.mark.slow
def test_a_second_file_is_sent_in_pieces_too_where_the_corpus_takes_one(open_page, member, kb, tmp_path):
    inputs = CorpusFactory(tag="notes", name="Notes", task="generation")
    DocumentFactory(corpus=inputs, doc_id="I1", text="")
    (tmp_path / "outputs.jsonl").write_text('{"input_id": "I1", "output": "It sails."}\n')
    (tmp_path / "metrics.tsv").write_text("input_id\tsim\nI1\t0.5\n" + "\n" * 3 * PIECE)
    page = open_page("/submissions/new/", user=member)
    second = page.get_by_label("Metrics of the outputs")
    page.get_by_label("Corpus").select_option("News (knowledge base population)")
    expect(second).to_be_hidden()
    page.get_by_label("Corpus").select_option("Notes (generation)")
    page.get_by_label("File", exact=True).set_input_files(tmp_path / "outputs.jsonl")
    expect(words(page).first).to_contain_text("outputs.jsonl is here")
    line = Line(page, pieces=1)
    second.set_input_files(tmp_path / "metrics.tsv")
    fill_in(page, "Ferry")
    submit_file(page)
    expect(page.get_by_role("button", name="Waiting for the file")).to_be_disabled()
    line.mend()
    expect(page.get_by_role("heading", name="Waiting to be read")).to_be_visible()
    assert Submission.objects.get().attachments.get().file.read() == (tmp_path / "metrics.tsv").read_bytes()


@pytest.mark.slow
def test_a_refused_file_shows_each_problem_where_it_stands(open_page, member, bad):
    page = open_page("/submissions/new/", user=member)
    page.get_by_label("File", exact=True).set_input_files(bad)
    fill_in(page)
    submit_file(page)
    expect(page.get_by_role("heading", name="Waiting to be read")).to_be_visible()
    pipeline.validate_submissions()
    expect(page.get_by_role("heading", name="Refused: the file has errors")).to_be_visible()
    page.get_by_role("link", name="All problems").click()
    page.get_by_label("Code").select_option("ILLEGAL_PREDICATE")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("table.problems tbody tr")).to_have_count(1)

    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    (row,) = csv.DictReader(download.value.path().read_text().splitlines())
    assert (row["line"], row["column"], row["text"]) == ("8", "2", "per:likes")
    with page.expect_download() as download:
        page.get_by_role("link", name="JSON").click()
    assert [row["code"] for row in json.loads(download.value.path().read_text())] == ["ILLEGAL_PREDICATE"]

    page.get_by_role("link", name="Line 8").click()
    expect(page.get_by_role("heading", name="Line 8")).to_be_visible()
    expect(page.locator("[aria-current=true] mark")).to_have_text("per:likes")
    page.get_by_role("link", name="Problem in line 6").click()
    expect(page.locator("[aria-current=true] mark")).to_have_text("DOC:900-910")


@pytest.mark.slow
def test_a_system_is_cancelled_withdrawn_and_submitted_anew(open_page, member, kb):
    page = open_page("/submissions/new/", user=member)
    page.get_by_label("File", exact=True).set_input_files(kb)
    fill_in(page)
    submit_file(page)
    expect(page.get_by_role("heading", name="Waiting to be read")).to_be_visible()
    page.get_by_text("Cancel this submission").click()
    page.get_by_role("button", name="Cancel Finder").click()
    expect(page.get_by_role("heading", name="Cancelled")).to_be_visible()

    page.get_by_role("link", name="Submit another file").click()
    expect(page.get_by_label("Name of the system")).to_have_value("Finder")  # its name is free again
    page.get_by_label("File", exact=True).set_input_files(kb)  # nobody judged these bytes: they are new
    submit_file(page)
    expect(page.get_by_role("heading", name="Waiting to be read")).to_be_visible()
    pipeline.validate_submissions()
    page.get_by_role("button", name="Have it judged").click()
    pipeline.sample_submissions()
    expect(page.get_by_role("heading", name="People are judging it")).to_be_visible()
    page.get_by_text("Withdraw this system").click()
    page.get_by_role("button", name="Withdraw Finder").click()
    expect(page.get_by_role("heading", name="Withdrawn")).to_be_visible()
    assert list(Submission.objects.order_by("pk").values_list("state", flat=True)) == [
        "cancelled",
        "withdrawn",
    ]


@pytest.mark.slow
def test_the_accepted_claims_are_asked_for_and_downloaded(open_page, member, kb):
    page = open_page("/check/", user=member)
    page.get_by_label("File", exact=True).set_input_files(kb)
    expect(words(page)).to_contain_text("run1.kb is here")
    page.get_by_role("button", name="Check it").click()
    expect(page.get_by_role("heading", name="Waiting to be read")).to_be_visible()
    pipeline.read_checks()
    page.get_by_role("button", name="Write the accepted claims as a file").click()
    expect(page.get_by_text("that takes about 1 s")).to_be_visible()
    pipeline.normalise_files()
    with page.expect_download() as download:  # the link comes by itself
        page.get_by_role("link", name="Download the accepted claims").click()
    written = gzip.decompress(download.value.path().read_bytes()).decode()
    assert "per:city_of_birth\t:E2\tDOC:0-33\t0.8" in written
    assert "a remark" not in written


def test_a_file_is_checked_and_then_submitted(open_page, member, kb):
    page = open_page("/check/", user=member)
    page.get_by_label("File", exact=True).set_input_files(kb)
    expect(words(page)).to_contain_text("run1.kb is here")
    page.get_by_role("button", name="Check it").click()
    expect(page.get_by_role("heading", name="Waiting to be read")).to_be_visible()
    pipeline.read_checks()
    expect(page.get_by_role("heading", name="It would be accepted")).to_be_visible()
    assert not Submission.objects.exists()
    page.get_by_role("link", name="Submit it", exact=True).click()
    fill_in(page)
    submit_file(page)
    expect(page.get_by_role("heading", name="Waiting to be read")).to_be_visible()
    assert Submission.objects.get().file.read() == kb.read_bytes()
