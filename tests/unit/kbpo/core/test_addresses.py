import pytest

from kbpo.core.addresses import local_path


@pytest.mark.parametrize("given", ["/", "/submissions/new/?corpus=news&x=%2F", "/a#b"])
def test_a_path_of_the_site_is_led_to(given):
    assert local_path(given) == given


@pytest.mark.parametrize(
    "given",
    [
        None,
        "",
        "teams/",
        "//evil.example/",
        "/\\evil.example/",
        "///evil.example",
        "https://evil.example/",
        "javascript:alert(1)",
        "/teams/\r\nSet-Cookie: a=b",
    ],
)
def test_anything_else_is_led_nowhere(given):
    assert local_path(given) == ""
