"""What a team can try, on ten real systems: estimates move as the truth does, and wide spans pay nobody."""

import pytest

from research.experiments import adversary
from research.experiments.adversary.manoeuvres import MANOEUVRES
from research.experiments.outcome import Options
from tests.knowledgenet import FOLDER, needs_knowledgenet

pytestmark = [needs_knowledgenet, pytest.mark.slow]


@pytest.fixture(scope="module")
def table(simulate_once):
    return simulate_once("adversary", lambda: adversary.run(Options(knowledgenet=FOLDER)).numbers)[
        "manoeuvres"
    ]


def test_an_estimate_moves_as_the_truth_moves(table):
    away = [
        abs(figure["standard errors away"])
        for row in table.values()
        for figure in row.get("estimate", {}).values()
    ]
    assert len(away) > 60
    # The standard errors are those of 60 differences, and systems' cells go together.
    assert sum(one <= 3 for one in away) >= 0.97 * len(away)
    assert max(away) < 4.5


def test_what_changes_no_claim_moves_no_exact_score(table):
    for one in MANOEUVRES:
        changes = table[one.name].get("most of three systems", {})
        if not one.changes_claims:
            assert max(map(abs, changes.values()), default=0) < 1e-12, one.name


@pytest.mark.parametrize(
    "name",
    [one.name for one in MANOEUVRES if one.group == "spans" or one.name.startswith("flood the predicate")],
)
def test_neither_spans_nor_floods_raise_the_micro_average(table, name):
    assert table[name]["most of three systems"]["relation instance f1"] <= 1e-12


def test_too_few_claims_have_no_rank(table):
    assert table["1 claim"]["without a rank"] == 1
