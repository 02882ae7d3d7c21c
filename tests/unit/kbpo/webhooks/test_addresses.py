import socket
from typing import Any

import pytest

from kbpo.core.errors import InvalidInput
from kbpo.webhooks import addresses
from kbpo.webhooks.addresses import NotPublic, check_url, is_public, resolve

PRIVATE = [
    *("127.0.0.1", "127.1.2.3", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254"),
    *("100.64.0.1", "192.0.0.8", "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"),
    *("::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "fec0::1", "ff02::1", "2001:db8::1"),
    *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1"),
    *("2002:7f00:1::", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "100::1", "192.88.99.1", "3fff::1"),
]


@pytest.mark.parametrize("address", PRIVATE)
def test_no_address_of_a_network_that_is_not_everybodys_is_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"])
def test_addresses_of_everybodys_network_are_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://example.org/", "should begin with https://"),
        ("ftp://example.org/", "should begin with https://"),
        ("https:///path", "should begin with https://"),
        ("example.org", "should begin with https://"),
        ("https://[::1", "is no address"),
        ("https://example.org:99999/", "is no address"),
        ("https://user:word@example.org/", "no name, password"),
        ("https://example.org/#part", "no name, password"),
        ("https://example.org/a b", "ASCII characters and no spaces"),
        ("https://exämple.org/", "ASCII characters and no spaces"),
        (f"https://example.org/{'x' * 500}", "at most 500"),
        ("https://example.org:22/", "port 22 is not sent to"),
        ("https://kbpo.example.org/", "is this service itself"),
        ("https://KBPO.example.org./", "is this service itself"),
        ("https://localhost/", "everybody can reach"),
        ("https://db.internal/", "everybody can reach"),
        ("https://server/", "everybody can reach"),
        ("https://10.0.0.1/", "everybody can reach"),
        ("https://[::ffff:127.0.0.1]/", "everybody can reach"),
        ("https://127.1/", "everybody can reach"),
        ("https://2130706433/", "everybody can reach"),
        ("https://0x7f.1/", "everybody can reach"),
    ],
)
def test_an_address_that_may_not_be_sent_to_is_refused_in_words(url: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        check_url(url, own_hosts=("kbpo.example.org",))


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org",
        "https://example.org:8443/a?b=c",
        "https://93.184.215.14/",
        "https://a.xn--p1ai/",
    ],
)
def test_an_address_that_everybody_can_reach_will_do(url: str) -> None:
    assert check_url(f" {url} ") == url


def test_a_development_machine_sends_to_itself() -> None:
    assert check_url("http://127.0.0.1:9000/", is_anywhere=True) == "http://127.0.0.1:9000/"


def look_up(monkeypatch: pytest.MonkeyPatch, *found: str) -> None:
    entries = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 443)) for address in found]
    monkeypatch.setattr(addresses.socket, "getaddrinfo", lambda *_, **__: entries)


def test_a_name_of_which_one_address_is_not_public_is_not_sent_to(monkeypatch: pytest.MonkeyPatch) -> None:
    look_up(monkeypatch, "93.184.215.14", "10.0.0.1")
    with pytest.raises(NotPublic, match=r"example\.org"):
        resolve("example.org", 443)


def test_what_is_said_of_a_private_address_does_not_name_it(monkeypatch: pytest.MonkeyPatch) -> None:
    look_up(monkeypatch, "10.0.0.1")
    with pytest.raises(NotPublic) as refused:
        resolve("example.org", 443)
    assert "10.0.0.1" not in str(refused.value)


def test_a_name_is_looked_up_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def getaddrinfo(*given: Any, **_: Any) -> list[Any]:
        asked.append(given)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.215.14", 443))] * 2

    monkeypatch.setattr(addresses.socket, "getaddrinfo", getaddrinfo)
    assert resolve("example.org", 443) == ["93.184.215.14"]
    assert asked == [("example.org", 443)]
