import datetime

import pytest

from evaluation.kbp.choices import CHOICES
from evaluation.scoring.leaderboard import Row
from evaluation.scoring.listing import ALONE, HIDDEN, ONE, Listing, find, turned
from evaluation.scoring.stored import Measure
from evaluation.views.listing import headings

DAY = datetime.datetime(2026, 3, 1, tzinfo=datetime.UTC)
NOTHING = Measure(None, None, None, "not scored yet")


def row(submission, f1, *, precision=0.5, team="A", rank=1, labels=100, **fields):
    measures = dict.fromkeys(CHOICES.measures, NOTHING)
    if f1 is not None:
        for name, value in (("precision", precision), ("recall", 0.5), ("f1", f1)):
            measures[name] = Measure(value, value - 0.1, value + 0.1)
    given = {
        "rank": rank,
        "submission": submission,
        "team": team,
        "name": f"system {submission}",
        "measures": measures,
        "labels": labels,
        "counts": {},
        "date": DAY,
        "epoch": 1,
        "state": "scored",
        "is_public": True,
        "is_own": False,
        "is_baseline": False,
        "chosen_after": None,
        "why": "",
        "standard": "votes",
    }
    return Row(**(given | fields))


def listed(rows, size=50, runs_of=None, **asked):
    return find(rows, Listing(**asked), CHOICES, ranked_by="f1", runs_of=runs_of, size=size)


def keys(found):
    return [one.row.submission for one in (*found.scored, *found.unscored)]


def test_rows_keep_their_order_unless_asked():
    assert keys(listed([row(2, 0.7), row(1, 0.5)])) == [2, 1]


def test_rows_without_a_value_stand_last_whichever_way_they_are_sorted():
    rows = [row(1, 0.5, rank=None), row(2, 0.4, rank=3), row(3, 0.6, rank=1)]
    assert keys(listed(rows, sort="rank")) == [3, 2, 1]
    assert keys(listed(rows, sort="rank", is_descending=True)) == [2, 3, 1]


def test_names_are_sorted_without_case_and_accents():
    rows = [row(1, 0.5, name="Zebra"), row(2, 0.5, name="émile"), row(3, 0.5, name="Dora")]
    assert keys(listed(rows, sort="name")) == [3, 2, 1]


@pytest.mark.parametrize("wanted", ["UNI ZÜRICH", "zurich", "big"])
def test_a_search_finds_names_and_teams_without_case_and_accents(wanted):
    rows = [row(1, 0.5, name="big-run", team="Uni Zürich"), row(2, 0.4, name="other", team="B")]
    assert keys(listed(rows, search=wanted)) == [1]


def test_filters_hold_together():
    rows = [
        row(1, 0.9, is_baseline=True, labels=400),
        row(2, 0.8, labels=50),
        row(3, 0.7, labels=400),
        row(4, 0.6, labels=400, team="B"),
    ]
    assert keys(listed(rows, baselines=HIDDEN, labels=100, team="A")) == [3]
    assert keys(listed(rows, baselines=ALONE)) == [1]


def test_a_page_goes_on_where_the_last_one_ended_with_the_unscored_after_all():
    rows = [row(1, 0.9), row(2, 0.8), row(3, 0.7), row(4, None, labels=None, rank=None)]
    second = listed(rows, size=2, page=2)
    assert (keys(second), second.first, second.last, second.pages) == ([3, 4], 3, 4, 2)
    assert [one.submission for one in second.every] == [1, 2, 3]


def test_a_page_beyond_the_last_is_the_last():
    assert keys(listed([row(1, 0.9), row(2, 0.8), row(3, 0.7)], size=2, page=9)) == [3]


def test_a_team_that_chose_no_run_is_shown_by_its_best_which_says_of_how_many():
    found = listed([row(1, 0.9), row(2, 0.8), row(3, 0.7, team="B")], runs=ONE, runs_of={"A": 3, "B": 1})
    assert [(one.row.submission, one.standing) for one in found.scored] == [
        (1, "the best of 3 runs of its team"),
        (3, ""),
    ]


def test_a_chosen_run_stands_for_its_team_however_it_scored():
    (one,) = listed([row(1, 0.9), row(2, 0.2, chosen_after=0)], runs=ONE, runs_of={"A": 2}).scored
    assert one.row.submission == 2
    assert "before it knew a score" in one.standing


def test_a_run_of_few_labels_is_not_the_best_while_another_has_a_rank():
    assert keys(listed([row(1, 0.99, rank=None, labels=5), row(2, 0.5)], runs=ONE)) == [2]


def test_one_run_of_each_team_is_picked_before_rows_are_filtered():
    rows = [row(1, 0.9, labels=40), row(2, 0.8, labels=400)]
    assert keys(listed(rows, runs=ONE, labels=100)) == []


def test_a_rank_is_the_same_whatever_is_listed():
    rows = [row(1, 0.9, rank=1), row(2, 0.8, rank=1), row(3, 0.1, rank=3, team="B")]
    (best, other) = listed(rows, runs=ONE).scored
    assert (best.row.rank, other.row.rank) == (1, 3)


def test_a_heading_sorts_as_a_column_is_best_read_and_then_the_other_way():
    first = turned(Listing(page=3), "recall", CHOICES, "f1")
    assert (first.sort, first.is_descending, first.page) == ("recall", True, 1)
    assert not turned(first, "recall", CHOICES, "f1").is_descending
    assert not turned(Listing(), "name", CHOICES, "f1").is_descending


def test_a_list_of_columns_says_the_order_in_words_of_the_column():
    orders = {name: head.order for name, head in headings(Listing(), CHOICES, "f1").items()}
    assert orders["f1"] == "from the highest"
    assert orders["team"] == orders["name"] == "A to Z"
    assert orders["date"] == "the newest first"
    assert orders["rank"] == "from the first"


def test_a_column_that_rows_are_sorted_by_says_its_order_as_it_is():
    rising = headings(Listing(sort="f1"), CHOICES, "f1")["f1"]
    assert (rising.natural, rising.sorted, rising.order) == ("f1", "ascending", "from the lowest")
    falling = headings(Listing(sort="team", is_descending=True), CHOICES, "f1")["team"]
    assert (falling.natural, falling.sorted, falling.order) == ("-team", "descending", "Z to A")
