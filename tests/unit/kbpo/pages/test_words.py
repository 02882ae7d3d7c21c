"""How sums and times are written at the desk."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.models import Assignment
from evaluation.templatetags.scores import dollars
from kbpo.pages.forms import CapForm
from kbpo.pages.money import ledger
from kbpo.pages.templatetags import desk

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("cents", "words"),
    [(0, "$0.00"), (5, "$0.05"), (-105, "−$1.05"), (123456, "$1,234.56"), (-1, "−$0.01")],
)
def test_a_sum_is_written_with_its_cents(cents: int, words: str) -> None:
    assert dollars(cents) == words


@pytest.mark.parametrize(
    ("cents", "words"),
    [
        *((0, "less than $1"), (99, "less than $1"), (943, "about $9.40"), (996, "about $10.00")),
        *((4_621, "about $46"), (123_456, "about $1,200"), (9_999_999, "about $100,000")),
    ],
)
def test_an_expected_sum_has_the_figures_that_can_be_relied_on(cents: int, words: str) -> None:
    assert dollars(cents, "about") == words


@given(st.integers(0, 10**11))
def test_what_is_typed_as_dollars_is_read_as_the_same_cents(cents: int) -> None:
    shown = CapForm(initial={"cap_cents": cents})["cap_cents"].value()
    form = CapForm({"cap_cents": shown})
    assert form.is_valid()
    assert form.cleaned_data["cap_cents"] == cents


@given(st.integers(-(10**12), 10**12))
def test_a_spreadsheet_reads_the_same_sum(cents: int) -> None:
    whole, _, fraction = ledger.usd(cents).partition(".")
    assert int(whole + fraction) == cents


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\t=1"])
def test_no_text_is_a_formula(text: str) -> None:
    assert ledger.plain(text) == f"'{text}"


@pytest.mark.parametrize(("seconds", "words"), [(14.4, "14 s"), (119, "119 s"), (150, "2 minutes")])
def test_short_times_are_told_in_seconds(seconds: float, words: str) -> None:
    assignment = Assignment(accepted_at=NOW, submitted_at=NOW + timedelta(seconds=seconds))
    assert desk.taken(assignment) == words


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"state": "submitted"}, "waiting"),
        ({"state": "submitted", "flag": "Too fast."}, "to be looked at"),
        ({"state": "submitted", "decision": "reject"}, "rejected; the provider is told in a moment"),
        ({"state": "approved", "decision": "approve"}, "approved"),
        ({"state": "rejected", "decision": "reject"}, "rejected"),
        ({"state": "rejected", "decision": "override"}, "rejected; that is being taken back"),
    ],
)
def test_where_work_stands_is_said_in_words(fields: dict[str, str], words: str) -> None:
    assert desk.stands(Assignment(**fields)) == words
