from ipaddress import ip_network

import pytest
from django.conf import LazySettings
from django.http import HttpResponse
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from kbpo.core.clients import client_address, comes_from_proxy, network_of, networks_of
from kbpo.middleware import forwarded_scheme

PROXY = "10.0.0.5"
CLIENT = "198.51.100.7"


@pytest.fixture(autouse=True)
def proxies(settings: LazySettings) -> None:
    settings.TRUSTED_PROXIES = (ip_network(PROXY), ip_network("fd00::/8"))


def address(forwarded: str | None, peer: str = PROXY) -> str:
    headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
    return client_address(RequestFactory().get("/", headers=headers, REMOTE_ADDR=peer))


@pytest.mark.parametrize(
    ("forwarded", "found"),
    [
        (None, PROXY),
        ("", PROXY),
        (CLIENT, CLIENT),
        (f"203.0.113.1, {CLIENT}", CLIENT),  # what stands further left the client has sent
        (f"203.0.113.1, {CLIENT}, {PROXY}", CLIENT),  # two proxies of ours
        (f"{CLIENT}, fd00::1", CLIENT),
        (f"{CLIENT}:4711", CLIENT),
        ("2001:db8::1", "2001:db8::1"),
        ("[2001:db8::1]:4711", "2001:db8::1"),
        (f"::ffff:{CLIENT}", CLIENT),
        ("fe80::1%eth0", "fe80::1"),
        ("unknown", PROXY),
        (f"{CLIENT}, unknown", PROXY),
        (f"{CLIENT},", PROXY),
        (PROXY, PROXY),
        ("٣.1.1.1", PROXY),
        ("9" * 5000, PROXY),
    ],
)
def test_behind_a_proxy_the_address_is_the_last_that_a_proxy_of_ours_wrote(
    forwarded: str | None, found: str
) -> None:
    assert address(forwarded) == found


def test_who_is_no_proxy_cannot_say_where_they_come_from() -> None:
    assert address("203.0.113.1", peer=CLIENT) == CLIENT


def test_a_connection_by_a_socket_is_of_this_machine() -> None:
    assert address(CLIENT, peer="") == "127.0.0.1"


@given(st.text(), st.text())
def test_no_header_fails_or_changes_the_address_of_who_is_no_proxy(forwarded: str, sent: str) -> None:
    request = RequestFactory().get("/", REMOTE_ADDR=CLIENT)
    request.META["HTTP_X_FORWARDED_FOR"] = f"{sent},{forwarded}"
    assert client_address(request) == CLIENT


@given(st.text())
def test_no_client_chooses_the_address_that_a_proxy_hands_on(sent: str) -> None:
    request = RequestFactory().get("/", REMOTE_ADDR=PROXY)
    request.META["HTTP_X_FORWARDED_FOR"] = f"{sent}, {CLIENT}"
    assert client_address(request) == CLIENT


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("198.51.100.7", "198.51.100.8", False),
    ],
)
def test_addresses_are_counted_one_by_one_and_those_of_ipv6_by_their_first_half(
    one: str, other: str, together: bool
) -> None:
    assert (network_of(one) == network_of(other)) is together


def test_ipv6_is_counted_by_what_customers_are_given_as_well() -> None:
    found = networks_of("2001:db8:1:2ff::1")
    assert [(one.name, one.share) for one in found] == [
        ("2001:db8:1:2ff::/64", 1),
        ("2001:db8:1:200::/56", 2),
        ("2001:db8:1::/48", 4),
    ]
    assert len(networks_of("198.51.100.7")) == 1


@pytest.mark.parametrize(("peer", "secure"), [(PROXY, True), (CLIENT, False)])
def test_a_request_is_by_https_only_if_a_trusted_proxy_says_so(
    settings: LazySettings, peer: str, secure: bool
) -> None:
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    request = RequestFactory().get("/", headers={"X-Forwarded-Proto": "https"}, REMOTE_ADDR=peer)
    forwarded_scheme(lambda _: HttpResponse())(request)
    assert (comes_from_proxy(request), request.is_secure()) == (secure, secure)
