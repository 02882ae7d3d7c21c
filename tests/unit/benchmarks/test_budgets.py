"""What the benchmark of a large site says of pages that take more than they may."""

import json
import sys

import pytest

from benchmarks import __main__, budgets, large
from tests.conftest import ROOT

WITHIN = {"status": 200, "queries": 16, "median_ms": 150.0}
ALL = {name: {**WITHIN, "queries": most} for name, most in budgets.QUERIES.items()}


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [
        ("visitor: board", {}, []),
        ("visitor: board", {"status": 302}, []),
        ("visitor: board", {"queries": 17}, ["visitor: board: 17 queries, 16 at most"]),
        ("visitor: board", {"median_ms": 150.1}, ["visitor: board: 150.1 ms by the median, 150 at most"]),
        ("visitor: board", {"status": 500}, ["visitor: board: status 500"]),
        ("visitor: new", {}, ["visitor: new: no budget of queries; it asks 16"]),
    ],
)
def test_a_page_over_its_budget_is_a_line(name, changes, said):
    assert list(budgets.over({**ALL, name: {**WITHIN, **changes}})) == said


def test_a_budget_whose_page_is_not_measured_is_told():
    measured = {name: found for name, found in ALL.items() if name != "visitor: board"}
    assert list(budgets.over(measured)) == ["visitor: board: it has a budget, and was not measured"]


def test_times_of_a_small_site_are_not_judged_but_its_queries_are():
    slow = {**ALL, "visitor: board": {**WITHIN, "median_ms": 900.0}, "visitor: method": WITHIN}
    assert list(budgets.over(slow, times=False)) == ["visitor: method: 16 queries, 0 at most"]


def test_what_was_measured_last_is_within_and_every_page_of_it_has_a_budget():
    measured = json.loads((ROOT / "docs/benchmarks/large.json").read_text())["pages"]
    assert list(budgets.over(measured)) == []
    assert measured.keys() == budgets.QUERIES.keys()


@pytest.mark.parametrize(("queries", "status"), [(16, 0), (17, 1)])
def test_the_benchmark_fails_where_a_page_is_over_at_either_size(
    tmp_path, monkeypatch, capsys, queries, status
):
    def apart(home, action, *_):
        few = "quick" in home.name
        pages = {
            **ALL,
            "visitor: board": {
                **WITHIN,
                "queries": queries if few else 16,
                "median_ms": 200.0 if few else 90.0,
            },
        }
        return {"pages": pages} if action == "measure" else {}

    for home in ("large", "large-quick"):
        (tmp_path / home).mkdir()
        (tmp_path / home / "made.json").write_text("{}")
    monkeypatch.setattr(large, "_apart", apart)
    monkeypatch.setattr(sys, "argv", ["benchmarks", "large", "--out", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        __main__.main()
    assert int(ended.value.code) == status
    assert ("OVER: 40 systems: visitor: board: 17 queries" in capsys.readouterr().out) == (status == 1)
    assert json.loads((tmp_path / "large.json").read_text())["pages"]["visitor: board"]["median_ms"] == 90.0
