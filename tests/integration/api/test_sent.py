"""Whatever is sent is of the type that the description of the API says."""

from typing import Any

import pytest
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from docs.openapi import describe
from kbpo.api import sent
from kbpo.api.sent import Sent
from tests import factories as make
from tests.integration.api.conftest import Program, token

pytestmark = pytest.mark.django_db
UUID = "7a2f1a5e-6f0d-4d7f-9a43-5a4fbdb0a9d1"
#: Fields whose type is checked; a body has no others.
HELD = (*sent._TEXT, *sent._NUMBERS, serializers.BooleanField, serializers.DictField)


@pytest.fixture
def organiser(db) -> Program:
    corpus = make.CorpusFactory.create(tag="news")
    return Program(token(make.give(make.UserFactory.create(), corpus, "organiser"), "organise"))


class Example(Sent):
    """A field of each type."""

    words = serializers.CharField(max_length=4, allow_blank=True)
    flag = serializers.BooleanField()
    count = serializers.IntegerField()
    share = serializers.FloatField()
    file = serializers.UUIDField()
    at = serializers.DateTimeField(allow_null=True)
    others = serializers.DictField(child=serializers.UUIDField())


RIGHT: dict[str, Any] = {
    "words": " ab ",
    "flag": True,
    "count": 1,
    "share": 0.5,
    "file": UUID,
    "at": None,
    "others": {"metrics": UUID},
}


def read(**changed: Any) -> dict[str, Any]:
    found = Example(data=RIGHT | changed)
    found.is_valid(raise_exception=True)
    return dict(found.validated_data)


def test_what_is_of_its_type_is_taken() -> None:
    found = read()
    assert (found["words"], found["flag"], found["count"], found["share"]) == ("ab", True, 1, 0.5)
    assert str(found["others"]["metrics"]) == UUID
    assert read(share=1)["share"] == 1.0
    for at in ("2026-11-28T10:00:00Z", "2026-11-28T11:00:00.5+01:00", "2026-11-28T09:00-0500"):
        assert read(at=at)["at"].utcoffset() is not None


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("words", [0, 1.5, True, None, ["a"], {"a": 1}, "a" * 5, "a    ", "     "]),
        ("flag", [0, 1, "true", "on", None]),
        ("count", ["1", True, 1.5, None]),
        ("share", ["0.5", False, None]),
        ("file", [int(UUID.replace("-", ""), 16), 1, True]),
        ("at", [5, True, "yesterday", "2026-11-28", "2026-11-28T10:00", "2026-11-28 10:00:00"]),
        ("others", [{"metrics": 5}, {"metrics": None}, 5, [UUID]]),
        ("another", [1, None]),
    ],
)
def test_what_looks_like_it_is_refused_by_its_name(name: str, wrong: list[Any]) -> None:
    for value in wrong:
        with pytest.raises(ValidationError) as caught:
            read(**{name: value})
        assert list(caught.value.detail) == [name], value


def bodies(description: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the schema of each operation's body of JSON."""
    found = {}
    for methods in description["paths"].values():
        for operation in methods.values():
            content = operation.get("requestBody", {}).get("content", {})
            if "application/json" in content:
                name = content["application/json"]["schema"]["$ref"].rpartition("/")[2]
                found[operation["operationId"]] = description["components"]["schemas"][name]
    return found


def test_every_body_is_held_to_its_description() -> None:
    described = bodies(describe())
    assert len(described) == 12
    assert [name for name, body in described.items() if body.get("additionalProperties") is not False] == []
    fields = [field for one in Sent.__subclasses__() for field in one().get_fields().values()]
    assert len(fields) > 30
    assert [field for field in fields if not isinstance(field, HELD) or field.read_only] == []


def test_an_answer_names_the_first_faults_and_no_long_name() -> None:
    for many in ({f"n{number}": 1 for number in range(100_000)}, {"a" * 300_000: 1}):
        with pytest.raises(ValidationError) as caught:
            read(**many)
        assert len(str(caught.value.detail)) < 3_000
    with pytest.raises(ValidationError) as caught:
        read(others={f"n{number}": 1 for number in range(100)})
    assert [*caught.value.detail["others"]] == [*(f"n{number}" for number in range(10)), "…"]


@pytest.mark.parametrize(
    ("address", "field", "value"),
    [
        *(
            ("corpora/news/", name, value)
            for name in ("name", "contact", "description")
            for value in (5, True)
        ),
        *(("corpora/news/", "weekly_quota", value) for value in ("5", True)),
        ("corpora/news/", "weekly_qouta", 5),
        *(("corpora/news/phases/{phase}/", "name", value) for value in (0, False)),
        *(("corpora/news/phases/{phase}/", "takes_submissions", value) for value in (0, "true")),
    ],
)
def test_a_change_of_another_type_is_refused_by_its_name(organiser, address, field, value) -> None:
    organiser("POST", "corpora/news/phases/", {"name": "test", "starts_at": "2026-12-01T12:00:00Z"})
    phase = organiser.get("corpora/news/phases/")["results"][0]["id"]
    answer = organiser("PATCH", address.format(phase=phase), {field: value})
    assert answer.status_code == 400
    assert [error["field"] for error in answer.json()["errors"]] == [field]


@pytest.mark.parametrize("body", [b"null", b"[]", b"5", b'"text"'])
def test_a_body_that_is_no_object_is_refused(organiser, body) -> None:
    assert organiser("PATCH", "corpora/news/", body).status_code == 400
