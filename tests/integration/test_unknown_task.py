"""A corpus of a task that is not there (any more): refused in words everywhere, and in nobody's way."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotations.models import Corpus
from evaluation.models import Epoch, StageWork, Submission
from evaluation.registry import find_task
from kbpo import pipeline
from kbpo.core.errors import InvalidInput
from tests.factories import DocumentFactory, SubmissionFactory
from tests.integration.conftest import Submit

pytestmark = pytest.mark.django_db

WORDS = "unknown task 'chess'; known are kbp"


@pytest.fixture
def chess(corpus: Corpus) -> Corpus:
    """A corpus of another task beside a good one; its document and submission are as any."""
    other = Corpus.objects.create(tag="chess", name="Chess", task="chess")
    DocumentFactory.create(corpus=other)
    Epoch.objects.create(
        corpus=other, number=1, secret="0" * 64, commitment="0" * 64, key_version="1", scores_due=True
    )
    return other


def test_no_corpus_of_it_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text('{"doc_id": "A", "title": "", "date": null, "text": "Ada."}\n')
    with pytest.raises((CommandError, InvalidInput), match=WORDS):
        call_command("load_corpus", str(path), "--corpus", "new", "--task", "chess")
    assert not Corpus.objects.exists()


def test_a_corpus_keeps_its_task(corpus: Corpus) -> None:
    assert corpus.task == find_task("kbp").name


@pytest.mark.parametrize("address", ["/?corpus=chess", "/corpora/chess/", "/corpora/chess/compare/"])
def test_its_pages_say_so(chess: Corpus, client: Client, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 400
    assert "unknown task" in answer.content.decode()


def test_the_api_says_so(chess: Corpus, client: Client) -> None:
    answer = client.get("/api/corpora/chess/leaderboard/")
    assert answer.status_code == 400
    assert "unknown task" in answer.content.decode()


@pytest.mark.parametrize("command", ["leaderboard", "audit_samples", "release_epoch"])
def test_its_commands_say_so(chess: Corpus, command: str) -> None:
    with pytest.raises((CommandError, InvalidInput), match=WORDS):
        call_command(command, "--corpus", "chess")


def test_nobody_else_waits_for_it(chess: Corpus, submit: Submit, judge: Callable[[], None]) -> None:
    stuck = SubmissionFactory.create(corpus=chess, state="uploaded")
    fine = submit("one")
    pipeline.advance()
    judge()
    fine.refresh_from_db()
    assert fine.state == Submission.State.SCORED
    assert "unknown task 'chess'" in StageWork.objects.get(submission=stuck).error
    assert Epoch.objects.get(corpus=chess).scoring_failures == 1
