"""A corpus of a task that is not there (any more): refused in words everywhere, and in nobody's way."""

import html
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotations.models import Corpus
from evaluation.design import audit, epochs
from evaluation.models import DocumentSample, Epoch, StageWork, Submission
from evaluation.registry import find_task
from evaluation.scoring import estimation
from kbpo import pipeline
from kbpo.core.errors import InvalidInput
from tests.factories import DocumentFactory, SubmissionFactory, UserFactory
from tests.integration.conftest import Submit

pytestmark = pytest.mark.django_db

WORDS = "unknown task 'chess'; known are kbp"
OTHER = "corpus chess is of the task 'chess'; this is for knowledge base population alone"


@pytest.fixture
def operator(client: Client) -> Client:
    client.force_login(UserFactory.create(is_operator=True))
    return client


@pytest.fixture
def chess(corpus: Corpus) -> Corpus:
    """A corpus of another task beside a good one; its document and submission are as any."""
    other = Corpus.objects.create(tag="chess", name="Chess", task="chess")
    DocumentFactory.create(corpus=other)
    Epoch.objects.create(
        corpus=other,
        number=1,
        secret="0" * 64,
        commitment="0" * 64,
        key_version="1",
        weighting="moves",
        growth=Epoch.Growth.MAXIMUM,
        scores_due=True,
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


@pytest.mark.parametrize(
    "address", ["documents/", "documents/D000/", "entities/", "entities/0123456789abcdef/", "exhaustive/"]
)
def test_the_pages_of_another_task_do_not_show_it(chess: Corpus, operator: Client, address: str) -> None:
    answer = operator.get(f"/corpora/chess/{address}")
    assert answer.status_code == 400
    assert OTHER in html.unescape(answer.content.decode())


def test_it_is_not_released_at_the_desk(chess: Corpus, operator: Client) -> None:
    answer = operator.post("/desk/corpora/chess/release/", {"number": "1", "sure": "on"})
    assert answer.status_code == 400
    assert "unknown task" in answer.content.decode()
    assert Epoch.objects.get(corpus=chess).released_at is None


def test_the_first_page_shows_a_corpus_whose_task_is_known(chess: Corpus, client: Client) -> None:
    Corpus.objects.filter(pk=chess.pk).update(created_at=datetime(2000, 1, 1, tzinfo=UTC))
    answer = client.get("/")
    assert answer.status_code == 200
    assert answer.context["corpus"] != chess


def test_the_api_says_so(chess: Corpus, client: Client) -> None:
    answer = client.get("/api/v1/corpora/chess/leaderboard/")
    assert answer.status_code == 400
    assert "unknown task" in answer.content.decode()


@pytest.mark.parametrize(
    "command",
    [["load_gold", "gold.jsonl", "--corpus", "chess"], ["sample_documents", "--corpus", "chess", "--n", "3"]],
)
def test_the_commands_of_another_task_leave_it_alone(chess: Corpus, command: list[str]) -> None:
    with pytest.raises((CommandError, InvalidInput), match=OTHER):
        call_command(*command)
    assert not DocumentSample.objects.filter(corpus=chess).exists()


def test_no_service_takes_it_for_a_corpus_of_another_task(chess: Corpus) -> None:
    kbp = find_task("kbp")
    with pytest.raises(InvalidInput, match=OTHER):
        epochs.release(corpus=chess, task=kbp)
    with pytest.raises(InvalidInput, match=OTHER):
        audit.audit_corpus(chess, kbp)
    with pytest.raises(InvalidInput, match=OTHER):
        estimation.score_epoch(epoch_id=Epoch.objects.get(corpus=chess).pk, task=kbp)


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
