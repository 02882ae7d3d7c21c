import pytest

from marketplace.protocol.hosts import canonical, is_one_of


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0x7f.0.0.1",
        "0177.0.0.1",
        "127.0.0.1.",
        "::ffff:7f00:1",
    ],
)
def test_an_address_is_the_same_however_it_is_written(host: str) -> None:
    assert canonical(host) == "127.0.0.1"


@pytest.mark.parametrize("host", ["kbp.example.org", "KBP.Example.ORG", "kbp.example.org."])
def test_a_name_is_the_same_in_any_case_and_with_a_dot(host: str) -> None:
    assert is_one_of(host, ["kbp.example.org"])


@pytest.mark.parametrize(
    "host", ["example.org", "hits.kbp.example.org", "kbp.example.org.evil.net", "xkbp.example.org"]
)
def test_other_names_are_others(host: str) -> None:
    assert not is_one_of(host, ["kbp.example.org"])


def test_a_name_that_begins_with_a_dot_is_for_all_below_it() -> None:
    assert [
        is_one_of(host, [".example.org"]) for host in ("example.org", "a.example.org", "myexample.org")
    ] == [
        True,
        True,
        False,
    ]


@pytest.mark.parametrize("host", ["1.2.3.4.5", "0xzz", "256.1.1.1", "a.1x", ""])
def test_what_is_no_address_stays_as_it_is(host: str) -> None:
    assert canonical(host) == host
