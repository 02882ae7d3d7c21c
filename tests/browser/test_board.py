"""A leaderboard of many systems: on a phone and a desk, and sorted without a jump to the top."""

import re

import pytest
from playwright.sync_api import expect

from evaluation.models import Epoch, Score
from tests.browser.axe import violations
from tests.browser.conftest import OpenPage
from tests.browser.looks import fit_fingers, looks, picture
from tests.factories import EpochFactory, SampleBatchFactory, ScoreFactory, SubmissionFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def epoch() -> Epoch:
    epoch = EpochFactory.create(corpus__tag="news")
    for index in range(30):
        name = f"bidirectional-tagger_{index}.checkpoint-of-the-{index}th-epoch" if index % 2 else f"s{index}"
        submission = SubmissionFactory.create(
            corpus=epoch.corpus, state="scored", name=name, is_baseline=index == 4
        )
        batch = SampleBatchFactory.create(epoch=epoch, submission=submission)
        value = 0.2 + index / 50
        ScoreFactory.create(batch=batch, f=(value, value - 0.05, value + 0.05))
    SubmissionFactory.create(corpus=epoch.corpus, state="judging", name="x" * 100)
    return epoch


@looks(360, 1280)
def test_it_fits_and_is_accessible_with_long_names_and_all_choices_open(
    open_page: OpenPage, epoch: Epoch, width: int, scheme: str
) -> None:
    page = open_page("/corpora/news/", width=width, scheme=scheme)
    for details in page.locator("details").all():
        details.evaluate("one => { one.open = true; }")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(page) == []
    if width == 360:
        assert fit_fingers(
            page, "#board .system a, #board summary, #board button, #board select", at_least=30
        )
    picture(page, f"board-{width}-{scheme}")


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 768])
def test_a_rank_stands_beside_the_first_line_of_its_systems_name(
    open_page: OpenPage, epoch: Epoch, width: int
) -> None:
    Score.objects.update(rank=1004)
    page = open_page("/corpora/news/", width=width)
    tops = page.locator("#board .board tbody tr").evaluate_all(
        """rows => rows.map((row) => {
          const first = (one) => {
            const range = document.createRange();
            range.selectNodeContents(one);
            return range.getClientRects()[0].top;
          };
          return [row.querySelector(".rank"), row.querySelector(".system > a")].map(first);
        })"""
    )
    assert len(tops) == 30
    assert [round(rank - name) for rank, name in tops] == pytest.approx([0] * 30, abs=2)


def test_a_heading_sorts_where_it_stands_and_back_brings_the_former_order(
    open_page: OpenPage, epoch: Epoch
) -> None:
    page = open_page("/corpora/news/")
    first = page.locator("#board .system").first
    expect(first).to_contain_text("29")
    page.evaluate("window.isTheSame = true")
    page.locator("#sort-f1").click()
    expect(first).to_contain_text("s0")
    expect(page).to_have_url(re.compile(r"\?sort=f1#board$"))
    expect(page.locator("#sort-f1")).to_be_focused()
    page.go_back()
    expect(first).to_contain_text("29")
    assert page.evaluate("window.isTheSame")
