from ipaddress import ip_network

import pytest

from kbpo.access_environment import Organisation, read
from kbpo.core.errors import InvalidInput

ORCID = {
    "OIDC_NAME": "ORCID",
    "OIDC_SERVER_URL": "https://orcid.org/",
    "OIDC_CLIENT_ID": "APP-1",
    "OIDC_CLIENT_SECRET": "secret",
}


def test_nothing_given_trusts_no_proxy_knows_no_organisation_and_keeps_https_for_an_hour() -> None:
    given = read({}, debug=False)
    assert (given.trusted_proxies, given.organisation, given.hsts_seconds) == ((), None, 3600)


def test_it_takes_nothing_in_only_where_that_is_said() -> None:
    assert [read(given, debug=False).is_read_only for given in ({}, {"READ_ONLY": "1"})] == [False, True]


def test_proxies_are_addresses_and_networks() -> None:
    given = read({"TRUSTED_PROXIES": "10.0.0.5, 172.16.0.0/12, fd00::/8"}, debug=False)
    assert given.trusted_proxies == tuple(map(ip_network, ("10.0.0.5/32", "172.16.0.0/12", "fd00::/8")))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TRUSTED_PROXIES", "proxy.example.org"),
        ("TRUSTED_PROXIES", "0.0.0.0/0"),
        ("TRUSTED_PROXIES", "::/0"),
        ("READ_ONLY", "yes"),
        ("HSTS_SECONDS", "-1"),
        ("HSTS_SECONDS", "an hour"),
        ("HSTS_SECONDS", "٣"),
        ("HSTS_SECONDS", "9" * 9),
        ("OIDC_SERVER_URL", "http://orcid.org"),
        ("OIDC_SERVER_URL", "orcid.org"),
    ],
)
def test_a_value_that_is_wrong_is_refused_by_its_name(name: str, value: str) -> None:
    with pytest.raises(InvalidInput, match=f"^{name}: "):
        read({**ORCID, name: value}, debug=False)


def test_an_organisation_is_read_whole() -> None:
    assert read(ORCID, debug=False).organisation == Organisation(
        "ORCID", "https://orcid.org", "APP-1", "secret"
    )


def test_an_organisation_that_is_given_in_part_is_refused_by_what_is_missing() -> None:
    with pytest.raises(InvalidInput, match=r"^OIDC_CLIENT_ID, OIDC_CLIENT_SECRET: "):
        read({key: ORCID[key] for key in ("OIDC_NAME", "OIDC_SERVER_URL")}, debug=False)
