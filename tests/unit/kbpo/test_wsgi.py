"""Before Django: requests that say that they are in an encoding of which it would make a mess."""

from typing import Any

import pytest

from kbpo.wsgi import in_utf8


def status_of(content_type: str) -> str:
    given: list[str] = []

    def application(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        start_response("200 OK", [])
        return []

    environ = {"CONTENT_TYPE": content_type} if content_type else {}
    list(in_utf8(application)(environ, lambda status, headers: given.append(status)))  # type: ignore[arg-type]
    return given[0]


@pytest.mark.parametrize(
    "content_type",
    [
        "",
        "text/plain",
        "application/json; charset=utf-8",
        'application/x-www-form-urlencoded; charset="UTF-8"',
        "multipart/form-data; boundary=x",
    ],
)
def test_a_request_in_utf8_passes(content_type):
    assert status_of(content_type) == "200 OK"


@pytest.mark.parametrize(
    "content_type",
    [
        *(
            f"multipart/form-data; boundary=b; charset={charset}"
            for charset in (
                "hex",
                "rot13",
                "unicode_escape",
                "utf-7",
                "utf-16",
                "idna",
                "none-such",
                "\xff",
                "",
            )
        ),
        "text/plain; charset*=none-such''x",
    ],
)
def test_a_request_in_anything_else_is_refused(content_type):
    assert status_of(content_type) == "415 Unsupported Media Type"
