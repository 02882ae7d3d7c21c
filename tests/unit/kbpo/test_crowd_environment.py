from decimal import Decimal

import pytest

from kbpo.core.errors import InvalidInput
from kbpo.crowd_environment import read

SITE = "https://kbpo.example.org"


def test_work_is_posted_to_the_built_in_marketplace_unless_said_otherwise() -> None:
    given = read({}, site_url=SITE, debug=False)
    assert given.mturk_endpoint_url == "https://kbpo.example.org/marketplace/api/"
    assert given.mturk_is_built_in
    assert given.mturk_keys is None


def test_another_endpoint_is_not_the_built_in_one() -> None:
    given = read({"MTURK_ENDPOINT_URL": "https://mturk.example.net"}, site_url=SITE, debug=False)
    assert not given.mturk_is_built_in


@pytest.mark.parametrize(
    ("site", "pages"),
    [("http://localhost:8000", "http://127.0.0.1:8000"), ("http://127.0.0.1:81", "http://localhost:81")],
)
def test_a_development_machine_serves_hit_pages_under_its_other_name(site: str, pages: str) -> None:
    assert read({}, site_url=site, debug=True).hit_base_url == pages


def test_a_server_has_no_hit_pages_until_their_host_is_named() -> None:
    assert read({}, site_url=SITE, debug=False).hit_base_url == ""


def test_hit_pages_must_not_share_the_sites_host() -> None:
    with pytest.raises(InvalidInput, match="HIT_BASE_URL: must have another host"):
        read({"HIT_BASE_URL": "https://kbpo.example.org:8443"}, site_url=SITE, debug=False)


def test_hit_pages_have_no_path() -> None:
    with pytest.raises(InvalidInput, match="without a path"):
        read({"HIT_BASE_URL": "https://tasks.example.org/x"}, site_url=SITE, debug=False)


def test_outside_debug_addresses_are_https() -> None:
    with pytest.raises(InvalidInput, match="PROLIFIC_API_URL"):
        read({"PROLIFIC_API_URL": "http://prolific.example.org"}, site_url=SITE, debug=False)


def test_half_a_pair_of_keys_is_refused() -> None:
    with pytest.raises(InvalidInput, match="MTURK_SECRET_ACCESS_KEY: must be set"):
        read({"MTURK_ACCESS_KEY_ID": "AKIA"}, site_url=SITE, debug=False)


@pytest.mark.parametrize("value", ["a third", "-1", "101", "NaN", "Infinity"])
def test_a_fee_is_a_percentage(value: str) -> None:
    with pytest.raises(InvalidInput, match="PROLIFIC_FEE_PERCENT: must be a number from 0 to 100"):
        read({"PROLIFIC_FEE_PERCENT": value}, site_url=SITE, debug=False)


def test_the_fee_is_a_third_unless_said_otherwise() -> None:
    assert read({}, site_url=SITE, debug=False).prolific_fee_percent == Decimal("33.34")
    given = read({"PROLIFIC_FEE_PERCENT": "42.86"}, site_url=SITE, debug=False)
    assert given.prolific_fee_percent == Decimal("42.86")


@pytest.mark.parametrize("value", ["0", "1001", "-1", "many"])
def test_hits_per_worker_are_a_number(value: str) -> None:
    with pytest.raises(InvalidInput, match="PROLIFIC_HITS_PER_WORKER: must be a number from 1 to 1000"):
        read({"PROLIFIC_HITS_PER_WORKER": value}, site_url=SITE, debug=False)


def test_rewards_aim_at_fifteen_dollars_an_hour_unless_said_otherwise() -> None:
    assert read({}, site_url=SITE, debug=False).hourly_cents == 1500
    assert read({"CROWD_HOURLY_CENTS": "2000"}, site_url=SITE, debug=False).hourly_cents == 2000


@pytest.mark.parametrize("wage", ["0", "-1", "15.00", "a lot", "100001", "²"])
def test_a_wage_that_is_none_is_refused(wage: str) -> None:
    with pytest.raises(InvalidInput, match="CROWD_HOURLY_CENTS"):
        read({"CROWD_HOURLY_CENTS": wage}, site_url=SITE, debug=False)


def test_unsigned_arrivals_are_refused_unless_they_are_allowed() -> None:
    allowed = [
        read(given, site_url=SITE, debug=False).mturk_unsigned_arrivals
        for given in ({}, {"MTURK_UNSIGNED_ARRIVALS": "0"}, {"MTURK_UNSIGNED_ARRIVALS": "1"})
    ]
    assert allowed == [False, False, True]
    with pytest.raises(InvalidInput, match="MTURK_UNSIGNED_ARRIVALS: must be 1 or 0, not 'yes'"):
        read({"MTURK_UNSIGNED_ARRIVALS": "yes"}, site_url=SITE, debug=False)


def test_one_worker_gives_a_twentieth_of_an_epoch_unless_said_otherwise() -> None:
    assert read({}, site_url=SITE, debug=False).most_percent == 5
    assert read({"CROWD_MOST_PERCENT": "12.5"}, site_url=SITE, debug=False).most_percent == 12.5


@pytest.mark.parametrize("percent", ["0", "101", "-5", "nan", "half"])
def test_a_share_that_is_none_is_refused(percent: str) -> None:
    with pytest.raises(InvalidInput, match="CROWD_MOST_PERCENT"):
        read({"CROWD_MOST_PERCENT": percent}, site_url=SITE, debug=False)
