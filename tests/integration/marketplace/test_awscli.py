"""Amazon's own command line, unmodified, as a requester."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.urls import reverse

from marketplace.models import RequesterKey, Worker
from tests.integration.marketplace.conftest import QUESTION, Answer

pytestmark = pytest.mark.django_db(transaction=True)

Aws = Callable[..., Any]


@pytest.fixture
def aws(live_server, key: RequesterKey, tmp_path: Path) -> Aws:
    """Call ``aws mturk … --endpoint-url …``; return what it printed, as JSON."""
    program = Path(os.environ.get("AWS_CLI", Path(sys.executable).with_name("aws")))
    if not program.exists():
        pytest.fail(f"no AWS CLI at {program}: run make setup, or set AWS_CLI")

    def act(*arguments: str) -> Any:
        done = subprocess.run(
            [
                program,
                "mturk",
                *arguments,
                "--endpoint-url",
                live_server.url + reverse("requester_api"),
                "--region",
                "us-east-1",
                "--output",
                "json",
            ],
            # None of the AWS settings that are here; all else, so that its clock is the one of the server.
            env={name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
            | {
                "HOME": str(tmp_path),
                "AWS_ACCESS_KEY_ID": key.access_key_id,
                "AWS_SECRET_ACCESS_KEY": key.secret,
                "AWS_DATA_PATH": str(settings.MTURK_SERVICE_MODELS),  # it may no longer have its own
            },
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout or "null")

    return act


def test_the_aws_cli_creates_a_hit_lists_its_assignments_and_approves_one(
    aws: Aws, answer: Answer, worker: Worker, tmp_path: Path
) -> None:
    question = tmp_path / "question.xml"
    question.write_text(QUESTION, encoding="utf-8")
    hit = aws(
        "create-hit",
        *("--title", "Judge a claim"),
        *("--description", "Say whether a document bears out a claim."),
        *("--reward", "0.15"),
        *("--assignment-duration-in-seconds", "300"),
        *("--lifetime-in-seconds", "3600"),
        *("--max-assignments", "2"),
        *("--question", f"file://{question}"),
    )["HIT"]
    sent = [answer(hit["HITId"], worker), answer(hit["HITId"])]

    listed = aws("list-assignments-for-hit", "--hit-id", hit["HITId"])["Assignments"]
    assert [one["AssignmentId"] for one in listed] == [one.assignment_id for one in sent]

    aws("approve-assignment", "--assignment-id", sent[0].assignment_id)
    listed = aws("list-assignments-for-hit", "--hit-id", hit["HITId"], "--assignment-statuses", "Approved")
    assert [one["WorkerId"] for one in listed["Assignments"]] == [worker.worker_id]
    assert sum(entry.paid_cents for entry in worker.entries.filter(kind="reward")) == 15
