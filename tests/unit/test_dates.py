"""On which days `make test-dates` runs which tests."""

from datetime import UTC, datetime

import pytest

from tests.conftest import ROOT
from tests.dates import __main__ as dates
from tests.dates.days import DAYS, ZONES, begin, next_change, next_leap_day
from tests.dates.selection import ON_ANY_DAY, ON_OTHER_DAYS, paths, unlisted

NOVEMBER = datetime(2026, 11, 22, 8, 30, tzinfo=UTC)


def test_every_test_of_the_time_runs_on_other_days_or_is_known_not_to_need_it() -> None:
    assert list(unlisted()) == []


def test_all_that_is_listed_is_there() -> None:
    assert [name for name in (*ON_OTHER_DAYS, *ON_ANY_DAY) if not (ROOT / "tests" / name).exists()] == []
    assert {path.name for path in paths()} > {"test_faults.py", "test_lifecycle.py", "test_uploads.py"}


def test_the_clocks_are_put_back_or_forward_at_two() -> None:
    # https://www.timeanddate.com/time/change/usa/new-york?year=2027 and …/new-zealand/auckland?year=2027
    assert next_change(NOVEMBER, "America/New_York") == datetime(2027, 3, 14, 7, tzinfo=UTC)
    assert next_change(NOVEMBER, "Pacific/Auckland") == datetime(2027, 4, 3, 14, tzinfo=UTC)


def test_a_zone_without_summer_time_has_no_change() -> None:
    with pytest.raises(ValueError, match="summer time"):
        next_change(NOVEMBER, "Africa/Nairobi")


def test_the_next_leap_day_is_ahead() -> None:
    # noon in Auckland, in its summer, is an hour before midnight in UTC
    assert next_leap_day(NOVEMBER, "Pacific/Auckland") == datetime(2028, 2, 28, 23, tzinfo=UTC)
    assert next_leap_day(NOVEMBER, "America/New_York") == datetime(2028, 2, 29, 17, tzinfo=UTC)
    assert next_leap_day(datetime(2028, 2, 29, 18, tzinfo=UTC), "America/New_York").year == 2032


@pytest.mark.parametrize("zone", ZONES)
def test_there_are_five_days_and_all_are_ahead(zone: str) -> None:
    moments = [begin(name, NOVEMBER, zone) for name in DAYS]
    assert len(set(moments)) == 5
    assert min(moments) > NOVEMBER


def test_without_faketime_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(dates.shutil, "which", lambda name: None)
    assert dates.main() == 1
    assert "apt-get install faketime" in capsys.readouterr().err


@pytest.mark.parametrize("bad", [None, "a leap day"])
def test_one_bad_day_fails_all_and_is_named(
    bad: str | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    begun: list[datetime] = []

    def run(program: str, day: datetime, *_: object) -> tuple[int, str]:
        begun.append(day)
        failed = bad == "a leap day" and (day.month, day.day) == (2, 29)
        return (1, "1 failed, 2 passed") if failed else (0, "3 passed")

    monkeypatch.setattr(dates.shutil, "which", lambda name: name)
    monkeypatch.setattr(dates.sys, "argv", ["dates", "2"])
    monkeypatch.setattr(dates, "run", run)
    assert dates.main() == (bad is not None)
    summary = capsys.readouterr().out.partition("On other days")[2].splitlines()
    assert len(begun) == 10
    assert [line for line in summary if line.startswith("FAILED")] == [
        line for line in summary if bad and bad in line
    ]
