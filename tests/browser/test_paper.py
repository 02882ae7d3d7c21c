"""Pages on paper, headings that stay in sight, and the page of a submission that keeps itself up to date."""

import pytest
from playwright.sync_api import expect

from evaluation.models import Submission
from evaluation.submissions import lifecycle
from tests.factories import (
    CorpusFactory,
    EpochFactory,
    SampleBatchFactory,
    ScoreFactory,
    SubmissionFactory,
    TeamFactory,
    UserFactory,
)

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SYSTEMS = 25  # more than a screen has

#: What stands beyond the sheet's right edge.
CUT = """() => [...document.querySelectorAll("main th, main td")]
    .filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > innerWidth + 1)
    .map((one) => one.textContent.trim())"""


@pytest.fixture
def member():
    user = UserFactory.create()
    TeamFactory.create(name="Wren", members=[user])
    return user


@pytest.fixture
def board(member):
    corpus = CorpusFactory.create(tag="news", name="News")
    epoch = EpochFactory.create(corpus=corpus, released=True)
    for number in range(SYSTEMS):
        system = SubmissionFactory.create(
            corpus=corpus, team=member.teams.get(), name=f"System {number}", state="scored"
        )
        ScoreFactory.create(batch=SampleBatchFactory.create(submission=system, epoch=epoch), part="all")
    return corpus


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_leaderboard_on_paper_is_whole_and_black_on_white_and_has_no_menus(open_page, board, scheme):
    page = open_page(
        "/leaderboard/?corpus=news", scheme=scheme, width=720
    )  # about what A4 has between margins
    page.emulate_media(media="print", color_scheme=scheme)
    for hidden in (page.get_by_role("navigation", name="Main"), page.get_by_role("button", name="Search")):
        expect(hidden).to_be_hidden()
    table = page.locator("table.board")
    assert table.evaluate("one => getComputedStyle(one).display") == "table"
    assert table.locator("thead").evaluate("one => getComputedStyle(one).display") == "table-header-group"
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert page.evaluate(CUT) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 720


@pytest.mark.slow
def test_a_long_leaderboard_is_printed_on_several_sheets(open_page, board):
    made = open_page("/leaderboard/?corpus=news").pdf(format="A4")
    assert made.startswith(b"%PDF-")
    assert made.count(b"/Type /Page\n") >= 2


def test_the_headings_of_a_long_leaderboard_stay_in_sight(open_page, board):
    page = open_page("/leaderboard/?corpus=news")
    page.get_by_role("link", name="System 24", exact=True).scroll_into_view_if_needed()
    top = page.locator("table.board thead th").first.bounding_box()["y"]
    assert 0 <= top < 100
    assert page.locator("table.board tbody tr").first.bounding_box()["y"] < 0


@pytest.mark.slow
def test_a_submissions_page_follows_its_state_and_says_so(open_page, member):
    system = SubmissionFactory.create(team=member.teams.get(), name="Finder", state="uploaded")
    page = open_page(f"/submissions/{system.pk}/", user=member)
    before = page.locator("#state").inner_text()
    Submission.objects.filter(pk=system.pk).update(state="accepted")
    expect(page.locator("#state")).not_to_have_text(before)
    expect(page.locator("#news")).to_have_text(page.locator("#state").inner_text())


@pytest.mark.slow
def test_a_submissions_page_does_not_change_under_somebody_who_is_at_a_control(open_page, member):
    system = SubmissionFactory.create(team=member.teams.get(), name="Finder", state="accepted", go_ahead=True)
    page = open_page(f"/submissions/{system.pk}/", user=member)
    page.clock.install()
    page.reload()
    before = page.locator("#state").inner_text()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.locator("#live summary").first.focus()
    lifecycle.cancel(submission=system, user=member)
    page.clock.run_for(10_000)
    expect(page.locator("#state")).to_have_text(before)
    assert asked == []
    page.locator("#content").focus()
    page.clock.run_for(10_000)
    expect(page.locator("#state")).not_to_have_text(before)
