"""Anybody can draw a released epoch's sample again from what it publishes."""

import hashlib
import hmac
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from django.test import Client

from evaluation.design import epochs
from evaluation.kbp.task import TASK as KBP
from evaluation.models import Submission
from kbpo import pipeline
from kbpo_estimators.coordinated import quadratic_sum
from tests.integration.conftest import Submit

pytestmark = pytest.mark.django_db


@pytest.fixture
def published(
    submit: Submit, corpus: Any, judge: Callable[[], None], client: Client
) -> Callable[[], list[dict[str, Any]]]:
    submit("one", seed=1)
    submit("two", team="Beta", seed=2)
    pipeline.advance()
    judge()

    def download() -> list[dict[str, Any]]:
        epochs.release(task=KBP, corpus=corpus)
        response = client.get("/corpora/small/epochs/1/sample.jsonl")
        assert response.status_code == 200
        return [json.loads(line) for line in b"".join(response.streaming_content).splitlines()]

    return download


def test_it_is_sealed_before_the_release(submit: Submit, client: Client) -> None:
    submit("one")
    pipeline.advance()
    assert client.get("/corpora/small/epochs/1/sample.jsonl").status_code == 404


@pytest.mark.slow
def test_the_published_file_gives_lambda_pi_and_the_sample_again(
    published: Callable[[], list[dict[str, Any]]],
) -> None:
    epoch, *rows = published()
    secret = bytes.fromhex(epoch["secret"])
    assert hashlib.sha256(secret).hexdigest() == epoch["commitment"]
    assert epoch["growth"] == "quadratic"
    assert (epoch["ontology"], epoch["classes"]) == ("tac-kbp@1", None)
    state: dict[str, tuple[float, float]] = {}
    for batch in (row for row in rows if "lambda" in row):
        claims = [row for row in rows if "key" in row and row["batch"] == batch["batch"]]
        p = np.array([claim["p"] for claim in claims])
        before, squares = np.array([state.get(claim["key"], (0.0, 0.0)) for claim in claims]).T
        found = quadratic_sum(
            before,
            squares,
            p,
            batch["target_variance"],
            variance=[0.25 if claim["variance"] is None else claim["variance"] for claim in claims],
            known=np.array([claim["known"] for claim in claims]),
            floor=batch["floor"] / len(claims),
        )
        assert found.lam == batch["lambda"]
        changed = (found.pi > before) | (found.squares > squares)
        for row, claim in enumerate(claims):
            old, new = before[row], found.pi[row]
            assert claim["pi"] == (new if changed[row] else None)
            word = hmac.digest(secret, claim["key"].encode(), "sha256")
            u = (int.from_bytes(word[:8], "big") >> 11) * 2.0**-53
            assert claim["drawn"] == int(old <= u < new)
            state[claim["key"]] = new, found.squares[row]


@pytest.mark.slow
def test_of_a_hidden_system_neither_name_nor_undrawn_claims_are_published(
    published: Callable[[], list[dict[str, Any]]],
) -> None:
    Submission.objects.filter(name="two").update(is_public=False)
    rows = published()
    hidden = [row for row in rows if row.get("batch") == 2]
    assert hidden[0]["system"] is None
    assert all(row["drawn"] and row["p"] is None for row in hidden[1:])
