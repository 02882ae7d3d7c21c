"""Reading an upload in a process of its own: what reaches the database, and what stops nobody else."""

import io
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.utils import timezone

from annotations import takedowns
from annotations.models import Corpus
from evaluation.kbp.task import TASK as KBP
from evaluation.models import Submission
from evaluation.reading import isolated
from evaluation.reading.isolated import Limits
from evaluation.reading.text_file import TextFile, write_texts
from evaluation.submissions import normalised, submitting, texts
from evaluation.submissions.texts import remove_unfinished, text_file
from kbpo import pipeline
from kbpo.core.errors import InvalidInput
from kbpo_formats.blotting import blotted
from tests import written
from tests.conftest import ROOT
from tests.factories import CorpusFactory, DocumentFactory, UserFactory
from tests.integration.conftest import Submit
from tests.world import World

pytestmark = pytest.mark.django_db


def test_the_text_file_holds_the_corpus_and_is_written_once() -> None:
    corpus = CorpusFactory()
    one = DocumentFactory(corpus=corpus)
    DocumentFactory()
    path = text_file(corpus)
    written = path.stat()
    assert TextFile(path).text(one.doc_id) == one.text
    assert text_file(corpus) == path
    again = path.stat()  # a file written anew would be another one
    assert (again.st_ino, again.st_size) == (written.st_ino, written.st_size)


def test_a_corpus_that_has_grown_has_another_text_file() -> None:
    corpus = CorpusFactory()
    DocumentFactory(corpus=corpus)
    before = text_file(corpus)
    written.just_now(before)
    added = DocumentFactory(corpus=corpus)
    after = text_file(corpus)
    assert TextFile(before).length(added.doc_id) is None
    assert TextFile(after).length(added.doc_id) == len(added.text)


def test_a_corpus_without_documents_has_an_empty_text_file() -> None:
    assert TextFile(text_file(CorpusFactory())).length("D") is None


def test_a_text_that_is_removed_while_the_text_file_is_written_is_not_in_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    document = DocumentFactory()
    by = UserFactory(is_operator=True)
    took: list[Path] = []

    def write(path: Path, rows: Iterable[tuple[str, str]]) -> None:
        write_texts(path, list(rows))
        if not took:
            takedowns.take_down(document=document, reason="asked", by=by, now=timezone.now())
            took.append(path)

    monkeypatch.setattr(texts, "write_texts", write)
    path = text_file(document.corpus)
    assert TextFile(path).text(document.doc_id) == blotted(document.text) != document.text
    assert not took[0].exists()


KILLED_WRITER = """
import os, signal, sys
from pathlib import Path
from evaluation.reading.text_file import write_texts

def texts():
    yield "D1", "one", [0]
    os.kill(os.getpid(), signal.SIGKILL)

write_texts(Path(sys.argv[1]), texts())
"""


def test_what_a_killed_writer_of_texts_leaves_is_removed_after_a_day(settings: LazySettings) -> None:
    whole = text_file(CorpusFactory())
    subprocess.run(
        [sys.executable, "-c", KILLED_WRITER, str(whole.with_name("9-x.sqlite"))], cwd=ROOT, check=False
    )
    (left,) = whole.parent.glob(".9-x.sqlite.*")
    written.just_now(left)
    assert remove_unfinished(now=timezone.now()) == 0
    for path in (left, whole):
        os.utime(path, (0, 0))
    pipeline.remove_orphans()
    assert (left.exists(), whole.exists()) == (False, True)


def test_a_file_that_costs_too_much_is_refused_and_the_next_is_read(
    submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = submit("large")
    with monkeypatch.context() as patch:
        patch.setattr(isolated, "Limits", lambda: Limits(output=1_000))
        pipeline.validate_submissions()
    small = submit("small", seed=2)
    pipeline.validate_submissions()
    large.refresh_from_db()
    small.refresh_from_db()
    assert (large.state, small.state) == (Submission.State.REFUSED, Submission.State.ACCEPTED)
    problem = large.problems.get()
    assert (problem.line, problem.code, problem.severity) == (0, "TOO_LARGE", "ERROR")


def test_a_mention_that_differs_from_the_text_is_reported_and_kept(
    submit: Submit, world: World, corpus: Corpus, tmp_path: object
) -> None:
    path = world.write_kb(tmp_path / "other.kb", world.system(recall=0.7, precision=0.6, seed=0))  # type: ignore[operator]
    text = path.read_text().replace('"Tarn', '"Town')
    reading = submitting.read_file(
        task=KBP, stream=io.BytesIO(text.encode()), corpus=corpus, format="tac2016"
    )
    assert reading.accepted
    shown = [problem for problem in reading.problems if problem.code == "MENTION_TEXT_DIFFERS"]
    assert len(shown) == text.count('"Town')
    assert "'Tarn0'" in shown[0].message
    assert "'Town0'" in shown[0].message


def test_a_submission_is_written_anew_and_gives_the_same_predictions(submit: Submit, corpus: Corpus) -> None:
    submission = submit("one")
    pipeline.validate_submissions()
    to = io.BytesIO()
    normalised.write(task=KBP, file=submission, to=to)
    to.seek(0)
    again = submitting.read_file(task=KBP, stream=to, corpus=corpus, format="tac2016")
    with submission.file.open("rb") as stream:
        first = submitting.read_file(task=KBP, stream=stream, corpus=corpus, format="tac2016")
    assert not again.problems
    assert {**again.predictions.integers, "line": None} == {**first.predictions.integers, "line": None}
    assert again.predictions.strings == first.predictions.strings
    assert again.predictions.confidences == first.predictions.confidences


def test_a_refused_submission_is_not_written_anew(submit: Submit) -> None:
    submission = submit("none", [])
    with pytest.raises(InvalidInput, match="refused"):
        normalised.write(task=KBP, file=submission, to=io.BytesIO())


def test_what_became_of_the_file_is_stored_with_it(submit: Submit) -> None:
    submission = submit("one")
    pipeline.validate_submissions()
    submission.refresh_from_db()
    counts = submission.counts
    assert sum(counts["entities_by_type"].values()) == counts["entities"]
    assert (
        sum(counts["instances_by_predicate"].values())
        == counts["instances"]
        == submission.predictions.count()
    )
    assert sum(counts["relation_lines_by_predicate"].values()) == counts["relation_lines"]
