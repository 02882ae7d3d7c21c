"""Before Django: requests whose headers it would fail over."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbpo.wsgi import guard


def status_of(**headers: str) -> str:
    given: list[str] = []

    def application(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        start_response("200 OK", [])
        return []

    environ = {name.upper(): value for name, value in headers.items()}
    list(guard(application)(environ, lambda status, headers: given.append(status)))  # type: ignore[arg-type]
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
    assert status_of(content_type=content_type) == "200 OK"


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
    assert status_of(content_type=content_type) == "415 Unsupported Media Type"


@pytest.mark.parametrize("length", ["", "0", "12", str(500 << 20)])
def test_a_request_that_says_its_length_passes(length):
    assert status_of(content_length=length) == "200 OK"


@pytest.mark.parametrize("length", ["x", "-1", "1e9", "٣", "²", " 1", "9" * 30, "9" * 5_000])
def test_a_length_that_is_none_is_refused(length):
    assert status_of(content_length=length) == "400 Bad Request"


@given(st.text(st.characters(max_codepoint=255), max_size=60))
def test_whatever_stands_in_a_content_type_has_an_answer(rest):
    for content_type in (rest, f"text/plain; {rest}", f"text/plain; charset={rest}"):
        assert status_of(content_type=content_type) in {"200 OK", "415 Unsupported Media Type"}


def test_a_program_is_refused_with_a_problem() -> None:
    said: dict[str, str] = {}
    environ = {"PATH_INFO": "/api/v1/checks/", "CONTENT_TYPE": "application/json; charset=hex"}
    [body] = guard(lambda *_: [])(environ, lambda _, headers: said.update(headers))  # type: ignore[arg-type, func-returns-value]
    assert said["Content-Type"] == "application/problem+json"
    assert json.loads(body)["status"] == 415
